/* SPDX-License-Identifier: MIT
 *
 * The objects that a group of objects retains together: all that would be lost without all of the
 * group's objects. That is more than what each of them retains alone, put together: what only two
 * objects of a group hold together, neither dominates.
 *
 * An object is lost with a group when each way to it goes through the group: when it is in the
 * group itself, or when all that refer to it are lost with the group. So each object has a set of
 * groups, its own and what the sets of all that refer to it share. The sets are the largest that
 * fit (begun from everything, each changes only to less), kept once each, with what was found of
 * the last pairs. 13 bytes per object and some 100 a set while it runs.
 */
#ifndef TM_REPORT_HEAP_RETAINED_H
#define TM_REPORT_HEAP_RETAINED_H

#include "lib/report/heap/parts.h"

/* of: by object, the place of its group or HEAP_NONE. Adds to retained and retained_count. False:
 * the sets are too many (HEAP_RETAINED_MEMBERS in all) or take too long; nothing is added. The part
 * has dominators. */
bool heap_retained(struct heap_group *groups, const struct heap_part *p, const uint32_t *of);

enum {
	HEAP_RETAINED_MEMBERS = 1 << 24, /* 4 bytes each, and some 100 a set */
	HEAP_RETAINED_ROUNDS = 64        /* looks at each reference, in the mean */
};

#endif
