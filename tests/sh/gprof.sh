#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
#
# gmon.out of a program that gcc -pg built, beside gprof's own report: seconds and calls of each function, and calls from
# each caller. With and without PIE, and the sum of two runs (gprof -s).
# shellcheck disable=SC2016,SC2034,SC2086 # check evaluates
set -u
: "${SRC:?}"

# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"
# Functions begin where a bin of the histogram does: gprof divides the ticks of a bin that two functions share, and
# half a tick is printed as one or as none.
flags='-pg -O1 -g -falign-functions=16'
cat >pg.c <<'END'
#include <stdio.h>
volatile unsigned long s;
__attribute__((noinline)) void leaf(int n) { for (int i = 0; i < n * 1000; i++) s += i * i; }
static inline __attribute__((always_inline)) void first(int n) { s += n; }
__attribute__((noinline)) void mid(int n) { first(n); for (int i = 0; i < n; i++) leaf(100 + i); }
__attribute__((noinline)) void other(void) { for (int i = 0; i < 300000; i++) s ^= i; leaf(50); }
int main(void) { for (int i = 0; i < 60; i++) { mid(20); other(); } printf("%lu\n", s); return 0; }
END
if ! command -v gprof >/dev/null || ! gcc $flags pg.c -o pie 2>/dev/null || ! ./pie >/dev/null || [ ! -s gmon.out ]; then
	echo 'skip - gmon.out beside gprof: no gprof, or no gcc -pg'
	exit 0
fi
mv gmon.out pie.out
gcc $flags -no-pie pg.c -o fixed && ./fixed >/dev/null && mv gmon.out fixed.out
./pie >/dev/null && mv gmon.out again.out
gprof -s pie pie.out again.out >/dev/null && mv gmon.sum sum.out
cp pie sum

for p in pie fixed sum; do
	# name, ticks (gprof prints hundredths of a second), calls
	gprof -b -p $p $p.out | awk 'NF >= 4 && ($1 + 0) == $1 { print $NF, int($3 * 100 + .5), (NF >= 7 ? $4 : 0) }' | sort >want
	tm-top -q --as json --by function -n 0 -e $p $p.out | jq -r '.sections[0].rows[] | "\(.function) \(.samples // 0) \(.calls // 0)"' |
		awk '$2 || $3' | sort >got
	check "$p: gprof has functions" [ "$(wc -l <want)" -ge 3 ]
	check "$p: ticks and calls of each function" eval 'cmp -s want got || { diff want got; false; }'
	# Arcs: "1200/1260 mid" above leaf in gprof's graph.
	gprof -b -q $p $p.out | awk '/^\[/ { main = 0 } $0 ~ "^\\[.*leaf" { exit } $3 ~ /\/1260$|\/2520$/ { split($3, c, "/"); print $4, c[1] }' | sort >want
	tm-top -q --as json --by function --sort calls --peek '^leaf$' -e $p $p.out |
		jq -r '.sections[] | select(.kind == "table") | .rows[] | select(.relation == "called by") | "\(.function) \(.calls)"' | sort >got
	check "$p: calls from each caller" eval '[ -s want ] && cmp -s want got || { diff want got; false; }'
done
exit $failed
