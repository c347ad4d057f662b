/* SPDX-License-Identifier: MIT
 *
 * The entities that rows are about, described without the capture: the identity space that the runs
 * of a comparison share, whether they come from captures or from aggregates. An entity of a key is
 * found by an identity that means the same in every build:
 *
 *	type, thread, owner, module   the name
 *	file                          the path
 *	function                      raw name (names.h: with the file, where it is not unique) and
 *	                              module
 *	site                          raw name, module, file, line, and whether it is inside the
 *	                              runtime
 *	location                      raw name, module, address in it, file, line
 *	stack                         a 64-bit hash over the functions of its calls, outermost
 *	                              first: lines and addresses do not make another stack
 *
 * Which of them are one in two builds, identity.h says.
 */
#ifndef TM_PROFILE_ENTITIES_H
#define TM_PROFILE_ENTITIES_H

#include "lib/base/hash.h"
#include "lib/base/intern.h"
#include "lib/profile/key.h"
#include "lib/profile/stacks.h"

struct profile_entity { /* texts are ids in entities.strings, 0: none */
	uint32_t name;  /* for people; of a stack its site's */
	uint32_t raw, module, file, line;
	uint32_t node; /* STACK: its calls, of entities.stacks */
	union {
		uint64_t address; /* LOCATION; has_address */
		uint64_t hash;    /* STACK: the identity; 0: of what has no stack */
	};
	bool inside, has_address;
	bool folded; /* FUNCTION: as names.h says; no part of what it is */
};

struct entity_match {       /* what is left of an entity when builds differ */
	uint64_t canonical; /* of its name (matching.h); 0: none, as for what has no name */
	uint64_t bare;      /* the same of the bare name */
	bool is_bare;
	bool known; /* it was worked out */
};

struct profile_entities {
	struct intern *strings;
	struct intern own; /* what strings are, where they are not shared */
	struct entities_key {
		enum key key;
		struct profile_entity *items;
		size_t n, cap;
		struct entity_match *matches; /* of what was renamed: entities_match */
		size_t cap_matches;
		struct id_set set; /* of indexes + 1 */
	} keys[KEYS];
	struct profile_stacks stacks; /* of functions: locations are entities */
};

/* strings: those of the names that the entities are of, which are then not copied; it outlives t.
 * NULL: the entities have their own. */
void entities_init(struct profile_entities *t, struct intern *strings);
void entities_release(struct profile_entities *t);
/* The strings become the entities' own, and what they were shared with is left without any. */
void entities_own_strings(struct profile_entities *t);

uint32_t entities_string(struct profile_entities *t, const char *s, size_t n); /* 0 for n = 0 */
static inline const char *entities_text(const struct profile_entities *t, uint32_t string,
					size_t *n)
{
	return intern_text(t->strings, string, n);
}

/* The entity's index in its key, made when it is new. */
uint32_t entities_add(struct profile_entities *t, enum key key,
		      const struct profile_entity *entity);

/* The hash of a stack that has one call more than the one with this hash: of a caller's to the callee's. It
 * starts at 0. */
uint64_t entity_push_call(const struct profile_entities *t, uint64_t hash, uint32_t function);

/* Worked out when it is asked for, since hardly any entity needs it. */
struct entity_match entities_match(const struct profile_entities *t, enum key key, uint32_t entity);
/* Another name for people: the match stays that of the first. */
void entities_rename(struct profile_entities *t, enum key key, uint32_t entity, uint32_t name);

/* By identity, as bytes; never 0 for two entities. */
int entities_order(const struct profile_entities *t, enum key key, const struct profile_entity *a,
		   const struct profile_entity *b);

#endif
