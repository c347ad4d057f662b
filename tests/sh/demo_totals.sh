#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# tier: all
#
# tm-top held to the demo's own totals (truth.totals, testdata/README.md): types, functions and
# sites of both captures, live blocks, and the frames that tm-dump shows. Names are compared by
# their last component, without parameters and template arguments; rows that then share a name are
# added up, except for totals, which cannot be: those are compared where the name has one row.

set -u
status=0
: "${SRC:?}" "${DATA:?}"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

same() { # what ours truth
	sort "$2" > "$work/a"
	sort "$3" > "$work/b"
	if [ ! -s "$work/b" ]; then
		echo "not ok - $1: the truth says nothing"
	elif cmp -s "$work/a" "$work/b"; then
		echo "ok - $1 ($(wc -l < "$work/b") rows)"
		return
	else
		echo "not ok - $1: ours (<), truth (>)"
		diff "$work/a" "$work/b" | sed 's/^/# /' | head -12
	fi
	status=1
}

# CSV rows with the columns asked for, tab-separated, the name simplified.
columns() { # NAME... < csv
	awk -v want="$*" '
		function fields(line,    n, s) {
			n = 0
			line = line ","
			while (line != "") {
				if (match(line, /^"([^"]|"")*",/)) {
					s = substr(line, 2, RLENGTH - 3)
					gsub(/""/, "\"", s)
				} else {
					match(line, /^[^,]*,/)
					s = substr(line, 1, RLENGTH - 1)
				}
				f[++n] = s
				line = substr(line, RLENGTH + 1)
			}
			return n
		}
		function simple(s) {
			if (s ~ /operator\(\)/) return "operator()"
			gsub(/\(anonymous namespace\)/, "", s)
			while (gsub(/<[^<>]*>/, "", s)) ;
			sub(/ const$/, "", s)
			sub(/ \[clone.*/, "", s)
			sub(/\(.*/, "", s)
			sub(/.* /, "", s)
			sub(/.*::/, "", s)
			return s
		}
		{ sub(/\r$/, "") }
		NR == 1 { n = fields($0); for (i = 1; i <= n; i++) at[f[i]] = i; m = split(want, w, " "); next }
		{
			fields($0)
			line = ""
			for (i = 1; i <= m; i++) {
				if (!(w[i] in at)) { print "no column " w[i]; exit }
				s = f[at[w[i]]]
				if (w[i] == "function" || w[i] == "site") s = simple(s)
				if (w[i] == "file") sub(/.*\//, "", s)
				line = line (i > 1 ? "\t" : "") s
			}
			print line
		}'
}

truth() { # KEY TOTALS: its rows, names simplified
	awk -F '\t' -v OFS='\t' -v key="$1" '
		$1 == key { if ($2 ~ /operator\(\)/) $2 = "operator()"; else if (key !~ /type/) sub(/.*::/, "", $2); sub(/^[^\t]*\t/, ""); print }' "$2"
}

# Adds the numbers of rows that agree in their first K fields.
summed() {
	awk -F '\t' -v OFS='\t' -v k="$1" '
		{ key = $1; for (i = 2; i <= k; i++) key = key OFS $i
		  n = NF; seen[key]; for (i = k + 1; i <= NF; i++) sum[key, i] += $i }
		END { for (key in seen) { line = key; zero = 1
			for (i = k + 1; i <= n; i++) { line = line OFS sum[key, i] + 0; if (sum[key, i]) zero = 0 }
			if (!zero) print line } }'
}

once() { # rows whose first field no other row has
	awk -F '\t' '{ n[$1]++; row[$1] = $0 } END { for (x in n) if (n[x] == 1) print row[x] }'
}

found=0
for dir in "$DATA"/demo/*-dwarf*/; do
	dir=${dir%/}
	name=${dir##*/}
	totals=$dir/truth.totals
	[ -e "$totals" ] || continue
	found=$((found + 1))
	options=(-e "$dir/bin/arcade" -e "$dir/bin/libengine.so" --maps "$dir/arcade.maps" --locations return)
	[ -d "$dir/debug" ] && options+=(--debug-dir "$dir/debug")
	for capture in mem stream; do
		tm-symbolize -q "${options[@]}" "$dir/arcade.$capture" > "$work/$capture.tmt"
	done
	top() { tm-top -q --csv -n 0 --sites "$SRC/testdata/src/demo/arcade.sites" "$@"; }

	top --by type "$work/mem.tmt" | columns type requested real entries > "$work/ours"
	truth mem.type "$totals" > "$work/true"
	same "$name: mem by type" "$work/ours" "$work/true"

	top --by site "$work/mem.tmt" | columns site file line real entries |
		awk -F '\t' -v OFS='\t' '{ print $1, $2 ":" $3, $4, $5 }' | summed 2 > "$work/ours"
	truth mem.site "$totals" | summed 2 > "$work/true"
	same "$name: mem by site" "$work/ours" "$work/true"

	top --by function "$work/mem.tmt" | columns function real entries total_real total_entries > "$work/f"
	truth mem.function "$totals" > "$work/t"
	cut -f 1-3 "$work/f" | summed 1 > "$work/ours"
	cut -f 1-3 "$work/t" | summed 1 > "$work/true"
	same "$name: mem by function, self" "$work/ours" "$work/true"
	once < "$work/f" | cut -f 1,4,5 | sort > "$work/f1"
	once < "$work/t" | cut -f 1,4,5 | sort > "$work/t1"
	join -t '	' -j 1 -o 1.1,1.2,1.3 "$work/f1" "$work/t1" > "$work/ours"
	join -t '	' -j 1 -o 2.1,2.2,2.3 "$work/f1" "$work/t1" > "$work/true"
	same "$name: mem by function, total" "$work/ours" "$work/true"

	top --by site "$work/stream.tmt" |
		columns site file line requested count live_requested live_count |
		awk -F '\t' -v OFS='\t' '$2 != "" { print $1, $2 ":" $3, $4, $5, $6, $7 }' | summed 2 > "$work/ours"
	truth stream.site "$totals" | summed 2 > "$work/true"
	same "$name: stream by site" "$work/ours" "$work/true"

	top --by function "$work/stream.tmt" | columns function requested count total_requested total_count \
		live_requested live_count total_live_requested total_live_count > "$work/f"
	truth stream.function "$totals" > "$work/t"
	cut -f 1-3,6,7 "$work/f" | grep -v '^\[unknown\]' | summed 1 > "$work/ours"
	cut -f 1-3,6,7 "$work/t" | summed 1 > "$work/true"
	same "$name: stream by function, self" "$work/ours" "$work/true"
	once < "$work/f" | cut -f 1,4,5,8,9 | sort > "$work/f1"
	once < "$work/t" | cut -f 1,4,5,8,9 | sort > "$work/t1"
	join -t '	' -j 1 -o 1.1,1.2,1.3,1.4,1.5 "$work/f1" "$work/t1" > "$work/ours"
	join -t '	' -j 1 -o 2.1,2.2,2.3,2.4,2.5 "$work/f1" "$work/t1" > "$work/true"
	same "$name: stream by function, total" "$work/ours" "$work/true"

	# Name-only records: allocations, bytes, live ones, their bytes.
	top --by function "$work/stream.tmt" | columns function count requested live_count live_requested |
		grep '^\[unknown\]' | cut -f 2- > "$work/ours"
	sed -n 's/^stream.nameonly\t//p' "$totals" > "$work/true"
	same "$name: stream, records without a stack" "$work/ours" "$work/true"

	top --by function "$work/stream.tmt" | columns count requested live_count live_requested | awk -F '\t' '
		{ a += $1; b += $2; c += $3; d += $4 } END { print a "\t" b; print c "\t" d }' > "$work/ours"
	sed -n 's/^stream.\(allocs\|live\)\t//p' "$totals" > "$work/true"
	same "$name: stream totals and live blocks" "$work/ours" "$work/true"

	tm-dump -q --no-tables --no-symbols "$work/mem.tmt" | awk -v OFS='\t' '
		function number(key) { return match($0, " " key "=[0-9]+") ? substr($0, RSTART + length(key) + 2, RLENGTH - length(key) - 2) : 0 }
		$1 == "frame" { f = number("value") }
		$1 == "type-total" { q[f] += number("requested") }
		$1 == "alloc" { r[f] += number("real"); n[f]++ }
		END { for (f in q) print f, q[f], r[f], n[f] }' > "$work/ours"
	truth mem.frame "$totals" > "$work/true"
	same "$name: mem by frame" "$work/ours" "$work/true"
done
[ $found -gt 0 ] || { echo "not ok - no demo variants in $DATA/demo"; status=1; }
exit $status
