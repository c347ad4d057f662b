/* SPDX-License-Identifier: MIT
 *
 * The debug sections that both engines read, as they lie in the file or decompressed. What only the reference
 * engine does with them, to help libdwarf along, is in reference/reference.h.
 */
#ifndef TM_DWARF_SECTIONS_H
#define TM_DWARF_SECTIONS_H

#include "lib/base/buf.h"
#include "lib/object/object.h"

enum section {
	SECTION_NULL, /* libdwarf takes section 0 for ELF's null section */
	SECTION_INFO,
	SECTION_ABBREV,
	SECTION_STR,
	SECTION_LINE,
	SECTION_LINE_STR,
	SECTION_STR_OFFSETS,
	SECTION_ADDR,
	SECTION_RANGES,
	SECTION_RNGLISTS,
	SECTION_COUNT,
};
extern const char *const section_names[SECTION_COUNT];

struct sections {
	struct object_section all[SECTION_COUNT];
	struct object_section alt_str; /* .debug_str of the supplementary file; size 0: none */
	struct buf complaint;          /* those that could not be read */
	bool big_endian;
	uint8_t address_size;
	/* The reference engine's: */
	const char *const *names; /* as libdwarf is shown them; NULL: section_names */
	bool part;                /* of a split unit */
	bool lists_wide;          /* of its table of range lists */
	uint64_t lists_base;      /* UINT64_MAX: the first of the section */
	uint8_t *abbrev;          /* sections_bury's longer copy of .debug_abbrev */
	uint64_t abbrev_size;
};

/* Reads and decompresses the sections, on this many threads; forked workers share them. */
void sections_preload(struct object *o, unsigned jobs);
/* Fails when .debug_info or .debug_abbrev cannot be read; another one is only complained about. */
enum status sections_load(struct sections *s, struct object *o, struct err *e);
/* The lowest address of code. At 0, and at 1 in .debug_ranges, is what linkers have discarded, unless a segment really has code
 * at 0 and not the file's header. In WebAssembly the number of functions is at 0. */
uint64_t sections_first_code(const struct object *o);

#endif
