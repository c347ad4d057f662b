#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Any order of threads in a file gives the same, frames by their times: a capture of three threads, whose events have
# their own times, with the thread that marks the frames first, in the middle and last, in all six orders. Truth is
# arithmetic: thread w allocates at 5, 15, ... 95 (before frame 1 at 10: one; in frame k from 10 k to 10 k + 10: one
# each of frames 1 to 9) blocks of 1 to 10 bytes, thread x one of 100 bytes at 55, in frame 5, and W is called from 12
# to 38: 8 ns of frame 1, 10 of frame 2, 8 of frame 3.
# shellcheck disable=SC2317 # called by name
set -u
: "${SRC:?}" "${GEN:?}"

# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"

main() {
	echo thread main
	for k in 1 2 3 4 5 6 7 8 9; do echo "frame $k ${k}0"; done
}
w() {
	echo thread w
	for k in 0 1 2 3 4 5 6 7 8 9; do echo "alloc malloc w $((k + 1)) ${k}5 - $((4096 + k))"; done
}
x() {
	echo thread x
	echo 'enter W 12'
	echo 'exit W 38'
	echo 'alloc malloc x 100 55'
}
# ns, so that a slack of some us in what is live does not hide anything
scale() { awk '{for (i = 1; i <= NF; i++) if (($1 == "frame" && i == 3) || ($1 == "alloc" && i == 5) || ($1 ~ /^e/ && i == 3)) $i = $i "000000"; print}'; }
head='metric time exact
metric count exact
metric requested exact'

n=1
for order in 'main w x' 'main x w' 'w main x' 'x main w' 'w x main' 'x w main'; do
	{
		echo "$head"
		for thread in $order; do "$thread" | scale; done
	} | "$GEN/script" >$n.tmt
	n=$((n + 1))
done

# Frame: allocations, bytes, self time. Before the first: 1 byte. Frame 5 has 6 + 100.
frames='1 1 2 8000000
2 1 3 10000000
3 1 4 8000000
4 1 5 0
5 2 106 0
6 1 7 0
7 1 8 0
8 1 9 0
9 1 10 0'
columns() { tr -d '\r' | awk -F, -v want="$1" 'NR == 1 {for (i = 1; i <= NF; i++) at[$i] = i; n = split(want, w, " "); next}
	{s = ""; for (i = 1; i <= n; i++) s = s (i > 1 ? " " : "") $at[w[i]]; print s}'; }

for i in 1 2 3 4 5 6; do
	got=$(tm-frames -q --csv --table frames "$i.tmt" | columns 'frame count requested self_ns' | grep -v '^ ')
	check "order $i: tm-frames" [ "$got" = "$frames" ]
	# Frames 3 to 5: 4 + 5 + 106 bytes, 8 ms of W.
	got=$(tm-top -q --csv --by function --frame 3..5 "$i.tmt" | columns 'function requested self_ns' | sort | xargs)
	check "order $i: tm-top --frame" [ "$got" = 'W 8000000 w 15 x 100' ]
	tm-filter -q --frame 3..5 "$i.tmt" >kept.tmt
	got=$(tm-top -q --csv --by function "$i.tmt" --frame 3..5 --sort requested | columns 'function requested' | sort | xargs)
	check "order $i: tm-filter --frame keeps the same" [ "$(tm-top -q --csv --by function --sort requested kept.tmt | columns 'function requested' | sort | xargs)" = "$got" ]
	got=$(tm-top -q --csv --by frame --sort requested "$i.tmt" | columns 'frame requested' | sort -n | xargs)
	check "order $i: tm-top --by frame" [ "$(tm-top -q --by frame --csv --sort requested 1.tmt | columns 'frame requested' | sort -n | xargs)" = "$got" ]
	# What is printed is right: without a second reading the worst is not named where marks come late.
	check "order $i: the worst frame" [ "$(tm-top --by site --sort requested "$i.tmt" 2>/dev/null | grep -o 'worst: frame.*' | grep -vc 'frame 5 with requested 106 B')" = 0 ]
	check "order $i: the worst frame, by frames" [ "$(tm-top --by frame --sort requested "$i.tmt" 2>/dev/null | grep -o 'worst: frame.*')" = 'worst: frame 5 with requested 106 B' ]
	# The call ends at 38, in frame 3.
	check "order $i: a spike's frame" [ "$(tm-spikes -q --threshold 1ms --table worst --csv "$i.tmt" | columns 'frame function' | xargs)" = '3 W' ]
	tm-compare -q --save-baseline "$i.tma" "$i.tmt"
	check "order $i: an aggregate's frames" [ "$(tm-frames -q --csv --table frames "$i.tma" | columns 'frame count requested' | grep -v '^ ')" = "$(echo "$frames" | cut -d' ' -f1-3)" ]
done
# shellcheck disable=SC2154 # of check.bash
exit "$failed"
