/* SPDX-License-Identifier: MIT
 *
 * threads N: so many threads, each with 1000 calls of three levels, on a clock of their own: the
 * call number i takes i us, and 1 us less a level down. One thread in two is not active for its
 * second half. With hooks, markers, or both.
 */
#include "lib/recorder/spike.h"

#include <pthread.h>
#include <stdlib.h>

#define KEEP  __attribute__((noinline))
#define PLAIN __attribute__((noinline, no_instrument_function))

static __thread int64_t now;
PLAIN static int64_t clock_now(void)
{
	return now;
}

KEEP static void Inner(int i)
{
	PET_FUNCTION();
	PET_OTMessagef("not yet %d", i);
	now += (i - 2) * 1000;
	PET_OTMessagef("call %d", i);
}

KEEP static void Middle(int i)
{
	PET_FUNCTION();
	now += 1000;
	Inner(i);
}

KEEP static void Outer(int i)
{
	PET_FUNCTION();
	PET_SetFunctionDescf("number %d", i);
	now += 1000;
	Middle(i);
}

PLAIN static void *run(void *arg)
{
	int number = *(int *)arg;

	for (int i = 0; i < 1000; i++) {
		if (number % 2 && i == 500)
			PET_SetThreadActive(0);
		Outer(i + 2);
	}
	PET_SetThreadActive(1);
	Outer(2000);
	return NULL;
}

PLAIN int main(int argc, char **argv)
{
	static pthread_t thread[64];
	static int number[64];
	/* not atoi, which clang calls a hook for: it is inline in a header */
	int n = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 8;

	if (tracemill_spike_clock)
		tracemill_spike_clock(clock_now);
	for (int i = 0; i < n && i < 64; i++) {
		number[i] = i;
		if (pthread_create(&thread[i], NULL, run, &number[i]))
			return 9;
	}
	for (int i = 0; i < n && i < 64; i++)
		pthread_join(thread[i], NULL);
	return 0;
}
