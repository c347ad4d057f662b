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

# Where the .dSYM has a line, the answers are the same; between functions it has none, and names are.
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
			split(want[k], w, "\n")
			split($0, g, "\n")
			if (split(want[k], lines, "\n") > 2)
				inlined++
			if (want[k] ~ /\?\?:0:0$/ ? w[1] != g[1] : $0 != want[k])
				differ++
		}
		END {
			print (n == k && n > 250 && inlined > 10 && !differ ? "ok" : "not ok") " - " what ": " n " addresses, " \
				inlined " in inlined calls, " differ + 0 " differ"
		}' want got
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
