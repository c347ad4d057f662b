#!/bin/bash
# SPDX-License-Identifier: MIT
# timeout: 400
#
# speedscope's JSON against how it was made (testdata/gen/speedscope.c); cut at every byte. What tm-export
# writes of it is in sh/exports.
# shellcheck disable=SC2016,SC2317
set -u
: "${SRC:?}" "${GEN:?}"

# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"
equal() { [ -s "$1" ] && diff "$1" "$2" >err; }

selfs() { # FILE COLUMN: "NAME self V" by function, and the total
	tm-top -q --csv -n 0 --by function "$1" 2>err | awk -F , -v column="$2" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ total += $at[column]; print $at["function"], "self", $at[column] }
		END { print "total", total }' | sort
}
for row in time:self_ns seconds:self_ns bytes:requested number:samples calls:self_ns steps:samples late:self_ns; do
	IFS=: read -r variant column <<<"$row"
	"$GEN/speedscope" --samples 300 "$variant" >file.json 2>truth
	sort truth >want
	selfs file.json "$column" >got
	check "$variant: what functions have is the generator's" equal want got
	tm-dump -q file.json >out
	check "$variant: nothing is lost" eval '! grep "^note loss" out >err'
	gzip -kf file.json
	check "$variant: the same from a pipe, compressed" cmp -s <(tm-dump -q file.json) <(tm-dump -q - <file.json.gz)
done
for variant in time calls late; do
	"$GEN/speedscope" --samples 4 $variant >small 2>truth
	"$GEN/cuts" --step 3 --silent 9 --rss "$([ -n "${SAN-}" ] && echo 0 || echo 64)" small tm-import -f speedscope || failed=1
done
exit $failed
