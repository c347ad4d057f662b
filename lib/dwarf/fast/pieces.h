/* SPDX-License-Identifier: MIT
 *
 * All answers of one unit as pieces: ranges of addresses that have one answer. An index (whole.h) is made of
 * them, and the cache (kept.h) keeps them.
 */
#ifndef TM_DWARF_FAST_PIECES_H
#define TM_DWARF_FAST_PIECES_H

#include "lib/dwarf/fast/answer.h"

struct fast_piece {
	uint64_t lo, hi;
	uint32_t unit, call;
	uint8_t found; /* enum dwarf_found, or DWARF_ASK (whole.h) */
};

struct fast_pieces {
	struct fast_piece *all; /* ascending, disjoint */
	size_t n, cap;
};

/* What a worker keeps from unit to unit. Zeroed is empty. */
struct fast_scratch {
	struct fast_line_places places;
	struct fast_range *owned;
	size_t n_owned, cap_owned;
	uint64_t *addrs;
	struct dwarf_answer *of; /* by address */
	uint32_t *query, *stamps;
	size_t n_addrs, cap_addrs;
};

/* The unit's claim of [lo, hi); s (arg) is a struct fast_scratch whose places and owned were emptied
 * before the first one. */
void fast_pieces_own(void *arg, uint64_t lo, uint64_t hi);
/* Appends the pieces of the unit, whose claims are in s. False: it must be looked up, and all are
 * DWARF_ASK. */
bool fast_pieces_make(struct fast_file *f, struct fast_worker *w, struct fast_scratch *s,
		      uint32_t unit, struct fast_pieces *p);
/* Appends one, or makes the last one longer. */
void fast_pieces_add(struct fast_pieces *p, const struct fast_piece *x);
void fast_scratch_release(struct fast_scratch *s);

#endif
