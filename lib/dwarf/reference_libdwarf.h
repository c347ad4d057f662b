/* SPDX-License-Identifier: MIT
 *
 * A thin layer over libdwarf, so that one file knows its types and versions. A DIE is libdwarf's
 * own; the caller that gets one frees it. Failures are ST_BAD with libdwarf's text, ST_LIMIT when
 * it is out of memory.
 */
#ifndef TM_DWARF_REFERENCE_LIBDWARF_H
#define TM_DWARF_REFERENCE_LIBDWARF_H

#include "lib/dwarf/reference.h"

struct Dwarf_Die_s;
struct handle;

enum { LIMIT_FILES = 1 << 20 }; /* of one unit's line table */

enum tag { /* DWARF 5, section 7.5.3 */
	   TAG_INLINED_SUBROUTINE = 0x1d,
	   TAG_SUBPROGRAM = 0x2e,
};

enum attribute { /* DWARF 5, section 7.5.4; the last ones are older GNU and MIPS ones */
		 ATTR_NAME = 0x03,
		 ATTR_STMT_LIST = 0x10,
		 ATTR_COMP_DIR = 0x1b,
		 ATTR_ABSTRACT_ORIGIN = 0x31,
		 ATTR_DECL_FILE = 0x3a,
		 ATTR_DECL_LINE = 0x3b,
		 ATTR_SPECIFICATION = 0x47,
		 ATTR_RANGES = 0x55,
		 ATTR_CALL_COLUMN = 0x57,
		 ATTR_CALL_FILE = 0x58,
		 ATTR_CALL_LINE = 0x59,
		 ATTR_LINKAGE_NAME = 0x6e,
		 ATTR_ADDR_BASE = 0x73,
		 ATTR_RNGLISTS_BASE = 0x74,
		 ATTR_DWO_NAME = 0x76,
		 ATTR_MIPS_LINKAGE_NAME = 0x2007,
		 ATTR_GNU_DWO_NAME = 0x2130,
		 ATTR_GNU_DWO_ID = 0x2131,
		 ATTR_GNU_RANGES_BASE = 0x2132,
		 ATTR_GNU_ADDR_BASE = 0x2133,
		 ATTR_GNU_DISCRIMINATOR = 0x2136,
};

/* s is borrowed until handle_close. */
enum status handle_open(struct handle **out, struct sections *s, struct err *e);
void handle_close(struct handle *h);
/* Header of the next unit of .debug_info: u's version, is_type and dwo_id, and the offset of the
 * one behind it. ST_NONE after the last. A failed one cannot be stepped over. */
enum status handle_next_unit(struct handle *h, struct unit *u, uint64_t *next, struct err *e);
/* The DIE of the unit that handle_next_unit gave last. */
enum status handle_root(struct handle *h, struct Dwarf_Die_s **die, struct err *e);
bool handle_die(struct handle *h, uint64_t offset, struct Dwarf_Die_s **die);

void die_free(struct Dwarf_Die_s *die); /* accepts NULL */
enum status die_tag(struct handle *h, struct Dwarf_Die_s *die, uint16_t *tag, uint64_t *offset,
		    struct err *e);
/* The first child, or the sibling; ST_NONE: none. Offsets must grow: a sibling reference
 * that leads back would never end. */
enum status die_step(struct handle *h, struct Dwarf_Die_s *die, bool to_child,
		     struct Dwarf_Die_s **next, struct err *e);

/* An attribute that is there but makes no sense is as good as none. */
bool die_has(struct handle *h, struct Dwarf_Die_s *die, enum attribute name);
bool die_low_pc(struct handle *h, struct Dwarf_Die_s *die, uint64_t *lo);
bool die_number(struct handle *h, struct Dwarf_Die_s *die, enum attribute name, uint32_t *v);
/* An unsigned number of up to 8 bytes. */
bool die_id(struct handle *h, struct Dwarf_Die_s *die, enum attribute name, uint64_t *v);
/* Another DIE, of this unit or of another one, with DIE_ALT when it is one of the supplementary
 * file; or an offset into another section. */
#define DIE_ALT (UINT64_C(1) << 63)
bool die_reference(struct handle *h, struct Dwarf_Die_s *die, enum attribute name, uint64_t *to);
/* NULL: not there. Lives as long as the handle. */
const char *die_text(struct handle *h, struct Dwarf_Die_s *die, enum attribute name);

/* Appends what DW_AT_ranges, or low_pc and high_pc, say; base is the unit's low_pc. *there: the
 * DIE says something about its addresses. */
enum status die_ranges(struct handle *h, uint16_t version, struct Dwarf_Die_s *die, uint64_t base,
		       struct unit_range **to, size_t *n, size_t *cap, bool *there, struct err *e);

typedef void line_file_fn(void *arg, uint32_t number, uint16_t version, uint64_t dir_index,
			  const char *dir, const char *name);
/* The unit DIE's line table: appends u's rows and calls add for each file. version is that of the
 * line table, unchanged if there is no table. */
enum status die_lines(struct handle *h, struct Dwarf_Die_s *die, struct unit *u, uint16_t *version,
		      line_file_fn *add, void *arg, struct err *e);

#endif
