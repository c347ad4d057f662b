/* SPDX-License-Identifier: MIT
 *
 * Captures of the process of a snapshot, added to it: the stack that allocated each object, from the block that has
 * its address in the domain lua; and native blocks that objects hold, which become objects. A native block is held where a
 * word in the memory of an object, or of a block that one holds, is the block's address: a guess. What native code holds
 * itself is not known.
 *
 * A heap snapshot of the same process and moment (Unity's): its objects and references are added, since both know objects by
 * their addresses. Of userdata of xLua, whose memory is a number, the C# object of that number in the pool is held by the
 * userdata instead of the pool.
 *
 * A capture belongs to the snapshots whose date lies in it, with what was live then. Without dates: to all, with what is
 * live at its end.
 *
 * Memory: 40 bytes per address that a block ever had.
 */
#ifndef TM_REPORT_HEAP_WITH_H
#define TM_REPORT_HEAP_WITH_H

#include "lib/report/heap/heap.h"

struct heap_with {
	struct sink sink; /* first */
	struct heap_set *set;
	uint64_t joined; /* snapshots that a capture belongs to */
	bool undated;    /* one was joined with what is live at the end */
	bool pools;      /* there are several pools of C# objects: none was joined */

	/* Internal. */
	struct map64 index;
	struct heap_live *live;
	size_t n, cap;
	struct heap_moment *moments;
	size_t n_moments, next;
	int64_t last; /* time of an event */
};

/* set has keep, and its snapshots were read; it waits until heap_with_release. */
void heap_with_init(struct heap_with *w, struct heap_set *set);
void heap_with_release(struct heap_with *w);

#endif
