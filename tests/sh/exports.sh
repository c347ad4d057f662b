#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Whatever tm-export writes, tm-import reads with equal sums: every form that tm-export lists, of captures of
# allocations, of samples, of frames and of calls. What each form cannot carry is listed below; sums
# of a SQLite database are SQL's, and maps are no capture.
# shellcheck disable=SC2016,SC2317
set -u
: "${SRC:?}" "${GEN:?}"

# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"
equal() { [ -s "$1" ] && diff "$1" "$2" >err; }

"$GEN/loli" -n 500 -s 40 loli-106 >heap 2>err
"$GEN/pprof" --rows 200 --functions 30 cpu >samples 2>err
"$GEN/memtracer" --frames 20 >frames 2>err
"$GEN/calls" --events 2000 --depth 10 >calls 2>err

# "COLUMN SUM" of all that is more than 0.
sums() {
	tm-top -q --csv -n 0 --by stack "$1" 2>err | awk -F , '
		NR == 1 {
			for (i = 1; i <= NF; i++) at[$i] = i
			n = split("count requested real live_count live_requested live_real calls samples self_ns", name, " ")
			next
		}
		{ for (i = 1; i <= n; i++) if (name[i] in at) sum[i] += $at[name[i]] }
		END { for (i = 1; i <= n; i++) if (sum[i]) printf "%s %.0f\n", name[i], sum[i] }'
}
# The same of counters, by name.
readings() {
	tm-dump -q "$1" | awk '
		/^counter [0-9]/ { split($0, q, "\""); name[$2] = q[2]; next }
		/^counter value/ { split($2, v, "="); t = $NF; sub(/.*=/, "", t); sum[name[t]] += v[2] }
		END { for (i in sum) printf "%s %.0f\n", i, sum[i] }'
}

round=0
# What form $1 has of capture $2, whose sums are in the file own.
wanted() {
	case $1/$2 in
	folded/heap) sed -n 's/^requested/samples/p' own ;; # one value: the first of time, real, requested, count ...
	folded/frames) sed -n 's/^real/samples/p' own ;;
	folded/*) sed -n 's/^self_ns/samples/p' own ;;
	chrome/heap) sed -n 's/^count /allocations (malloc) /p; s/^requested/requested bytes (malloc)/p' own ;;
	chrome/frames) sed -n 's/^real/real bytes (malloc)/p' own ;;
	loli/frames | loli/samples | loli/calls | mem/heap | mem/samples | mem/calls) return 1 ;;
	loli-stream/frames | loli-stream/samples | loli-stream/calls) return 1 ;; # no frees
	memtracer/heap | memtracer/samples | memtracer/calls) return 1 ;;         # no types
	chrome/samples) return 1 ;;                                              # no time
	*) cat own ;;
	esac
}
got() { # FORM CAPTURE FILE
	case $1/$2 in
	chrome/heap | chrome/frames) readings "$3" | grep -F -f <(sed 's/ [0-9]*$//' want) ;;
	*) sums "$3" ;;
	esac
}
while read -r form _; do
	for capture in heap samples frames calls; do
		sums $capture >own
		original=()
		case $form in
		maps) continue ;;
		loli | mem) original=(--original "$capture") ;;
		sqlite)
			rm -f out.db
			tm-export -q --as sqlite -o out.db $capture 2>err
			for column in count requested real live_count live_requested live_real; do
				echo "$column $(sqlite3 out.db "SELECT sum($column) FROM allocations")"
			done >sql
			sqlite3 -separator ' ' out.db "SELECT '$([ $capture = samples ] && echo samples || echo calls)', sum(count) FROM samples UNION ALL SELECT 'self_ns', sum(time_ns) FROM samples" >>sql
			awk '$2' sql | sort >back
			sort own >want
			check "sqlite of $capture: SQL's sums are tm-top's" equal want back
			continue
			;;
		esac
		tm-export -q --as "$form" "${original[@]}" -o out $capture 2>err
		status=$?
		if ! wanted "$form" $capture >want; then
			check "$form of $capture: there is nothing to write, and that is said" [ $status = 3 ]
			continue
		fi
		got "$form" $capture out | sort >back
		sort -o want want
		check "$form of $capture: written and read again, the same sums" equal want back
		round=$((round + 1))
	done
done < <(tm-export --list-formats)
check 'most forms of most captures come back' [ "$round" -ge 16 ]
exit $failed
