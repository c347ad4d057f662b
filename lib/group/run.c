/* SPDX-License-Identifier: MIT */
#include "lib/group/run.h"

#include <stdlib.h>

unsigned run_unrecorded(const struct run_known *k)
{
	unsigned sums = 0;

	for (unsigned s = 0; s < SUMS; s++)
		sums |= (k->unknown_reason[s] == UNKNOWN_UNRECORDED ||
			 k->unknown_reason[s] == UNKNOWN_MIXED) &&
				!run_knows(k, s)
			    ? SUM_BIT(s)
			    : 0;
	return sums;
}

void run_weaken(struct run_known *k, enum sum s, unsigned state, unsigned unknown_reason)
{
	if (k->unknown_reason[s] == UNKNOWN_NONE || unknown_reason == UNKNOWN_MIXED)
		k->unknown_reason[s] = (uint8_t)unknown_reason;
	if (state > k->state[s])
		k->state[s] = (uint8_t)state;
	if (k->unknown_reason[s] == UNKNOWN_MIXED)
		k->state[s] = METRIC_ABSENT;
}

void run_release(struct group_run *r)
{
	for (size_t i = 0; i < r->n_groupings; i++) {
		columns_release(&r->groupings[i].self);
		columns_release(&r->groupings[i].total);
		columns_release(&r->groupings[i].cached);
	}
	free(r->groupings);
	free(r->modules);
	free(r->counters);
	map64_release(&r->counter_index);
	*r = (struct group_run){.captures = 0};
}
