#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# tier: all
#
# Every other view held to the demo's own truth (testdata/README.md): stacks, locations, files,
# modules, owners, threads, frames, trees, peeks, shares, filters and differences of ranges. What
# is expected is added up here, stack by stack, from truth.stacks, and from truth.totals where
# stacks do not tell; demo_totals.sh has types, functions and sites. Names are compared by their
# last component; rows that then share a name are added up. Start code, which the truth does not
# cover, and records without a stack are left out by the programs' own filters.

set -u
status=0
: "${SRC:?}" "${DATA:?}"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

same() { # WHAT; compares the files ours and true
	sort ours > a
	sort true > b
	if [ ! -s b ]; then
		echo "not ok - $1: the truth says nothing"
	elif cmp -s a b; then
		echo "ok - $1 ($(wc -l < b) rows)"
		return
	else
		echo "not ok - $1: ours (<), truth (>)"
		diff a b | sed 's/^/# /' | head -12
	fi
	status=1
}

# TSV rows with the columns asked for, names simplified; "stack" is a path of simple names.
columns() { # NAME... < tsv
	awk -F '\t' -v OFS='\t' -v want="$*" '
		function simple(s) {
			if (s ~ /operator\(\)/) return "operator()"
			if (s ~ /^[[(]/) return s
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
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; m = split(want, w, " "); next }
		{
			line = ""
			for (i = 1; i <= m; i++) {
				if (!(w[i] in at)) { print "no column " w[i]; exit }
				s = $at[w[i]]
				if (w[i] == "function" || w[i] == "site" || w[i] == "of") s = simple(s)
				if (w[i] == "file") sub(/.*\//, "", s)
				if (w[i] == "stack") {
					n = split(s, call, ";")
					s = ""
					for (k = 1; k <= n; k++) s = s (k > 1 ? ";" : "") simple(call[k])
				}
				line = line (i > 1 ? OFS : "") s
			}
			print line
		}'
}

summed() { # K: rows that agree in their first K fields become one, without those of zeros
	awk -F '\t' -v OFS='\t' -v k="$1" '
		{ key = $1; for (i = 2; i <= k; i++) key = key OFS $i
		  n = NF; seen[key]; for (i = k + 1; i <= NF; i++) sum[key, i] += $i }
		END { for (key in seen) { line = key; zero = 1
			for (i = k + 1; i <= n; i++) { line = line OFS sum[key, i] + 0; if (sum[key, i]) zero = 0 }
			if (!zero) print line } }'
}

# A tree's rows (depth, function, numbers) with the path of functions instead.
paths() {
	awk -F '\t' -v OFS='\t' '
		$1 == 0 { $2 = "" }
		$1 > 0 { name[$1] = $2; $2 = ""; for (i = 1; i <= $1; i++) $2 = $2 (i > 1 ? ";" : "") name[i] }
		{ sub(/^[^\t]*\t/, ""); print }'
}

# truth.stacks as rows "view, key, numbers": of the stream allocations, bytes, live ones and their
# bytes; of mem entries and real bytes.
added_up() { # mem|stream
	awk -F '\t' -v OFS='\t' -v which="$1" '
		function put(view, key, mark) {
			if (mark != "" && (mark, view, key) in met) return
			if (mark != "") met[mark, view, key]
			seen[view OFS key]
			for (i = 1; i <= n_values; i++) sum[view OFS key, i] += v[i]
		}
		function owner(    k, r) {
			for (r = 1; r <= 4; r++)
				for (k = 1; k <= n; k++)
					if (r == 1 && whole[k] ~ /^eng::build_scene$/ || r == 2 && whole[k] ~ /^arcade::.*Ship::/ ||
					    r == 3 && file[k] == "jobs.cpp" || r == 4 && module[k] == "arcade" && name[k] == "load_level")
						return r == 1 ? "Scene" : r == 2 ? "Ships" : r == 3 ? "Workers" : "Level"
			return "[no owner]"
		}
		function flush(    k, site, up, down, path) {
			if (!n || !v[1]) return
			id++
			put("root", "")
			put("owner", owner())
			site = 0
			for (k = 1; k <= n; k++) {
				put("file-total", file[k], id)
				put("module-total", module[k], id)
				put("function-total", name[k], id)
				if (!site && file[k] != "pool.cpp" && file[k] != "gc.cpp" && file[k] != "gc.h") site = k
			}
			put("file-self", file[site])
			put("module-self", module[site])
			for (k = 1; k <= n_addresses; k++) put("location-total", address[k], id)
			put("location-self", address[1])
			path = ""
			for (k = 1; k <= n; k++) {
				path = path (k > 1 ? ";" : "") name[k]
				put("bottom-up", path)
			}
			path = ""
			for (k = n; k >= 1; k--) {
				path = path (k < n ? ";" : "") name[k]
				put("tree-total", path)
			}
			put("tree-self", path)
			put("stack", path)
			# The caller of the outermost call of a function, and what its innermost one calls.
			for (k = 1; k <= n; k++) {
				for (up = n; name[up] != name[k]; up--) ;
				for (down = 1; name[down] != name[k]; down++) ;
				if (k != up) continue
				put("peek", name[k] OFS "called by" OFS (up < n ? name[up + 1] : "(nobody: it is outermost)"))
				put("peek", name[k] OFS "calls" OFS (down > 1 ? name[down - 1] : "(nobody: its own)"))
			}
		}
		$1 == "stack" {
			flush()
			n = n_addresses = 0
			n_values = which == "mem" ? 2 : 4
			for (i = 1; i <= n_values; i++) v[i] = which == "mem" ? $(8 + i) : $(4 + i)
		}
		$1 == "addr" && $5 { address[++n_addresses] = $3 OFS $4; in_module = $3 }
		$1 == "call" {
			name[++n] = $2
			if ($2 != "operator()") { name[n] = $3; sub(/.*::/, "", name[n]) }
			whole[n] = $3
			file[n] = $4
			sub(/:.*/, "", file[n])
			module[n] = in_module
		}
		END {
			flush()
			for (key in seen) {
				line = key
				for (i = 1; i <= n_values; i++) line = line OFS sum[key, i]
				print line
			}
		}' "$dir/truth.stacks"
}
view() { sed -n "s/^$1	//p" expected; }

cat > owners <<'X'
[Scene]
function ^eng::build_scene
[Ships]
function ^arcade::.*Ship::
[Workers]
file (^|/)jobs\.cpp$
[Level]
function ^arcade::Game::load_level
X
printf '[Text]\ntype ^String\n[Lists]\ntype ^List<\n' > types

found=0
for dir in "$DATA"/demo/*-dwarf5-O[02]/; do
	dir=${dir%/}
	[ -e "$dir/truth.stacks" ] || continue
	found=$((found + 1))
	for capture in mem stream; do
		tm-symbolize -q -e "$dir/bin/arcade" -e "$dir/bin/libengine.so" --maps "$dir/arcade.maps" \
			--locations return "$dir/arcade.$capture" > $capture.tmt
		added_up $capture > expected
		is="${dir##*/}: $capture"
		if [ $capture = mem ]; then
			metrics=(entries real)
			sort=real
		else
			metrics=(count requested live_count live_requested)
			sort=requested
		fi
		totals=("${metrics[@]/#/total_}")
		top() {
			tm-top -q --as tsv -n 0 --sites "$SRC/testdata/src/demo/arcade.sites" \
				--hide '^(libc|__libc|_start|start_thread|clone)' --ignore '^\[unknown\]$' "$@" "$capture.tmt"
		}

		top --by stack | columns stack "${metrics[@]}" | summed 1 > ours
		view stack > true
		same "$is by stack"

		for by in file module location; do
			key=$by
			n=1
			[ $by = location ] && key='module address' && n=2
			# shellcheck disable=SC2086 # columns
			top --by $by | columns $key "${metrics[@]}" | summed $n > ours
			view $by-self | summed $n > true
			same "$is by $by, self"
			# shellcheck disable=SC2086
			top --by $by --cumulative | columns $key "${totals[@]}" | summed $n > ours
			view $by-total > true
			same "$is by $by, total"
		done

		top --by function --cumulative | columns function | sort | uniq -u > unique
		top --by function --cumulative | columns function "${totals[@]}" | sort |
			join -t '	' unique - > ours
		view function-total | sort | join -t '	' unique - > true
		same "$is by function, total"

		top --by owner --owners owners | columns owner "${metrics[@]}" > ours
		view owner > true
		same "$is by owner"
		top --by thread | columns thread "${metrics[@]}" > ours
		view root | sed 's/^/[no thread]/' > true
		same "$is by thread"

		for by in stack owner file; do
			whole=$(view root | cut -f 3)
			top --by $by --owners owners --sort $sort | columns $sort share |
				awk -F '\t' -v whole="$whole" '
					{ d = 100 * $1 / whole - $2; if (d > 0.0050001 || d < -0.0050001) bad++ }
					NR > 1 && $1 > last { bad++ }
					{ last = $1 }
					END { print bad + 0 }' > ours
			echo 0 > true
			same "$is by $by: shares are of the whole, rows fall"
		done

		for metric in "${metrics[@]}"; do
			k=0
			for m in "${metrics[@]}"; do
				k=$((k + 1))
				[ "$m" = "$metric" ] && break
			done
			word=${metric//_/-}
			top --tree --min 0 --sort "$word" | columns depth function "total_$metric" "$metric" |
				paths | summed 1 > ours
			{ view tree-total; view root; } | awk -F '\t' -v OFS='\t' -v k=$k '{ print $1, $(k + 1), 0 }' > t
			view tree-self | awk -F '\t' -v OFS='\t' -v k=$k '{ print $1, 0, $(k + 1) }' >> t
			summed 1 < t > true
			same "$is: tree of $metric"
			top --bottom-up --min 0 --sort "$word" | columns depth function "total_$metric" |
				paths | summed 1 > ours
			{ view bottom-up; view root; } | cut -f 1,$((k + 1)) | summed 1 > true
			same "$is: tree of $metric, bottom up"
			top --peek . --sort "$word" | columns of relation function "$metric" |
				awk -F '\t' '$2 != "function"' | summed 3 | sort | join -t '	' unique - > ours
			view peek | cut -f 1-3,$((k + 3)) | summed 3 | sort | join -t '	' unique - > true
			same "$is: peek of every function, by $metric"
		done
	done

	# Freed is what was allocated and is not live: the stream, stack by stack.
	top --by stack --metrics freed | columns stack freed_count freed_requested | summed 1 > ours
	view stack | awk -F '\t' -v OFS='\t' '{ print $1, $2 - $4, $3 - $5 }' | summed 1 > true
	same "$is: what was freed, by stack"

	capture=mem
	is="${dir##*/}: mem"
	all() { tm-top -q --as tsv -n 0 "$@" mem.tmt; }
	truth() { sed -n "s/^$1	//p" "$dir/truth.totals"; }
	all --by frame | columns frame requested real entries > ours
	truth mem.frame > true
	same "$is by frame"
	all --by type --metrics slack,requested,real | columns type slack > ours
	truth mem.type | awk -F '\t' -v OFS='\t' '{ print $1, $3 - $2 }' > true
	same "$is: slack by type"
	all --by type --type '^List<' | columns type requested real entries > ours
	truth mem.type | grep '^List<' > true
	same "$is: some types"
	all --by owner --owners types | columns owner real entries > ours
	truth mem.type | awk -F '\t' -v OFS='\t' '
		{ who = /^String/ ? "Text" : /^List</ ? "Lists" : "[no owner]"; r[who] += $3; n[who] += $4 }
		END { for (who in r) print who, r[who], n[who] }' > true
	same "$is: owners of types"
	all --by thread --frame 3..7 --frame 12 | columns real entries > ours
	truth mem.frame | awk -F '\t' -v OFS='\t' '
		$1 >= 3 && $1 <= 7 || $1 == 12 { r += $3; n += $4 } END { print r, n }' > true
	same "$is: ranges of frames"

	tm-compare -q -n 0 --all --as tsv --by thread --base-frame 2..9 --new-frame 11..20 mem.tmt |
		columns delta_real delta_entries > ours
	truth mem.frame | awk -F '\t' -v OFS='\t' '
		$1 >= 2 && $1 <= 9 { r -= $3; n -= $4 } $1 >= 11 && $1 <= 20 { r += $3; n += $4 }
		END { print r, n }' > true
	same "$is: frames against frames"

	# The value of the nearest rank, and the first frame that has it.
	tm-frames -q --as tsv --table statistics mem.tmt |
		columns statistic requested requested_frame real real_frame entries entries_frame |
		grep -v '^mean' > ours
	for k in 2 3 4; do
		truth mem.frame | sort -t '	' -k $k,${k}n -k 1,1n | awk -F '\t' -v OFS='\t' -v k=$k '
			{ v[NR] = $k; if (!($k in first)) first[$k] = $1 }
			function put(what, rank) { print what, v[rank], first[v[rank]] }
			function least(p) { return int((p * NR + 99) / 100) }
			END { put("p50", least(50)); put("p90", least(90)); put("p95", least(95))
				put("p99", least(99)); put("max", NR); put("min", 1) }' > rank$k
	done
	join -t '	' <(sort rank2) <(sort rank3) | join -t '	' - <(sort rank4) > true
	same "$is: percentiles of frames"
done
[ $found -gt 0 ] || { echo "not ok - no demo variants in $DATA/demo"; status=1; }
exit $status
