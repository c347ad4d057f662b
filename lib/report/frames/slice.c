/* SPDX-License-Identifier: MIT */
#include "lib/report/frames/slice.h"

#include <string.h>

/* What all says that what is selected can have. */
static unsigned can_have(const struct tally_sums *all, bool followed)
{
	unsigned has = all->has;

	if (!followed)
		has &= ~(unsigned)SUMS_MATCHED;
	if (!all->v[SUM_CALLS] && !all->v[SUM_TIME_SELF])
		has &= ~(unsigned)SUMS_TIME;
	return has;
}

/* What the filters keep of a slice. */
static struct tally_sums filtered(const struct frame_groups *g, unsigned has)
{
	struct tally_sums all = {.has = 0};

	for (size_t i = 0; i < g->n; i++)
		sums_add(&all, &g->sums[i]);
	memcpy(&all.v[SUM_LIVE_COUNT], g->live, sizeof g->live);
	all.has = has & ~(unsigned)(SUMS_PEAK | 1 << SUM_TIME_TOTAL | 1 << SUM_TIME_MEAN);
	return all;
}

/* The sums of a slice that are shown with filters by name, known or not: totals of types have no names. */
static unsigned has_of(const struct grouped_profile *p, const struct trace *t)
{
	uint8_t state[SUMS];
	unsigned at_types = tally_states(&p->tally, t, DOMAINS, state), has = 0;

	for (size_t i = 0; i < SUMS; i++)
		if (state[i] != METRIC_ABSENT && !(at_types >> i & 1))
			has |= SUM_BIT(i);
	return has;
}

struct tally_sums frame_slice_sums(struct frame_groups *g, struct grouped_profile *p,
				   const struct trace *t, const struct tally_slice *s,
				   unsigned *known)
{
	bool followed = false;
	struct tally_sums all;

	if (filters_any(p->options.filters)) {
		frame_groups_fill(g, p, t, s, 0);
		all = filtered(g, has_of(p, t));
		for (size_t i = 0; i < g->n; i++)
			followed |= (g->sums[i].has & SUMS_LIVE) != 0;
	} else {
		unsigned domain = grouped_profile_slice_domain(p, t);

		all = s->all[domain];
		followed = p->tally.followed[domain];
	}
	*known = can_have(&all, followed);
	return all;
}
