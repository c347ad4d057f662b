#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# What tm-frames says of a capture with frees against awk over the events as tm-dump prints them:
# allocated, freed and live by frame, of the whole and of ranges of frames and sizes.

set -u
status=0
: "${GEN:?}"

same() { # what
	if [ -s true ] && cmp -s ours true; then
		echo "ok - $1 ($(wc -l < true) rows)"
		return
	fi
	echo "not ok - $1: ours (<), awk (>)"
	diff ours true | sed 's/^/# /' | head -12
	status=1
}

# number LO HI SIZE_LO SIZE_HI: frame count requested live_count live_requested freed_count freed_requested
by_awk() {
	tm-dump -q --no-tables --no-symbols run.tmt | awk -v OFS=, -v lo="$1" -v hi="$2" -v small="$3" -v large="$4" '
		function number(key) { return match($0, " " key "=[0-9a-fx]+") ? substr($0, RSTART + length(key) + 2, RLENGTH - length(key) - 2) : 0 }
		function row() { if (in_frame && f >= lo && f <= hi) print f, c, b, lc, lb, fc, fb; c = b = fc = fb = 0 }
		$1 == "frame" { row(); f = number("value") + 0; in_frame = 1 }
		f > hi { next }
		$1 == "alloc" {
			a = number("address"); s = number("requested") + 0
			if (f < lo || s < small || s > large) next
			live[a] = s; lc++; lb += s; c++; b += s
		}
		$1 == "free" {
			a = number("address")
			if (a in live) { lc--; lb -= live[a]; fc++; fb += live[a]; delete live[a] }
		}
		BEGIN { lc = lb = c = b = fc = fb = 0 }
		END { row() }' > true
}

by_frames() {
	tm-frames -q --csv "$@" run.tmt | tr -d '\r' | awk -F , -v OFS=, '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ print $at["frame"], $at["count"], $at["requested"], $at["live_count"], $at["live_requested"], $at["freed_count"], $at["freed_requested"] }' > ours
}

for seed in 1 2 3; do
	"$GEN/trace" --seed $seed --allocs 20000 --live 500 --stacks 50 --frames 100 > run.tmt
	by_awk 0 1000 0 100000
	by_frames
	same "seed $seed: every frame"
	by_frames --focus .
	same "seed $seed: every frame, through a filter that keeps all"
	by_awk 20 49 0 100000
	by_frames --frame 20..49
	same "seed $seed: a range of frames"
	by_awk 0 1000 100 499
	by_frames --size 100..499
	same "seed $seed: a range of sizes"

	# By type, what is live in the last row of each type adds up to what is live.
	tm-frames -q --by type run.tmt | tr -d '\r' | awk -F , '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ live[$at["type"]] = $at["live_requested"] }
		END { for (t in live) n += live[t]; print n }' > ours
	tm-top -q --csv -n 0 --by type run.tmt | tr -d '\r' | awk -F , '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { n += $at["live_requested"] } END { print n }' > true
	same "seed $seed: live by type"
done
exit $status
