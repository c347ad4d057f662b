#!/bin/bash
# SPDX-License-Identifier: MIT
#
# --sysroot: every path that a file of a captured system names is looked up below it. The system is made in
# root, so that its paths (/cap/...) are nowhere on this machine; what is right is what the whole program says.
set -u
# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"

mkdir -p root/cap/build root/cap/bin root/usr/lib/debug/.dwz
cat >root/cap/build/game.c <<'C'
struct shared { struct shared *next; long a, b, c, d, e, f, g, h; } shared;
static inline __attribute__((always_inline)) int deep(int n) { return n * shared.a; }
__attribute__((noinline)) int play(int n)
{
	return deep(n + 1) + 1;
}
int main(void) { return play(1); }
C
# shellcheck disable=SC2317 # check calls it
compile() { # TO OPTION...: as on the captured system
	(cd root/cap/build && "${CC:-gcc}" -O1 -ffile-prefix-map="$OLDPWD/root=" -Wl,--build-id "${@:2}" -o "$1" game.c) 2>err
}
asked() { # PROGRAM OPTION...
	local at

	at=$(nm "$1" | sed -n 's/ T play$//p')
	tm-addr2line --no-cache -fi "${@:2}" -e "$1" "$at" 2>said
}
# shellcheck disable=SC2317
says() { readelf --debug-dump=info "$1" 2>/dev/null | grep -q "$2"; }

# --- the common file of dwz, by an absolute path ---

if ! command -v dwz >/dev/null 2>&1; then
	echo 'skip - dwz (not here)'
else
	for f in one two; do
		{
			# What both have is moved out by dwz, where it is enough.
			for i in {1..80}; do echo "struct s$i { int a$i; struct s$i *b$i; long c[$i]; } v$i;"; done
			cat root/cap/build/game.c
			echo "int only_$f;"
		} >root/cap/build/$f.c
		(cd root/cap/build && "${CC:-gcc}" -g -gdwarf-4 -O1 -ffile-prefix-map="$OLDPWD/root=" -Wl,--build-id -o $f $f.c) 2>err
	done
	cp root/cap/build/one whole.one
	asked whole.one >want
	(cd root/cap/build && dwz -m "$OLDPWD/common" -M /cap/lib/common.debug one two) 2>err
	mkdir -p root/cap/lib && mv common root/cap/lib/common.debug
	verify=() # libdwarf reads no file of strings alone
	readelf -S root/cap/lib/common.debug | grep -q '\.debug_info' && verify=(--verify 1000)
	check "dwz names an absolute path" grep -q '/cap/lib/common.debug' root/cap/build/one
		asked root/cap/build/one "${verify[@]}" --sysroot root >got
	check "dwz, absolute: the names of the file that is whole" cmp -s want got
	check "dwz, absolute: nothing is said but what libdwarf says, the same" [ "$(grep -cv ' 0 different, 0 unknown' said)" = 0 ]
	asked root/cap/build/one >got
	check "dwz, absolute: without --sysroot it is missing, and said" grep -q '/cap/lib/common.debug: not there' said
	# By its build-id in the sysroot's tree, and where Debian keeps these.
	id=$(readelf -n root/cap/lib/common.debug | sed -n 's/.*Build ID: //p')
	for place in "root/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug" root/usr/lib/debug/.dwz/common.debug; do
		mkdir -p "${place%/*}"
		mv root/cap/lib/common.debug "$place"
		asked root/cap/build/one --sysroot root >got
		check "dwz, ${place#root/usr/lib/debug/}: found" cmp -s want got
		mv "$place" root/cap/lib/common.debug
	done
fi

# --- split DWARF: the compilation directory and a relative name, an absolute one, a package ---

# The binary is elsewhere, or what is beside it would do.
if (cd root/cap/build && "${CC:-gcc}" -O1 -g -gsplit-dwarf -ffile-prefix-map="$OLDPWD/root=" -c -o game.o game.c &&
	"${CC:-gcc}" -Wl,--build-id -o ../bin/split game.o) 2>err; then
	mkdir -p elsewhere && cp root/cap/bin/split elsewhere/split
	check "the unit's folder is /cap/build" says elsewhere/split 'comp_dir.*: /cap/build$'
	mv root/cap/build/game.dwo elsewhere/game.dwo
	asked elsewhere/split >want
	mv elsewhere/game.dwo root/cap/build/game.dwo
	asked elsewhere/split --verify 1000 --sysroot root >got
	check "split, relative name" cmp -s want got
	check "split, relative name: nothing is said but what libdwarf says, the same" [ "$(grep -cv ' 0 different, 0 unknown' said)" = 0 ]
	asked elsewhere/split >got
	check "split: without --sysroot it is missing, and said" grep -q 'game.dwo, which does not exist' said
fi

# --- source files ---

compile ../bin/source -g
at=$(nm root/cap/bin/source | sed -n 's/ T play$//p')
tm-llvm-symbolizer --no-cache --print-source-context-lines=3 --obj=root/cap/bin/source "0x$at" >got 2>err
check "source: without --sysroot there is no line of it" eval '! grep -q ">:" got'
tm-llvm-symbolizer --no-cache --sysroot root --print-source-context-lines=3 --obj=root/cap/bin/source "0x$at" >got 2>err
line=$(grep -n 'return deep(n + 1)' root/cap/build/game.c | cut -d: -f1)
sed -n "$((line - 1)),$((line + 1))p" root/cap/build/game.c >want
check "source: the lines of the file below the sysroot" cmp -s want <(sed -n 's/^[0-9]* [ >]: //p' got)

# --- source that DWARF 5 embeds, whose file is gone ---

if ! command -v clang >/dev/null 2>&1; then
	echo 'skip - source that is embedded (no clang)'
else
	mkdir gone
	{ echo '#include "inner.h"' && cat root/cap/build/game.c; } >gone/embedded.c
	echo 'static inline __attribute__((always_inline)) long inner(long n) { return n * 7; }' >gone/inner.h
	sed -i 's/deep(n + 1) + 1/inner(deep(n + 1)) + 1/' gone/embedded.c
	(cd gone && clang -g -gdwarf-5 -gembed-source -O1 -o ../embedded embedded.c) 2>err
	mkdir kept && mv gone/* kept
	objdump -d embedded | sed -n '/<play>:/,/^$/s/^ *\([0-9a-f]*\):.*/0x\1/p' >addresses
	check "embedded: there are addresses" [ "$(wc -l <addresses)" -gt 3 ]
	for how in LLVM GNU JSON; do
		tm-llvm-symbolizer --no-cache --output-style=$how --print-source-context-lines=3 --obj=embedded <addresses >got 2>err
		if [ $how != JSON ]; then
			sed -n 's/^[0-9]* >: //p' got | sort -u >lines
			check "embedded, $how: lines of both files" [ "$(grep -cxF -f kept/embedded.c -f kept/inner.h lines)" -ge 2 ]
		fi
		if command -v llvm-symbolizer-19 >/dev/null 2>&1; then
			llvm-symbolizer-19 --output-style=$how --print-source-context-lines=3 --obj=embedded <addresses >want 2>err
			check "embedded, $how: as llvm-symbolizer 19" cmp -s want got
		fi
	done
fi

# --- the context of a line 0, which compilers give to code of two lines: the file's first lines ---

if command -v clang-19 >/dev/null 2>&1 && command -v llvm-symbolizer-19 >/dev/null 2>&1; then
	printf 'int g(int);\nint f(int a)\n{\n\tif (a > 7)\n\t\treturn g(1) + 3;\n\telse\n\t\treturn g(2) + 3;\n}\n' >zero.c
	clang-19 -O2 -g -c zero.c -o zero.o
	seq 0 20 >addresses
	for n in 1 3 8; do
		llvm-symbolizer-19 --print-source-context-lines=$n --obj=zero.o <addresses >want 2>err
		tm-llvm-symbolizer --no-cache --print-source-context-lines=$n --obj=zero.o <addresses >got 2>err
		check "$n lines at line 0: as llvm-symbolizer 19" eval "grep -q zero.c:0: want && cmp -s want got"
	done
else
	echo 'skip - the context of line 0 (no clang-19 or llvm-symbolizer-19)'
fi
exit $failed
