/* SPDX-License-Identifier: MIT
 *
 * The writer's set of live blocks, for a recording that began in a running program. A free of a block that is not in
 * the set belongs to an allocation from before. It grows; one thread at a time.
 */
#ifndef TM_RECORDER_BASE_BLOCKS_H
#define TM_RECORDER_BASE_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>

struct cap_blocks {
	uint64_t *slots; /* of a power of two; 0: free */
	uint64_t room, n;
};

/* False: no memory, and the set is as it was. */
bool cap_blocks_init(struct cap_blocks *b);
bool cap_blocks_add(struct cap_blocks *b, uint64_t block);
/* True when it was there. */
bool cap_blocks_remove(struct cap_blocks *b, uint64_t block);
void cap_blocks_release(struct cap_blocks *b);

#endif
