/* SPDX-License-Identifier: MIT
 *
 * The only includer of libdwarf's headers: the differences between Debian 12's 20210528 and the
 * numbered releases (0.x, 2.x) end here. For the reference_*.c that read units.
 */
#ifndef TM_DWARF_REFERENCE_LIBDWARF_H
#define TM_DWARF_REFERENCE_LIBDWARF_H

#include "lib/dwarf/reference.h"

#if __has_include(<libdwarf/libdwarf.h>)
#include <libdwarf/dwarf.h>
#include <libdwarf/libdwarf.h>
#else
#include <dwarf.h>
#include <libdwarf.h>
#endif

/* Numbered releases define their version; they prefixed every member of the access structs. */
#ifdef DW_LIBDWARF_VERSION
typedef Dwarf_Obj_Access_Interface_a access_interface;
typedef Dwarf_Obj_Access_Methods_a access_methods;
typedef Dwarf_Obj_Access_Section_a access_section;
typedef Dwarf_Small access_order;
typedef Dwarf_Unsigned access_index;
#define MEMBER(prefix, name) prefix##_##name
#define ORDER_BIG            DW_END_big
#define ORDER_LITTLE         DW_END_little
#define OBJECT_FINISH(d)     dwarf_object_finish(d)
#define RANGES_DEALLOC       dwarf_dealloc_ranges
#else
typedef Dwarf_Obj_Access_Interface access_interface;
typedef Dwarf_Obj_Access_Methods access_methods;
typedef Dwarf_Obj_Access_Section access_section;
typedef Dwarf_Endianness access_order;
typedef Dwarf_Half access_index;
#define MEMBER(prefix, name) name
#define ORDER_BIG            DW_OBJECT_MSB
#define ORDER_LITTLE         DW_OBJECT_LSB
#define OBJECT_FINISH(d)     dwarf_object_finish(d, NULL)
#define RANGES_DEALLOC       dwarf_ranges_dealloc
#endif

struct reader {
	struct object *object;
	struct intern *strings;
	struct sections sections;
	access_interface interface;
	access_methods methods;
	Dwarf_Debug dbg;
	Dwarf_Die die; /* of the unit */
	uint64_t next_offset;
	uint32_t next_number, walked; /* walked: of this handle, which may be a second one */
	bool zero_is_code;
	struct map64 names; /* DIE -> string id + 1 */
	struct buf path;
};

/* Takes over de, which is NULL where libdwarf said that something is not there. ST_BAD, or ST_LIMIT
 * when libdwarf is out of memory. */
enum status reader_failed(struct reader *r, Dwarf_Error de, struct err *e, const char *what);

/* Attributes of a DIE; one that is there but makes no sense is as good as none. */
bool attr_number(struct reader *r, Dwarf_Die die, Dwarf_Half name, uint32_t *v);
/* A reference to another DIE, of this unit or of another one; or an offset into another section. */
bool attr_offset(struct reader *r, Dwarf_Die die, Dwarf_Half name, uint64_t *to);
/* NULL: not there. Lives as long as the handle. */
const char *attr_text(struct reader *r, Dwarf_Die die, Dwarf_Half name);

#endif
