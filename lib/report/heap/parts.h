/* SPDX-License-Identifier: MIT
 *
 * The input of a report on snapshots: one or two snapshots, with their paths and what each object
 * retains, and the objects that count.
 */
#ifndef TM_REPORT_HEAP_PARTS_H
#define TM_REPORT_HEAP_PARTS_H

#include "lib/report/heap/dominators.h"
#include "lib/report/heap/paths.h"
#include "lib/rules/owners.h"

struct heap_part {
	const struct heap *h;
	struct heap_paths paths;
	struct heap_dominators dominators; /* zeroed: not asked for */
	bool *counted;                     /* by object; NULL: all that are listed */
};

static inline bool heap_counts(const struct heap_part *p, uint32_t object)
{
	return p->h->flags[object] & HEAP_LISTED && (!p->counted || p->counted[object]);
}

void heap_part_init(struct heap_part *p, const struct heap_set *s, const struct heap *h,
		    bool dominators);
void heap_part_release(struct heap_part *p);

enum heap_key { HEAP_BY_TYPE, HEAP_BY_SITE, HEAP_BY_ROOT, HEAP_BY_OWNER };
extern const char *const heap_key_words[], *const heap_key_plurals[];
static inline const char *heap_key_counted(unsigned by, uint64_t n)
{
	return n == 1 ? heap_key_words[by] : heap_key_plurals[by];
}

/* Where an object was made: its stack's innermost call, or its name where it has no stack (Lua:
 * where it is defined). A text, 0: not known. */
static inline uint32_t heap_site(const struct heap *h, uint32_t object)
{
	return h->sites && h->sites[object] ? h->sites[object] : heap_name(h, object);
}

/* Answers of owners, by text. */
struct heap_owners {
	struct owners *owners;   /* the caller's */
	uint32_t *types, *sites; /* rule + 2, 0: not asked yet */
	size_t n;
};

void heap_owners_init(struct heap_owners *o, const struct heap_set *s, struct owners *owners);
void heap_owners_release(struct heap_owners *o);
/* The number of the rule, or OWNER_NONE. */
uint32_t heap_owner(struct heap_owners *o, const struct heap_set *s, const struct heap *h,
		    uint32_t object);

struct heap_group {
	uint64_t key; /* a text or an owner; 0: none */
	uint64_t count, sized, size, largest;
	uint64_t retained, retained_count; /* by the group together (report/heap/retained.h) */
};

struct heap_groups {
	const struct heap_set *s;
	struct owners *owners;
	enum heap_key by;
	struct heap_group *items;
	size_t n, cap;
	struct heap_group all;
	bool unknown_retained; /* it was too much to find out (report/heap/retained.h) */
	struct map64 index;    /* key + 1 -> place + 1 */
};

void heap_groups_init(struct heap_groups *g, const struct heap_set *s, enum heap_key by,
		      struct owners *owners);
void heap_groups_add(struct heap_groups *g, const struct heap_part *p);
void heap_groups_release(struct heap_groups *g);
/* The group with this key; NULL: none. */
const struct heap_group *heap_groups_find(const struct heap_groups *g, uint64_t key);
/* "[no type]" and so on for key 0. */
const char *heap_group_name(const struct heap_groups *g, uint64_t key, size_t *len);

#endif
