#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
# timeout: 600
#
# Peak memory does not depend on how long a capture is: 200 MB of MemTracer text go through a
# pipe within 200 MB (make bench: 1 GB), and five times the events cost hardly more. What does cost
# is a stack and a location: at most 150 bytes each, and a location's name its own in addition.
set -u
: "${GEN:?}"

failed=0
verdict() { # WHAT, GOT KiB, at most MiB
	if [ "$2" -gt 0 ] && [ "$2" -le $(($3 * 1024)) ]; then
		echo "ok - $1: $(($2 / 1024)) MiB"
	else
		echo "not ok - $1: $2 KiB, more than $3 MiB"
		failed=1
	fi
}
peak() { cut -d ' ' -f 4 rss; }

if [ -n "${SAN-}" ]; then
	echo "skip - peak memory (a sanitizer's own is far larger)"
	exit 0
fi

"$GEN/memtracer" --bytes 200M --seed 1 | "$GEN/rss" -o rss tm-import -q -o long.tmt
verdict 'tm-import, 200 MB of MemTracer through a pipe' "$(peak)" 200
entries=$(tm-dump --no-tables long.tmt | awk '/^alloc/ {n++} END {print n + 0}')
if [ "$entries" -gt 100000 ] && [ "$(tm-dump --no-tables --no-events long.tmt | grep -c '^note loss')" = 0 ]; then
	echo "ok - tm-import, 200 MB of MemTracer: $entries entries, nothing lost"
else
	echo "not ok - tm-import, 200 MB of MemTracer: $entries entries"
	failed=1
fi
"$GEN/rss" -o rss tm-top long.tmt >/dev/null 2>&1
verdict 'tm-top on its trace' "$(peak)" 300

# Twice: 2 and 10 M events over the same stacks and blocks.
for n in 2 10; do
	"$GEN/trace" --allocs ${n}000000 --live 20000 --stacks 20000 --frames 100 >events.tmt
	for p in tm-dump tm-top tm-import; do
		"$GEN/rss" -o rss "$p" -q events.tmt >/dev/null
		if [ "$(cut -d ' ' -f 5 rss)" != 0 ]; then
			echo "not ok - $p: $n M events: status $(cut -d ' ' -f 5 rss)"
			failed=1
		fi
		eval "${p#tm-}_$n=$(peak)"
	done
done
# shellcheck disable=SC2154 # set by eval
for p in dump top import; do
	small=${p}_2 large=${p}_10
	# Of the five worst frames tm-top has the stacks' sums: 20,000 at most in each, of which a frame of 2 M events has
	# a part. With 20 M events it is 2 MiB more than with 10 M.
	verdict "tm-$p: 10 M events after 2 M in $((${!small} / 1024)) MiB" "${!large}" \
		$((${!small} / 1024 + ($([ "$p" = top ] && echo 24 || echo 16))))
done

# Calls of a program: a function has two callees, the depth is 12, so there are 4,095 paths at most.
for n in 2 10; do
	"$GEN/calls" --events ${n}000000 --depth 12 --functions 200 --callees 2 >calls.tmt
	"$GEN/rss" -o rss tm-top -q calls.tmt >/dev/null
	eval "calls_$n=$(peak)"
done
verdict "tm-top: 10 M enters and exits after 2 M in $((calls_2 / 1024)) MiB" "$calls_10" \
	$((calls_2 / 1024 + 4))

# Lines of folded text: four million of five stacks. 800,000 of each, i has i a line.
awk 'BEGIN { for (i = 0; i < 4000000; i++) print "main;step;" i % 5 + 1, i % 5 + 1 }' >lines.folded
"$GEN/rss" -o rss tm-import -q -o lines.tmt lines.folded
verdict 'tm-import: four million lines of five stacks' "$(peak)" 20
tm-dump -q lines.tmt | awk '$1 == "sample" { sub(/count=/, "", $2); print $2 }' >got
if printf '%d\n' 800000 1600000 2400000 3200000 4000000 | cmp -s - got; then
	echo "ok - ... with all that they say"
else
	echo "not ok - ... with all that they say: $(head -n 6 got | tr '\n' ' ')"
	failed=1
fi

# A million stacks: 150 bytes each are 143 MiB. A million locations with a stack each: 286 MiB, and
# 13 bytes of name, "0x55..." with its end, 13 MiB. A program alone takes less than 20 MiB.
# The first screen asks for the callers of sites: 24 bytes a cell at the peak, and a stack within its site has a
# row of 12 bytes, 8 in an index and three sums of 8 with their bits, 72 in all; arrays grow by half. It may pass over
# allocator wrappers once all is added up, for which a stack has the other two sums of its site, too: 2 x 8 bytes, and
# half of them while arrays grow, are 23 MiB for a million (420 MiB before, without that).
"$GEN/many" --stacks 1000000 --locations 1000 >stacks.tmt
"$GEN/many" --stacks 1000000 --locations 1000 --depth 16 >deep.tmt
"$GEN/many" --stacks 1000000 --locations 1000000 >locations.tmt
each() { # WHAT, FILE, MiB, PROGRAM ARGUMENT...
	local what=$1 file=$2 most=$3

	shift 3
	"$GEN/rss" -o rss "$@" -q "$file" >/dev/null
	if [ "$(cut -d ' ' -f 5 rss)" != 0 ]; then
		echo "not ok - $* on $what: status $(cut -d ' ' -f 5 rss)"
		failed=1
	else
		verdict "$* on $what" "$(peak)" "$most"
	fi
}
for f in stacks deep; do
	each "a million stacks ($f)" $f.tmt 163 tm-import
	each "a million stacks ($f)" $f.tmt 163 tm-symbolize
	each "a million stacks ($f)" $f.tmt 200 tm-top
	each "a million stacks ($f)" $f.tmt 163 tm-top --sort count
	each "a million stacks ($f)" $f.tmt 163 tm-top --by function
	each "a million stacks ($f)" $f.tmt 163 tm-top --by stack
	each "a million stacks ($f)" $f.tmt 163 tm-top --tree
	each "a million stacks ($f)" $f.tmt 163 tm-export --as folded
	each "a million stacks ($f)" $f.tmt 163 tm-frames
	each "a million stacks ($f)" $f.tmt 163 tm-filter --focus 0x
done
each 'a million locations' locations.tmt 319 tm-import
each 'a million locations' locations.tmt 319 tm-symbolize
each 'a million locations' locations.tmt 443 tm-top
each 'a million locations' locations.tmt 420 tm-top --guess-sites=never
each 'a million locations' locations.tmt 319 tm-top --sort count
each 'a million locations' locations.tmt 345 tm-top --by stack
each 'a million locations' locations.tmt 345 tm-export --as folded
# Two captures, and while the second is read the sums of the first: a thing of 40 bytes with its
# place in a set, and its sums. An aggregate has each place as function, site and stack.
each 'a million locations, twice' locations.tmt 490 tm-compare locations.tmt
each 'a million locations' locations.tmt 800 tm-compare --save-baseline kept.aggregate
exit $failed
