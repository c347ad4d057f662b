#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Tables of tracy-csvexport and Instruments' deep copy: the same from a pipe, compressed, and with CRLF; cut at
# every byte. What they say is in golden/tm-import/good-tracy-csv and good-instruments.
# shellcheck disable=SC2016,SC2317
set -u
: "${SRC:?}" "${GEN:?}"

# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"

for row in tracy_csv/each:tracy-csv tracy_csv/sums:tracy-csv instruments/time:instruments instruments/bytes:instruments; do
	IFS=: read -r file format <<<"$row"
	cp "$SRC/tests/fuzz/corpus/$file" small
	gzip -kf small
	sed 's/$/\r/' small >crlf
	check "$file: the same from a pipe, compressed" cmp -s <(tm-dump -q small) <(tm-dump -q - <small.gz)
	check "$file: the same with CRLF" cmp -s <(tm-dump -q small) <(tm-dump -q crlf)
	"$GEN/cuts" --silent 9999 --rss "$([ -n "${SAN-}" ] && echo 0 || echo 64)" small tm-import -f "$format" || failed=1
done
exit $failed
