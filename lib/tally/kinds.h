/* SPDX-License-Identifier: MIT
 *
 * Internal to tally/tally.h: blocks of which only the kind is known (trace/blocks.h). What is
 * live of a kind is its allocations without its frees, so no block is looked for; cells get the
 * sums of their kinds when the capture ends, and are the only sums then. Without it tm-top takes 1.3 times as long for
 * a file of heaptrack, and 1.7 times as CSV (1.5 million allocations, 5,000 stacks).
 */
#ifndef TM_TALLY_KINDS_H
#define TM_TALLY_KINDS_H

#include "lib/tally/tally.h"
#include "lib/trace/blocks.h"

struct tally_kind {    /* by the reader's number */
	uint64_t n[2]; /* allocated, freed */
};

struct tally_kind_more { /* the same, where cells have temporary blocks or peaks */
	uint64_t temporary;
	uint64_t at_peak, peak; /* blocks that are live at peak number peak */
};

struct tally_kinds { /* zeroed is valid */
	struct tally_kind *kinds;
	size_t cap;
	struct tally_kind_more *more;
	size_t cap_more;
	struct tally_kind_used { /* in the order of their first allocation */
		uint64_t requested;
		uint32_t stack, kind, cell;
	} * used;
	size_t n_used, cap_used;
	uint32_t newest; /* the kind of the last allocation, + 1, while its block is live */
};

/* Whether the sums that are asked for follow from kinds: nothing of single blocks or of parts of
 * the capture. It has no frames, so slices of marked ones do not matter. */
bool kinds_suffice(const struct tally_options *o);
enum status kinds_take(struct tally *a, const struct sink_blocks *b);
/* At the capture's end: before what is live is settled, and behind it. */
void kinds_to_cells(struct tally *a, const struct trace *t);
void kinds_settle(struct tally *a);
void kinds_reset(struct tally_kinds *k);
void kinds_release(struct tally_kinds *k);

#endif
