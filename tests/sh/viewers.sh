#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Tables of tracy-csvexport, Instruments' deep copy and LoliProfiler's reports: the same from a pipe, compressed, and
# with CRLF; cut at every byte. What they say is in golden/tm-import/good-tracy-csv, good-instruments and loli-report.
# shellcheck disable=SC2016,SC2317
set -u
: "${SRC:?}" "${GEN:?}"

# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"

for row in tracy_csv/each:tracy-csv tracy_csv/sums:tracy-csv instruments/time:instruments instruments/bytes:instruments \
	loli_report/dump:loli-report loli_report/growth:loli-report loli_report/diff:loli-report; do
	IFS=: read -r file format <<<"$row"
	cp "$SRC/tests/fuzz/corpus/$file" small
	gzip -kf small
	sed 's/$/\r/' small >crlf
	check "$file: the same from a pipe, compressed" cmp -s <(tm-dump -q small) <(tm-dump -q - <small.gz)
	check "$file: the same with CRLF" cmp -s <(tm-dump -q small) <(tm-dump -q crlf)
	"$GEN/cuts" --silent 9999 --rss "$([ -n "${SAN-}" ] && echo 0 || echo 64)" small tm-import -f "$format" || failed=1
done
exit $failed
