/* SPDX-License-Identifier: MIT
 *
 * The limit on the processor time of one worker. A file whose lists refer to each other a million times over
 * ends as "gave up", and not as a program that hangs. The clock is read once per STRIDE steps.
 */
#ifndef TM_DWARF_BUDGET_H
#define TM_DWARF_BUDGET_H

#include "lib/base/clock.h"

#include <stdbool.h>
#include <stdint.h>

enum { BUDGET_STRIDE = 1 << 16 };

struct budget {
	uint64_t steps;
	double
	    allowed; /* seconds, when the end is not known yet: from the first look at the clock on */
	double seconds; /* of this thread's processor time: the end; 0: not known yet */
	bool over;
};

/* True when the time is over; it stays so. */
static inline bool budget_spend(struct budget *b, uint64_t steps)
{
	b->steps += steps;
	if (b->steps < BUDGET_STRIDE)
		return b->over;
	b->steps = 0;
	if (!b->seconds)
		b->seconds = clock_thread_seconds() + b->allowed;
	b->over = b->over || clock_thread_seconds() > b->seconds;
	return b->over;
}

#endif
