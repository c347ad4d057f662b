/* SPDX-License-Identifier: MIT
 *
 * Location lists: an expression for each part of a variable's scope, which finds the variable there, in
 * .debug_loc (DWARF 2 to 4, section 2.6.2 of DWARF 4) or .debug_loclists (DWARF 5, section 7.29). Only the
 * expressions are given; those of parts that linkers have discarded, too, as LLVM does.
 */
#ifndef TM_DWARF_FAST_LOCATION_H
#define TM_DWARF_FAST_LOCATION_H

#include "lib/dwarf/fast/die.h"

struct fast_location_lists {
	struct fast_bytes loc, loclists;
};

/* Those of an object, borrowed from it; what cannot be read is not there. */
struct fast_location_lists fast_locations_of(struct object *o);

struct fast_location {
	struct rd r;
	const struct fast_unit *u;
	struct budget *budget;
	bool old; /* .debug_loc */
};

/* A walk over the list that is the location of a DIE. False: it has none, or one that lies nowhere. */
bool fast_location_begin(struct fast_location *l, const struct fast_location_lists *lists,
			 const struct die *d, struct budget *b);
/* The next expression. False: there are no more, or the list is broken. */
bool fast_location_next(struct fast_location *l, struct rd *expression);

#endif
