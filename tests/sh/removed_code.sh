#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
#
# Functions that the linker removed: LLVM's linkers give their lines the highest address, 2^64 - 1, behind which rows wrap
# around to code that is there. A function of 3 lines stays, and one of 64 lines in the same file goes. Every address of
# the first 256 bytes has the line of llvm-symbolizer 19, and libdwarf knows the same (--verify).
set -u
. "$SRC/tests/check.bash"

for tool in clang-19 ld.lld-19 wasm-ld-19 llvm-symbolizer-19; do
	command -v "$tool" >/dev/null || {
		echo "skip - removed_code: no $tool"
		exit 0
	}
done
{
	printf 'volatile int s;\n__attribute__((export_name("live"))) int live(int a)\n{\n\ts = a * 3;\n\treturn s;\n}\n'
	printf 'int gone(int a)\n{\n'
	for ((i = 0; i < 60; i++)); do
		printf '\ts = s * %d + a;\n' $((i + 3))
	done
	printf '\treturn s;\n}\n'
} >code.c
build() { # NAME TARGET LINKER OPTIONS
	clang-19 "--target=$2" -g -O1 -ffunction-sections -Wno-ignored-attributes -Wno-unknown-attributes -c code.c -o "$1.o" 2>err &&
		"$3" --gc-sections -o "$1" "$1.o" "${@:4}" 2>>err
}
seq 0 255 >addresses
for one in 'wasm64 wasm64 wasm-ld-19 -mwasm64 --no-entry' 'wasm32 wasm32 wasm-ld-19 --no-entry' \
	'elf x86_64-linux-gnu ld.lld-19 -e live -Ttext=0x0 -z dead-reloc-in-nonalloc=.debug_*=0xffffffffffffffff'; do
	read -ra words <<<"$one"
	if ! build "${words[@]}"; then
		echo "skip - removed_code: ${words[0]} cannot be made: $(head -n 1 err)"
		continue
	fi
	# The second line of each answer; LLVM names the last function of WebAssembly behind its end, too.
	llvm-symbolizer-19 -e "${words[0]}" <addresses | awk 'NR % 3 == 2' >want
	tm-llvm-symbolizer --no-cache --verify 100 -e "${words[0]}" <addresses 2>err | awk 'NR % 3 == 2' >got
	check "${words[0]}: lines of the function that stays" grep -q 'code.c:4:' want
	check "${words[0]}: 256 lines are LLVM's" cmp -s want got
	check "${words[0]}: libdwarf answers alike" grep -q ' 0 different' err
done
exit $failed
