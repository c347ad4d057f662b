#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
#
# tm-record --times: a program that allocates blocks of 1, 2, 3 ... bytes, in bursts and with pauses, between marks of frames,
# and reads the clock before and behind each of both. By default a block's time may be that of an event at most 40 us before
# it, never one on the other side of a mark; with us each block has its own.
# shellcheck disable=SC2016,SC2034,SC2317 # check evaluates
set -u
: "${SRC:?}" "${BIN:?}"

# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"
CC=${CC:-cc}
cat >times.c <<'X'
#include "lib/recorder/tracemill.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
enum { FRAMES = 40, BLOCKS = 250 };
static long long now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}
static long long before[FRAMES * (BLOCKS + 1)], behind[FRAMES * (BLOCKS + 1)];
int main(void)
{
	int n = 0;
	for (int f = 0; f < FRAMES; f++) {
		before[n] = now();
		tracemill_frame();
		behind[n++] = now();
		for (int i = 0; i < BLOCKS; i++, n++) {
			struct timespec pause = {0, 300000};
			if (f % 4 == 3 && i % 25 == 0)
				nanosleep(&pause, 0);
			before[n] = now();
			free(malloc((size_t)n + 1));
			behind[n] = now();
		}
	}
	for (n = 0; n < FRAMES * (BLOCKS + 1); n++)
		printf("%s %d %lld %lld\n", n % (BLOCKS + 1) ? "block" : "frame", n % (BLOCKS + 1) ? n + 1 : n / (BLOCKS + 1), before[n], behind[n]);
	return 0;
}
X
$CC -O0 -I"$SRC" times.c -o times || { echo "not ok - times.c compiles"; exit 1; }

# How many blocks there are, how many of them have a time that no clock agrees with (own: each has its own, to 1 us), or one on the
# other side of a mark, and how many have the time of the block before. The first 1000 bytes may be the C library's.
judged() { # within, in ns
	tm-dump -q x.tmt | awk -v within="$1" '
		NR == FNR { before[$1, $2] = $3; behind[$1, $2] = $4; next }
		{ for (i = 2; i <= NF; i++) { split($i, f, "="); v[f[1]] = f[2] } }
		$1 == "frame" {
			d = before["frame", v["value"]] - v["time"]; low = n_frames++ && low > d ? low : d
			d = behind["frame", v["value"]] - v["time"]; high = n_frames > 1 && high < d ? high : d
			mark = v["time"]
		}
		$1 == "alloc" && n_frames { size[++n] = v["requested"]; time[n] = v["time"]; of[n] = mark; frame[n] = n_frames - 1 }
		END {
			for (i = 1; i <= n; i++) {
				if (!(("block", size[i]) in before) || int((size[i] - 1) / 251) != frame[i])
					continue
				blocks++
				wrong += time[i] + high + 1000 < before["block", size[i]] - within ||
					time[i] + low > behind["block", size[i]] + 1000
				early += time[i] < of[i]
				same += time[i] == time[i - 1]
			}
			print blocks, wrong + 0, early + 0, (same > blocks / 2 ? "some" : "each")
		}' out -
}
tm-record -q -o x.tmt -- ./times >out
check 'by default blocks have times of at most 40 us before, and few of them one of their own' \
	eval '[ "$(judged 40000)" = "10000 0 0 some" ]'
tm-record -q --times us -o x.tmt -- ./times >out
check 'us: each block has its own time' eval '[[ "$(judged 0)" == "10000 0 0 "* ]]'
tm-record -q --times ns -o x.tmt -- ./times >out
check 'ns: each block has its own time' eval '[ "$(judged 0)" = "10000 0 0 each" ]'
exit "${failed:-0}"
