#!/bin/bash
# SPDX-License-Identifier: MIT
# timeout: 800
#
# Chrome's trace events and profiles against how they were made (testdata/gen/{chrome,cpuprofile}.c); what tm-export writes of
# calls is read with the same times; cut at every byte.
# shellcheck disable=SC2016,SC2317
set -u
: "${SRC:?}" "${GEN:?}"

# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"
equal() { [ -s "$1" ] && diff "$1" "$2" >err; }

selfs() { # "NAME self NS" by function, and the calls
	tm-top -q --csv -n 0 --by function "$1" 2>err | awk -F , '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ calls += $at["calls"]; print $at["function"], "self", $at["self_ns"] }
		END { print "calls", calls }' | sort
}
for variant in begin complete late open names counters overlap deep; do
	"$GEN/chrome" --frames 300 $variant >file.json 2>truth
	grep -e ^calls -e self truth | sort >want
	selfs file.json >got
	check "$variant: self times of functions are the generator's" equal want got
	gzip -kf file.json
	check "$variant: the same from a pipe, compressed" \
		cmp -s <(tm-dump -q file.json) <(tm-dump -q - <file.json.gz)
	tm-export -q --as chrome -o back.json file.json
	selfs back.json >got
	check "$variant: written and read again, the same times" equal want got
done
"$GEN/chrome" --frames 300 counters >file.json 2>truth
tm-dump -q file.json | awk '
	/^counter [0-9]/ { split($0, q, "\""); name[$2] = q[2]; next }
	/^counter value/ { v = $2; sub(/.*=/, "", v); t = $NF; sub(/.*=/, "", t); last[t] = v }
	END { for (t in last) print "counter", name[t], last[t] }' | grep -v dogs | sort >got
grep ^counter truth | sort >want
check "counters end with the generator's values" equal want got
"$GEN/chrome" --frames 300 samples >file.json 2>truth
check "samples are as many" [ "$(tm-dump -q file.json | grep -c '^sample')" = 300 ]
for row in nodes:self_ns head:self_ns chunks:self_ns heap:requested; do
	IFS=: read -r variant column <<<"$row"
	"$GEN/cpuprofile" --samples 300 "$variant" >file.json 2>truth
	sort truth >want
	tm-top -q --csv -n 0 --by function file.json 2>err | awk -F , -v column="$column" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at[column] { total += $at[column]; sub(/ \(game.*/, "", $at["function"]); print $at["function"], "self", $at[column] }
		END { print "total", total }' | sort >got
	check "V8, $variant: what functions have is the generator's" equal want got
	check "V8, $variant: nothing is lost" eval '! tm-dump -q file.json | grep "^note loss" >err'
done
for row in nodes:cpuprofile head:cpuprofile chunks:chrome heap:cpuprofile; do
	IFS=: read -r variant format <<<"$row"
	"$GEN/cpuprofile" --samples 4 "$variant" >small 2>truth
	"$GEN/cuts" --step 3 --silent 9 --rss "$([ -n "${SAN-}" ] && echo 0 || echo 64)" small tm-import -f "$format" || failed=1
done
for variant in complete counters; do
	"$GEN/chrome" --frames 1 $variant >small 2>truth
	"$GEN/cuts" --step 3 --silent 9 --rss "$([ -n "${SAN-}" ] && echo 0 || echo 64)" small tm-import -f chrome || failed=1
done
exit $failed
