#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Which symbols are names: mapping symbols are none on the machines that have them, and are on all others; data
# without a size has a name. What is right is said by the machines' psABIs, and by llvm-symbolizer 19 where it is here.
set -u
# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"

# name PROGRAM KIND FILE ADDRESS: the first line of the answer
name() { "$1" --no-demangle --obj="$3" "$2 $4" 2>err | head -n 1; }

# A file of x86-64 whose header is made to say another machine: of symbol tables nothing else differs.
cat >marks.s <<'S'
	.text
	.globl code
	.type code, @notype
code:
	.skip 16, 0x90
S
i=0
for mark in '$x' '$d' '$a' '$t' '$x.7' '$d.12' '$a.0' '$t.1' '$xrv64i2p1_m2p0_a2p1' '$xrv32i2p1.3' '$xylophone' '$data' '$q' '$'; do
	printf '\t.type "%s", @notype\n"%s":\n\t.skip 16, 0x90\n' "$mark" "$mark"
	marks[++i]=$mark
done >>marks.s
echo '	.section .note.GNU-stack, "", @progbits' >>marks.s
check "a file with marks" "${CC:-cc}" -nostdlib -shared -o marks.so marks.s 2>err
start=$((16#$(nm marks.so | sed -n 's/ T code$//p')))
# MACHINE NUMBER MARK...: those that are none of its names
while read -r machine number none; do
	cp marks.so "$machine.so"
	printf '%b' "\\x$(printf %x $((number & 255)))\\x$(printf %x $((number >> 8)))" |
		dd of="$machine.so" bs=1 seek=18 conv=notrunc 2>err
	last=code wrong=''
	for i in "${!marks[@]}"; do
		[[ " $none " == *" ${marks[i]} "* ]] || last=${marks[i]}
		at=$(printf 0x%x $((start + 16 * i + 5)))
		for table in CODE DATA; do
			got=$(name tm-llvm-symbolizer $table "$machine.so" "$at")
			[ "$got" = "$last" ] || wrong="$wrong ${marks[i]}:$got"
		done
	done
	check "$machine: marks are no names, all else is ($wrong)" [ -z "$wrong" ]
done <<'X'
x86-64 62
AArch64 183 $x $d $x.7 $d.12
RISC-V 243 $x $d $x.7 $d.12 $xrv64i2p1_m2p0_a2p1 $xrv32i2p1.3
C-SKY 252 $d $t $d.12 $t.1
X
if command -v llvm-symbolizer-19 >/dev/null 2>&1; then
	wrong=
	for i in 1 2 5 6 9 10; do # llvm takes all that begins like one for one
		at=$(printf 0x%x $((start + 16 * i + 5)))
		[ "$(name llvm-symbolizer-19 CODE RISC-V.so "$at")" = "$(name tm-llvm-symbolizer CODE RISC-V.so "$at")" ] ||
			wrong="$wrong ${marks[i]}"
	done
	check "RISC-V: as llvm-symbolizer 19 ($wrong)" [ -z "$wrong" ]
fi

# --- data without a size ---

cat >data.c <<'C'
int sized[4] = {1};
int main(int n, char **v) { return sized[n & 3] + (int)(long)v; }
C
check "a program" "${CC:-cc}" -g -O1 -o data data.c 2>err
wrong=
for symbol in _DYNAMIC _GLOBAL_OFFSET_TABLE_ __FRAME_END__; do
	at=$(nm data | sed -n "s/ . $symbol$//p")
	[ "$(name tm-llvm-symbolizer DATA data "0x$at")" = $symbol ] || wrong="$wrong $symbol"
done
check "data without a size has its name ($wrong)" [ -z "$wrong" ]
if command -v llvm-symbolizer-19 >/dev/null 2>&1; then
	wrong=
	for at in $(readelf -sW data | awk '$4 == "OBJECT" && $7 ~ /^[0-9]+$/ { print $2 }' | sort -u); do
		[ "$(name llvm-symbolizer-19 DATA data "0x$at")" = "$(name tm-llvm-symbolizer DATA data "0x$at")" ] ||
			wrong="$wrong $at"
	done
	check "data: as llvm-symbolizer 19 at each ($wrong)" [ -z "$wrong" ]
fi
exit $failed
