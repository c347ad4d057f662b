/* SPDX-License-Identifier: MIT
 *
 * The user's maps of functions that have another name in later builds (identity.h). A function is meant by its name
 * for people or by its linkage name; without parameters, all that differ by these alone are, each with the one of the
 * same parameters.
 */
#ifndef TM_PROFILE_NAME_MAPS_H
#define TM_PROFILE_NAME_MAPS_H

#include "lib/profile/identity.h"

/* True: this name for people is `asked`, with or without its parameters; *rest: what is behind it. */
bool name_maps_is(const char *name, const char *asked, const char **rest);
/* The same of an entity, whose linkage name may be asked for, too: then *rest is "". */
bool name_maps_entity_is(const struct profile_entities *t, const struct profile_entity *of,
			 const char *asked, const char **rest);

struct name_maps {
	const struct profile_entities *t;
	const struct identity_map *maps;
	size_t n;
	struct name_maps_entity {  /* by entity; map: its index + 1, 0: none is about it */
		uint32_t map, now; /* now: a function or a site, whose name it has later */
		enum key key;
	} * of[KEYS]; /* of functions, sites and locations */
};

void name_maps_init(struct name_maps *r, const struct profile_entities *t,
		    const struct identity_map *maps, size_t n);
void name_maps_release(struct name_maps *r);

#endif
