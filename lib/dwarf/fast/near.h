/* SPDX-License-Identifier: MIT
 *
 * A worker's copy of a piece of a mapped section, such as a unit or a line table. The memory is used again for
 * the next piece. To find and map a page costs the system more than to copy it, and the copy is in the
 * processor's cache when it is walked. Sections that are in memory already are read where they are.
 */
#ifndef TM_DWARF_FAST_NEAR_H
#define TM_DWARF_FAST_NEAR_H

#include "lib/dwarf/fast/unit.h"

/* Zeroed is empty. */
struct fast_near {
	uint8_t *p; /* the bytes of [from, from + n) of the section of f */
	size_t n, cap;
	uint64_t from;
	const struct fast_file *f;
};

/* At least n bytes at from, which lie in the section, are at ->p; what was there is gone, unless it
 * is the beginning of them. False: the section is in memory already, or they are too many. */
bool fast_near_bring(struct fast_near *x, const struct fast_file *f, enum fast_section s,
		     uint64_t from, uint64_t n);
void fast_near_release(struct fast_near *x);

#endif
