#!/bin/bash
# SPDX-License-Identifier: MIT
# timeout: 400
#
# Tables of tracy-csvexport and Instruments' deep copies against how they were made
# (testdata/gen/{tracy_csv,deep_copy}.c); cut at every byte.
# shellcheck disable=SC2016,SC2317
set -u
: "${SRC:?}" "${GEN:?}"

# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"
equal() { [ -s "$1" ] && diff "$1" "$2" >err; }

columns() { # FILE COLUMN WORD: "NAME WORD V" by function that has a V, the sum and the calls
	tm-top -q --csv --raw-csv -n 0 --by function "$1" 2>err | sed 's/"Physics<A, B>"/Physics<A; B>/' | awk -F , -v column="$2" -v word="$3" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{
			total += $at[column]; calls += $at["calls"]
			if ($at[column] + 0) print $at["function"], word, $at[column]
		}
		END { printf "total %.0f\ncalls %.0f\n", total, calls }' | sort
}
rss=$([ -n "${SAN-}" ] && echo 0 || echo 64)
for row in each:self values:self crlf:self plots:self sums:total; do
	IFS=: read -r variant word <<<"$row"
	"$GEN/tracy_csv" --frames 300 "$variant" >file.csv 2>truth
	sed 's/, /; /' truth | grep -v ^fps | sort >want
	columns file.csv "${word}_ns" "$word" | grep -v ^total >got
	check "Tracy, $variant: times of functions and calls are the generator's" equal want got
	check "Tracy, $variant: nothing is lost" eval '! tm-dump -q file.csv | grep "^note loss" >err'
	gzip -kf file.csv
	check "Tracy, $variant: the same from a pipe, compressed" cmp -s <(tm-dump -q file.csv) <(tm-dump -q - <file.csv.gz)
done
"$GEN/tracy_csv" --frames 300 plots >file.csv 2>truth
sed -n 's/^fps //p' truth >want
tm-dump -q file.csv | awk '/^counter value/ { split($2, v, "="); sum += v[2] } END { print sum }' >got
check "Tracy, plots: a counter has all values" equal want got
"$GEN/tracy_csv" --frames 300 damaged >file.csv 2>truth
grep ^calls truth >want
columns file.csv self_ns self | grep ^calls >got
check "Tracy, damaged: all rows but those without a time" equal want got
check "Tracy, damaged: rows without a time are a loss" eval 'tm-dump -q file.csv | grep -q "^note loss count=120 "'

for row in time:self_ns seconds:self_ns cycles:samples bytes:requested damaged:self_ns; do
	IFS=: read -r variant column <<<"$row"
	"$GEN/deep_copy" --functions 300 "$variant" >file.txt 2>truth
	sort truth >want
	columns file.txt "$column" self | grep -v ^calls >got
	check "Instruments, $variant: what functions have is the generator's" equal want got
	check "Instruments, $variant: what is lost is told" \
		[ "$(tm-dump -q file.txt | sed -n 's/^note loss count=\([0-9]*\).*/\1/p')" = "$([ "$variant" = damaged ] && echo 30)" ]
	gzip -kf file.txt
	check "Instruments, $variant: the same from a pipe, compressed" cmp -s <(tm-dump -q file.txt) <(tm-dump -q - <file.txt.gz)
done
for row in 'tracy_csv --frames 2 each' 'deep_copy --functions 2 time'; do
	# shellcheck disable=SC2086 # words
	"$GEN/"$row 2>truth | head -c -1 >unended
	check "$row: a last line without its end is told, and no loss" \
		[ "$(tm-dump -q unended | sed -n 's/^note \([a-z]*\) "the last line.*/\1/p')" = guess ]
done
for variant in each plots sums; do
	"$GEN/tracy_csv" --frames 2 $variant >small 2>truth
	"$GEN/cuts" --step 3 --silent 20 --rss "$rss" small tm-import -f tracy-csv || failed=1
done
for variant in seconds bytes; do
	"$GEN/deep_copy" --functions 4 $variant >small 2>truth
	"$GEN/cuts" --step 3 --silent 20 --rss "$rss" small tm-import -f instruments || failed=1
done
exit $failed
