/* SPDX-License-Identifier: MIT
 *
 * The other half of a unit in split DWARF (DWARF 5, section 3.1.2, and GNU's form of it in DWARF 4). A skeleton
 * unit has addresses, lines and the name of a .dwo file, where its functions are. This reads that file, or the
 * .dwp file that it was packed into (object/companion.c knows the places of both), and finds the unit there;
 * dwo_id must agree.
 *
 * What the unit takes from the linked file is put next to its own sections: .debug_addr and, before
 * DWARF 5, .debug_ranges. GCC 11 and its like do so with the range lists of DWARF 5, too: a unit
 * without .debug_rnglists.dwo has the lists of its skeleton's DW_AT_rnglists_base. Line tables and
 * the numbers of files are the skeleton's.
 */
#ifndef TM_DWARF_FAST_SPLIT_H
#define TM_DWARF_FAST_SPLIT_H

#include "lib/dwarf/budget.h"
#include "lib/dwarf/fast/unit.h"

struct fast_part {
	struct fast_file *file; /* its sections; NULL: not found */
	struct fast_unit unit;
	const char *path; /* of the file that it is in */
	const char *why;  /* not found; what to say of it */
	bool refused;     /* a file was there, and was unusable */
};

struct fast_splits;
struct fast_splits *fast_splits_new(struct object *o);
void fast_splits_free(struct fast_splits *s); /* accepts NULL */
/* The part of u, a unit with split set, whose DIE has been read; never NULL. Any thread, as long
 * as no two ask for one unit. */
const struct fast_part *fast_part_of(const struct fast_file *f, struct fast_unit *u,
				     struct budget *b);
/* A part was looked for. */
bool fast_splits_used(const struct fast_splits *s);
/* ST_BAD when one of the files has lost bytes since. */
enum status fast_splits_intact(const struct fast_splits *s, struct err *e);

#endif
