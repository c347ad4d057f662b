#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
#
# Names of Microsoft's C++: those of objects that clang makes for Windows, 64 and 32 bits, are shown as llvm-undname 19
# shows them with what llvm-symbolizer leaves out left out.
set -u
. "$SRC/tests/check.bash"

for tool in clang++-19 llvm-nm-19 llvm-undname-19 python3; do
	command -v "$tool" >/dev/null || {
		echo "skip - names of Microsoft's C++: no $tool"
		exit 0
	}
done
if ! grep -q -e -DHAVE_LLVM_DEMANGLE "$SRC/build/deps.mk"; then
	echo "skip - names of Microsoft's C++: built without libLLVMDemangle"
	exit 0
fi
python3 "$SRC/tests/sh/microsoft_names.py" >names.cpp
for target in x86_64 i686; do
	check "clang makes an object for $target" \
		clang++-19 "--target=$target-pc-windows-msvc" -std=c++20 -w -c names.cpp -o "$target.o" 2>err
	llvm-nm-19 "$target.o" | awk '$NF ~ /^\?/ { print $NF }' >>all
done
LC_ALL=C sort -u all >names
llvm-undname-19 --no-access-specifier --no-calling-convention --no-return-type --no-member-type <names >want 2>err
sed 's/$/ 1/' names >names.folded
tm-top -q -f folded -n 0 --csv --by function names.folded >got.csv 2>err
read -r n texts raw differ < <(python3 "$SRC/tests/sh/microsoft_names.py" got.csv <want 2>err)
check "$n names of $texts functions and data, $raw of them unknown to llvm-undname-19: $differ are shown otherwise" \
	[ "$n" -ge 20000 -a "$texts" -ge 12000 -a "$differ" = 0 ]
# What a tool writes around a name stays, and what is no name of this kind, too.
printf '%s 1\n' 'game.exe!?f@a@@YAXH@Z+0x1c' '?f@@YAXXZ (game.exe)' '??' '?' '???' '?notaname' 'a?b' >around.folded
tm-top -q -f folded -n 0 --csv --by function around.folded | sed -n 's/^[0-9].*,\([^,]*\),[^,]*$/\1/p' | LC_ALL=C sort >got 2>err
printf '%s\n' 'game.exe!a::f(int)+0x1c' 'f(void) (game.exe)' '??' '?' '???' '?notaname' 'a?b' | LC_ALL=C sort >want
check "what is around a name stays, and what is no name" diff want got >err
exit $failed
