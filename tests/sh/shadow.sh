#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
# timeout: 600
#
# The shadow stack of instrumented builds: its stacks are those of the unwind tables, however calls
# end; and engines that are patched for LoliProfiler, linked in every way, tell of their pools.
set -u
# shellcheck source=tests/capture.bash
. "$SRC/tests/capture.bash"
src=$SRC/testdata/src/spike
lib=$BIN/../lib
CC=${CC:-cc}
CXX=${CXX:-c++}

# Functions of ours are the ones with a capital letter; bytes by stack.
stacks() {
	tm-symbolize -q x.tmt | tm-export -q --as folded --sort requested | awk '{
		bytes = $NF
		sub(/ [0-9]+$/, "")
		n = split($0, name, ";")
		out = ""
		for (i = 1; i <= n; i++) {
			sub(/\(.*/, "", name[i])
			if (name[i] ~ /^(Cleaner::~)?[A-Z][A-Za-z]*$/)
				out = out ";" name[i]
		}
		if (out ~ /Block$/)
			sum[out] += bytes
	} END { for (o in sum) print o, sum[o] }' | LC_ALL=C sort
}

compilers=$CXX
for other in g++ clang++; do
	[ "$(readlink -f "$(command -v "$CXX")")" = "$(readlink -f "$(command -v $other)")" ] || compilers+=" $other"
done
for cxx in $compilers; do
	if ! command -v "$cxx" >/dev/null 2>&1; then
		echo "skip - $cxx (not here)"
		continue
	fi
	for how in '-O0 -finstrument-functions' '-O2 -finstrument-functions' \
		'-O2 -finstrument-functions-after-inlining'; do
		# shellcheck disable=SC2086
		if ! "$cxx" -std=c++17 $how -g -I"$SRC" "$src/unwound.cpp" -o unwound -pthread 2>error; then
			case $how in
			*after*) echo "skip - $cxx $how (it has no such option)" ;;
			*)
				cat error
				echo "not ok - $cxx $how: unwound.cpp compiles"
				;;
			esac
			continue
		fi
		tm-record -o x.tmt --stacks unwind -- ./unwound
		stacks >want
		tm-record -o x.tmt --stacks shadow -- ./unwound
		stacks >got
		diff want got
		ok "$cxx $how: $(wc -l <want) stacks as unwind tables have them" cmp -s want got
		ok "$cxx $how: blocks of all functions" [ "$(wc -l <want)" -ge 25 ]
		ok "$cxx $how: nothing lost" [ "$(tm-dump -q x.tmt | grep -c 'note loss')" = 0 ]
	done
done

if $CXX -std=c++17 -O0 -finstrument-functions -g -I"$SRC" "$src/unwound.cpp" -o unwound -pthread; then
	# main and 2001 times Deep, of which 1024 are kept; a block at the fourth of them, and at the
	# fourth of six behind it.
	tm-record -o x.tmt --stacks shadow -- ./unwound deep 2000
	ok "deeper than the shadow stack: counted" \
		[ "$(tm-dump -q x.tmt | sed -n 's/note loss count=\([0-9]*\) "calls deeper than.*/\1/p')" = \
		$((1 + 2001 - 1024)) ]
	stacks >got
	ok "deeper than the shadow stack: exact again behind it" grep -qx ';Deep;Deep;Deep;Deep;Block 154' got
	tm-record -o f.tmt --pid-children --stacks shadow --calls all -- ./unwound fork
	for x in f.tmt f.*.tmt; do
		cp "$x" x.tmt
		stacks
		tm-spikes x.tmt 2>&1 | grep -E 'lost|left out|no exit'
	done >got
	printf ';Child;Block 50\n;Child;Block 50\n' >want
	ok "fork: the child's own calls, and none of its parent's" cmp -s want got
	tm-record -o x.tmt --stacks shadow -- ./unwound signal
	stacks >got
	# One on the thread's stack, one on another: 60 bytes each; behind them 61.
	printf '%s\n' ';Handle;Block 120' ';Signals;Block 61' >want
	ok "signal handlers: on the thread's stack and on another" cmp -s want got
	ok "... and nothing is lost" [ "$(tm-dump -q x.tmt | grep -c 'note loss')" = 0 ]
else
	echo "not ok - unwound.cpp compiles"
fi

# The pool: what pool.c says of itself; allocations, bytes, frees, what is left, and in order.
pool() {
	tm-dump -q x.tmt | awk '/^(alloc|free).* domain=pool/ {
		requested = 0
		for (i = 2; i <= NF; i++) {
			split($i, f, "=")
			if (f[1] == "requested") requested = f[2]
			if (f[1] == "address") at = f[2]
			if (f[1] == "real") real++
		}
		n[$1]++
		bytes += requested
		wrong += (at in live) != ($1 == "free")
		if ($1 == "free") delete live[at]
		else live[at] = requested
	}
	END {
		for (at in live) { left++; stay += live[at] }
		print n["alloc"], bytes, n["free"], left, stay, wrong + 0, real + 0
	}'
}
malloc() { # how often 64 KiB
	tm-dump -q x.tmt | grep '^alloc' | grep -v domain= | grep -c 'requested=65536 '
}
says() { # what
	local stacks

	ok "$1: the pool's blocks" [ "$(pool)" = '371 39310 221 150 29000 0 0' ]
	ok "$1: malloc's below it" [ "$(malloc)" = 3 ]
	stacks=$(tm-symbolize -q x.tmt | tm-export -q --as folded --domain pool --sort requested |
		sed 's/.*main;//' | LC_ALL=C sort | tr '\n' ,)
	ok "$1: who made them" [ "$stacks" = 'Game;Grow;EngineMalloc 100,Game;Grow;EngineRealloc 2210,Game;Leak;EngineMalloc 25000,Game;Spawn;EngineMalloc 12000,' ]
}
flags=(-O1 -g -finstrument-functions -I"$SRC" -DLINKED)
here=$PWD
build() { # output, then arguments
	local to=$1

	shift
	"$CC" "${flags[@]}" -o "$to" "$@" || echo "not ok - $to is built"
}
build libengine.so -fPIC -shared -DOWN "$src/engine.c"
build libbound.so -fPIC -shared -DOWN -Wl,-Bsymbolic "$src/engine.c"
build libours.so -fPIC -shared "$src/engine.c" -L"$lib" -ltracemill-capture -Wl,-rpath,"$lib"
build engine "$src/pool.c" -L. -lengine -Wl,-rpath,"$here"
build bound "$src/pool.c" -L. -lbound -Wl,-rpath,"$here"
build ours "$src/pool.c" -L. -lours -Wl,-rpath,"$here" -L"$lib" -ltracemill-capture -Wl,-rpath,"$lib"
build own -DOWN "$src/pool.c" "$src/engine.c" -rdynamic
build archive "$src/pool.c" "$src/engine.c" "$lib/libtracemill-capture.a" -lm
build both -DOWN -rdynamic "$src/pool.c" "$src/engine.c" "$lib/libtracemill-capture.a" -lm
build loads -ULINKED "$src/pool.c" -ldl
for program in engine bound ours own; do
	tm-record -o x.tmt --stacks shadow -- ./$program
	says "$program, recorded"
done
for engine in engine bound; do
	tm-record -o x.tmt --stacks shadow -- ./loads ./lib$engine.so
	says "$engine, loaded later"
done
for program in archive both; do
	rm -f x.tmt
	TRACEMILL_CAPTURE='stacks=shadow out=x.tmt' ./$program
	says "$program, linked in"
done
tm-record -o x.tmt --stacks unwind -- ./engine
says "by unwind tables"
ok "tm-top: the pool alone" [ "$(tm-symbolize -q x.tmt | tm-top -q --csv --domain pool | awk -F , 'NR > 1 { n += $2; b += $4 } END { print n, b }')" = '371 39310' ]
tm-record -o x.tmt --min 500 -- ./engine
ok "a threshold: of the pool's blocks too" [ "$(pool)" = '50 25000  50 25000 0 0' ]

# LoliProfiler's agent, as far as these names go: it gets the calls after us.
cat >agent.c <<'END'
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

static size_t allocs, bytes, frees, entries, ignored;
static int (*backtrace)(void **, int);
static void got(void *p, size_t n)
{
	void *entry[100];

	allocs += p != 0;
	bytes += p ? n : 0;
	entries += (size_t)backtrace(entry, 100);
}
static void gone(void *p) { frees += p != 0; }
static void ignore(bool on) { ignored += on; }
__attribute__((constructor)) static void begin(void)
{
	void (*set)(void (*)(void *, size_t), void (*)(void *)) = 0;
	void (*set_ignore)(void (*)(bool)) = 0;

	*(void **)&set = dlsym(RTLD_DEFAULT, "loli_set_allocandfree");
	*(void **)&set_ignore = dlsym(RTLD_DEFAULT, "set_loli_ignore_func");
	*(void **)&backtrace = dlsym(RTLD_DEFAULT, "get_stack_backtrace");
	set(got, gone);
	set_ignore(ignore);
}
__attribute__((destructor)) static void end(void)
{
	fprintf(stderr, "%zu %zu %zu %zu %d\n", allocs, bytes, frees, entries, ignored > 0);
}
END
flags=(-O1 -g)
build agent.so -fPIC -shared agent.c -ldl
# Each of 371 has main, Game, who, EngineMalloc or EngineRealloc.
TRACEMILL_CAPTURE='stacks=shadow out=x.tmt' LD_PRELOAD="$here/agent.so" ./ours 2>said
ok "in front of an agent: it is told the same" [ "$(cat said)" = "371 39310 221 $((371 * 4)) 1" ]
says "in front of an agent"
