#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
#
# fleet/sizing: its model is held against its simulation, and the manual's numbers against both.
# shellcheck disable=SC2317 # functions are called by check
set -u
# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"

sizing=$SRC/fleet/sizing
of() { awk -F '\t' -v k="$1" '$1 == k { print $2 }' out; }
first() { of "$1" | grep -oE '^[0-9.]+'; }
hours() { of simulated | grep -oE 'after [0-9.]+' | cut -d' ' -f2; }
near() { awk -v a="$1" -v b="$2" -v p="$3" 'BEGIN { exit !(a > 0 && (a > b ? a - b : b - a) <= b * p / 100) }'; }
less() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a < b) }'; }

for seed in 1 2 3 4 5; do
	"$sizing" seed=$seed >out
	check "seed $seed: simulated $(first simulated) core hours, the model says $(first 'worker time')" \
		near "$(first simulated)" "$(first 'worker time')" 4
	check "... all done in the night" less "$(hours)" 8
done
cores=$(first cores)
"$sizing" cores=$((cores / 2)) >out
check "with half the cores it is not done in the night" less 8 "$(hours)"
"$sizing" network_bytes_per_s=2e8 >out
check "storage that sends too little is told" grep -q '17[0-9] % of the storage' out
check "... and then the night is too short" less 8 "$(hours)"
"$sizing" failures=0.3 >out
check "with workers that die often the model still holds" \
	near "$(first simulated)" "$(first 'worker time')" 4
check "... and says more" less 30 "$(first 'worker time')"
"$sizing" >out
page=$SRC/man/tracemill-fleet.7
check "the manual's core hours" grep -q "^.It worker time Ta $(first 'worker time') core hours" "$page"
check "the manual's cores" grep -q "^.It cores Ta $(first cores), at $(of cores | grep -oE '[0-9]+ %') of" "$page"
check "the manual's network" grep -q "^.It network Ta $(first network) GB/s" "$page"
"$sizing" nothing=1 2>err
check "a name that it does not know: status 2" [ $? = 2 ]
"$sizing" cores=many 2>err
check "what is no number: status 2" [ $? = 2 ]
exit "$failed"
