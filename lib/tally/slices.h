/* SPDX-License-Identifier: MIT
 *
 * The inside of tally/tally.h: the slice in progress.
 */
#ifndef TM_TALLY_SLICES_H
#define TM_TALLY_SLICES_H

#include "lib/tally/work.h"

struct slices_touched { /* cells or types, and what they had when the slice first touched them */
	uint32_t *ids;
	struct tally_sums *before;
	size_t n, cap, cap_before;
	uint32_t *mark; /* by id: index + 1; 0: not touched */
	size_t cap_mark;
};

struct tally_slices {
	struct tally_slice now;
	bool open;
	bool within; /* it starts in a time range, or something selected is in it */
	bool framed; /* there was a frame, selected or not */
	struct tally_sums total[DOMAINS], before[DOMAINS]; /* of the capture so far; at its start */
	uint64_t high[DOMAINS + 1][3];                     /* live where its bytes were largest */
	struct slices_touched cells, types;
	struct tally_counters counters;
	uint64_t done;
};

struct tally_slices *slices_new(void);
void slices_free(struct tally_slices *s); /* accepts NULL */
void slices_reset(struct tally_slices *s);

/* Before an event has its effect: makes sure that the slice it falls into is the present one. */
enum status slices_reach(struct tally *a, struct trace *t, const struct tally_pending *p,
			 struct err *e);
/* A frame begins; not selected: the one before ends. */
enum status slices_frame(struct tally *a, struct trace *t, const struct tally_pending *p,
			 bool selected, struct err *e);
enum status slices_end(struct tally *a, struct trace *t, struct err *e);
/* An allocation or a type total, entries records of it. */
void slices_add(struct tally_slices *s, const struct tally_pending *p, unsigned entries);
/* lifetime: below 0: not known. */
void slices_add_freed(struct tally_slices *s, unsigned domain, const struct live_block *b,
		      bool temporary, int64_t lifetime);
/* A cell or a type is about to change. */
void slices_touch_cell(struct tally *a, uint32_t cell);
void slices_touch_type(struct tally *a, uint32_t type);

#endif
