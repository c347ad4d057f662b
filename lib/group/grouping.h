/* SPDX-License-Identifier: MIT
 *
 * A grouping: the things of one key, found by their identity, the same for all captures and runs
 * of a profile. It has no sums: those are a run's (run.h), by the group's index.
 */
#ifndef TM_GROUP_GROUPING_H
#define TM_GROUP_GROUPING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a group's id is:
 *
 * SITE      the place, in project.sites; site is a call at it
 * FUNCTION  function id (names.h)
 * LOCATION  location id (names.h)
 * STACK     stack id of the profile
 * TYPE      string id in grouped_profile.texts; so THREAD and OWNER
 * FILE      string id in names.strings: the site's file; so MODULE
 * FRAME     a row of project.frame_rows
 */
enum key {
	KEY_SITE,
	KEY_FUNCTION,
	KEY_LOCATION,
	KEY_STACK,
	KEY_TYPE,
	KEY_FILE,
	KEY_MODULE,
	KEY_FRAME,
	KEY_THREAD,
	KEY_OWNER,
	KEYS
};

extern const char *const key_words[];   /* "site", ...; ends with NULL; in the order of enum key */
extern const char *const key_plurals[]; /* "sites" */
static inline const char *key_counted(enum key k, uint64_t n)
{
	return n == 1 ? key_words[k] : key_plurals[k];
}

/* By these there is a total in addition to the self: what lies in or below a thing, on the stacks.
 * The self of a function or location is what the innermost call allocates; of a file or module,
 * what the sites in it do. */
static inline bool key_has_total(enum key k)
{
	return k == KEY_FUNCTION || k == KEY_LOCATION || k == KEY_FILE || k == KEY_MODULE;
}

/* Of these a group is where the site is, not where the innermost call is. */
static inline bool key_is_of_site(enum key k)
{
	return k == KEY_SITE || k == KEY_FILE || k == KEY_MODULE;
}

struct grouping_key {
	enum key by;
	/* 0, or the number + 1 of an earlier grouping: groups are then of (its group, this key),
	 * for instance the stacks within each type. */
	unsigned within;
	unsigned sums; /* SUM_BITs of what its groups keep of records; 0: all */
	bool spare;    /* stacks: calls need not have their paths for its sake */
};

/* There are totals only by a key alone. */
static inline bool grouping_has_total(const struct grouping_key *k)
{
	return key_has_total(k->by) && !k->within;
}

struct group_row {
	uint32_t id;
	uint32_t outer;      /* within: the group of the earlier grouping */
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
