#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# tm-frames held to the demo's own totals (truth.totals): every frame, every frame by type and by
# stack added up, in ranges too, and the rows in order however they are asked for.

set -u
status=0
: "${DATA:?}"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

same() { # what ours truth
	if [ -s "$3" ] && cmp -s "$2" "$3"; then
		echo "ok - $1 ($(wc -l < "$3") rows)"
		return
	fi
	echo "not ok - $1: ours (<), truth (>)"
	diff "$2" "$3" | sed 's/^/# /' | head -12
	status=1
}

# No text of these columns has a comma but the last.
columns() { # NAME... < csv
	tr -d '\r' | awk -F , -v OFS='\t' -v want="$*" '
		NR == 1 { n = split(want, w, " "); for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ line = $at[w[1]]; for (i = 2; i <= n; i++) line = line OFS $at[w[i]]; print line }'
}

added_up() { # by the first field
	awk -F '\t' -v OFS='\t' '
		!($1 in n) { order[++k] = $1; n[$1] }
		{ for (i = 2; i <= NF; i++) v[$1, i] += $i; f = NF }
		END { for (j = 1; j <= k; j++) { line = order[j]; for (i = 2; i <= f; i++) line = line OFS v[order[j], i] + 0; print line } }'
}

found=0
for dir in "$DATA"/demo/*-dwarf*/; do
	dir=${dir%/}
	name=${dir##*/}
	[ -e "$dir/truth.totals" ] || continue
	found=$((found + 1))
	mem=$dir/arcade.mem
	sed -n 's/^mem.frame\t//p' "$dir/truth.totals" > "$work/true"

	tm-frames -q --csv "$mem" | columns frame requested real entries > "$work/ours"
	same "$name: frames" "$work/ours" "$work/true"

	tm-frames -q --by type "$mem" | columns frame requested real entries | added_up > "$work/ours"
	same "$name: frames by type" "$work/ours" "$work/true"

	cut -f 1,3,4 "$work/true" > "$work/real"
	tm-frames -q --by stack "$mem" | columns frame real entries | added_up > "$work/ours"
	same "$name: frames by stack" "$work/ours" "$work/real"

	tm-frames -q --csv --focus . "$mem" | columns frame real entries > "$work/ours"
	same "$name: frames through a filter that keeps all" "$work/ours" "$work/real"

	tm-frames -q --csv --frame 5..7 --frame 20 "$mem" | columns frame requested real entries > "$work/ours"
	awk -F '\t' '$1 >= 5 && $1 <= 7 || $1 == 20' "$work/true" > "$work/part"
	same "$name: ranges of frames" "$work/ours" "$work/part"

	for frame in 1 20; do
		tm-frames -q --csv --frame $frame --show-stacks 0 "$mem" | tr -d '\r' | awk -F , -v OFS='\t' -v f=$frame '
			NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
			$at["depth"] == 0 { q += $at["requested"]; r += $at["real"]; n += $at["entries"] }
			$at["depth"] == 1 { sr += $at["real"]; sn += $at["entries"] }
			END { print f, q, r, n; print f, sr, sn }' > "$work/ours"
		grep -P "^$frame\t" "$work/true" > "$work/part"
		grep -P "^$frame\t" "$work/real" >> "$work/part"
		same "$name: frame $frame in detail, types and their stacks" "$work/ours" "$work/part"
	done

	# Steps of time: whatever they are, they add up to the stream's totals.
	tm-frames -q --csv --every 10ms --maps "$dir/arcade.maps" "$dir/arcade.stream" |
		columns count requested live_count live_requested |
		awk -F '\t' -v OFS='\t' '{ n += $1; b += $2; l = $3; lb = $4 } END { print n, b; print l, lb }' > "$work/ours"
	sed -n 's/^stream\.allocs\t//p; s/^stream\.live\t//p' "$dir/truth.totals" > "$work/part"
	same "$name: steps of time" "$work/ours" "$work/part"
done
# --frame N lasts as long as the row of this frame among all frames; the last frame has no end.
for file in unity/small.raw unity/good-frames.raw; do
	tm-frames -q --csv --table frames "$DATA/$file" | columns frame duration_ns | grep -P '^\d' > "$work/true"
	while read -r frame _; do
		printf '%s\t' "$frame"
		tm-frames -q --as json --frame "$frame" "$DATA/$file" | grep -o '"numbers":{[^}]*}' | grep -o '"duration_ns":[0-9]*' | cut -d : -f 2 | grep . || echo
	done < "$work/true" > "$work/ours"
	same "$file: the duration of each frame alone" "$work/ours" "$work/true"
	last=$(tail -n 1 "$work/true" | cut -f 1)
	tm-frames -q --frame "$last" "$DATA/$file" | head -n 1 > "$work/ours"
	echo "types and their stacks, frame $last, which has no end" > "$work/part"
	same "$file: the last frame has no end" "$work/ours" "$work/part"
done
[ $found -gt 0 ] || { echo "not ok - no demo variants in $DATA/demo"; status=1; }
exit $status
