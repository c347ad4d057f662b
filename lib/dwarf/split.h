/* SPDX-License-Identifier: MIT
 *
 * The file and the unit that a skeleton's functions are in, for who reads the units without the
 * fast engine.
 *
 * Both engines share this: it is the fast engine's own finding (fast/split.c, and for .dwp files
 * fast/split_index.c), and what it finds wrongly both find wrongly. So one engine says nothing of
 * it against the other. What checks it: the rows *-split-*, *-dwp-* and dwp-* of
 * tests/sh/matrix.sh, whose answers are llvm-symbolizer's, mostly for the same code in one piece.
 */
#ifndef TM_DWARF_SPLIT_H
#define TM_DWARF_SPLIT_H

#include "lib/dwarf/sections.h"

/* What the skeleton's DIE says. */
struct split_skeleton {
	uint8_t version, address_size;
	uint64_t dwo_id;
	const char *name, *dir;            /* "": not said */
	uint64_t addr_base, rnglists_base; /* UINT64_MAX: not said */
	uint64_t ranges_base;              /* DW_AT_GNU_ranges_base, or 0 */
};

struct split_part {
	bool there;
	const char *why; /* it is not there; as long as the finder */
	/* What it is made of, of the linked file as well; as long as the finder and the object. */
	struct object_section in[SECTION_COUNT];
	uint64_t offset; /* of the unit in SECTION_INFO */
	bool wide;       /* 64-bit DWARF */
	/* Of the unit, in its own file's sections or its skeleton's. rnglists_base: UINT64_MAX or what
	 * lies beyond any section: not said. addr_base: UINT64_MAX: not said. */
	uint64_t addr_base, rnglists_base, ranges_base;
};

struct split_finder;
/* o and the bytes of s are borrowed. */
struct split_finder *split_finder_new(struct object *o, const struct sections *s);
void split_finder_free(struct split_finder *f); /* accepts NULL */
void split_find(struct split_finder *f, const struct split_skeleton *skeleton,
		struct split_part *part);

#endif
