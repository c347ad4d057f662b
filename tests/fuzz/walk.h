/* SPDX-License-Identifier: MIT
 *
 * Walks over stacks of any bytes by what a file says, each step of which must go up.
 */
#ifndef TM_TESTS_FUZZ_WALK_H
#define TM_TESTS_FUZZ_WALK_H

#include "lib/object/walk.h"

#include <stdlib.h>

enum { WALK_TOP = 1 << 16, WALK_PLACES = 64, WALK_DEEPEST = 64 };

static inline bool any_word(void *arg, uint64_t address, uint64_t *v)
{
	const uint64_t *base = arg;

	*v = *base + (address * UINT64_C(0x9e3779b97f4a7c15) >> 48);
	return address < WALK_TOP;
}

/* From any place of code that is first bytes behind base. */
static inline void walk_from(const struct object *o, uint8_t processor, uint64_t base,
			     uint64_t first)
{
	const struct frame_memory memory = {any_word, &base};

	for (uint64_t at = 0; at < WALK_PLACES; at++) {
		struct frame_state s = {
		    .processor = processor, .known = UINT32_MAX, .pc = base + first + at * 3};

		for (unsigned i = 0; i < FRAME_REGISTERS; i++)
			s.r[i] = 0x100 + 8 * i;
		for (unsigned n = 0; n < WALK_DEEPEST; n++) {
			const struct frame_state was = s;
			const unsigned sp = frame_sp(&s);

			if (!object_walk(o, base, &memory, &s))
				break;
			if (s.r[sp] < was.r[sp] || (s.r[sp] == was.r[sp] && n) || !s.is_caller)
				abort();
		}
	}
}

#endif
