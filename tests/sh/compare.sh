#!/bin/bash
# SPDX-License-Identifier: MIT
#
# tm-compare's promises, on captures of the demo: a capture against itself differs in nothing,
# swapped sides negate every difference, a baseline stands for its capture, and a leak and a growth
# that were planted are found to the byte, as the demo's own totals say.
set -u

game=$DATA/demo/gcc-dwarf5-O2
if [ ! -x "$game/bin/arcade" ]; then
	echo "skip - compare (no demo here)"
	exit 0
fi
check() { # what, condition's status
	if [ "$2" -eq 0 ]; then
		echo "ok - $1"
	else
		echo "not ok - $1"
	fi
}

mkdir -p a b
"$game/bin/arcade" --frames 40 --out a && "$game/bin/arcade" --frames 40 --leak 64 --grow 7 --out b
for run in a b; do
	tm-import -q --maps $run/arcade.smaps --config $run/loli3.conf $run/arcade.stream |
		tm-symbolize -q -e "$game/bin/arcade" -e "$game/bin/libengine.so" >$run.tmt
	tm-compare -q --save-baseline $run.tma $run.tmt
done

# Of the columns that begin with delta_, with what the row is about in front.
deltas() {
	awk -F '\t' -v OFS='\t' -v sign="$1" '
		NR == 1 {
			for (i = 1; i <= NF; i++) {
				if ($i ~ /^delta_/)
					delta[++n] = i
				if ($i == "change")
					first = i + 1
				if ($i == "was")
					last = i - 1
			}
			next
		}
		{
			line = ""
			for (i = first; i <= last; i++)
				line = line $i OFS
			for (i = 1; i <= n; i++) {
				v = $delta[i]
				if (sign < 0 && v != "" && v != "0")
					v = v ~ /^-/ ? substr(v, 2) : "-" v
				line = line OFS v
			}
			print line
		}' | sort
}
all() { tm-compare -q -n 0 --all --as tsv "$@" | tr -d '\r'; }

for by in type function site stack location file module thread; do
	for cumulative in '' --cumulative; do
		# shellcheck disable=SC2086
		all --by $by $cumulative a.tmt a.tmt | deltas 1 >self
		# shellcheck disable=SC2086
		all --by $by $cumulative a.tmt b.tmt >ab
		# shellcheck disable=SC2086
		all --by $by $cumulative b.tmt a.tmt | deltas -1 >ba
		if [ ! -s self ] || grep -qE $'\t-?[1-9][0-9]*(\t|$)' <(sed 's/.*\t\t//' self); then
			echo "not ok - by $by $cumulative: a capture differs from itself"
		elif ! deltas 1 <ab | cmp -s - ba; then
			deltas 1 <ab | diff - ba | head -4
			echo "not ok - by $by $cumulative: swapped sides do not negate"
		else
			echo "ok - by $by $cumulative: $(wc -l <ba) rows negate, none differs from itself"
		fi
		[ $by = location ] && continue
		# shellcheck disable=SC2086
		all --by $by $cumulative a.tma b.tma | cmp -s - ab
		check "by $by $cumulative: baselines say the same" $?
	done
done

# The truth: what the game counted itself.
truth() { awk -v name="$2" -v k="$3" '$1 == name { print $k }' "$1/truth.totals"; }
column() { # file, heading
	awk -F '\t' -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i; next }
		{ sum += $c } END { printf "%.0f\n", sum }' "$1"
}
all --by stack a.tmt b.tmt >ab
for metric in count:stream.allocs:2 requested:stream.allocs:3 live_count:stream.live:2 \
	live_requested:stream.live:3; do
	IFS=: read -r word name k <<<"$metric"
	want=$(($(truth b "$name" "$k") - $(truth a "$name" "$k")))
	[ "$(column ab "delta_$word")" = "$want" ]
	check "$word: $want more, as the game says" $?
done
# 40 frames leak 64 bytes each; 84 more tiles of 48 bytes.
grep -c . <(tail -n +2 ab | grep 'remember_frame') | grep -qx 1
check "the leak is one stack" $?
[ "$(grep -E 'rank|remember_frame' ab >leak && column leak delta_live_requested)" = 2560 ]
check "the leak is 2560 bytes live" $?
[ "$(grep -E 'rank|create<arcade::Tile>' ab >tiles && column tiles delta_requested)" = 4032 ]
check "the growth is 4032 bytes" $?
[ "$(column tiles percent_requested)" = 7 ]
check "which is 7.00 %" $?

# The same from any document, and a policy that fails in each.
printf '[rule heap]\nmetric = requested\npercent = 0\n' >p.ini
for as in text csv tsv json markdown junit sarif; do
	tm-compare -q --as $as --gate p.ini a.tmt b.tmt >out.$as
	[ $? -eq 1 ] && [ -s out.$as ]
	check "$as: a failed gate ends with 1" $?
done
cp a.tma old
tm-compare -q --save-baseline old none.tmt 2>/dev/null
cmp -s a.tma old
check "a capture that cannot be read leaves the old baseline" $?
