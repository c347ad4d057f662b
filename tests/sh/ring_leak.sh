#!/bin/bash
# SPDX-License-Identifier: MIT
#
# A cache that is full and replaces its blocks, and a slow leak. Of the blocks that are live at the end, most are the
# cache's; between two moments only the leak grows. The READMEs name the command that compares two moments, for times
# and for frames: both are run as they stand there.
set -u
# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"

# 100 s at 10 frames a second. A level of 10 MB; a ring of 150 blocks of 16 KB, a new one each frame, which is full after
# 15 s; a leak of 200 bytes every fourth frame.
awk 'BEGIN {
	OFMT = CONVFMT = "%.0f"
	print "metric time exact\nmetric count exact\nmetric requested exact\nmetric live exact"
	print "alloc malloc main;load@game.c:9 10000000 0 - 1"
	for (frame = 0; frame < 1000; frame++) {
		time = (frame + 1) * 100000000
		print "frame", frame, time
		if (frame >= 150)
			print "free", 4096 * (frame - 149), time + 1
		print "alloc malloc main;ring_put@game.c:7 16000", time + 2, "-", 4096 * (frame + 1)
		if (frame % 4 == 0)
			print "alloc malloc main;leak_one@game.c:8 200", time + 3, "-", 1000000000 + 4096 * frame
	}
}' | "$GEN/script" >run.tmt || exit 1
first() { # CSV; the column site of the first row
	awk -F , 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { print $at["site"]; exit }'
}
equals 'live at the end: the cache is before the leak' "$(tm-top -q --csv --leaks --time 20s.. run.tmt | first)" ring_put
for readme in README.md README.zh-CN.md; do
	grep -o '`tracemill compare --base-[a-z]* [^`]*run.tmt`' "$SRC/$readme" | tr -d '`' >commands
	equals "$readme: a command for times, and one for frames" "$(sed 's/.*--base-\([a-z]*\) .*/\1/' commands | tr '\n' ' ')" 'time frame '
	while read -r _ command; do
		# shellcheck disable=SC2086
		tracemill $command -q --csv >rows 2>err
		equals "$command: the leak is first" "$(first <rows)" leak_one
		# 20 s to 40 s: 200 frames, every fourth with 200 bytes; from frame 400 to 800: 400 frames.
		[[ $command = *-frame* ]] && want=20000 || want=10000
		equals "... with what it grew by" "$(awk -F , 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
			{ print $at["delta_live_requested"]; exit }' rows)" "$want"
	done <commands
done
exit $failed
