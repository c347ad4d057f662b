#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Calls on fibers: instrumented functions on stacks that are not a thread's, which move between threads. Truth:
# arithmetic. 8 fibers on 2 threads; each calls 1,000 times Mid, that Leaf, and that allocates 100 bytes and the
# fiber's number; a fiber is switched out after each tenth, and the threads take them in turn.
# shellcheck disable=SC2238,SC2317,SC2046 # a file called as a program is; check evaluates
set -u
: "${SRC:?}"

# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"
cc=${CC:-cc}

cat >fibers.c <<'X'
#define _GNU_SOURCE
#include "lib/recorder/tracemill.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>
#define N __attribute__((noinline))
static void *volatile sink;
static N void Leaf(int n) { sink = malloc(100 + n); __asm__ volatile(""); }
static N void Mid(int n) { Leaf(n); __asm__ volatile(""); }
static struct fiber { ucontext_t own, back; char name[16]; } f[8];
static N void Entry(int i)
{
	for (int k = 0; k < 1000; k++) {
		Mid(i);
		if (k % 10 == 0)
			swapcontext(&f[i].own, &f[i].back);
	}
}
static pthread_barrier_t bar;
static N void *Worker(void *x)
{
	long w = (long)x;

	for (int round = 0; round < 101; round++) {
		for (int i = 0; i < 4; i++) {
			int j = (int)((w * 4 + i + round * 4) % 8);

#ifdef TELLS
			tracemill_fiber_enter(&f[j], f[j].name);
#endif
			swapcontext(&f[j].back, &f[j].own);
#ifdef TELLS
			tracemill_fiber_leave();
#endif
		}
		pthread_barrier_wait(&bar);
	}
	return 0;
}
int main(void)
{
	pthread_t t[2];

	pthread_barrier_init(&bar, 0, 2);
	for (int i = 0; i < 8; i++) {
		snprintf(f[i].name, sizeof f[i].name, "job %d", i);
		getcontext(&f[i].own);
		f[i].own.uc_stack.ss_sp = mmap(0, STACK, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		f[i].own.uc_stack.ss_size = STACK;
		f[i].own.uc_link = &f[i].back;
		makecontext(&f[i].own, (void (*)(void))Entry, 1, i);
	}
	for (long i = 0; i < 2; i++)
		pthread_create(&t[i], 0, Worker, (void *)i);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
	return 0;
}
X
for how in "-DSTACK=65536" "-DSTACK=16384" "-DSTACK=65536 -DTELLS"; do
	# shellcheck disable=SC2086
	$cc -O0 -g -finstrument-functions -I"$SRC" $how -o fibers fibers.c -pthread || exit 1
	tm-record -q -o x.tmt --calls all --stacks shadow -- ./fibers 2>err
	check "$how: each call has its module" [ "$(tm-frames -q --bars --every 1ms --as csv x.tmt | tr -d '\r' | tail -n +2 | sed 's/.*,//' | sort -u)" = fibers ]
	check "$how: nothing is lost" [ "$(tm-dump -q x.tmt | grep -c 'note loss')" = 0 ]
	check "$how: 8,000 stacks of the fiber's own callers" \
		[ "$(tm-export -q --as folded --sort count x.tmt 2>err | awk '/Entry;Mid;Leaf [0-9]+$/ { n += $NF } END { print n + 0 }')" = 8000 ]
	# Entry 8, Mid and Leaf 8,000 each, Worker 2, main.
	check "$how: all 16,011 calls are judged" grep -q ' of 16011 calls took longer' <(tm-spikes x.tmt 2>err)
	tm-top -q -n 0 --csv --by function --metrics calls x.tmt 2>err | tr -d '\r' | awk -F , '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ sub(/ \(.*/, "", $at["function"]) } $at["calls"] > 0 { print $at["calls"], $at["function"] }' | sort >got
	printf '%s\n' '1 main' '2 Worker' '8 Entry' '8000 Leaf' '8000 Mid' | sort >want
	check "$how: each function's calls" cmp -s want got
	case $how in
	*TELLS*) tm-dump -q x.tmt | sed -n 's/^thread .* tid=0 .*name="\(job [0-7]\)"$/\1/p' | sort | paste -sd , >got
		check "$how: fibers have their names" [ "$(cat got)" = "job 0,job 1,job 2,job 3,job 4,job 5,job 6,job 7" ] ;;
	*) check "$how: 8 fibers" [ "$(tm-dump -q x.tmt | grep -c '^thread .* tid=0 ')" = 8 ] ;;
	esac
done

# What is switched out takes no time. Waits is open for 3 x 300 ms and runs for less than one; Busy runs meanwhile.
cat >time.c <<'X'
#define _GNU_SOURCE
#include "lib/recorder/tracemill.h"
#include <stdlib.h>
#include <time.h>
#include <ucontext.h>
static ucontext_t own, back;
static char stack[65536];
static void spin(int ms) __attribute__((no_instrument_function));
static void spin(int ms)
{
	struct timespec t = {0, ms * 1000000L};

	nanosleep(&t, 0);
}
static __attribute__((noinline)) void Waits(void)
{
	for (int i = 0; i < 3; i++) {
		spin(50);
		swapcontext(&own, &back);
	}
}
static __attribute__((noinline)) void Busy(void) { spin(300); }
int main(void)
{
	getcontext(&own);
	own.uc_stack.ss_sp = stack;
	own.uc_stack.ss_size = sizeof stack;
	own.uc_link = &back;
	makecontext(&own, Waits, 0);
	for (int i = 0; i < 4; i++) {
#ifdef TELLS
		tracemill_fiber_enter(&own, "waits");
#endif
		swapcontext(&back, &own);
#ifdef TELLS
		tracemill_fiber_leave();
#endif
		if (i < 3)
			Busy();
	}
	return 0;
}
X
for how in -DTELLS -DTELLS_NOT; do
	$cc -O0 -g -finstrument-functions -I"$SRC" $how -o time time.c || exit 1
	tm-record -q -o x.tmt --calls all --stacks shadow -- ./time 2>err
	# ms by function. Waits: 3 x 50, and what the machine adds; Busy: 3 x 300; together it is what passed.
	tm-top -q -n 0 --csv --by function --metrics self-time,total-time x.tmt 2>err | tr -d '\r' | awk -F , '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ sub(/ \(.*/, "", $at["function"]); print $at["function"], int($at["self_ns"] / 1e6), int($at["total_ns"] / 1e6) }' >times
	within() { # FUNCTION COLUMN LEAST MOST
		awk -v f="$1" -v c="$2" -v lo="$3" -v hi="$4" '$1 == f { found = $c >= lo && $c <= hi } END { exit !found }' times
	}
	check "$how: Busy has its own time" within Busy 2 899 1400
	check "$how: Waits has the time that it ran" within Waits 2 $([ $how = -DTELLS ] && echo 149 600 || echo 0 600)
	check "$how: ... in total too" within Waits 3 $([ $how = -DTELLS ] && echo 149 600 || echo 0 600)
	[ $how = -DTELLS ] && check "$how: main has none of it" within main 2 0 140
done
exit $failed
