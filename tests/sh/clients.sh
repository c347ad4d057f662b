#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
#
# Programs that start a symbolizer, with tm-llvm-symbolizer and with llvm-symbolizer 19: the same report. AddressSanitizer (heap, stack, a global), ThreadSanitizer (globals, which it asks
# by DATA), UndefinedBehaviorSanitizer, Go's pprof on a profile of a C++ program. perf asks
# addr2line: compared with GNU's. They take the programs by their originals' names only, as
# libexec/tracemill/compat has them.
#
# Nothing differs. perf's samples in the C library, where GNU's addr2line errs (tm-addr2line(1)), are left out.
# timeout: 600
set -u
. "$SRC/tests/diff/builds.bash"
needs clients llvm-symbolizer-19 clang++-19

mkdir compat
ln -s "$BIN/tm-llvm-symbolizer" compat/llvm-symbolizer
ln -s "$BIN/tm-addr2line" compat/addr2line
cat >wrong.cpp <<'CPP'
#include <string>
#include <vector>
int counters[4];
static int *released;
struct node { std::vector<std::vector<int>> v; };
__attribute__((noinline)) void fill(node &n, std::vector<std::vector<int>> more)
{
	n.v = more;
	released = new int[4];
	delete[] released;
}
int main(int argc, char **argv)
{
	node n;

	fill(n, {{1, 2}, {3}});
	switch (argv[1][0]) {
	case 'h': return released[argc];
	case 's': { volatile int a[4] = {0}; int *volatile p = (int *)a; return p[argc + 3]; }
	case 'g': { int *volatile p = counters; return p[argc + 3]; }
	case 'v': return n.v[1].data()[argc + 1];
	default: { volatile int big = 0x7fffffff; return big + argc; }
	}
}
CPP
cat >race.cpp <<'CPP'
#include <thread>
#include <unistd.h>
int shared;
static long hidden;
namespace deep { struct box { int a[4]; } value; }
static void touch() { shared++; hidden++; deep::value.a[2]++; }
int main()
{
	std::thread t([] { touch(); });
	usleep(500000);
	touch();
	t.join();
}
CPP

# What differs from run to run.
normal() {
	sed -E -e 's/==[0-9]+==/==PID==/g' -e 's/0x[0-9a-f]{6,}/ADDR/g' -e 's/(pid|tid)=[0-9]+/\1=N/g'
}

# same WHAT LEAST PROGRAM...: both reports, of so many lines at least
same() {
	local what=$1 least=$2 how

	shift 2
	for how in /usr/bin/llvm-symbolizer-19 "$PWD/compat/llvm-symbolizer"; do
		ASAN_OPTIONS="$options:external_symbolizer_path=$how" \
			TSAN_OPTIONS="$options:external_symbolizer_path=$how" \
			UBSAN_OPTIONS="$options:external_symbolizer_path=$how" "$@" 2>&1 | normal >"${how##*/}.report"
	done
	if [ "$(wc -l <llvm-symbolizer-19.report)" -ge "$least" ] && cmp -s llvm-symbolizer-19.report llvm-symbolizer.report; then
		echo "ok - $what: $(wc -l <llvm-symbolizer.report) lines"
	else
		diff llvm-symbolizer-19.report llvm-symbolizer.report | head -n 10
		echo "not ok - $what"
	fi
}

options=print_stacktrace=1
unset LSAN_OPTIONS # the runner's: where reports go to
for level in 0 2; do
	if clang++-19 -g -O$level -fsanitize=address -o asan wrong.cpp 2>build.log; then
		same "ASan at -O$level, heap" 30 ./asan h
		same "ASan at -O$level, stack" 30 ./asan s
		same "ASan at -O$level, global" 30 ./asan g
		same "ASan at -O$level, a vector's block" 30 ./asan v
		if ! grep -q "^    #0 ADDR in main .*wrong.cpp:[0-9]*:[0-9]*$" llvm-symbolizer.report; then
			echo "not ok - ASan's report has the place"
		fi
	else
		echo "skip - ASan at -O$level ($(head -n 1 build.log))"
	fi
	if clang++-19 -g -O$level -fsanitize=undefined -o ubsan wrong.cpp 2>build.log; then
		same "UBSan at -O$level" 4 ./ubsan u
	else
		echo "skip - UBSan at -O$level ($(head -n 1 build.log))"
	fi
	if clang++-19 -g -O$level -fsanitize=thread -o tsan race.cpp -pthread 2>build.log; then
		# its shadow does not fit everywhere
		same "TSan at -O$level, globals" 30 setarch -R ./tsan
		if grep -q "Location is global 'shared' of size 4" llvm-symbolizer.report; then
			echo "ok - TSan at -O$level names the global"
		else
			echo "not ok - TSan at -O$level names the global"
		fi
	else
		echo "skip - TSan at -O$level ($(head -n 1 build.log))"
	fi
done

# A profile of a C++ program as gperftools writes it: header, samples, trailer, maps; no names are in it.
if have go && have python3; then
	clang++-19 -g -O1 -pie -fPIE -o plain wrong.cpp
	python3 - "$PWD/plain" <<'PY'
import struct, subprocess, sys
path = sys.argv[1]
syms = [l.split() for l in subprocess.check_output(["nm", "-S", "--defined-only", path], text=True).splitlines()]
code = [(int(s[0], 16), int(s[1], 16)) for s in syms if len(s) == 4 and s[2] in "tTW" and int(s[1], 16) > 8]
words = [0, 3, 0, 10000, 0]
for i, (lo, size) in enumerate(code):
    words += [i + 1, 2, lo + size // 2 + 1, code[0][0] + code[0][1] // 2 + 1]
words += [0, 1, 0]
maps = []
for line in subprocess.check_output(["readelf", "-lW", path], text=True).splitlines():
    f = line.split()
    if f and f[0] == "LOAD" and "E" in f[6:-1]:
        lo = int(f[2], 16) & ~4095
        hi = (int(f[2], 16) + int(f[5], 16) + 4095) & ~4095
        maps.append("%x-%x %s %08x 00:00 0 %s\n" % (lo, hi, "r-xp", int(f[1], 16) & ~4095, path))
with open("cpu.prof", "wb") as out:
    out.write(struct.pack("<%dQ" % len(words), *words) + "".join(maps).encode())
PY
	mkdir tools && ln -s /usr/bin/llvm-symbolizer-19 tools/llvm-symbolizer
	for how in -top '-top -lines' -traces; do
		for tools in tools compat; do
			# shellcheck disable=SC2086
			HOME=$PWD GOCACHE=$PWD/cache GOFLAGS=-mod=mod PPROF_TMPDIR=$PWD PPROF_TOOLS=$PWD/$tools \
				go tool pprof $how -symbolize=force plain cpu.prof >$tools.pprof 2>err
		done
		if [ "$(wc -l <tools.pprof)" -gt 5 ] && grep -q main tools.pprof && cmp -s tools.pprof compat.pprof; then
			echo "ok - pprof $how: $(wc -l <compat.pprof) lines"
		else
			diff tools.pprof compat.pprof | head -n 10
			head -n 3 err
			echo "not ok - pprof $how"
		fi
	done
else
	echo "skip - pprof (no go or no python3)"
fi

# perf's samples need the right to count; where it has it, srcline is asked of addr2line.
cat >spin.c <<'C'
static volatile unsigned sum;
static inline unsigned mix(unsigned x) { return x * 31 + sum; }
__attribute__((noinline)) static void spin(unsigned n) { for (unsigned i = 0; i < n; i++) sum += mix(i); }
int main(void) { spin(100000000); return 0; }
C
if have perf && clang++-19 -x c -g -O1 -o spin spin.c && perf record -q -o perf.data -e cpu-clock -- ./spin >/dev/null 2>err &&
	perf script -i perf.data -F ip,sym,srcline 2>/dev/null | grep 'spin\.c:' >gnu.script && [ -s gnu.script ]; then
	PATH=$PWD/compat:$PATH perf script -i perf.data -F ip,sym,srcline 2>/dev/null | grep 'spin\.c:' >ours.script
	if cmp -s gnu.script ours.script && grep -q 'spin.c:[23]$' gnu.script; then
		echo "ok - perf script -F srcline: $(wc -l <ours.script) lines"
	else
		diff gnu.script ours.script | head -n 10
		echo "not ok - perf script -F srcline"
	fi
else
	echo "skip - perf script -F srcline (no perf, or it may not count)"
fi
