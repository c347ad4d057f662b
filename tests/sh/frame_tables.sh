#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Tables of frames, as testdata/gen/table.c makes them, and real ones where they are: what tm-import reads of each
# is what Python's csv module reads, and the platform's words of tm-frames are those that frame_tables.py works out of
# the same numbers from their definitions. A policy may name them.
set -u
: "${SRC:?}" "${GEN:?}"

# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"
# shellcheck disable=SC2317,SC2094 # check evaluates; a file is read only
second_reading() { # FILE
	tm-dump -q "$1" >dumped || return
	! grep -q ^frame dumped || tm-frames -q --csv --table pacing "$1" | tr -d '\r' >pacing
	python3 "$SRC/tests/sh/frame_tables.py" "$1" dumped pacing
} >err 2>&1

for kind in presentmon presentmon2 ocat unreal mangohud semicolon quoted; do
	"$GEN/table" -n 1000 $kind >$kind.csv 2>$kind.truth
	check "$kind" second_reading $kind.csv
	want=$(awk '$1 == "frames" { print $2 }' $kind.truth)
	check "... frames of the generator" [ "$(tm-dump -q --no-tables $kind.csv | awk '/^capture/ { c++ } /^frame/ { n[c]++ } END { print n[1] }')" = "$want" ]
done
"$GEN/table" -n 1000 readings >readings.csv 2>err
tm-dump -q readings.csv >dumped
check 'readings at an interval are no frames' [ "$(grep -c ^frame dumped)" = 0 ]
check '... and the time of one is among them' grep -q '^counter [0-9]* .*frametime' dumped

# Records of CapFrameX, beside Python's json module.
# shellcheck disable=SC2317 # check evaluates
json_reading() { # FILE
	tm-dump -q "$1" >dumped && python3 "$SRC/tests/sh/capframex.py" "$1" dumped
} >err 2>&1
"$GEN/table" -n 1000 capframex >capframex.json 2>err
check capframex json_reading capframex.json
for f in "${SHARED-}"/samples/real/tables/*.json; do
	[ -f "$f" ] || continue
	check "real: ${f##*/}" json_reading "$f"
done

# The events of row 11 and of row 151 begin sections, until the next one.
tm-frames -q --csv --table pacing unreal.csv | tr -d '\r' | cut -d, -f 2-4 >sections
printf '%s\n' 'section,first,frames' '[all frames],1,1000' 'LevelLoad,11,140' 'Boss;Shake##1.25,151,850' >want
check 'sections of events' cmp sections want

# The same by hand: four times 20 ms, then 100 ms, and 20, 20, 20, 90, 50. 100 > 2 * 20 and > 83.3: a jank; 90 > 2 * 20: a
# jank; 50 <= 2 * (20 + 20 + 90) / 3. 8 * 20 + ... = 380 ms: two janks in 0.38 s are 315.78947 a minute, 190 / 380 is 50 %.
{
	echo duration_ms
	printf '%s\n' 20 20 20 20 100 20 20 20 90 50
} >hand.csv
tm-import -q --columns duration=duration_ms:ms hand.csv -o hand.tmt
tm-frames -q --csv --table pacing hand.tmt | tr -d '\r' | cut -d, -f 4-8,13,16 >got
printf '%s\n' frames,time_ns,small_janks,janks,big_janks,small_jank_per_minute,stutter \
	10,380000000,2,2,0,315.789473684211,50 >want
check 'by hand' cmp got want

# A policy names them.
{
	echo duration_ms
	printf '%s\n' 20 20 20 20 20 20 20 20 20 20
} >smooth.csv
tm-import -q --columns duration=duration_ms:ms smooth.csv -o smooth.tmt
printf '[rule smooth]\nmetric = jank per minute\nmax = 2\n' >policy
tm-compare -q --gate policy smooth.tmt smooth.tmt >out 2>err
check 'a policy passes' [ $? = 0 ]
tm-compare -q --gate policy smooth.tmt hand.tmt >out 2>err
check 'a policy fails' [ $? = 1 ]

for f in "${SHARED-}"/samples/real/tables/*.csv; do
	[ -f "$f" ] || continue
	check "real: ${f##*/}" second_reading "$f"
done
# A call that begins where a frame does is in it: 20 frames of 5 and 11 ms, one after the other, each with a call that takes
# all of it and one in its middle.
awk 'BEGIN {
	printf "time,dt\n" >"edge.csv"; printf "[" >"edge.json"
	for (i = 0; i < 20; i++) {
		d = i % 2 ? 11 : 5
		printf "%.3f,%d\n", at / 1000, d >"edge.csv"
		printf "%s{\"ph\":\"X\",\"name\":\"Tick\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":%d},{\"ph\":\"X\",\"name\":\"Half\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":%d}",
			i ? "," : "", at * 1000, d * 1000, at * 1000 + d * 250, d * 500 >"edge.json"
		at += d
	}
	printf "]" >"edge.json"
}'
tm-import -q --columns time=time:s,duration=dt:ms -o edge.tmt edge.csv 2>err
for order in 'edge.json edge.tmt' 'edge.tmt edge.json'; do
	# shellcheck disable=SC2086 # two files
	tm-import -q --merge -o merged.tmt $order 2>err
	check "a call at the start of its frame: $order" [ "$(tm-frames -q --csv merged.tmt | tr -d '\r' | awk -F , '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { n[$at["calls"] " " $at["self_ns"] / 1e6]++ }
		END { for (k in n) print n[k] "x" k }' | sort | tr '\n' ' ')" = '10x2 11 10x2 5 ' ]
done
exit $failed
