#!/bin/bash
# SPDX-License-Identifier: MIT
#
# kits.sh: what recording costs a frame, for examples/README.md: frames a second of one game, that of examples/cpp with more to
# do, without a recorder and with each way to record. Time is processor time, which other programs on the machine change
# least: that of the game's thread, and that of the whole process, with the recorder's own thread. Each way runs five times,
# in turns; the middle one counts.
set -u
: "${SRC:?}"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
mkdir -p include/tracemill
cp "$SRC/lib/recorder/tracemill.h" include/
cp "$SRC/lib/recorder/spike.h" include/tracemill/
# A frame: 500 blocks of 16 to 1,000 bytes, of which 490 go again, 200 marked calls, and 2 ms of arithmetic.
cat >game.cpp <<'X'
#include <tracemill.h>
#include <tracemill/spike.h>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>
static volatile unsigned sink;
static void __attribute__((noinline)) small(unsigned n)
{
	PET_FUNCTION();
	for (unsigned i = 0; i < n; i++) sink = sink * 1664525u + 1013904223u;
}
static double seconds(clockid_t of)
{
	timespec t;
	clock_gettime(of, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}
int main(int argc, char **argv)
{
	std::vector<void *> kept, now;
	int frames = argc > 1 ? std::atoi(argv[1]) : 1000;
	double own = seconds(CLOCK_THREAD_CPUTIME_ID), all = seconds(CLOCK_PROCESS_CPUTIME_ID);
	for (int f = 0; f < frames; f++) {
		tracemill_frame();
		for (int i = 0; i < 500; i++) (i % 50 ? now : kept).push_back(std::malloc(16 + (i * 37 + f) % 985));
		for (int i = 0; i < 200; i++) small(3500);
		for (void *p : now) std::free(p);
		now.clear();
	}
	own = seconds(CLOCK_THREAD_CPUTIME_ID) - own, all = seconds(CLOCK_PROCESS_CPUTIME_ID) - all;
	std::printf("%.1f %.1f\n", frames / own, frames / all);
	return 0;
}
X
g++ -std=c++11 -O2 -g -fno-omit-frame-pointer -Iinclude game.cpp -o game || exit 1
g++ -std=c++11 -O2 -g -fno-omit-frame-pointer -DTRACEMILL_OFF -Iinclude game.cpp -o off || exit 1
frames=${FRAMES:-600}
ways=('off' 'no recorder' 'tm-record' 'tm-record --stacks fp' 'tm-record --sample 524288' 'tm-record --stacks fp --calls markers')
for _ in 1 2 3 4 5; do
	for way in "${ways[@]}"; do
		case $way in
		off) ./off "$frames" >fps ;;
		'no recorder') ./game "$frames" >fps ;;
		*) $way -q -o game.tmt -- ./game "$frames" >fps ;;
		esac
		echo "$(cat fps) $way"
	done
done >all
middle() { # column, way
	sed -n "s/^\([0-9.]* [0-9.]*\) $2\$/\1/p" all | cut -d ' ' -f "$1" | sort -n | sed -n 3p
}
printf '%-40s %12s %12s\n' 'frames a second of processor time' 'its thread' 'process'
for way in "${ways[@]}"; do
	printf '%-40s %12.1f %12.1f\n' "$way" "$(middle 1 "$way")" "$(middle 2 "$way")"
done
