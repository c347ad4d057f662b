/* SPDX-License-Identifier: MIT
 *
 * The inside of tally.h: an allocation is followed to its free, where frees are matched: live blocks, the
 * tide of their bytes, and what temporary blocks and lifetimes come from.
 */
#ifndef TM_TALLY_FOLLOW_H
#define TM_TALLY_FOLLOW_H

#include "lib/tally/work.h"

/* An allocation that its cell has; one without an address is known not to be followed. */
/* Where events come in any order: of an allocation or a free; without a time of its own it gets one by
 * its number. */
void tally_follow_number(struct tally *a, struct tally_pending *p);
void tally_follow_alloc(struct tally *a, const struct tally_pending *p);
/* EV_FREE, EV_FREED or PENDING_COVER: of what is not live it is counted. */
void tally_follow_free(struct tally *a, const struct tally_pending *p);
/* The cell of the allocation that a free may end; UINT32_MAX: not found at the first look. */
uint32_t tally_follow_cell(const struct tally *a, uint32_t space, uint64_t address);

/* Asks the memory for what is kept beside a cell. */
static inline void tally_follow_fetch(const struct tally *a, uint32_t cell)
{
	const struct tally_work *w = a->work;

	if (w->celled)
		__builtin_prefetch(&w->lives[cell], 1);
	if (w->peaking)
		__builtin_prefetch(&w->peaks[cell], 1);
	if (w->rarely)
		__builtin_prefetch(&w->rare[cell], 1);
}

#endif
