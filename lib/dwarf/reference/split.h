/* SPDX-License-Identifier: MIT
 *
 * The split part of a skeleton unit, found and read by libdwarf: the .dwo file with the skeleton's
 * dwo_id, or the unit's sections in a .dwp file by libdwarf's reading of .debug_cu_index (DWARF 5,
 * sections 3.1.2 and 7.3.5; GNU's form of both in DWARF 4). Paths are searched by
 * lib/object/companion.h; this decides which file is the right one, without the fast engine, which
 * it checks.
 *
 * libdwarf is shown a part as a plain file: its own sections, from where the unit's are, and the
 * linked file's .debug_addr and .debug_ranges. GCC before 12 leaves range lists of DWARF 5 in the
 * linked file, too.
 */
#ifndef TM_DWARF_REFERENCE_SPLIT_H
#define TM_DWARF_REFERENCE_SPLIT_H

#include "lib/dwarf/reference/libdwarf.h"

/* What the skeleton says. */
struct reference_skeleton {
	uint16_t version;
	uint64_t dwo_id;
	const char *name, *dir;                         /* "": not said */
	uint64_t addr_base, rnglists_base, ranges_base; /* UINT64_MAX: not said */
};

/* The part found last; all of it lives until the next search. */
struct reference_part {
	struct handle *handle; /* NULL: not found */
	struct Dwarf_Die_s *root;
	uint64_t offset, end; /* of the unit, in the part's own .debug_info */
	const char *why;      /* not found; NULL else */
};

struct reference_splits;
/* o and main are borrowed. */
struct reference_splits *reference_splits_new(struct object *o, const struct sections *main);
void reference_splits_free(struct reference_splits *s); /* accepts NULL */
/* ST_BAD: libdwarf cannot read what there is, so that nothing is known of the part. */
enum status reference_split_find(struct reference_splits *s,
				 const struct reference_skeleton *skeleton,
				 struct reference_part *part, struct err *e);

#endif
