#!/bin/bash
# SPDX-License-Identifier: MIT
#
# make bench-hooks: what a pair of a compiler's hooks costs (-finstrument-functions), as a table: ns
# of the processor's time a call, beyond the same call without hooks. The program checks its sums,
# and what is recorded of its calls is counted first. Nothing here passes or fails by time.
#
#   BENCH_CALLS  calls of each run (50000000)
#   BENCH_RUNS   runs of each row (5); the least counts, and the median is printed too
set -eu
: "${SRC:?is set by make bench-hooks}" "${BUILD:?}" "${BIN:?}"
export LC_ALL=C
PATH=$BIN:$PATH
calls=${BENCH_CALLS:-50000000} runs=${BENCH_RUNS:-5}
library=$(cd "$BIN/../lib" && pwd)/libtracemill-capture.so
mkdir -p "$BUILD/bench"
cd "$BUILD/bench"

stop() {
	echo "bench-hooks: $*" >&2
	exit 1
}

row() { # NAME COMMAND...
	local name=$1 i

	shift
	: >samples
	for ((i = 0; i < runs; i++)); do
		"$@" >one 2>err || stop "$name: status $?: $(head -n 1 err)"
		sed -n 's/^pair_ns \([-0-9.]*\) .*/\1/p' one err >>samples
	done
	[ "$(wc -l <samples)" = "$runs" ] || stop "$name: no time of it"
	sort -n samples | awk -v name="$name" '{ v[NR] = $1 }
		END { printf "%-44s %8.1f %8.1f\n", name, v[1], v[int((NR + 1) / 2)] }'
}

for compiler in gcc clang; do
	command -v $compiler >/dev/null || continue
	$compiler -O2 -g -finstrument-functions "$SRC/testdata/src/spike/cost.c" -o cost-$compiler
	# 10 calls a round, 1000 rounds before the clock starts; main has no hooks.
	tm-record -o cost.tmt --calls all -- ./cost-$compiler 100000 >/dev/null 2>&1 || stop 'the sums differ'
	[ "$(tm-dump -q --no-tables --no-events cost.tmt | grep -o 'enter=[0-9]* exit=[0-9]*')" = \
		'enter=110000 exit=110000' ] || stop 'not all calls were recorded: the times below would mean nothing'
	tm-spikes -q --threshold never cost.tmt | grep -q ' of 110000 calls took longer' || stop 'tm-spikes does not judge all calls'
done

grep -m 1 '^model name' /proc/cpuinfo | sed 's/.*: //' || true
printf '%-44s %8s %8s\n' "ns a pair of hooks, of $runs runs" least median
for compiler in gcc clang; do
	[ -x cost-$compiler ] || continue
	row "$compiler, empty hooks of the C library" ./cost-$compiler "$calls"
	row "$compiler, shadow stack" env LD_PRELOAD="$library" ./cost-$compiler "$calls"
	row "$compiler, recorded with --stacks shadow" tm-record -o cost.tmt --stacks shadow -- ./cost-$compiler "$calls"
	row "$compiler, PET's log (--spikes)" tm-record -o cost.tmt --spikes cost.log -- ./cost-$compiler $((calls / 10))
	row "$compiler, all calls recorded (--calls all)" tm-record -o /dev/null --calls all -- ./cost-$compiler $((calls / 10))
done
