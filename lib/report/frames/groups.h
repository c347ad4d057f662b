/* SPDX-License-Identifier: MIT
 *
 * The groups of one grouping that a slice touched, with the sums that the slice added to each;
 * empty again for the next. Memory is O(groups).
 */
#ifndef TM_REPORT_FRAMES_GROUPS_H
#define TM_REPORT_FRAMES_GROUPS_H

#include "lib/group/grouped_profile.h"

struct frame_groups {
	uint32_t *ids;
	struct tally_sums *sums; /* of ids; live: after the slice */
	size_t n, cap, cap_sums;
	uint32_t *mark;       /* by group: index in ids + 1 */
	uint64_t (*lives)[3]; /* by group, after the slice */
	size_t cap_mark, cap_lives;
	uint32_t *of_cell; /* by cell: its group + 1; 0: not known yet */
	size_t cap_of_cell;
	uint64_t live[3]; /* of all groups */
};

/* TOGETHER bits (tally/tally.h) of a report that asks for no groups but those of a key. */
static inline unsigned frames_together(enum key by)
{
	return by == KEY_TYPE     ? COLLAPSE_STACKS
	       : by == KEY_THREAD ? COLLAPSE_STACKS | COLLAPSE_TYPES
				  : 0;
}

struct frame_groups *frame_groups_new(void);
void frame_groups_free(struct frame_groups *g); /* accepts NULL */
/* Replaces what g had. Every slice of a capture has to come by, for the sake of what is live.
 * Totals of types come in where the grouping is by type and nothing is filtered by name. */
void frame_groups_fill(struct frame_groups *g, struct grouped_profile *p, const struct trace *t,
		       const struct tally_slice *s, size_t grouping);
/* Largest first by one sum, those that do not have it last; equal ones in the order of groups. */
void frame_groups_sort(struct frame_groups *g, enum sum by);

#endif
