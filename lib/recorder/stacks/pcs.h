/* SPDX-License-Identifier: MIT
 *
 * The writer's map from return addresses to the ids of their locations. Memory from mmap.
 */
#ifndef TM_RECORDER_STACKS_PCS_H
#define TM_RECORDER_STACKS_PCS_H

#include <stdbool.h>
#include <stdint.h>

struct cap_pc {
	uint64_t pc;
	uint32_t id; /* 0: free */
	uint32_t unused;
};

struct cap_pcs {
	struct cap_pc *slots; /* NULL: empty */
	uint32_t mask, n;
};

/* The id of pc: a 0 that was put in is the caller's to set. NULL: no memory. */
uint32_t *cap_pcs_put(struct cap_pcs *p, uint64_t pc);
void cap_pcs_clear(struct cap_pcs *p);

#endif
