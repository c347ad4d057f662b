/* SPDX-License-Identifier: MIT
 *
 * The reader of single DIEs, with the attributes of variables, for questions that are asked seldom. Those that
 * are asked by the hundred thousand have scope.h.
 */
#ifndef TM_DWARF_FAST_DIE_H
#define TM_DWARF_FAST_DIE_H

#include "lib/dwarf/budget.h"
#include "lib/dwarf/fast/unit.h"

enum { DIE_HOPS = 16 }; /* along origins, specifications and types: ends a cycle */

/* The attributes of a DIE that are read here; form 0: not there. */
enum {
	DIE_NAME,
	DIE_LOCATION,
	DIE_TYPE,
	DIE_ORIGIN,
	DIE_SPECIFICATION,
	DIE_DECL_FILE,
	DIE_DECL_LINE,
	DIE_SIZE,
	DIE_COUNT,
	DIE_UPPER,
	DIE_LOWER,
	DIE_BASE,
	DIE_LOW,
	DIE_HIGH,
	DIE_RANGES,
	DIE_TAG,
	DIE_LOCLISTS, /* of a unit */
	DIE_FACTS
};

struct die {
	struct fast_file *f;
	const struct fast_unit *u;
	uint16_t tag;
	uint8_t kind;
	bool children;
	uint64_t at, behind; /* behind: its attributes */
	uint64_t sibling;    /* 0: not said */
	struct fast_value facts[DIE_FACTS];
};

/* The DIE at d->at of d->u. False: none, or it is broken. What ends the children of a DIE
 * has tag 0. Facts are read of variables, or of all. */
bool die_read(struct die *d, bool all);
/* The DIE that a fact refers to; to may be from. False: none. */
bool die_refer(const struct die *from, int fact, struct die *to);
bool die_constant(const struct fast_value *v, uint64_t *n);
/* Bytes of a type; false: it does not say. hops: 0. */
bool die_type_size(struct budget *b, struct die t, unsigned hops, uint64_t *size);

/* A walk over the DIEs of a unit, or inside one of them. */
struct die_walk {
	struct budget *budget;
	struct die d;
	uint64_t next;
	uint32_t depth; /* of d */
	uint32_t inside;
};

/* The next DIE, into w->d. False: there are no more. */
bool die_advance(struct die_walk *w, bool all);
/* Past the children of the present DIE. */
bool die_skip_children(struct die_walk *w);

#endif
