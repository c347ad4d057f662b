/* SPDX-License-Identifier: MIT
 *
 * The calls of a profile's stacks as a tree, and the callers and callees of functions, as tables.
 * They are made from a grouping by stack (KEY_STACK, within nothing) and one metric. Functions
 * are nodes, whatever the line they call from.
 */
#ifndef TM_REPORT_TOP_TREE_H
#define TM_REPORT_TOP_TREE_H

#include "lib/group/grouped_profile.h"
#include "lib/group/metric.h"
#include "lib/match/match.h"
#include "lib/table/flame.h"

struct tree_options {
	size_t grouping;
	int sort; /* metric.h */
	/* Callees below callers from the outermost call down; bottom_up: callers below what
	 * allocates, from the innermost call out. */
	bool bottom_up;
	unsigned min_share; /* hundredths of a percent: nodes with less are left out, and counted */
};

struct tree;

/* p must outlive it and not change. NULL: the metric is not known; *e says why. */
struct tree *tree_new(const struct grouped_profile *p, const struct tree_options *o, struct err *e);
void tree_free(struct tree *t); /* accepts NULL */
/* Rows are the nodes, the first is all: total and, top-down, self; in pre-order, larger ones
 * first. */
const struct table *tree_table(const struct tree *t);

/* All kept stacks, whatever their share, into f, which is FLAME_INIT and borrows nothing; or their sums of
 * another kind as a further measure of an f that was filled before. */
enum status tree_flame(const struct grouped_profile *p, size_t grouping, int sort, struct flame *f,
		       struct err *e);

struct peek_options {
	size_t grouping;
	int sort;
	struct match *match; /* on display names; the caller's */
	uint64_t n;          /* functions, those of the largest totals; 0: all */
};

struct peek;

/* The sum of each stack of the grouping that the calls on it have as their totals, for sort (metric.h).
 * ST_UNSUPPORTED: it is not known, or does not add up. */
enum status peek_choose(const struct grouped_profile *p, size_t grouping, int sort, enum sum *to,
			struct err *e);

/* Per function that matches: what its callers and callees have of its total. Where a function is
 * on a stack more than once, its caller is that of the outermost and its callee that of the
 * innermost, so both sides add up to the total: what has no caller is a row, and so is self. */
struct peek *peek_new(const struct grouped_profile *p, const struct peek_options *o, struct err *e);
void peek_free(struct peek *k); /* accepts NULL */
const struct table *peek_table(const struct peek *k);

#endif
