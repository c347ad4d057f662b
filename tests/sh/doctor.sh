#!/bin/bash
# SPDX-License-Identifier: MIT
#
# tracemill doctor (tm-inspect --recording): programs that are built to have one fault each, and a PATH, a folder and
# files of this machine that are read here, too.
# shellcheck disable=SC2016,SC2034,SC2317 # check evaluates
set -u
: "${SRC:?}" "${BIN:?}"

# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"
CC=${CC:-cc}
fit() { # CHECK: what the report of $program has for it
	"${via:-doctor}" "$program" | awk -F, -v c="$1" '$2 == c { print $3 }'
}
doctor() { tracemill doctor --csv -q "$@" 2>err; }
echo 'int main(void) { return 0; }' >plain.c
$CC -g plain.c -o plain || echo "not ok - plain.c compiles"
program=./plain
tracemill doctor -q ./plain >out 2>err
status=$?
check 'an ordinary program: status 0, one table' eval '[ $status = 0 ] && [ ! -s err ] && [ "$(grep -c . out)" -ge 15 ] && ! grep -q segments out'
for c in recording recorder-library allocator names lines; do
	check "an ordinary program: $c" [ "$(fit $c)" = yes ]
done
check 'it shows no frame: not known' [ "$(fit frames)" = unknown ]

printf '\0asm\1\0\0\0' >game.wasm
chmod +x game.wasm
program=./game.wasm
check 'a program of WebAssembly is not recorded, and the page that helps is named' eval \
	'[ "$(fit recording)" = no ] && doctor ./game.wasm | grep -q "recording,no,.*OTHER SYSTEMS"'

cat >frames.c <<'X'
void SDL_GL_SwapWindow(void *);
int main(void) { SDL_GL_SwapWindow(0); return 0; }
X
echo 'void SDL_GL_SwapWindow(void *w) { (void)w; }' >sdl.c
$CC -shared -fPIC sdl.c -o libsdl.so && $CC frames.c -o frames -L. -lsdl -Wl,-rpath,"$PWD" || echo "not ok - frames.c compiles"
program=./frames
check 'a program that calls SDL_GL_SwapWindow has frames' eval '[ "$(fit frames)" = yes ] && doctor ./frames | grep -q "each call of SDL_GL_SwapWindow"'

if $CC -static plain.c -o static 2>/dev/null; then
	program=./static
	check 'linked statically: not recorded' [ "$(fit recording)" = no ]
	doctor ./static >/dev/null
	check 'linked statically: status 1' [ $? = 1 ]
else
	echo "skip - a static program (no static C library)"
fi
if cp plain setuid && chmod u+s setuid && [ -u setuid ]; then
	program=./setuid
	check 'setuid: not recorded' [ "$(fit recording)" = no ]
fi
cat >own.c <<'X'
#include <stddef.h>
void *malloc(size_t n) { static char room[4096]; static size_t used; used += n + 15 & ~15; return room + used - n; }
void free(void *p) { (void)p; }
int main(void) { return !malloc(3); }
X
if $CC -w -fno-builtin -rdynamic own.c -o own; then
	program=./own
	check 'its own malloc' [ "$(fit allocator)" = no ]
fi
$CC -s plain.c -o stripped
program=./stripped
check 'stripped: no lines' [ "$(fit lines)" = no ]
doctor ./none >out
status=$?
check 'no such program: status 1, and this machine is still checked' eval '[ $status = 1 ] && grep -q ",disk," out'
check 'no such program: said' grep -q 'recording,no,no such program' out
tracemill doctor >out 2>err
status=$?
check 'no operand: usage' eval '[ $status = 2 ] && grep -q "doctor: no program" err'
tm-inspect --recording --disassemble main ./plain >out 2>err
check 'with --disassemble: usage' [ $? = 2 ]

# This machine.
program=./plain
mkdir -p path
printf "#!/bin/sh\n" >path/adb && chmod +x path/adb
nothing() { PATH=$BIN:$PWD/none doctor "$@"; }
with_adb() { PATH=$BIN:$PWD/path doctor "$@"; }
awk=$(command -v awk)
check 'no adb in PATH' eval '[ "$(nothing ./plain | "$awk" -F, "\$2 == \"adb\" { print \$3 }")" = no ]'
check 'adb in PATH' eval '[ "$(with_adb ./plain | "$awk" -F, "\$2 == \"adb\" { print \$3 }")" = yes ]'
clock=/sys/devices/system/clocksource/clocksource0/current_clocksource
if [ -r $clock ]; then
	check 'the clock is named' eval 'doctor ./plain | grep "clock," | grep -qF "$(cat $clock)"'
else
	check 'the clock is not known' [ "$(fit clock)" = unknown ]
fi
free=$(($(stat -f -c '%a * %S / 1048576' .)))
check 'room in this folder, within 1 GiB of what stat says' eval \
	'said=$(doctor ./plain | sed -nE "s/.*,disk,[a-z]+,([0-9]+) MiB.*/\1/p"); [ $((said - free)) -lt 1024 ] && [ $((free - said)) -lt 1024 ]'
exit "${failed:-0}"
