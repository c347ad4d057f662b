#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
#
# tm-inspect --disassemble against llvm-objdump (which instructions begin where) and llvm-symbolizer
# (their lines), for five processors; and what a trace charges calls with, against tm-top.
set -u

. "$SRC/tests/diff/builds.bash"
needs disassemble clang ld.lld llvm-objdump llvm-symbolizer-19
plain=$SRC/testdata/src/inspect/plain.c

result() { # WHAT OK
	echo "$([ "$2" = 0 ] && echo ok || echo not ok) - $1"
}

while read -r name target flags; do
	# shellcheck disable=SC2086
	clang --target=$target $flags -g -O2 -shared -fPIC -nostdlib -fuse-ld=lld -o "$name" "$plain" || continue
	for function in two many leaf_one; do
		tm-inspect --csv --disassemble $function "$name" | tr -d '\r' | sed 1d >ours
		# llvm-objdump goes on to the next symbol: what pads the function is not asked.
		end=$(llvm-nm -S "$name" | awk -v f=$function '$4 == f { print $1, $2 }')
		end=$(printf '%x' $(((16#${end% *} & ~1) + 16#${end#* })))
		llvm-objdump -d --no-show-raw-insn --disassemble-symbols=$function "$name" |
			sed -n 's/^ *\([0-9a-f]*\):.*/0x\1/p' | awk -v end="0x$end" '$0 == end { exit } 1' >want
		cut -d, -f 1 ours >got
		n=$(wc -l <want)
		[ "$n" -gt 1 ] && cmp -s want got
		result "$name: $function: $n instructions" $?
		# An instruction of no line has no place here, and line 0 there.
		sed -n 's,.*/\(plain.c:[0-9]*\)"*$,\1,p; t; s/.*/plain.c:0/p' ours >got
		llvm-symbolizer-19 --obj="$name" --inlines --output-style=GNU -a <want |
			awk '/^0x/ { getline; getline; print }' |
			sed 's,.*/\(plain.c:[0-9]*\).*,\1,' >lines
		[ -s lines ] && cmp -s lines got
		result "$name: $function: lines" $?
	done
	at=$(tm-inspect --csv --disassemble many "$name" | sed -n 4p | cut -d, -f 1)
	cmp -s <(tm-inspect --csv --disassemble many "$name") <(tm-inspect --csv --disassemble "$at" "$name")
	result "$name: by an address inside of it" $?
done <<'END'
x86_64 x86_64-linux-gnu
i686 i686-linux-gnu
aarch64 aarch64-linux-gnu
arm arm-linux-gnueabihf -march=armv7-a -marm
thumb arm-linux-gnueabihf -march=armv7-a -mthumb
END

tm-inspect --disassemble nothing x86_64 >out 2>told
[ $? = 3 ] && grep -q "no function is named 'nothing'" told
result 'no such function' $?
tm-inspect --disassemble 'elsewhere::many' x86_64 >out 2>told
[ $? = 3 ] && grep -q "no function is named 'elsewhere::many'; similar: many$" told
result 'no such function in a namespace: one without' $?
tm-inspect --disassemble 0x1 x86_64 >out 2>told
[ $? = 3 ] && grep -q 'no code at 0x1' told
result 'no code' $?
tm-inspect --disassemble two x86_64 aarch64 >out 2>told
result 'two binaries without a trace are wrong usage' $(($? != 2))

demo=$DATA/demo/gcc-dwarf5-O2
if [ ! -r "$demo/arcade.mem" ]; then
	echo "skip - disassemble with a trace (no demo)"
	exit 0
fi
tm-symbolize -q -e "$demo/bin/arcade" -e "$demo/bin/libengine.so" --maps "$demo/arcade.maps" \
	"$demo/arcade.mem" -o mem.tmt

# Everything is allocated below gc_alloc: its one call site has all of it.
total=$(tm-top -q --by function --csv mem.tmt | tr -d '\r' | sed -n 2p | cut -d, -f 5)
tm-inspect -q --csv --disassemble eng::gc_alloc --trace mem.tmt "$demo/bin/libengine.so" | tr -d '\r' >charged
sum=$(awk -F, '$1 == 1 { sum += $3 } END { print sum + 0 }' charged)
[ -n "$total" ] && [ "$total" -gt 0 ] && [ "$sum" = "$total" ]
result "the allocator's call is charged with all bytes: $sum of $total" $?
grep '^1,0x[0-9a-f]*,[0-9]' charged | grep -q ',"*call ' && [ "$(grep -c '^1,0x[0-9a-f]*,[0-9]' charged)" = 1 ]
result 'and it is a call' $?

# The sums of each location of main, by the bindings and events of the dump.
tm-inspect --disassemble eng::gc_alloc --trace "$demo/arcade.mem" "$demo/bin/libengine.so" 2>told >out
grep -q 'the trace is not symbolized' told
result 'a capture without symbols is told' $?
