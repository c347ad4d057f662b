/* SPDX-License-Identifier: MIT */
#include "lib/group/run.h"

#include <stdlib.h>

unsigned run_unrecorded(const struct run_known *k)
{
	unsigned sums = 0;

	for (unsigned s = 0; s < SUMS; s++)
		sums |= k->lack[s] == LACK_UNRECORDED && !run_knows(k, s) ? SUM_BIT(s) : 0;
	return sums;
}

void run_release(struct group_run *r)
{
	for (size_t i = 0; i < r->n_groupings; i++) {
		columns_release(&r->groupings[i].self);
		columns_release(&r->groupings[i].total);
	}
	free(r->groupings);
	free(r->modules);
	free(r->counters);
	map64_release(&r->counter_index);
	*r = (struct group_run){.captures = 0};
}
