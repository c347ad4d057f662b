/* SPDX-License-Identifier: MIT
 *
 * The source lines of a build's entities whose names no compiler numbers. They are anchors: where two builds have
 * an entity of such a name, and its lines have all moved alike, they say how far the lines around it have moved
 * (matching.h).
 */
#ifndef TM_PROFILE_PLACES_H
#define TM_PROFILE_PLACES_H

#include "lib/profile/matching.h"

/* A line of a site, or the first or the last one of a function. A function's sites have its name + 1. */
struct placed {
	uint64_t name;
	uint32_t file, line;
	float each;      /* bytes of a block; 0: not known */
	bool first_only; /* of a function's lines this is all that is known */
	bool unique;     /* no other has the name, whatever its file; its line may be 0 */
};
struct places { /* zeroed is empty */
	struct placed *items;
	size_t n, cap;
	/* Sites of names that compilers number: what they allocate says whether they moved with the function around. */
	struct placed *numbered;
	size_t n_numbered, cap_numbered;
};

/* Of a raw name without its file; "" where it has none. The file's folder is no part of it. */
uint64_t placed_name(const char *raw, size_t n, const char *file, uint32_t module);
void places_add(struct places *p, struct placed placed); /* without a place: nothing */
void places_add_numbered(struct places *p, struct placed placed);
void places_sort(struct places *p); /* before they are compared */
void places_compare(const struct places *was, const struct places *now, struct matching_lines *to);
void places_release(struct places *p);

#endif
