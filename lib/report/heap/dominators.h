/* SPDX-License-Identifier: MIT
 *
 * Dominators: d dominates v when every path from the roots to v goes through d, so that without d
 * v would be gone; what an object retains is itself and all that it dominates. Semidominators by Lengauer and
 * Tarjan (ACM TOPLAS 1(1), 1979) with path compression alone, dominators from them by Georgiadis'
 * way (Princeton, 2005), bounded by skips: O(m log n), no recursion.
 *
 * What no root reaches hangs below pseudo-roots: first each object that nothing refers to, then
 * what is left in the order of the numbers. It takes nothing from what is reached.
 * While it runs 29 bytes per object, and 4 for each reference across (that is no step of the search
 * and leads to nothing beneath its source); then 9 per object, and 12 more while sums are there.
 */
#ifndef TM_REPORT_HEAP_DOMINATORS_H
#define TM_REPORT_HEAP_DOMINATORS_H

#include "lib/report/heap/heap.h"

struct heap_dominators {
	uint32_t *idom;  /* by object; 0: only the root dominates it */
	uint32_t *order; /* all objects, dominators before what they dominate */
	bool *top;       /* by object: a root refers to it, or would: a pseudo-root is above it */
};

void heap_dominators_init(struct heap_dominators *d, const struct heap *h);
void heap_dominators_release(struct heap_dominators *d);

/* What each object retains: listed objects, itself included. */
struct heap_held {
	uint64_t *bytes; /* of those with a size, saturated */
	uint32_t *count;
};

void heap_held_init(struct heap_held *s, const struct heap_dominators *d, const struct heap *h);
void heap_held_release(struct heap_held *s);

#endif
