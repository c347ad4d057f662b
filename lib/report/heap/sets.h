/* SPDX-License-Identifier: MIT
 *
 * The choice of the objects of snapshots that count: those that filters keep, and those that are left by
 * operations on the sets of objects of two or three snapshots.
 *
 * An object of one snapshot is that of another when type, source (site or name) and shortest path
 * are the same; an address or an id is not asked, since it means something else in the next run,
 * but where it is wanted, for snapshots of one run (HEAP_SAME_ADDRESS: type and address).
 * Several objects may be the same in this sense (elements without names): then they are counted,
 * and of 5 in one and 3 in the other, 3 are in both.
 */
#ifndef TM_REPORT_HEAP_SETS_H
#define TM_REPORT_HEAP_SETS_H

#include "lib/group/filter.h"
#include "lib/report/heap/parts.h"

/* FILTER_TYPE is applied to types, FILTER_FILE for sites, FILTER_MODULE for the root's name,
 * FILTER_OWNER for the owner. Narrows what counts. */
void heap_filter(struct heap_part *p, const struct heap_set *s, struct filters *f,
		 struct owners *owners);
/* Only what is destroyed counts. */
void heap_only_destroyed(struct heap_part *p);
/* Only this one does. */
void heap_only_object(struct heap_part *p, uint32_t object);

/* By address, objects without one are the same by path. */
enum heap_same { HEAP_SAME_PATH, HEAP_SAME_SOURCE, HEAP_SAME_TYPE, HEAP_SAME_ADDRESS };
extern const char *const heap_same_words[]; /* "path", "source", "type", "address" */

enum heap_op {
	HEAP_ADD,  /* of A and B what only B has */
	HEAP_AND,  /* what both have; of B */
	HEAP_OR,   /* all of B, and what only A has */
	HEAP_XOR,  /* what only one of them has */
	HEAP_LEAK, /* of S, R and N: of N what R has and S has not (made in between, and still
		      there) */
	HEAP_OPS
};
extern const char *const heap_op_words[]; /* "add", ... */
size_t heap_op_needs(enum heap_op op);    /* snapshots: 2 or 3 */

/* Narrows what counts of the parts, of which there are as many as the operation needs. What counts
 * already (filters) is what the sets are made of. */
void heap_sets(struct heap_part *parts, enum heap_op op, enum heap_same same);

#endif
