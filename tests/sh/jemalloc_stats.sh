#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
#
# What jemalloc itself prints for a program, as text and as JSON: live bytes are its "Allocated", and allocations and live
# blocks those of its line of totals.
# shellcheck disable=SC2016,SC2034 # check evaluates
set -u
: "${SRC:?}"

# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"

# Nothing says when blocks were freed, so no moment is the peak; nor is there one in any profile of what is in use.
"$GEN/profilers" --rows 3 mimalloc >statistics
check 'statistics of mimalloc have no peak' eval '! tm-top -q statistics | grep -i peak'
check 'a capture that says what is in use is without order' [ -z "$(
	awk 'FNR == 1 { ordered = 0 } /^capture/ { ordered = !/unordered/ } /^profile value=/ && ordered { print FILENAME }' "$SRC"/tests/golden/tm-import/*.want
)" ]
library=$(ldconfig -p | awk '/libjemalloc.so.2 / { print $NF; exit }')
cat >blocks.c <<'END'
#include <stdlib.h>
int main(void)
{
	static void *p[1000];
	for (int i = 0; i < 1000; i++)
		p[i] = malloc(100 + i * 10);
	for (int i = 0; i < 900; i++)
		free(p[i]);
	p[0] = malloc(3000000);
	return !p[0];
}
END
if [ -z "$library" ] || ! gcc -O0 -o blocks blocks.c; then
	echo 'skip - statistics of jemalloc: no libjemalloc2, or no gcc'
	exit 0
fi
LD_PRELOAD=$library MALLOC_CONF=stats_print:true ./blocks 2>text
LD_PRELOAD=$library MALLOC_CONF=stats_print:true,stats_print_opts:J ./blocks 2>json
for f in text json; do
	tm-top -q --as json --by type -n 0 $f >$f.top
	jq -r '[.sections[0].rows[] | [.live_count, .live_real, .count]] | transpose | map(add) | join(" ")' $f.top >$f.got
done
allocated=$(sed -n 's/^Allocated: \([0-9]*\),.*/\1/p' text)
read -r made gone < <(awk '$1 == "total:" { print $3, $5; exit }' text)
check "live blocks, their bytes, and allocations are jemalloc's" [ "$(cat text.got)" = "$((made - gone)) $allocated $made" ]
check "as JSON, too" [ "$(cut -d' ' -f2 json.got)" = "$(jq .jemalloc.stats.allocated json)" ]
exit $failed
