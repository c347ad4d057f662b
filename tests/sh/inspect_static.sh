#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
#
# tm-inspect knows static functions of PE files, which only the modules of a PDB have: where they begin and end is what
# llvm-pdbutil 19 reads. And what it says of files without code, and of addresses that count from another base.
set -u
. "$SRC/tests/check.bash"

for tool in clang-19 lld-link-19 llvm-pdbutil-19; do
	command -v "$tool" >/dev/null || {
		echo "skip - inspect_static: no $tool"
		exit 0
	}
done
cat >game.c <<'END'
int sink;
__attribute__((noinline)) int first(int x) { sink += x; return x * 3; }
static __attribute__((noinline)) int hidden(int x) { sink ^= first(x) + 5; return sink * x; }
__attribute__((noinline)) int last(int x) { return hidden(x) - first(sink); }
int mainCRTStartup(void) { return last(3) + hidden(sink); }
END
# instructions WHAT: their addresses, of the listing of game.exe
instructions() { tm-inspect --no-debuginfod --disassemble "$1" game.exe 2>err | grep -o '^ *0x[0-9a-f]*' | tr -d ' '; }

while read -r machine target base; do
	if ! clang-19 "--target=$target-pc-windows-msvc" -g -gcodeview -O1 -ffreestanding -c game.c -o game.o 2>err ||
		! lld-link-19 /nodefaultlib /subsystem:console /entry:mainCRTStartup /debug /pdb:game.pdb /pdbaltpath:game.pdb "/machine:$machine" /out:game.exe game.o 2>>err; then
		echo "skip - $machine: cannot be made: $(head -n 1 err)"
		continue
	fi
	# "addr = 0001:0048, code size = 20": decimal, in the first section, which is at 0x1000
	read -r at size < <(llvm-pdbutil-19 dump --symbols game.pdb | grep -A1 'S_LPROC32.*hidden' |
		sed -n 's/.*addr = 0001:0*\([0-9]*\), code size = \([0-9]*\).*/\1 \2/p')
	lo=$((base + 0x1000 + at)) hi=$((base + 0x1000 + at + size))
	check "$machine: a static function is found by name" [ "$(instructions hidden | head -n 1)" = "$(printf '0x%x' $lo)" ]
	check "$machine: ... and by an address in it" [ "$(instructions $((lo + 2)) | head -n 1)" = "$(printf '0x%x' $lo)" ]
	check "$machine: ... and ends where it ends" [ "$(($(instructions hidden | tail -n 1)))" -lt "$hi" ]
	check "$machine: the function before has none of its instructions" \
		[ "$(for i in $(instructions first); do [ $((i)) -ge $lo ] && [ $((i)) -lt $hi ] && echo "$i"; done | wc -l)" = 0 ]
	check "$machine: it counts" eval "tm-inspect --no-debuginfod game.exe 2>err | grep -q '4 by symbols'"
done <<'END'
x64 x86_64 0x140000000
x86 i686 0x400000
arm64 aarch64 0x140000000
END
[ -f game.exe ] || exit $failed
tm-inspect --no-debuginfod --disassemble 0x1000 game.exe >out 2>err
check 'an address below the image base: where code is' grep -q 'no code at 0x1000: code is from 0x140001000 to .*; add the image base' err
tm-inspect --no-debuginfod --disassemble first game.pdb >out 2>err
check 'a PDB has no code' grep -q 'a PDB has no code: inspect its .exe or .dll' err
check '... which its table says, too' eval "tm-inspect --no-debuginfod game.pdb 2>err | grep -q 'functions .*a PDB has no code'"
exit $failed
