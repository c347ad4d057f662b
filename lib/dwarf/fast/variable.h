/* SPDX-License-Identifier: MIT
 *
 * Variables of a file's DWARF: the global at an address, and the locals of the function at one. For
 * what sanitizers ask of llvm-symbolizer (DATA, FRAME), and by its rules (LLVM 19,
 * DWARFUnit::updateVariableDieMap, DWARFContext::addLocalsForDie): a global is what DW_OP_addr(x),
 * with DW_OP_plus_uconst or not, leads to; its size is its type's, or 1. The locals are those of
 * the innermost function there, inlined or not, and of all that is inside it.
 *
 * In a location list the first expression that is an offset counts.
 *
 * Not read, as by LLVM: what is in .dwo files, and types in units of their own.
 */
#ifndef TM_DWARF_FAST_VARIABLE_H
#define TM_DWARF_FAST_VARIABLE_H

#include "lib/object/object.h"

struct dwarf_declaration {
	const char *file; /* joined as DWARF says; NULL: not known */
	uint32_t line;    /* 0: not known */
};

struct dwarf_local {
	const char *function, *name; /* DW_AT_name; NULL: it has none */
	struct dwarf_declaration declared;
	bool has_offset, has_size, has_tag;
	int64_t offset; /* from the frame's base */
	uint64_t size;  /* bytes */
	uint64_t tag;   /* DW_AT_LLVM_tag_offset: of memory tagging */
};

struct dwarf_variables;

/* NULL: there is no DWARF, or it cannot be read. The object's sections must stay
 * (object_drop_sections) until dwarf_variables_free. */
struct dwarf_variables *dwarf_variables_new(struct object *o);
void dwarf_variables_free(struct dwarf_variables *v); /* accepts NULL */
/* Where the variable that holds vaddr is declared; false: none. The first call reads all
 * units. Texts live as long as v. */
bool dwarf_global_at(struct dwarf_variables *v, uint64_t vaddr, struct dwarf_declaration *out);
/* The locals; the array lives until the next call. */
const struct dwarf_local *dwarf_locals_at(struct dwarf_variables *v, uint64_t vaddr, size_t *n);

#endif
