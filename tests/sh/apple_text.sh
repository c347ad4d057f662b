#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
#
# tm-symbolize --text on crash reports of macOS and iOS: calls are named by the list "Binary Images", which has the place and
# the UUID of each module. The reports are made here, of addresses that llvm-nm and llvm-objdump have of the linked program; the
# lines are those of game.c below.
set -u
. "$SRC/tests/check.bash"

for tool in clang-19 ld64.lld-19 dsymutil-19 llvm-nm-19 llvm-objdump-19; do
	command -v "$tool" >/dev/null || {
		echo "skip - apple_text: no $tool"
		exit 0
	}
done
cat >game.c <<'END'
volatile int sink;
__attribute__((noinline)) int leaf(int n) { sink = n; return n * 3; }
static inline __attribute__((always_inline)) int inlined(int n) { return leaf(n + 1) + 1; }
__attribute__((noinline)) int middle(int n)
{
	return inlined(n) + 2;
}
int main(void) { return middle(4) + 5; }
END
build() { # ARCH OPTION...
	local arch=$1

	shift
	clang-19 "--target=$arch-apple-macos11" -g -O1 -fno-optimize-sibling-calls "$@" -c game.c -o game.o 2>err &&
		ld64.lld-19 -arch "$arch" -platform_version macos 11.0 11.0 -undefined dynamic_lookup -e _main -o game game.o 2>>err &&
		rm -rf game.dSYM && dsymutil-19 game -o game.dSYM 2>>err
}
at() { printf '%d' "0x$(llvm-nm-19 game | awk -v name="_$1" '$3 == name { print $1 }')"; }
uuid() { llvm-objdump-19 --macho --private-headers game | awk '$1 == "uuid" { print $2; exit }'; }
# behind NAME's call, counted from the module's first byte, which is at 2^32
after_call() {
	llvm-objdump-19 -d --no-show-raw-insn game | awk -v name="<_$1>:" '
		$2 == name { inside = 1; next }
		inside && seen { sub(":", "", $1); print $1; exit }
		inside && $2 ~ /^(callq|bl)$/ { seen = 1 }'
}

for arch in x86_64 arm64; do
	build $arch || {
		cat err
		echo "not ok - $arch: the program is made"
		exit 1
	}
	first=$((1 << 32)) base=$((0x104a00000))
	leaf=$(($(at leaf) - first))
	middle=$((16#$(after_call middle) - first)) main=$((16#$(after_call main) - first))
	# As iOS writes it, then as macOS does: padded, with "+", dashes and an identifier for a name.
	cat >report.crash <<END
Process:               game [71]
Code Type:             ARM-64 (Native)

Thread 0 Crashed:
0   game                          	0x$(printf %016x $((base + leaf))) 0x$(printf %x $base) + $leaf
1   game                          	0x$(printf %016x $((base + middle))) 0x$(printf %x $base) + $middle
2   game                          	0x$(printf %016x $((base + main))) main + 12
3   libdyld.dylib                 	0x00000001a0001234 start + 4
4   ???                           	0x0000000012345678 0 + 305419896

Binary Images:
0x$(printf %x $base) - 0x$(printf %x $((base + 0x3fff))) game arm64  <$(uuid | tr -d - | tr A-F a-f)> /var/containers/Game.app/game
0x1a0000000 - 0x1a000ffff libdyld.dylib arm64  <0b8f0b0e5c3d3a0b8f7a6d5c4b3a2918> /usr/lib/system/libdyld.dylib
END
	tm-symbolize --text -e game.dSYM/Contents/Resources/DWARF/game report.crash >got 2>err
	# main is at a return address, whose call is before it
	cat >want <<END
0   game                          	0x$(printf %016x $((base + leaf))) leaf (game.c:2)
1   game                          	0x$(printf %016x $((base + middle))) inlined (game.c:3)
1   game                          	0x$(printf %016x $((base + middle))) middle (game.c:6)
2   game                          	0x$(printf %016x $((base + main))) main (game.c:8)
3   libdyld.dylib                 	0x00000001a0001234 start + 4
4   ???                           	0x0000000012345678 0 + 305419896
END
	sed -E 's/(:[0-9]+):[0-9]+\)$/\1)/; s|\([^ ]*/|(|' got | grep '^[0-9] ' >names
	check "$arch: names by the list of images" diff names want
	grep -v '^[0-9] ' report.crash >rest
	check "$arch: all other text stays" diff <(grep -v '^[0-9] ' got) rest
	check "$arch: nothing is said of tm-atos, and the build is known" [ "$(grep -c 'tm-atos\|nothing shows' err)" = 0 ]

	# The list of macOS has the bundle's identifier, as its calls have.
	sed "s|^0x\([0-9a-f]*\) - 0x\([0-9a-f]*\) game arm64  <[0-9a-f]*>|       0x\1 -        0x\2 +com.example.game (1.0 - 1) <$(uuid)>|
		s/^\([0-9]\)   game  /\1   com.example.game/" report.crash >mac.crash
	tm-symbolize --text -e game.dSYM/Contents/Resources/DWARF/game mac.crash 2>err |
		sed -nE 's/(:[0-9]+):[0-9]+\)$/\1)/; s|\([^ ]*/|(|; s/^[0-9] +com.*0x[0-9a-f]{16} //p' >names
	check "$arch: a list of macOS" diff names <(sed -n 's/^[0-9]   game .*0x[0-9a-f]\{16\} //p' want)

	# Two reports in one text: each has its own list, behind its calls.
	{
		cat report.crash
		sed "s/0x\(0*\)104a0/0x\1107b0/g" report.crash
	} >two.crash
	tm-symbolize --text -e game two.crash 2>err | grep -c '^[012] .*(.*game\.c:' >n
	equals "$arch: two reports" "$(cat n)" 8

	# Another build has another UUID; a line without a list is where it says, and nothing shows its build.
	sed "s/$(uuid | tr -d - | tr A-F a-f)/0b8f0b0e5c3d3a0b8f7a6d5c4b3a2919/" report.crash >other.crash
	tm-symbolize --text -e game other.crash >got 2>err
	check "$arch: of another build, nothing is named" [ "$(grep '^[0-9]' got)" = "$(grep '^[0-9]' other.crash)" ]
	check "$arch: ... and that is said" grep -q 'another build\|differs' err
	grep '^[0-9] ' report.crash >lines.txt
	tm-symbolize --text -e game lines.txt >got 2>err
	check "$arch: nothing shows the build of calls without a list" grep -q 'nothing shows' err
	equals "$arch: ... which have names, if they had none" "$(grep -c 'game.c:' got)" 3
done
equals "tracemill show names the next command" \
	"$(tracemill show report.crash | grep -c 'tm-symbolize --text -e')" 1
exit $failed
