#!/bin/bash
# SPDX-License-Identifier: MIT
#
# make bench-ci: quick runs of all benches, whose ratios (to other tools, or between rows of one run) are
# then compared with those of baseline.txt beside this file. What got worse by more than FALL percent is
# reported; nothing fails by it. A machine that does something else besides gives other figures: where
# something is reported, run the bench that is named before you believe it.
#
#   BENCH_ACCEPT=1  writes the ratios of build/goals as the new baseline instead; after runs at these sizes on a
#                   machine that does nothing else
set -eu
: "${SRC:?is set by make bench-ci}"
export LC_ALL=C
baseline=$SRC/tests/bench/baseline.txt
fall=15

# Ratios as they were measured last: BENCH, NAME, VALUE, and which way is worse ("<=": more is).
ratios() {
	for f in "$SRC"/build/goals/*; do
		[ ! -f "$f" ] || awk -F '\t' -v OFS='\t' -v bench="${f##*/}" '
			index($1, " / ") { print bench, $1, $2, $3 ~ /^>/ || (!$3 && $1 ~ /MB\/s|events/) ? ">=" : "<=" }' "$f"
	done
}

if [ "${BENCH_ACCEPT-}" = 1 ]; then
	{
		echo "# Ratios of make bench, bench-symbolize and bench-record, accepted by BENCH_ACCEPT=1 make bench-ci"
		ratios
	} >"$baseline"
	echo "$(grep -c -v '^#' "$baseline") ratios are the baseline now"
	exit
fi
ratios | awk -F '\t' -v fall=$fall '
	FNR == NR {
		if ($0 !~ /^#/) { was[$1, $2] = $3; names[++n] = $1 SUBSEP $2 }
		next
	}
	{ now[$1, $2] = $3; way[$1, $2] = $4; if (!(($1, $2) in was)) fresh++ }
	END {
		for (i = 1; i <= n; i++) {
			k = names[i]
			split(k, name, SUBSEP)
			if (!(k in now)) {
				absent++
				continue
			}
			compared++
			if (was[k] + 0 <= 0 || now[k] + 0 <= 0)
				continue
			worse = way[k] == ">=" ? was[k] / now[k] - 1 : now[k] / was[k] - 1
			if (worse * 100 > fall) {
				printf "FELL by %.0f %%: %s: %s: %s, was %s\n", worse * 100, name[1], name[2], now[k], was[k]
				fell++
			}
		}
		printf "%d ratios compared with the baseline, %d fell by more than %d %%, %d were not measured, %d are new\n",
			compared, fell, fall, absent, fresh
	}' "$baseline" -
