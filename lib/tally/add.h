/* SPDX-License-Identifier: MIT
 *
 * Internal to tally/tally.h: the one addition of allocations to the sums, whether they come as rows, in columns or
 * as moves.
 */
#ifndef TM_TALLY_ADD_H
#define TM_TALLY_ADD_H

#include "lib/base/num.h"
#include "lib/tally/slices.h"

/* to: what a frame has; NULL: nothing is added. */
static inline void tally_frame_add(uint64_t *to, const uint64_t v[SUM_REAL + 1])
{
	for (size_t k = 0; to && k <= SUM_REAL; k++)
		to[k] = add_saturating(to[k], v[k]);
}

/* The one addition to a cell: records that are together so many allocations and bytes; has (EV_HAS_*) says
 * which of the bytes are known. Sums saturate. */
static inline void tally_cell_add(struct tally_cell *c, uint64_t records, uint64_t count,
				  uint64_t requested, uint64_t real, unsigned has)
{
	c->entries += records;
	c->count = add_saturating(c->count, count);
	c->requested = add_saturating(c->requested, requested);
	c->real = add_saturating(c->real, real);
	c->has |= (uint8_t)((has & (EV_HAS_REQUESTED | EV_HAS_REAL)) >> 1);
}

/* An allocation, whose cell is known, to all that keeps its sums but its frame and live blocks. */
static inline __attribute__((always_inline)) void tally_add_allocation(struct tally *a,
								       const struct queued_event *p)
{
	tally_cell_add(&a->cells[p->cell], 1, p->count, p->requested, p->real, p->has);
	if (a->state->rarely && p->derived.has)
		derived_add(&a->state->rare[p->cell].derived, &p->derived);
	if (a->slices)
		slices_add(a, p);
}

#endif
