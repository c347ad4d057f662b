/* SPDX-License-Identifier: MIT
 *
 * The set of recorded blocks that are not yet freed, in a capture that takes only some of the
 * blocks, so that only their frees are recorded. A filter that every free reads decides nearly
 * always; the set behind it has a lock. Memory is bounded: of a block for which there is no room
 * the free is not recorded, which is counted.
 */
#ifndef TM_RECORDER_BASE_LIVE_H
#define TM_RECORDER_BASE_LIVE_H

#include "lib/recorder/base/lock.h"

#include <stdint.h>

enum { CAP_LIVE = 1 << 20, CAP_FILTER = 1 << 16, CAP_COARSE = 1 << 11 };

struct cap_live {
	struct cap_lock lock;
	uint64_t *slots; /* room for CAP_LIVE; 0: free */
	uint32_t n;
	_Atomic uint64_t lost;               /* no room */
	_Atomic uint64_t waited;             /* the lock was given up */
	_Atomic uint32_t filter[CAP_FILTER]; /* blocks whose address falls here */
	_Atomic uint32_t coarse[CAP_COARSE]; /* the same, and stays in the cache */
};

bool cap_live_init(struct cap_live *l);
bool cap_live_add(struct cap_live *l, uint64_t address);
/* False: it is not there. */
bool cap_live_may(struct cap_live *l, uint64_t address);
/* True when it was there. */
bool cap_live_remove(struct cap_live *l, uint64_t address);
void cap_live_clear(struct cap_live *l);

#endif
