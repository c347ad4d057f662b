/* SPDX-License-Identifier: MIT
 *
 * The anonymous mappings that were recorded, as ranges in ascending order. When a part of one is
 * unmapped, or mapped over, the mapping ends and what remains of it are new ones, of the same stack.
 * One caller at a time. Bounded; what does not fit is counted.
 */
#ifndef TM_RECORDER_BASE_MAPPINGS_H
#define TM_RECORDER_BASE_MAPPINGS_H

#include "lib/recorder/base/lock.h"

#include <stdint.h>

enum { CAP_MAPPINGS = 1 << 16 };

struct cap_range {
	uint64_t lo, hi;
	uint32_t stack; /* of the call that made it; 0: not known */
};

struct cap_mappings {
	struct cap_lock lock;
	struct cap_range *rows; /* room for CAP_MAPPINGS + 1; NULL: not used yet */
	uint32_t n;
	_Atomic uint64_t lost;
	_Atomic uint64_t rests; /* new ones that are what remains of others */
};

/* NULL: no room. [lo, hi) overlaps nothing that is there. */
struct cap_range *cap_mappings_add(struct cap_mappings *m, uint64_t lo, uint64_t hi,
				   uint32_t stack);
/* Takes out what overlaps [lo, hi), one mapping a call, and puts back what remains of it: *gone is
 * the mapping, rest[2] its remains below and above, with lo == hi if none. False: there is no
 * more. */
bool cap_mappings_remove(struct cap_mappings *m, uint64_t lo, uint64_t hi, struct cap_range *gone,
			 struct cap_range rest[2]);

#endif
