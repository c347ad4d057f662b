/* SPDX-License-Identifier: MIT
 *
 * Stacks, each kept once: its innermost location, and the stack of that one's callers. Callers have smaller ids; 0 is
 * the stack without any. What a location is, is the caller's: an address with its calls, a function, a text.
 */
#ifndef TM_PROFILE_STACKS_H
#define TM_PROFILE_STACKS_H

#include "lib/base/hash.h"

struct profile_stack {
	uint32_t parent, location;
};

struct profile_stacks {
	struct profile_stack *rows; /* [0] is {0, 0} */
	size_t n, cap;
	struct id_set set;
};

void stacks_init(struct profile_stacks *s);
/* The stack's id; it is the last one if it is new. */
uint32_t stacks_add(struct profile_stacks *s, uint32_t parent, uint32_t location);
/* Makes room for so many more. */
void stacks_reserve(struct profile_stacks *s, size_t n);
/* No stack is added any more: gives back what only that needs. */
void stacks_close(struct profile_stacks *s);
void stacks_release(struct profile_stacks *s); /* accepts a zeroed struct */

static inline uint64_t stacks_hash(uint32_t parent, uint32_t location)
{
	return hash_u64((uint64_t)parent << 32 | location);
}

/* Asks the memory for where stacks_add will look. */
static inline __attribute__((always_inline)) void stacks_prefetch(const struct profile_stacks *s,
								  uint32_t parent,
								  uint32_t location)
{
	id_set_prefetch(&s->set, stacks_hash(parent, location));
}

#endif
