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
# 7 calls of 9 + 4 ms, and 12 samples of the same functions.
"$GEN/calls" >both <<'X'
thread Main
= 9000 8000 3 Tick;Load
= 4000 4000 4 Tick
= - - 10 Tick
= - - 2 Tick;Load;Read
X
"$GEN/cpuprofile" --samples 300 nodes >timed 2>err

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
	loli/timed | loli/both | mem/timed | mem/both) return 1 ;;
	loli-stream/timed | loli-stream/both | memtracer/timed | memtracer/both) return 1 ;;
	firefox/frames) sed -n 's/^real/requested/p' own ;;
	firefox/heap) grep '^requested' own ;;
	firefox/*) grep '^self_ns' own ;;
	chrome/samples | chrome/both) return 1 ;; # no time
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
	for capture in heap samples frames calls both timed; do
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
			sqlite3 -separator ' ' out.db "SELECT 'samples', sum(count) FROM samples UNION ALL SELECT 'calls', sum(calls) FROM samples UNION ALL SELECT 'self_ns', sum(time_ns) FROM samples" >>sql
			awk '$2' sql | sort >back
			sort own >want
			check "sqlite of $capture: SQL's sums are tm-top's" equal want back
			continue
			;;
		esac
		tm-export -q --as "$form" "${original[@]}" -o out $capture 2>err
		status=$?
		if ! wanted "$form" $capture >want; then
			[ ${#original[@]} = 0 ]; lacking=$((2 + $?)) # an original of another format is bad input
			check "$form of $capture: there is nothing to write, and that is said" [ $status = $lacking ]
			continue
		fi
		got "$form" $capture out | sort >back
		sort -o want want
		check "$form of $capture: written and read again, the same sums" equal want back
		round=$((round + 1))
	done
done < <(tm-export --list-formats)
# A sample of Chrome's has the name of what ran and its own time. The sum of the deltas of the profile is in its truth:
# here, counted from the profile itself.
cat >p.cpuprofile <<'X'
{"nodes":[{"id":1,"callFrame":{"functionName":"(root)","scriptId":"1","url":"","lineNumber":0,"columnNumber":0},"hitCount":0,"children":[2]},
{"id":2,"callFrame":{"functionName":"tick","scriptId":"1","url":"a.js","lineNumber":1,"columnNumber":0},"hitCount":2,"children":[3]},
{"id":3,"callFrame":{"functionName":"draw","scriptId":"1","url":"a.js","lineNumber":2,"columnNumber":0},"hitCount":3}],
"startTime":1000,"endTime":16000,"samples":[2,3,3,2,3],"timeDeltas":[1000,2000,3000,4000,5000]}
X
tm-export -q --as chrome p.cpuprofile >p.json
check 'chrome: samples have durations' [ "$(jq '[.traceEvents[] | select(.ph == "X") | .dur] | add > 0' p.json)" = true ]
check 'chrome: and names' [ "$(jq -r '[.traceEvents[] | select(.ph == "X") | .name] | unique | join(" ")' p.json)" = 'draw tick' ]
check 'chrome: and stacks' [ "$(jq -r '.stackFrames as $f | .traceEvents[] | select(.name == "draw") | $f[$f[.sf | tostring].parent].name' p.json | sort -u)" = tick ]
for f in p.cpuprofile p.json; do # places are not in this form
	tm-top -q --csv -n 0 --by stack $f | awk -F , 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } { print $at["samples"], $at["self_ns"], $NF }' >$f.rows
done
mv p.cpuprofile.rows want
mv p.json.rows back
check 'chrome: samples come back as samples, with their stacks' equal want back
check 'chrome: no calls' eval '! head -n 1 back | grep -q calls'
# Samples of a clock every 250 us, the period of each; of cycles they last until the next one.
for clock in cpu-clock cycles; do
	for i in 1 2 3 4; do
		printf 'game 7 [000] 10.%06d: %d %s: \n\t  55d0 draw+0x0 (/game)\n\t  55e0 main+0x0 (/game)\n\n' $((250 * i)) 250000 $clock
	done >$clock.txt
	tm-export --as chrome $clock.txt 2>notes >p.json
	check "chrome: perf's $clock: four samples of 250 us each, of draw" [ "$(jq -r '.traceEvents[] | select(.ph == "X") | "\(.name) \(.dur + 0)"' p.json | sort | uniq -c | tr -s ' ')" = ' 4 draw 250' ]
done
check 'chrome: that they were guessed is told' grep -q 'guess: samples do not say how long they are.*: 4' notes
check 'most forms of most captures come back' [ "$round" -ge 16 ]
exit $failed
