#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Values whose unit is a file's own are brought to one unit, or are not added up: profiles of pprof in every unit
# that it knows, and folded stacks whose numbers have decimals. What must come out is arithmetic on what is
# written here.
# shellcheck disable=SC2317
set -u
: "${SRC:?}"

# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"

# A profile with 3 under main;a and 5 under main;b, of one sample type.
profile() { # TYPE UNIT
	python3 - "$1" "$2" <<-'X'
		import sys
		def number(n):
		    out = b""
		    while n > 127:
		        out, n = out + bytes([n & 127 | 128]), n >> 7
		    return out + bytes([n])
		def field(k, x):
		    if isinstance(x, int):
		        return number(k << 3) + number(x)
		    x = x.encode() if isinstance(x, str) else x
		    return number(k << 3 | 2) + number(len(x)) + x
		texts = ["", sys.argv[1], sys.argv[2], "main", "a", "b"]
		out = field(1, field(1, 1) + field(2, 2))
		for stack, value in ([2, 1], 3), ([3, 1], 5):
		    out += field(2, field(1, b"".join(map(number, stack))) + field(2, number(value)))
		for i in 1, 2, 3:
		    out += field(4, field(1, i) + field(4, field(1, i))) + field(5, field(1, i) + field(2, i + 2))
		sys.stdout.buffer.write(out + b"".join(field(6, x) for x in texts))
	X
}
column() { # NAME FILE: of its rows, the largest first
	tm-top -q --csv -n 0 --by function "$2" 2>/dev/null | tr -d '\r' | awk -F , -v want="$1" '
		NR == 1 { for (i = 1; i <= NF; i++) if ($i == want) at = i; next }
		at && $at > 0 { printf "%s%s", sep, $at; sep = " " }'
}

while read -r type unit name one; do
	profile "$type" "$unit" >p.pb
	equals "pprof: $type in $unit" "$(column "$name" p.pb)" "$((5 * one)) $((3 * one))"
done <<-X
	cpu nanoseconds self_ns 1
	cpu µs self_ns 1000
	cpu Milliseconds self_ns 1000000
	cpu sec self_ns 1000000000
	cpu minutes self_ns 60000000000
	cpu hrs self_ns 3600000000000
	alloc_space B requested 1
	alloc_space kB requested 1024
	alloc_space kilobytes requested 1024
	alloc_space KiB requested 1024
	alloc_space MB requested 1048576
	alloc_space gigabytes requested 1073741824
	inuse_space MB live_requested 1048576
	heap megabytes requested 1048576
	heap tb requested 1099511627776
X
profile alloc_space furlongs >p.pb
check 'pprof: bytes in a unit of something else are refused' sh -c '! tm-top p.pb >out 2>err && grep -q alloc_space err'

printf 'main;a 3\n' >whole.folded
printf 'main;a 2.5\n' >one.folded
printf 'main;a 2.25\nmain;b 1\n' >two.folded
printf 'main;a 2.5\nmain;b 18446744073709551615\nmain;c 1\n' >large.folded
for f in whole one two; do
	tm-compare -q --save-baseline $f.tma $f.folded >/dev/null
done
# 2.5 + 2.25 = 4.75; 2.25 is 10 % less than 2.5.
equals 'folded: decimals of two files are added up' \
	"$(tm-top -q --csv --by function one.folded two.folded | cut -d , -f 9 | sed -n 2p)" 4750000
for pair in 'one.folded two.folded' 'one.tma two.folded' 'one.folded two.tma' 'one.tma two.tma'; do
	# shellcheck disable=SC2086
	equals "folded: $pair are compared" "$(tm-compare -q --csv --by function $pair | grep -o '2500000,2250000,-250000,-10.00')" \
		2500000,2250000,-250000,-10.00
done
tm-merge one.tma two.tma -o both.tma
equals 'folded: baselines of decimals are merged' "$(tm-compare -q --csv --by function whole.tma both.tma 2>&1 | grep -c counted)" 1
equals 'folded: what is too large is the largest, and is told' \
	"$(column samples large.folded) $(tm-top large.folded 2>&1 | grep -c 'loss: numbers are too large')" \
	'18446744073709551615 2500000 1000000 1'
while read -r program; do
	# shellcheck disable=SC2086
	check "folded: ones and millionths do not mix: $program" sh -c "! $program >out 2>err && grep -Eq 'counted in|sampling' err"
done <<-X
	tm-top whole.folded one.folded
	tm-compare whole.folded one.folded
	tm-compare whole.tma one.folded
	tm-compare one.folded whole.tma
	tm-compare whole.tma one.tma
	tm-merge whole.tma one.tma -o out
	tm-export --as folded whole.folded one.folded
	tm-export --as pprof -o out.pb whole.folded one.folded
	tm-import --merge whole.folded one.folded -o out
	tm-frames --every 1ms whole.folded one.folded
X
exit $failed
