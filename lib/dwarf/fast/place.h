/* SPDX-License-Identifier: MIT
 *
 * The place of an address in a file's DWARF: its unit, and the functions and inlined calls around
 * it with their ranges. For people (--explain): answers come from engine.h, this only shows the
 * DIEs that they are made of.
 */
#ifndef TM_DWARF_FAST_PLACE_H
#define TM_DWARF_FAST_PLACE_H

#include "lib/base/err.h"
#include "lib/object/object.h"

struct dwarf_range {
	uint64_t lo, hi;
};

struct dwarf_scope {
	uint64_t die; /* offset in .debug_info */
	bool inlined;
	const struct dwarf_range *ranges; /* of all of it */
	size_t n_ranges;
};

struct dwarf_place {
	bool found;       /* a unit claims the address */
	uint64_t unit;    /* offset of its header in .debug_info */
	uint16_t version; /* of its DWARF */
	bool split;       /* its functions are in a .dwo or .dwp file */
	const char *part; /* that file; NULL: not found, and why_no_part says why */
	const char *why_no_part;
	const char *name, *comp_dir; /* DW_AT_name, DW_AT_comp_dir; NULL: not said */
	struct dwarf_range owned;    /* the range that holds the address, as the unit claims it */
	const struct dwarf_scope *scopes; /* innermost first */
	size_t n_scopes;
	size_t n_claims; /* units that claim it: this is the first */
};

struct dwarf_places;

/* NULL: there is nothing to show, *e says why ("" without DWARF). The object's sections must stay
 * (object_drop_sections) until dwarf_places_free. */
struct dwarf_places *dwarf_places_new(struct object *o, struct err *e);
void dwarf_places_free(struct dwarf_places *p); /* accepts NULL */
/* What is borrowed in *out lives until the next call. */
void dwarf_places_at(struct dwarf_places *p, uint64_t addr, struct dwarf_place *out);

/* The text that the unit at an address embeds of a source file, whose path is as answers have it, relative ones
 * where they are (DWARF 5 by clang -gembed-source); NULL: none. As long as the object's sections. */
const char *dwarf_places_source(struct dwarf_places *p, uint64_t addr, const char *path, size_t *n);

#endif
