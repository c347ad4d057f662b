/* SPDX-License-Identifier: MIT
 *
 * A grouping: the things of one key, found by their identity, the same for all captures and runs
 * of a profile. It has no sums: those are in a struct profile, by the group's index.
 */
#ifndef TM_GROUP_GROUPING_H
#define TM_GROUP_GROUPING_H

#include "lib/profile/key.h"

#include <stddef.h>

struct grouping_key {
	enum key by;
	/* 0, or the number + 1 of an earlier grouping: groups are then of (its group, this key),
	 * for instance the stacks within each type. */
	unsigned within;
	unsigned sums;  /* SUM_BITs of what its groups keep of records; 0: all */
	bool spare;     /* stacks: calls need not have their paths for its sake */
	bool by_script; /* sites, within nothing: apart by the place of the script that led there */
};

/* There are totals only by a key alone. */
static inline bool grouping_has_total(const struct grouping_key *k)
{
	return key_has_total(k->by) && !k->within;
}

/* What a group's id is, by its key:
 *
 * SITE      the place, in project.sites; site is a call at it
 * FUNCTION  function id (names.h)
 * LOCATION  location id (names.h)
 * STACK     stack id of the profile
 * TYPE      string id in grouped_profile.texts; so THREAD and OWNER
 * FILE      string id in names.strings: the site's file; so MODULE
 * FRAME     a row of project.frame_rows
 */
struct group_row {
	uint32_t id;
	/* within: the group of the earlier grouping; by_script: the place of the innermost call of a
	 * script, in project.sites, 0: there is none, or the site is of the script itself */
	uint32_t outer;
	uint32_t site : 31;  /* stack and site: the call; 0: none */
	uint32_t inside : 1; /* the site is allocator or runtime code, as is the whole stack */
};

struct grouping {
	struct grouping_key key;
	struct group_row *groups;
	size_t n, cap;
	struct grouping_index *index; /* by id; grouping.c */
};

void grouping_init(struct grouping *g, struct grouping_key key);
void grouping_release(struct grouping *g); /* accepts a zeroed struct */
/* The group of a thing, made when it is new. */
uint32_t grouping_group(struct grouping *g, uint32_t outer, uint32_t id, uint32_t site,
			bool inside);

#endif
