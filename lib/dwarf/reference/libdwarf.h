/* SPDX-License-Identifier: MIT
 *
 * A thin layer over libdwarf, so that one file knows its types and versions. A DIE is libdwarf's
 * own; the caller that gets one frees it. Failures are ST_BAD with libdwarf's text, ST_LIMIT when
 * it is out of memory.
 */
#ifndef TM_DWARF_REFERENCE_LIBDWARF_H
#define TM_DWARF_REFERENCE_LIBDWARF_H

#include "lib/dwarf/constants.h"
#include "lib/dwarf/reference/reference.h"

struct Dwarf_Die_s;
struct handle;

enum { LIMIT_FILES = 1 << 20 }; /* of one unit's line table */

/* s is borrowed until handle_close. */
enum status handle_open(struct handle **out, struct sections *s, struct err *e);
void handle_close(struct handle *h);
/* Header of the next unit of .debug_info: u's version, is_type, wide and dwo_id, and the offset of the
 * one behind it. ST_NONE after the last. A failed one cannot be stepped over. */
enum status handle_next_unit(struct handle *h, struct reference_unit *u, uint64_t *next,
			     struct err *e);
/* The DIE of the unit that handle_next_unit gave last. */
enum status handle_root(struct handle *h, struct Dwarf_Die_s **die, struct err *e);
bool handle_die(struct handle *h, uint64_t offset, struct Dwarf_Die_s **die);

/* Of a package's index of units, .debug_cu_index: its version, 2 or 5; and the row of a unit, by the
 * numbers DW_SECT_* of the columns. ST_NONE: no unit has that dwo_id. ST_UNSUPPORTED: libdwarf does
 * not read such an index. */
enum { INDEX_COLUMNS = 12 };
struct handle_row {
	uint64_t offset[INDEX_COLUMNS], size[INDEX_COLUMNS];
};
enum status handle_index_version(struct handle *h, uint16_t *version, struct err *e);
enum status handle_index_find(struct handle *h, uint64_t dwo_id, struct handle_row *row,
			      struct err *e);

void die_free(struct Dwarf_Die_s *die); /* accepts NULL */
enum status die_tag(struct handle *h, struct Dwarf_Die_s *die, uint16_t *tag, uint64_t *offset,
		    struct err *e);
/* The first child, or the sibling; ST_NONE: none. Offsets must grow: a sibling reference
 * that leads back would never end. */
enum status die_step(struct handle *h, struct Dwarf_Die_s *die, bool to_child,
		     struct Dwarf_Die_s **next, struct err *e);

/* An attribute that is there but makes no sense is as good as none. */
bool die_has(struct handle *h, struct Dwarf_Die_s *die, uint16_t name);
bool die_low_pc(struct handle *h, struct Dwarf_Die_s *die, uint64_t *lo);
bool die_number(struct handle *h, struct Dwarf_Die_s *die, uint16_t name, uint32_t *v);
/* An unsigned number of up to 8 bytes. */
bool die_id(struct handle *h, struct Dwarf_Die_s *die, uint16_t name, uint64_t *v);
/* Another DIE, of this unit or of another one, with DIE_ALT when it is one of the supplementary
 * file; or an offset into another section. */
#define DIE_ALT (UINT64_C(1) << 63)
bool die_reference(struct handle *h, struct Dwarf_Die_s *die, uint16_t name, uint64_t *to);
/* NULL: not there. Lives as long as the handle. */
const char *die_text(struct handle *h, struct Dwarf_Die_s *die, uint16_t name);

/* Appends what DW_AT_ranges, or low_pc and high_pc, say; base is the unit's low_pc. *there: the
 * DIE says something about its addresses. */
enum status die_ranges(struct handle *h, uint16_t version, struct Dwarf_Die_s *die, uint64_t base,
		       struct unit_range **to, size_t *n, size_t *cap, bool *there, struct err *e);

typedef void line_file_fn(void *arg, uint32_t number, uint16_t version, uint64_t dir_index,
			  const char *dir, const char *name);
/* The unit DIE's line table: appends u's rows and calls add for each file. version is that of the
 * line table, unchanged if there is no table. */
enum status die_lines(struct handle *h, struct Dwarf_Die_s *die, struct reference_unit *u,
		      uint16_t *version, line_file_fn *add, void *arg, struct err *e);

#endif
