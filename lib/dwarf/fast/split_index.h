/* SPDX-License-Identifier: MIT
 *
 * The index of a .dwp file, which gives the places of a unit's parts in its sections:
 * .debug_cu_index, version 5 (DWARF 5, section 7.3.5) and GNU's version 2 of it for DWARF 4 (GCC
 * wiki, DebugFissionDWP).
 *
 *	version, which is u16 and padding in version 5; u32 columns, units, slots; slots times u64
 *	id; slots times u32 row, 0: none; u32 section of each column; units * columns times u32
 *	offset; the same of u32 size
 */
#ifndef TM_DWARF_FAST_SPLIT_INDEX_H
#define TM_DWARF_FAST_SPLIT_INDEX_H

#include "lib/base/err.h"
#include "lib/dwarf/fast/read.h"

enum split_section { /* of a .dwp or .dwo file */
		     SPLIT_INFO,
		     SPLIT_ABBREV,
		     SPLIT_STR_OFFSETS,
		     SPLIT_RNGLISTS,
		     SPLIT_STR, /* shared by all units of a .dwp file */
		     SPLIT_COUNT,
};
extern const char *const split_section_names[SPLIT_COUNT];

/* The parts of the unit with that dwo_id, cut out of all. *row: its number, 0: it is not there.
 * ST_BAD: what is wrong with the index, with its place. */
enum status split_index_find(struct fast_bytes index, bool big_endian, uint64_t id,
			     const struct fast_bytes all[SPLIT_COUNT],
			     struct fast_bytes part[SPLIT_COUNT], uint32_t *row, struct err *e);

#endif
