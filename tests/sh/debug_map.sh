#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
#
# Mach-O programs whose DWARF is in their object files: all bytes of their code, compared with llvm-symbolizer 19 on the
# .dSYM that dsymutil makes of them; and object files that are elsewhere, missing, or newer.
set -u

for tool in clang++-19 ld64.lld-19 dsymutil-19 llvm-ar-19 llvm-lipo-19 llvm-objdump-19 llvm-symbolizer-19; do
	command -v "$tool" >/dev/null || {
		echo "skip - debug_map: no $tool"
		exit 0
	}
done
unset ZERO_AR_DATE

cat >a.cpp <<'END'
int sink;
static inline __attribute__((always_inline)) int twice(int x) { sink += x; return 2 * x; }
int other(int), third(int);
static __attribute__((noinline)) int local_fn(int n) {
	for (int i = 0; i < n; i++) sink ^= twice(i);
	return sink;
}
namespace game { struct S { int a; __attribute__((noinline)) int f(int k) { return twice(k) + a; } }; }
int main() { game::S s{3}; return local_fn(4) + other(3) + third(2) + s.f(1); }
END
cat >b.cpp <<'END'
extern int sink;
static inline __attribute__((always_inline)) int half(int x) { sink -= x; return x / 2; }
static __attribute__((noinline)) int local_fn(int n) { return half(n) * 3; }
int other(int n) { return local_fn(n) + half(n + 1); }
END
cat >c.cpp <<'END'
extern int sink;
int unused(int n) { return n * sink; }
static inline __attribute__((always_inline)) int square(int x) { sink += x; return x * x; }
__attribute__((noinline, section("__TEXT,__hot"))) int hot(int n) { return square(n) + sink; } // for linkers, not only code
__attribute__((noinline, section("__TEXT,__hot"))) int hotter(int n) { sink -= n; return square(n + 1); }
__attribute__((section("__TEXT,__hot_data"))) extern const int table[2] = {1, 2};
int third(int n) { sink *= n; return n + unused(n) + hot(n) + hotter(n) + table[n & 1]; }
END

# make_program ARCH OPTION...
make_program() {
	local arch=$1 f
	shift
	for f in a b c; do
		clang++-19 "--target=$arch-apple-macos11" -g "$@" -c ../$f.cpp -o $f.o 2>err || return
	done
	llvm-ar-19 rcsU libbc.a b.o c.o 2>err && rm b.o c.o &&
		ld64.lld-19 -arch "$arch" -platform_version macos 11.0 11.0 -undefined dynamic_lookup -e _main -o game a.o \
			libbc.a 2>err &&
		dsymutil-19 game -o game.dSYM 2>err && mv game.dSYM made
}

# Behind a function, in the bytes up to the next one, there is no line.
compare() {
	llvm-objdump-19 -h game | awk '$2 == "__text" || $2 == "__hot" { print $3, $4 }' | while read -r size lo; do
		for ((i = 0; i < 16#$size; i++)); do printf '0x%x\n' $((16#$lo + i)); done
	done >addrs
	llvm-symbolizer-19 -e made/Contents/Resources/DWARF/game <addrs >want
	tm-llvm-symbolizer --no-cache -e game <addrs >got 2>err
	awk -v RS= -v what="$1" '
		NR == FNR { want[++n] = $0; next }
		{
			k++
			if (split(want[k], lines, "\n") > 2)
				inlined++
			if ($0 != want[k])
				differ++
		}
		END {
			print (n == k && n > 250 && inlined > 10 && !differ ? "ok" : "not ok") " - " what ": " n " addresses, " \
				inlined " in inlined calls, " differ + 0 " differ"
		}' want got
}

# Variables and functions by any address in them, of the program and of its .dSYM.
compare_data() {
	local file
	for file in game made/Contents/Resources/DWARF/game; do
		llvm-nm-19 -n "$file" | awk '$2 ~ /[SsDdTtBb]/ { print "DATA 0x" $1; print "DATA 0x" substr($1, 1, 15) "4" }' >asked
		llvm-symbolizer-19 -e "$file" <asked >want 2>err
		tm-llvm-symbolizer --no-cache -e "$file" <asked >got 2>err
		if cmp -s want got && grep -q '^sink$' want && [ "$(grep -c '^[0-9]* [1-9]' want)" -gt 8 ]; then
			echo "ok - $1: DATA of $file"
		else
			echo "not ok - $1: DATA of $file"
			diff want got | head -n 5
		fi
	done
}

# says WHAT TEXT: the answers of both functions have this text
says() {
	local out
	out=$(tm-addr2line --no-cache -f -i -e game "${options[@]}" "$at" 2>&1)
	case $out in
	*"$2"*) echo "ok - $1" ;;
	*) echo "not ok - $1: $out" ;;
	esac
}

for arch in x86_64 arm64; do
	for level in -O0 -O1; do
		mkdir "$arch$level"
		cd "$arch$level" || exit
		if make_program $arch $level; then
			compare "$arch $level"
			compare_data "$arch $level"
		else
			echo "skip - debug_map: $arch $level cannot be made: $(head -n 1 err)"
		fi
		cd ..
	done
done
[ -e x86_64-O1/got ] && [ -e arm64-O1/got ] || exit 0

cd arm64-O1 || exit
at=$(llvm-nm-19 game | awk '$3 == "__Z5thirdi" { print "0x" $1 }')
options=()
says "a member of a static library" 'c.cpp:7'
out=$(tm-inspect --table verdicts --csv game 2>&1)
case $out in
*lines,yes,*"object files"*) echo "ok - tm-inspect names the object files" ;;
*) echo "not ok - tm-inspect names the object files: $out" ;;
esac
mkdir moved && mv libbc.a moved
says "a missing one is named" 'libbc.a(c.o) of the debug map: '
options=(--debug-dir moved)
says "in a folder" 'c.cpp:7'
# Without a time, one that was built again is known by its functions, also by those that are not asked for.
mv moved linked && mkdir moved
rebuild() { # SED-SCRIPT
	sed "$1" ../c.cpp >c2.cpp
	clang++-19 --target=arm64-apple-macos11 -g -O1 -c c2.cpp -o c.o
	clang++-19 --target=arm64-apple-macos11 -g -O1 -c ../b.cpp -o b.o
	rm -f moved/libbc.a
	llvm-ar-19 rcsU moved/libbc.a b.o c.o
}
rebuild ''
says "the same code, built again" 'c2.cpp:7'
rebuild 's/int third(int n) {/int third(int n) { sink += unused(n + 5);/'
says "another size of a function" 'is of another build: its function _Z5thirdi has '
rebuild 's/int unused(int n) { return n/int unused(int n) { sink -= 3; return n/'
says "another size of a function nearby" 'is of another build: its function _Z6unusedi has '
rebuild 's/unused/renamed/g'
says "a function that is not there" 'is of another build: it has no function _Z6unusedi, which the program has of it'
rm -r moved && mv linked moved
# lld does not say when they were modified: 1000000000 for all of them
LC_ALL=C grep -abo $'\x66.\x01' game | cut -d: -f1 | while read -r offset; do
	printf '\x00\xca\x9a\x3b' | dd of=game bs=1 seek=$((offset + 4)) conv=notrunc 2>/dev/null
done
says "one of another time is refused" 'but the program was linked from one of 1000000000'
rm moved/libbc.a
clang++-19 --target=arm64-apple-macos11 -g -O1 -c ../b.cpp -o b.o
clang++-19 --target=arm64-apple-macos11 -g -O1 -c ../c.cpp -o c.o
touch -d @1000000000 c.o
llvm-ar-19 rcsU moved/libbc.a b.o c.o
says "one of the same time is not" 'c.cpp:7'
cd ..
llvm-lipo-19 -create x86_64-O1/game arm64-O1/game -output game
at=$(llvm-nm-19 x86_64-O1/game | awk '$3 == "__Z5thirdi" { print "0x" $1 }')
out=$(tm-llvm-symbolizer --no-cache --obj=game:x86_64 "$at" 2>&1)
case $out in
*c.cpp:7:*) echo "ok - a part of a universal file" ;;
*) echo "not ok - a part of a universal file: $out" ;;
esac

# Two members of one name: of functions that are different, of one function, and of none but an initializer, which is the
# same in both; also as objects in two folders, and in universal files.
mkdir twins && cd twins && mkdir one two
echo 'extern int sink; int first(int n) { sink = n; return n * 3; }' >one/part.cpp
cat >two/part.cpp <<'END'
extern int sink;

int second(int n) { sink -= n; return n * n; }
END
echo 'extern int *all; int *in_one = all;' >one/init.cpp
cat >two/init.cpp <<'END'
extern int *all;

int *in_two = all;
END
echo 'int sink; int *all; int main() { return 0; }' >main.cpp
# objects ARCH: of each source, in folders of that name
objects() {
	local f
	for f in one/part one/init two/part two/init; do
		mkdir -p "$1/${f%/*}"
		clang++-19 "--target=$1-apple-macos11" -g -O1 -c "$f.cpp" -o "$1/$f.o" || return
	done
}
link() { # ARCH OUT FILE...: into a program
	clang++-19 "--target=$1-apple-macos11" -g -c main.cpp -o "main-$1.o" &&
		ld64.lld-19 -arch "$1" -platform_version macos 11.0 11.0 -undefined dynamic_lookup -e _main -all_load -o "$2" \
			"main-$1.o" "${@:3}" 2>>err
}
places() { # FILE OPTION...: of its functions and initializers, by address
	llvm-nm-19 -n "$1" | awk '/first|second|GLOBAL__sub/ { print "0x" $1 }' | tm-llvm-symbolizer --no-cache --no-inlines -e "$@" 2>&1 |
		sed -n 's,^.*/\([a-z]*/[a-z]*\.cpp:[0-9]*\):.*,\1,p; s/.*\(nothing shows which\).*/\1/p' | sort | paste -sd ' '
}
verdict() { # WHAT GOT WANT
	[ "$2" = "$3" ] && echo "ok - $1" || echo "not ok - $1: $2"
}
objects arm64 && objects x86_64 && for arch in arm64 x86_64; do
	llvm-ar-19 qc $arch.a $arch/one/part.o $arch/two/part.o $arch/one/init.o $arch/two/init.o
done && link arm64 members arm64.a && link arm64 loose arm64/*/*.o
both='one/init.cpp:1 one/part.cpp:1 two/init.cpp:3 two/part.cpp:3'
verdict "two members of one name" "$(places members)" "$both"
mkdir away && mv arm64 away/arm64
verdict "two objects of one name in two folders" \
	"$(places loose --debug-file-directory=away/arm64/one --debug-file-directory=away/arm64/two)" "$both"
verdict "in the other order" \
	"$(places loose --debug-file-directory=away/arm64/two --debug-file-directory=away/arm64/one)" "$both"
mv away/arm64 .
llvm-lipo-19 -create x86_64.a arm64.a -output wide.a
link arm64 wide wide.a
verdict "members of a universal archive" "$(places wide)" "$both"
llvm-lipo-19 -create x86_64/two/part.o arm64/two/part.o -output wide.o
link arm64 wide wide.o
verdict "a universal object" "$(places wide)" two/part.cpp:3
at=$(llvm-nm-19 arm64/one/part.o | awk '/first/ { print "0x" $1 }')
out=$(tm-addr2line --no-cache -e 'wide.a:arm64(part.o)' "$at" 2>&1)
verdict "a member of a part that is named" "${out##*/}" part.cpp:1
out=$(tm-addr2line --no-cache -e wide.a:arm64 "$at" 2>&1)
case $out in
*': a static library: name a member of it (there are 4), as in wide.a:arm64(part.o)'*) echo "ok - a part without a member" ;;
*) echo "not ok - a part without a member: $out" ;;
esac
# Nothing distinguishes these two: a function and a source of one name, seen from two folders that the compiler calls ".".
printf 'extern int *all;\n\n\nint *in_one = all;\n' >two/init.cpp
for f in one two; do
	(cd $f && clang++-19 --target=arm64-apple-macos11 -g -O1 -fdebug-compilation-dir=. -c init.cpp -o ../arm64/$f/init.o)
done
rm -f arm64.a && llvm-ar-19 qc arm64.a arm64/one/init.o arm64/two/init.o
link arm64 members arm64.a
verdict "two that nothing distinguishes" "$(places members)" 'nothing shows which'
