#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
#
# tm-record --frames-at: frames of programs that do not mark them. The programs of testdata/src/record/frames_shown.c
# print how often they called the functions, with the recorder and without it; frame i of the first allocates i blocks.
# shellcheck disable=SC2016,SC2034,SC2317 # check evaluates
set -u
: "${SRC:?}" "${BIN:?}"

# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"
CC=${CC:-cc}
if [ "$(uname -m)" != x86_64 ]; then
	echo "skip - frames by the calls of functions (only on x86-64)"
	exit 0
fi
source=$SRC/testdata/src/record/frames_shown.c
build() { $CC -std=c11 -D_GNU_SOURCE -g -O1 "$source" "$@" || { echo "not ok - frames_shown.c compiles"; exit 1; } }
build -shared -fPIC -o libshown.so
build -DMAIN -o lazy -L. -lshown -Wl,-rpath,"$PWD",-z,lazy
build -DMAIN -o now -L. -lshown -Wl,-rpath,"$PWD",-z,now,-z,relro -fpie -pie
build -DDL -o dl -ldl
# of CSV without its header: capture, frame, label, start, duration, count ...
frames() { tm-frames -q x.tmt --as csv 2>err | awk -F, 'NR > 1 && $2 != ""' | wc -l; }
counts() { tm-frames -q x.tmt --as csv | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "count") c = i }
	NR > 1 && $2 != "" { printf "%s ", $c }'; }
says() { tm-dump -q x.tmt | grep -q "\"frames begin at calls of $1\""; }

for p in lazy now; do
	tm-record -q -o x.tmt -- ./$p 100 >out 2>err
	check "$p: the program's own output" eval '[ "$(cat out)" = "100 outer 100 inner 0 wrong" ]'
	check "$p: a frame for each call of the outer function" eval '[ "$(frames)" = 100 ]'
	check "$p: the function is named" says SDL_GL_SwapWindow
	# The first call begins frame 0: what came before (update(0): nothing) has no frame; update(i) is in frame i - 1.
	check "$p: blocks are in the frames in which they were allocated" \
		eval '[ "$(counts | cut -d" " -f1-99)" = "$(seq -s " " 1 99)" ]'
done
tm-record -q --frames-at none -o x.tmt -- ./now 100 >out 2>err
check 'none: no frames' eval '[ "$(frames)" = 0 ] && grep -q "^100 outer" out'
tm-record -q --frames-at other,eglSwapBuffers -o x.tmt -- ./now 30 >out 2>err
check 'a list: the function of it that is called' eval '[ "$(frames)" = 30 ] && says eglSwapBuffers'
tm-record -q --frames-at eglSwapBuffers -o x.tmt -- ./dl 40 >out 2>err
check 'addresses from eglGetProcAddress: as many frames as calls' eval '[ "$(frames)" = 40 ] && says eglSwapBuffers'
check 'addresses from eglGetProcAddress: output, and dlsym of what is not there' \
	eval '[ "$(cat out)" = "40 inner 0 wrong" ]'
tm-record -o x.tmt --frames-at no_such -- ./now 5 >out 2>err
check 'no call: said' eval '[ "$(frames)" = 0 ]; tm-record -o x.tmt --frames-at no_such -- ./now 5 2>err >out;
	grep -q "no frames: no call of no_such by a symbol was seen" err'
for bad in '' 'a b' 'a;b'; do
	tm-record -o x.tmt --frames-at "$bad" -- ./now 5 >out 2>err
	status=$?
	check "'$bad' is no list: status 2" eval '[ $status = 2 ] && [ "$(wc -l <err)" = 2 ]'
done
tm-record -o x.tmt --frames-at "$(seq -s, -f f%g 25)" -- ./now 5 >out 2>err
status=$?
check '25 functions: status 2' eval '[ $status = 2 ] && grep -q "at most 24 functions" err'
# A program that marks its own frames: those, and only those.
cat >own.c <<'X'
#include <stdlib.h>
#include "lib/recorder/tracemill.h"
double SDL_GL_SwapWindow(void *w, int a, int b, int c, int d, int e, double x, double y);
int main(void)
{
	for (int i = 0; i < 20; i++) {
		tracemill_frame();
		void *volatile p = malloc(8); /* a last mark with nothing behind it is no frame */

		free(p);
		SDL_GL_SwapWindow(0, 1, 2, 3, 4, 5, 1, i);
		SDL_GL_SwapWindow(0, 1, 2, 3, 4, 5, 1, i);
	}
	return 0;
}
X
$CC -g -O1 -I"$SRC" own.c -o own -L. -lshown -Wl,-rpath,"$PWD" && tm-record -q -o x.tmt -- ./own
check "a program that marks its frames: those alone" eval '[ "$(frames)" = 20 ] && ! says SDL_GL_SwapWindow'
exit "${failed:-0}"
