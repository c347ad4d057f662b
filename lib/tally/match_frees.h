/* SPDX-License-Identifier: MIT
 *
 * Internal to tally.h: pairs each allocation with its free, and computes live blocks, their peak in bytes, temporary
 * blocks and lifetimes.
 */
#ifndef TM_TALLY_MATCH_FREES_H
#define TM_TALLY_MATCH_FREES_H

#include "lib/tally/slices.h"
#include "lib/tally/state.h"

/* An allocation that its cell has; one without an address is known not to be followed. */
/* Where events come in any order: of an allocation or a free; without a time of its own it gets one by
 * its number. */
void match_frees_number(struct tally *a, struct queued_event *p);
void match_frees_alloc(struct tally *a, const struct queued_event *p);
/* EV_FREE, EV_FREED or PENDING_COVER: of what is not live it is counted. */
void match_frees_free(struct tally *a, const struct queued_event *p);
/* The cell of the allocation that a free may end; UINT32_MAX: not found at the first look. */
uint32_t match_frees_cell(const struct tally *a, uint32_t space, uint64_t address);

/* Asks the memory for what is kept beside a cell. */
static inline void match_frees_fetch(const struct tally *a, uint32_t cell)
{
	const struct tally_state *w = a->state;

	if (w->celled)
		__builtin_prefetch(&w->lives[cell], 1);
	if (w->peaking)
		__builtin_prefetch(&w->peaks[cell][0].id, 1);
	if (w->peaking && w->asks)
		__builtin_prefetch(&w->peaks[cell][1].id, 1);
	if (w->touching && a->slices)
		slices_fetch(a->slices, cell);
	if (w->rarely)
		__builtin_prefetch(&w->rare[cell], 1);
}

#endif
