/* SPDX-License-Identifier: MIT
 *
 * Processor time of one worker, so that a file whose lists refer to each other a million times
 * over ends as "gave up" and not as a program that hangs. The clock is asked once per STRIDE steps.
 */
#ifndef TM_DWARF_BUDGET_H
#define TM_DWARF_BUDGET_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

enum { BUDGET_STRIDE = 1 << 16 };

struct budget {
	uint64_t steps;
	double seconds; /* of this thread's processor time */
	bool over;
};

static inline double budget_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static inline double budget_clock(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* True when the time is over; it stays so. */
static inline bool budget_spend(struct budget *b, uint64_t steps)
{
	b->steps += steps;
	if (b->steps < BUDGET_STRIDE)
		return b->over;
	b->steps = 0;
	b->over = b->over || budget_now() > b->seconds;
	return b->over;
}

#endif
