#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# What tm-filter keeps, read by tm-top, has the numbers that the same options give on the whole;
# filters split a capture into parts that add up; a tree's root, and the sum of all rows of any
# key, are the whole. On both of the demo's captures, symbolized; and on captures of calls and samples
# (filter_calls.py), of which a range cuts calls and a filter leaves out callers.
set -u
: "${DATA:?}" "${SRC:?}"
status=0
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
fail() {
	echo "not ok - $*"
	status=1
}
without() { # COLUMN FILE...
	local column=$1 file
	for file in "${@:2}"; do
		awk -F'\t' -v OFS='\t' -v column="$column" '
			NR == 1 {for (i = 1; i <= NF; i++) if ($i == column) at = i}
			at {for (i = at; i < NF; i++) $i = $(i + 1); NF--}
			{print}' "$file" >"$work/less"
		mv "$work/less" "$file"
	done
}
equal() { # CAPTURE OPTIONS TOP-OPTIONS
	# shellcheck disable=SC2086
	tm-top -q -n 0 --as tsv $3 $2 "$1" >"$work/a"
	# shellcheck disable=SC2086
	tm-top -q -n 0 --as tsv $3 "$work/part.tmt" >"$work/b"
	# Of calls that a range cuts there is no mean, and a file does not say that it was cut.
	[[ $2 != *--time* && $2 != *--frame* ]] || without mean_ns "$work/a" "$work/b"
	cmp -s "$work/a" "$work/b" || fail "${1##*/}: $2 $3 differs"
}
self_time() { # TOP-OPTIONS; of $options
	# shellcheck disable=SC2086
	tm-top -q -n 0 --as tsv "$@" $options "$t" |
		awk -F'\t' 'NR == 1 {for (i = 1; i <= NF; i++) if ($i == "self_ns") at = i} NR > 1 && at {n += $at} END {print n + 0}'
}
for kind in calls frames samples; do
	t=$work/$kind.tmt
	python3 "$SRC/tests/sh/filter_calls.py" $kind 1 | tm-import -q -o "$t"
	while read -r of options; do
		[[ $of = *${kind:0:1}* ]] || continue
		# shellcheck disable=SC2086
		tm-filter -q $options "$t" -o "$work/part.tmt" || fail "tm-filter $options"
		equal "$t" "$options" --tree
		for by in site function stack type module file thread frame; do
			equal "$t" "$options" "--by $by"
		done
		[ "$options" = '--size 1..10' ] || [ "$(wc -l <"$work/a")" -gt 1 ] || fail "$kind: $options keeps nothing"
		# Each frame has its part of a call, that too in which a range begins.
		frames=$(self_time --by frame)
		[ "$frames" = "$(self_time --by function)" ] || fail "$kind: $options: the time of frames is $frames"
		echo "ok - $kind: $options"
	done <<-X
		cs --thread Worker2
		cfs --focus draw
		cfs --focus draw --focus update
		s --module libengine
		s --ignore draw
		cfs --time 200us..700us
		cfs --time 0..100us --time 900us..2ms
		cs --time 100us..800us --thread Worker1
		cfs --time 100us..800us --focus Particle
		f --frame 103
		f --frame 102..105 --frame 110..
		f --frame 102..112 --focus draw --time 1ms..3ms
		f --time 800us..1ms --time 2ms..2100us
		f --time 8300us..
		cfs --size 1..10
	X
	# A call that stays cannot be told without those that it called.
	[ $kind = samples ] || { ! tm-filter -q --ignore draw "$t" >"$work/part.tmt" 2>"$work/err" && grep -q ignore "$work/err"; } ||
		fail "$kind: --ignore is not refused"
done
demo=$(find "$DATA/demo" -name arcade.mem | head -n 1)
demo=${demo%/*}
if [ ! -f "$demo/arcade.mem" ]; then
	echo "skip - there is no demo capture"
	exit $status
fi
cat >"$work/owners" <<'X'
[Effects]
function Particle
[Rest of the game]
module ^arcade
X

for capture in mem stream; do
	tm-symbolize -q --maps "$demo/arcade.$([ $capture = mem ] && echo maps || echo smaps)" -e "$demo/bin/arcade" \
		-e "$demo/bin/libengine.so" "$demo/arcade.$capture" -o "$work/$capture.tmt" 2>"$work/err" ||
		fail "tm-symbolize of arcade.$capture: $(head -n 1 "$work/err")"
	t=$work/$capture.tmt
	while read -r options; do
		# shellcheck disable=SC2086
		tm-filter -q $options "$t" -o "$work/part.tmt" || fail "tm-filter $options"
		for by in site function stack type module file; do
			# shellcheck disable=SC2086
			tm-top -q -n 0 --csv --by $by $options "$t" >"$work/a"
			tm-top -q -n 0 --csv --by $by "$work/part.tmt" >"$work/b"
			cmp -s "$work/a" "$work/b" || fail "$capture: $options --by $by differs"
		done
		[ "$(wc -l <"$work/a")" -gt 1 ] || fail "$capture: $options keeps nothing"
		echo "ok - $capture: $options"
	done <<-X
		--focus Particle
		--ignore Particle
		--module arcade
		--file . --ignore main
		--owners $work/owners --owner Effects
		--size 64..4096
	X
	whole=$(tm-top -q -n 0 --csv --by type "$t" | awk -F, 'NR > 1 {n += $3} END {print n + 0}')
	for by in site function location stack type file module thread; do
		sum=$(tm-top -q -n 0 --as tsv --by $by "$t" | awk -F'\t' 'NR > 1 {n += $3} END {print n + 0}')
		[ "$sum" = "$whole" ] || fail "$capture: records by $by: $sum, of $whole"
	done
	echo "ok - $capture: each key adds up to $whole records"
	root=$(tm-top -q --sort entries --tree --csv "$t" | sed -n 2p | cut -d, -f2)
	if [ "$root" = "$whole" ]; then
		echo "ok - $capture: the tree's root"
	else
		fail "$capture: the tree's root: $root"
	fi
	a=$(tm-top -q -n 0 --as tsv --by type --focus Particle "$t" | awk -F'\t' 'NR > 1 {n += $3} END {print n + 0}')
	b=$(tm-top -q -n 0 --as tsv --by type --ignore Particle "$t" | awk -F'\t' 'NR > 1 {n += $3} END {print n + 0}')
	if [ $((a + b)) = "$whole" ] && [ "$a" -gt 0 ]; then
		echo "ok - $capture: focus and ignore split it"
	else
		fail "$capture: focus $a, ignore $b, of $whole"
	fi
done
exit $status
