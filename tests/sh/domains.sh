#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Which domain is shown when none is asked for: the one with most bytes, the same in every place; and by which
# metric several are ranked. A pool has 200 blocks of 150 bytes (30000), malloc one of 4096; then a pool of 20 (3000).
set -u
# shellcheck source=tests/capture.bash
. "$SRC/tests/capture.bash"

cat >pool.c <<'X'
#include <stdlib.h>
#include <tracemill.h>
static char pool[1 << 16];
__attribute__((noinline)) static void small(void)
{
	void *volatile p = malloc(4096);

	(void)p;
}
__attribute__((noinline)) static void pooled(int i)
{
	tracemill_alloc(TRACEMILL_POOL, pool + i * 160, 150, 0);
}
int main(int argc, char **argv)
{
	small();
	for (int i = 0; i < atoi(argv[1]); i++)
		pooled(i);
	return 0;
}
X
${CC:-cc} -g -O0 -I"$SRC/lib/recorder" pool.c -o pool || echo "not ok - pool.c compiles"
tm-record -o many.tmt -- ./pool 200 2>many.err
tm-record -o few.tmt -- ./pool 20 2>few.err
tm-compare -q --save-baseline many.tma many.tmt
tm-compare -q --save-baseline few.tma few.tmt

shows() { # what, count, bytes, site: what standard input (CSV) has of it
	awk -F, -v count="$2" -v bytes="$3" -v site="$4" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ c += $at["count"]; b += $at["requested"]; named = named || !site || index($0, site) }
		END { exit !(c == count && b == bytes && named) }' && echo "ok - $1" || echo "not ok - $1"
}
for which in many few; do
	case $which in
	many) want=(200 30000 pooled) ;;
	few) want=(1 4096 small) ;;
	esac
	for t in tmt tma; do
		for key in site function stack module; do
			shows "$which.$t: tm-top --by $key" "${want[0]}" "${want[1]}" "$([ $key = module ] || echo "${want[2]}")" \
				< <(tm-top -q --csv -n 0 --by $key $which.$t)
		done
	done
	shows "$which: tm-frames --every" "${want[0]}" "${want[1]}" '' < <(tm-frames -q --csv --every 1h $which.tmt)
	shows "$which: from a pipe" "${want[0]}" "${want[1]}" "${want[2]}" < <(tm-top -q --csv -n 0 - <$which.tmt)
	ok "$which: tm-record's summary" grep -q "tm-record: ${want[0]} allocation" $which.err
	ok "$which: tm-top --memory" [ "$(tm-top -q --memory --csv --table sizes $which.tmt | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { n += $at["bytes"] } END { print n }')" = "${want[1]}" ]
	ok "$which: tm-export" [ "$(tm-export -q --as folded --sort requested $which.tmt | awk '{ n += $NF } END { print n }')" = "${want[1]}" ]
	ok "$which: tm-compare" [ "$(tm-compare -q --csv --all -n 0 $which.tmt $which.tmt | grep -c ",${want[2]},")" = 1 ]
	ok "$which: tm-compare ranks by what the domain has" [ "$(tm-compare -q --all -n 0 $which.tmt $which.tmt | sed -n '1s/.* by \(.*\): .*/\1/p')" = \
		"$([ $which = many ] && echo requested || echo real)" ]
	shows "$which: a filter of names decides first" 1 4096 small < <(tm-top -q --csv -n 0 --focus '^small$' $which.tmt)
done
ok "all domains: ranked by what all of them have" grep -q 'by requested bytes$' <(tm-top -q --domain all many.tmt)
ok "... the pool first" grep -q '^1 *200 ' <(tm-top -q --domain all many.tmt)
