/* SPDX-License-Identifier: MIT
 *
 * The matching of entities across builds: entities that are the same in several builds share a row. A row has at
 * most one entity of a build, or the clones of one function.
 *
 * First the builds' modules are found among each other: of one build-id; as the caller says; of one name; else, as a
 * guess, where most functions have the same linkage names. Then functions are found, and stacks by their functions;
 * all other entities by matching.h. Lines are followed in files whose sources are there in both builds. Builds come in
 * the order given: an entity that a build does not have is matched with its last appearance.
 */
#ifndef TM_PROFILE_IDENTITY_H
#define TM_PROFILE_IDENTITY_H

#include "lib/base/arena.h"
#include "lib/profile/matching.h"
#include "lib/profile/profile.h"

struct identity_build { /* runs of one build; borrowed */
	const struct profile **runs;
	size_t n;
	const char *source; /* the folder of its sources; NULL: not known */
};

struct identity_map { /* what is called this in a build, and was that in those before it */
	const char *was, *now;
};

/* "OLD=NEW"; in the names of operators of C++ = does not count. False: there is no map in it. */
bool identity_map_parse(const char *s, bool function, struct arena *texts, struct identity_map *to);

struct identity_options {                   /* zeroed asks for nothing */
	const struct identity_map *modules; /* by base names */
	size_t n_modules;
	const struct identity_map *functions; /* name_maps.h */
	size_t n_functions;
	const char *base_source, *new_source; /* folders; NULL: not known */
};

struct identity_rows {
	struct identity_row {
		uint32_t first, n; /* in members */
		bool guess;        /* more than names says that these are one */
	} * rows;
	size_t n, cap;
	struct identity_member { /* by row, then by build */
		uint32_t entity, build, row;
	} * members;
	size_t n_members, cap_members;
};

/* By bit, the keys that runs have to be folded by, besides these, so that lines can be followed. */
unsigned identity_keys(unsigned keys);
void identity_rows_init(struct identity_rows *r, const struct profile_entities *t, enum key key,
			const struct identity_build *builds, size_t n,
			const struct identity_options *o);
void identity_rows_release(struct identity_rows *r);

#endif
