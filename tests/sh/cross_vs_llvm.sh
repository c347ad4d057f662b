#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Programs for other processors, built by clang and lld without their libraries: both engines and
# llvm-symbolizer by the rules of tests/diff/engines.bash; then names from the symbol table alone,
# where ARM has mapping symbols and functions whose symbol's value is odd; then GNU addr2line.
# timeout: 300
set -u

. "$SRC/tests/diff/engines.bash"
needs cross_vs_llvm clang clang++ ld.lld llvm-symbolizer llvm-objcopy addr2line

# Each mnemonic name is used in tests/diff/llvm.txt as well.
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
check_list llvm.txt
