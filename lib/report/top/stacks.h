/* SPDX-License-Identifier: MIT
 *
 * Internal to top.h: the stacks below a row, best first. They come from the grouping after the
 * one that is ranked, which is by stack within it.
 */
#ifndef TM_REPORT_TOP_STACKS_H
#define TM_REPORT_TOP_STACKS_H

#include "lib/group/chain.h"
#include "lib/group/rank.h"
#include "lib/table/table.h"

struct top_stacks;

/* most: for each of the n groups; r is how the groups are ranked. */
struct top_stacks *top_stacks_new(const struct ranking *r, const uint32_t *groups, size_t n,
				  uint64_t most);
void top_stacks_free(struct top_stacks *t); /* accepts NULL */
/* The lines beneath row i (an index of groups). */
void top_stacks_fill(struct top_stacks *t, size_t i, struct table_row *r);

#endif
