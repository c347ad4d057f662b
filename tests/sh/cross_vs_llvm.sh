#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
#
# Programs for other processors, built by clang and lld without their libraries: both engines and
# llvm-symbolizer by the rules of tests/diff/engines.bash; then names from the symbol table alone,
# where ARM has mapping symbols and functions whose symbol's value is odd; then GNU addr2line.
# timeout: 800
set -u

. "$SRC/tests/diff/engines.bash"
needs cross_vs_llvm clang clang++ ld.lld llvm-symbolizer-19 llvm-objcopy addr2line

# NAME TARGET FLAGS
while read -r name target flags; do
	for version in 4 5; do
		for level in 0 2; do
			build=$name-$version-O$level
			# shellcheck disable=SC2086
			if cross $build $target -gdwarf-$version -O$level $flags 2>build.log; then
				compare $build
				compare $build-c
			else
				echo "not ok - $build does not build"
				head -n 3 build.log
			fi
		done
	done
done <<'END'
aarch64 aarch64-linux-gnu
arm arm-linux-gnueabihf -march=armv7-a -marm
thumb arm-linux-gnueabihf -march=armv7-a -mthumb
i686 i686-linux-gnu
riscv64 riscv64-linux-gnu -mno-relax
mips mips-linux-gnu
powerpc powerpc-linux-gnu
powerpc64 powerpc64-linux-gnu -mabi=elfv2
END

for name in mips powerpc powerpc64; do
	if llvm-readelf -h $name-5-O2 | grep -q 'big endian'; then
		echo "ok - $name is big-endian"
	else
		echo "not ok - $name is big-endian"
	fi
done
# same_names WHAT FILE: our program's names, with the symbol table, are llvm's. On RISC-V it takes labels
# that the assembler left without a name for functions, and prints an empty line; we name the function.
same_names() {
	local nameless

	grep '^0x' "${2%.symbols}.ours" >asked
	tm-llvm-symbolizer -q --lenient -a --no-demangle --obj="$2" <asked >got
	llvm-symbolizer-19 -a --no-demangle --obj="$2" <asked >want
	# -1: they differ elsewhere
	nameless=$(paste want got | awk -F '\t' '$1 == "" && $2 != "" { n++; next } $1 != $2 { bad = 1 }
		END { print bad ? -1 : n + 0 }')
	if [ "$nameless" -ge 0 ] && [ "$(wc -l <want)" = "$(wc -l <got)" ] && ! grep -q '^\$[atdx]' got &&
		[ "$(grep -vc -e '^0x' -e '^??' -e '^$' got)" -gt 500 ] && { [ "$nameless" = 0 ] || [[ $2 = riscv64* ]]; }; then
		echo "ok - $1: $(wc -l <asked) names, of which llvm has $nameless empty"
	else
		diff want got | head -n 6
		echo "not ok - $1"
	fi
}
for name in aarch64 arm thumb i686 riscv64 mips powerpc powerpc64; do
	for build in "$name-5-O2" "$name-5-O2-c"; do
		llvm-objcopy --strip-debug "$build" "$build.symbols"
		same_names "$build, DWARF and symbols" "$build"
		same_names "$build, symbols alone" "$build.symbols"
	done
done

# ARM's mapping symbols are there to be passed over, and a Thumb function's symbol is odd.
for letter in a t d; do
	if llvm-readelf -s arm-5-O2-c thumb-5-O2-c | grep -q " \\\$$letter"; then
		echo "ok - there are mapping symbols \$$letter"
	else
		echo "not ok - there are mapping symbols \$$letter"
	fi
done
at=$(llvm-readelf -s thumb-5-O2-c | awk '$8 == "choose" { print $2 }')
for address in $((16#$at)) $((16#$at - 1)); do
	got=$(printf '%x\n' $address | tm-addr2line -f -e thumb-5-O2-c.symbols | head -n 1)
	if [ $((16#$at % 2)) = 1 ] && [ "$got" = choose ]; then
		echo "ok - a Thumb function at an $([ $((address % 2)) = 1 ] && echo odd || echo even) address"
	else
		echo "not ok - a Thumb function at $address, symbol $at: $got"
	fi
done
check_list llvm.txt
