/* SPDX-License-Identifier: MIT
 *
 * The things that rows are about, described without the capture: the identity space that the runs
 * of a comparison share, whether they come from captures or from aggregates. A thing of a key is
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
#ifndef TM_AGGREGATE_THINGS_H
#define TM_AGGREGATE_THINGS_H

#include "lib/base/hash.h"
#include "lib/base/intern.h"
#include "lib/group/grouping.h"

struct aggregate_thing { /* texts are ids in things.strings, 0: none */
	uint32_t name;   /* for people; of a stack its site's */
	uint32_t raw, module, file, line;
	uint32_t node; /* STACK: its calls */
	union {
		uint64_t address; /* LOCATION; has_address */
		uint64_t hash;    /* STACK: the identity; 0: of what has no stack */
	};
	bool inside, has_address;
	bool folded; /* FUNCTION: as names.h says; no part of what it is */
};

struct thing_match {        /* what is left of a thing when builds differ */
	uint64_t canonical; /* of its name (matching.h); 0: none, as for what has no name */
	uint64_t bare;      /* the same of the bare name */
	bool is_bare;
	bool known; /* it was worked out */
};

struct things_node {               /* a call path; [0] is the root */
	uint32_t parent, function; /* function: a thing */
};

struct aggregate_things {
	struct intern *strings;
	struct intern own; /* what strings are, where they are not shared */
	struct things_key {
		enum key key;
		struct aggregate_thing *items;
		size_t n, cap;
		struct thing_match *matches; /* of what was renamed: things_match */
		size_t cap_matches;
		struct id_set set; /* of indexes + 1 */
	} keys[KEYS];
	struct things_node *nodes;
	size_t n_nodes, cap_nodes;
	struct id_set node_set;
};

/* strings: those of the names that the things are of, which are then not copied; it outlives t.
 * NULL: the things have their own. */
void things_init(struct aggregate_things *t, struct intern *strings);
void things_release(struct aggregate_things *t);
/* The strings become the things' own, and what they were shared with is left without any. */
void things_take_strings(struct aggregate_things *t);

uint32_t things_string(struct aggregate_things *t, const char *s, size_t n); /* 0 for n = 0 */
static inline const char *things_text(const struct aggregate_things *t, uint32_t string, size_t *n)
{
	return intern_text(t->strings, string, n);
}

/* The thing's index in its key, made when it is new. */
uint32_t things_add(struct aggregate_things *t, enum key key, const struct aggregate_thing *thing);
uint32_t things_node(struct aggregate_things *t, uint32_t parent, uint32_t function);

/* The hash of a stack that has one call more than the one with this hash: of a caller's to the callee's. It
 * starts at 0. */
uint64_t things_deeper(const struct aggregate_things *t, uint64_t hash, uint32_t function);

/* Worked out when it is asked for, since hardly any thing needs it. */
struct thing_match things_match(const struct aggregate_things *t, enum key key, uint32_t thing);
/* Another name for people: the match stays that of the first. */
void things_rename(struct aggregate_things *t, enum key key, uint32_t thing, uint32_t name);

/* By identity, as bytes; never 0 for two things. */
int things_order(const struct aggregate_things *t, enum key key, const struct aggregate_thing *a,
		 const struct aggregate_thing *b);

#endif
