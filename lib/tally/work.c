/* SPDX-License-Identifier: MIT */
#include "lib/tally/work.h"

#include "lib/base/mem.h"
#include "lib/tally/slices.h"

#include <string.h>

/* A metric known per type comes from type totals, any other from allocations: never both. */
static void set_fields(struct tally *a, const struct trace *t)
{
	static const uint16_t fields[] = {EV_HAS_COUNT, EV_HAS_REQUESTED, EV_HAS_REAL};

	a->from_allocs = a->from_types = 0;
	for (size_t m = METRIC_COUNT; m <= METRIC_REAL; m++)
		if (t->metrics[m].state != METRIC_ABSENT)
			*(t->metrics[m].key == METRIC_AT_TYPE ? &a->from_types : &a->from_allocs) |=
			    fields[m];
}

/* Which sums cells can have. */
static unsigned tally_work_known_sums(const struct tally *a)
{
	const unsigned both = EV_HAS_REQUESTED | EV_HAS_REAL;
	unsigned known = SUM_BIT(SUM_ENTRIES);

	if (((a->from_allocs | a->from_types) & both) == both)
		known |= a->want & SUM_BIT(SUM_SLACK);
	if (a->from_allocs & EV_HAS_COUNT)
		known |= SUM_BIT(SUM_COUNT);
	if (a->from_allocs & EV_HAS_REQUESTED)
		known |= SUM_BIT(SUM_REQUESTED);
	if (a->from_allocs & EV_HAS_REAL)
		known |= SUM_BIT(SUM_REAL);
	if (!a->follow)
		return known;
	known |= a->want & (SUMS_LIVE | SUMS_FREED);
	if (!a->live.unordered)
		known |= a->want & (SUMS_PEAK | SUM_BIT(SUM_TEMPORARY) | SUMS_LIFETIME);
	return known;
}

void tally_choose_work(struct tally *a, const struct trace *t)
{
	bool slicing = a->options.slicing != SLICE_NONE, totals;

	set_fields(a, t);
	a->want = a->options.want ? a->options.want : TALLY_WANT;
	a->follow = t->metrics[METRIC_LIVE].state != METRIC_ABSENT && a->want & SUMS_MATCHED;
	a->live.unordered = t->unordered;
	a->known = tally_work_known_sums(a);
	a->peaking = a->known & SUMS_PEAK;
	totals = a->options.totals && a->follow && !a->live.unordered;
	a->temporary = totals || a->known & SUM_BIT(SUM_TEMPORARY);
	a->running = a->follow && (slicing || a->peaking || totals);
	a->rarely =
	    a->known & (SUM_BIT(SUM_SLACK) | SUMS_FREED | SUM_BIT(SUM_TEMPORARY) | SUMS_LIFETIME);
	a->touching = slicing && a->options.slice_cells;
	a->weigh = a->from_allocs & EV_HAS_REAL ? 2 : a->from_allocs & EV_HAS_REQUESTED ? 1 : 0;
	if (slicing && !a->slices)
		a->slices = slices_new();
}

void tally_settle_live(struct tally *a)
{
	a->lives = mem_grow(a->lives, &a->cap_lives, a->n_cells + 1, sizeof *a->lives);
	memset(a->lives, 0, a->n_cells * sizeof *a->lives);
	for (size_t i = 0; i < a->live.n; i++) {
		const struct live_block *b = &a->live.blocks[i];
		uint64_t *l = a->lives[b->cell];

		if (!b->allocated)
			continue;
		l[0] = add_saturating(l[0], b->count);
		l[1] = add_saturating(l[1], b->requested);
		l[2] = add_saturating(l[2], b->real);
	}
}
