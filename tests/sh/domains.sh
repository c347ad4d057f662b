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

# The pool has no real bytes, though malloc's blocks have: that is known of no place, and 0 in none.
tm-history add no.db many.tmt >no.added
printf '[rule r]\nmetric = real\npercent = 1\n[rule l]\nmetric = live-real\npercent = 1\n' >real.ini
while read -r status command; do
	bash -c "$command" >absent.out 2>absent.err
	got=$?
	ok "no real bytes of a pool: $command ends with $status" [ $got = "$status" ]
	ok "... and prints no value of them" bash -c '! grep -E "^total[, ]*total[, ]*real|(^|[ ,])0( B)?.*real|real.*[ ,]0 B" absent.out'
done <<'X'
2 tm-top --sort real many.tmt
2 tm-top --sort live-real many.tmt
2 tm-top --sort real many.tma
2 tm-frames --sort real many.tmt
2 tm-frames --sort real many.tma
2 tm-compare --sort real many.tmt many.tmt
2 tm-compare --sort real many.tma many.tmt
2 tm-compare --gate real.ini many.tmt many.tmt
2 tm-compare --gate real.ini many.tma many.tma
2 tm-compare --gate real.ini many.tmt few.tmt
0 tm-frames many.tma
0 tm-history trend no.db
X
shows "the pool has a peak of the bytes that it has" 200 30000 '' < <(tm-top -q --csv -n 0 --sort peak-requested many.tmt)
ok "... and of most of them" grep -q '^peak 29.3 KiB ' <(tm-top many.tmt)

# Two sides are of one domain: the first one's, 20 blocks of the pool against 200 here, though the other has most of malloc.
shows "tm-compare: the domain of the base" 1 1 '' < <(tm-compare -q --csv --all -n 0 many.tmt few.tmt |
	sed -n 's/.*,30000,3000,.*/count,requested\n1,1/p')
ok "... which it names" grep -qx 'counted: blocks of domain pool on all sides (--domain)' <(tm-compare -q many.tmt few.tmt)
shows "... of an aggregate, too" 1 1 '' < <(tm-compare -q --csv --all -n 0 many.tma few.tmt |
	sed -n 's/.*,30000,3000,.*/count,requested\n1,1/p')
printf '[rule r]\nmetric = requested\npercent = 1\n' >requested.ini
tm-compare --gate requested.ini many.tma few.tma >of.two 2>&1
ok "a gate does not compare domains" [ $? = 2 ]
ok "... and says so" grep -q 'many.tma has blocks of domain pool, few.tma has blocks of domain malloc' of.two
