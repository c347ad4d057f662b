#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# What tm-filter keeps, read by tm-top, has the numbers that the same options give on the whole;
# filters split a capture into parts that add up; a tree's root, and the sum of all rows of any
# key, are the whole. On both of the demo's captures, symbolized.
set -u
: "${DATA:?}"
demo=$(find "$DATA/demo" -name arcade.mem | head -n 1)
demo=${demo%/*}
if [ ! -f "$demo/arcade.mem" ]; then
	echo "skip - there is no demo capture"
	exit 0
fi
status=0
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
fail() {
	echo "not ok - $*"
	status=1
}
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
