#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# A rate of a range divides by the time, or the number of frames, of that range. The capture is constant:
# frames of 10 ms from 5 s on, ten blocks of 100 bytes in each, one in each ms. So every way to ask, of every
# range of whole frames, has 100,000 bytes a second and 1,000 bytes a frame.
# shellcheck disable=SC2034,SC2094 # ranges are taken by their names; tm-compare only reads
set -u
status=0
fail() {
	echo "not ok - $*"
	status=1
}
same() { # WHAT WANT GOT
	if [ "$2" = "$3" ]; then echo "ok - $1"; else fail "$1: want '$2', got '$3'"; fi
}
awk 'BEGIN {
	print "metric count exact\nmetric requested exact\nmetric live exact"
	for (f = 0; f < 100; f++) {
		printf "frame %d %.0f\n", f + 7, 5e9 + f * 1e7
		for (i = 0; i < 10; i++)
			printf "alloc malloc main;load 100 %.0f - %d\n", 5e9 + f * 1e7 + i * 1e6, ++n * 128
	}
	print "frame 107 6000000000" # so that the last of them has its 10 ms, too
}' | "$GEN/script" >c.tmt || fail "the capture"

# Ranges of frames, of times, and of both; in each the bytes of a second and of a frame.
f1="--frame 10..19" f2="--frame 30..69" t1="--time 5.03s..5129999999ns" t2="--time 5.23s..5629999999ns"
both="--frame 10..69 --time 5.23s..5629999999ns"
parts="--frame 10..19 --frame 30..39 --frame 35..49" # 10 + 20 frames
times="--time 5.03s..5.07s --time 5.05s..5129999999ns" # 100 ms, once
# Both ends of a range of times are in it, so these end 1 ns before a frame begins.
tolerance=0.000001

near() { # WHAT WANT GOT
	if awk -v w="$2" -v g="${3:-0}" -v t=$tolerance 'BEGIN {exit !(g >= w * (1 - t) && g <= w * (1 + t))}'; then
		echo "ok - $1"
	else
		fail "$1: want about $2, got '${3:-nothing}'"
	fi
}
column() { # NAME of the first row of CSV on standard input
	awk -F, -v name="$1" 'NR == 1 {for (i = 1; i <= NF; i++) if ($i == name) c = i} NR == 2 {print $c}'
}
compare() { tm-compare -q --csv --all --by type --sort requested "$@"; }
side() { # base|new OPTIONS: the same ranges, of that side
	sed "s/--/--$1-/g" <<<"$2"
}

all=(f1 f2 t1 t2 both parts times)
for a in "${all[@]}"; do
	# shellcheck disable=SC2206
	o=(${!a})
	for per in second frame; do
		want=$([ $per = second ] && echo 100000 || echo 1000)
		near "$a: tm-compare --per $per" "$want" \
			"$(compare --per $per "${o[@]}" c.tmt c.tmt | column base_requested)"
		tm-compare -q --save-baseline b.tma "${o[@]}" c.tmt || fail "$a: --save-baseline"
		near "$a: a baseline per $per" "$want" "$(compare --per $per b.tma b.tma | column base_requested)"
		tm-filter -q "${o[@]}" c.tmt -o part.tmt || fail "$a: tm-filter"
		same "$a: tm-filter and then per $per" "$(compare --per $per b.tma b.tma | column base_requested)" \
			"$(compare --per $per part.tmt part.tmt | column base_requested)"
	done
	rm -f h.db
	tm-history add -q h.db "${o[@]}" c.tmt >add 2>&1 || fail "$a: tm-history add: $(cat add)"
	near "$a: tm-history trend --per second" 100000 \
		"$(tm-history trend -q --csv --per second --by type --sort requested h.db | awk -F, 'NR == 2 {print $(NF - 1)}')"
	rate=$(tm-top -q --by type "${o[@]}" c.tmt | sed -n 's/.*(\([0-9.]*\) thousand a second).*/\1/p')
	near "$a: tm-top's head" 1.0 "$rate"
done
for b in f2 t2 both; do
	for per in second frame; do
		# shellcheck disable=SC2046
		compare --per $per $(side base "$f1") $(side new "${!b}") c.tmt >out
		near "f1 against $b per $per, the base" "$([ $per = second ] && echo 100000 || echo 1000)" \
			"$(column base_requested <out)"
		near "f1 against $b per $per, the new" "$([ $per = second ] && echo 100000 || echo 1000)" \
			"$(column new_requested <out)"
		printf '[rule r]\nmetric = requested\npercent = 5\nper = %s\n' $per >p.ini
		# shellcheck disable=SC2046
		tm-compare -q --by type --gate p.ini $(side base "$f1") $(side new "${!b}") c.tmt >/dev/null
		same "f1 against $b: a policy per $per passes" 0 $?
	done
done
tm-compare -q --csv --table runs --base-frame 10..19 --new-frame 30..69 c.tmt >runs
same "the table of runs has the ranges' time" "100000000 400000000" \
	"$(awk -F, 'NR == 1 {for (i = 1; i <= NF; i++) if ($i == "duration_ns") c = i; next} {print $c}' runs | xargs)"
same "and their frames" "10 40" \
	"$(awk -F, 'NR == 1 {for (i = 1; i <= NF; i++) if ($i == "frames") c = i; next} {print $c}' runs | xargs)"

# A recorder knows when it started and ended: a recording of 300 ms has 100 allocations at 100 ms, and 100 at 200 ms. A
# range of it lasts as long as it was given. What tm-filter leaves of it does as well, and parts of that.
{
	printf 'set format capture\nset capture.end_ns 300000000\n'
	printf 'metric count exact\nmetric requested exact\nmetric live exact\n'
	awk 'BEGIN {for (i = 0; i < 200; i++) printf "alloc malloc main;load 100 %.0f - %d\n", (i < 100 ? 1e8 : 2e8) + i % 100, ++n * 128}'
} | "$GEN/script" >still.tmt || fail "the recording"
number() { sed -n "s/.*\"$1\":\([0-9.]*\).*/\1/p"; }
while read -r range ms rate; do
	tm-top --as json --by type --time "$range" still.tmt >out.json
	same "$range of a recording: its time" "${ms}000000" "$(number duration_ns <out.json)"
	same "$range of a recording: its rate" "$rate" "$(number allocations_per_second <out.json)"
	tm-filter -q --time "$range" still.tmt -o part.tmt
	tm-top --as json --by type part.tmt >out.json
	same "$range of a recording: the rate of what tm-filter leaves" "$rate" "$(number allocations_per_second <out.json)"
	tm-top --as json --by type --time 0..1s part.tmt >out.json
	same "$range of a recording: ... and of all of this part" "$rate" "$(number allocations_per_second <out.json)"
	rm -f h.db
	tm-history add -q h.db --time "$range" still.tmt >add 2>&1 || fail "tm-history add: $(cat add)"
	near "$range of a recording: tm-history" "${rate}e2" \
		"$(tm-history trend -q --csv --per second --by type --sort requested h.db | awk -F, 'NR == 2 {print $(NF - 1)}')"
done <<-END
	0..150ms 150 666.667
	120ms..250ms 130 769.231
	150ms..300ms 150 666.667
	150ms..1s 150 666.667
	..100ms 100 10.000
END
compare --per second --base-time 0..150ms --new-time 150ms..300ms still.tmt >out
same "two halves of a recording have one rate" "$(column base_requested <out)" "$(column new_requested <out)"

# What the head says is in the JSON as numbers: 1,000 blocks of 100 bytes in a second, none freed; the last of them, at
# 5.999 s, is the peak. The first is at 5 s.
numbers='"allocations":1000,"requested":100000,"duration_ns":1000000000,"allocations_per_second":1000.000,"captures":1,"start_ns":5000000000,"peak_requested":100000,"peak_at_ns":5999000000,"live_requested":100000,"live_blocks":1000,"temporary_blocks":0,"temporary_percent":0.00'
same "the numbers of the run" "$numbers" "$(tm-top --as json --by type c.tmt | sed -n 's/.*"numbers":{\([^}]*\)}.*/\1/p')"
same "... of --memory" \
	'"allocations":1000,"requested":100000,"captures":1,"peak_requested":100000,"peak_at_ns":5999000000,"live_requested":100000,"live_blocks":1000' \
	"$(tm-top --as json --memory c.tmt | sed -n 's/.*"numbers":{\([^}]*\)}.*/\1/p')"

# One origin: the time at which tm-top and --memory put the peak is that of --time.
peak=$(tm-top -q --by type c.tmt | sed -n 's/.*peak .* after \([0-9.]*\) s;.*/\1/p')
same "the peak is after 6.00 s in tm-top" 6.00 "$peak"
same "and in tm-top --memory" 6.00 "$(tm-top -q --memory c.tmt | sed -n 's/.*peak .* after \([0-9.]*\) s.*/\1/p')"
same "and --time has it: ten blocks in the 10 ms before" 10 \
	"$(tm-top -q --csv --by type --time 5.99s.."${peak}s" c.tmt | column count)"
exit $status
