#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Sums that no 64 bits hold, as of a damaged or hostile capture: a report has them at their limit, and says so;
# each number beside them that fits is right. Sizes: four times 2^62, 2^63 + 5, 2^64 - 1 and 7; the sum is
# 3 x 2^64 - 2^63 + 11, the mean of seven 6588122883467697007 (rounded).
# shellcheck disable=SC1003 # a backslash as such
set -u
status=0
same() { # WHAT WANT GOT
	if [ "$2" = "$3" ]; then
		echo "ok - $1"
	else
		echo "not ok - $1: want '$2', got '$3'"
		status=1
	fi
}
sizes=(4611686018427387904 4611686018427387904 4611686018427387904 4611686018427387904
	9223372036854775813 18446744073709551615 7)
{
	printf 'metric %s exact\n' count requested live
	for i in "${!sizes[@]}"; do
		echo "alloc malloc main;f$i ${sizes[i]} $((i * 1000)) - $((i * 16 + 16))"
	done
} | "$GEN/script" >h.tmt || exit 1
column() { # NAME of CSV
	tr -d "\r" | awk -F, -v name="$1" 'NR == 1 {for (i = 1; i <= NF; i++) if ($i == name) c = i; next} {print $c}' | xargs
}
said="more than 64 bits can hold"

tm-frames -q --csv --every 1us h.tmt >rows
same "each step has its size" "${sizes[*]}" "$(column requested <rows)"
tm-frames --every 1us h.tmt >text 2>&1
same "tm-frames says that the sum is not whole" "requested: $said" "$(grep -o "^requested: $said" text)"
same "... nor what is live" "live requested: $said" "$(grep -o "^live requested: $said" text)"
same "... and the mean is right" 6588122883467697007 \
	"$(tm-frames -q --table statistics --csv --every 1us h.tmt | awk -F, 'NR == 1 {for (i = 1; i <= NF; i++) if ($i == "requested") c = i} $1 == "mean" {print $c}')"
tm-top -q --csv -n 0 --by site h.tmt >rows
same "each site has its size" "$(printf '%s\n' "${sizes[@]}" | sort | xargs)" \
	"$(column requested <rows | tr ' ' '\n' | sort | xargs)"
tm-top --by function h.tmt >text 2>&1
same "tm-top says so" "requested: $said" "$(grep -o "^requested: $said" text)"
tm-top -q --memory --csv --table sizes h.tmt >rows
same "classes of sizes are at their limit" "7 18446744073709551615 18446744073709551615" "$(column bytes <rows)"
same "... of what is live, too" "7 18446744073709551615 18446744073709551615" "$(column live_bytes <rows)"
tm-top --memory h.tmt >text 2>&1
same "tm-top --memory says so" "bytes: $said" "$(grep -o "^bytes: $said" text)"
same "... and its shares are of the whole: 7, 2^64 and 3 x 2^63 of it, 7/(5 x 2^63 + 7) = 1.5e-17 %" "0.000000000000000015 40.00 60.00" \
	"$(column bytes_share <rows)"
tm-compare -q --save-baseline h.tma h.tmt
same "an aggregate has what the capture has" "$(tm-top -q --csv -n 0 --by function h.tmt)" \
	"$(tm-top -q --csv -n 0 --by function h.tma)"
# Its nodes add up beyond 64 bits, exactly, and say of what; the root can be asked for before anything else.
same "MCP has the whole sum, and its metric" '"metric":"requested","of":{"node":"1.0","name":"all","total":46116860184273879051' \
	"$(echo '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"children","arguments":{"node":"1.0"}}}' |
		tm-view --mcp h.tmt 2>/dev/null | tr -d '\\' | grep -o '"metric":"requested","of":{"node":"1.0","name":"all","total":[0-9]*' | sort -u)"

# Percentages are not cut at 64 bits: from 1 to 2^64 - 1 it is (2^64 - 2) x 100; what is there is not gone, from
# 481177 to 8 (-481169/481177 = -99.998337 %), and what changed is not the same, from 1000000 to 1000001 (0.0001 %).
printf 'metric %s exact\n' count requested >head.txt
{
	cat head.txt
	printf 'alloc malloc %s\n' 'a 1' 'b 481177' 'c 1000000' 'd 7' 'e 5'
} | "$GEN/script" >1.tmt
{
	cat head.txt
	printf 'alloc malloc %s\n' 'a 18446744073709551615' 'b 8' 'c 1000001' 'd 7' 'f 5'
} | "$GEN/script" >2.tmt
same "percentages of what grew, shrank, changed, stayed, is new and is gone" \
	"a:1844674407370955161400.00 b:-99.99834 c:0.0001 d:0.00 e:-100.00 f:" \
	"$(tm-compare -q --csv --all --by function 1.tmt 2.tmt | tr -d '\r' | awk -F, 'NR == 1 {for (i = 1; i <= NF; i++) at[$i] = i; next} {print $at["function"] ":" $at["percent_requested"]}' | sort | xargs)"
exit $status
