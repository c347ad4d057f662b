/* SPDX-License-Identifier: MIT
 *
 * Attributes through libdwarf, and the names of functions.
 */
#include "lib/dwarf/reference_libdwarf.h"

#include <string.h>

enum { LIMIT_HOPS = 16 }; /* along abstract origins and specifications */

enum status reader_failed(struct reader *r, Dwarf_Error de, struct err *e, const char *what)
{
	enum status st = ST_BAD;
	const char *text;

	if (!de)
		return err_set(e, ST_BAD, "%s: not there", what);
	if (dwarf_errno(de) == DW_DLE_ALLOC_FAIL)
		st = ST_LIMIT;
	text = dwarf_errmsg(de);
	text += strspn(text, "\n ");
	err_set(e, st, "%s: %.*s", what, (int)strcspn(text, "\n"), text);
	if (r->dbg)
		dwarf_dealloc_error(r->dbg, de);
	return st;
}

bool attr_number(struct reader *r, Dwarf_Die die, Dwarf_Half name, uint32_t *v)
{
	Dwarf_Attribute attr;
	Dwarf_Error de = NULL;
	Dwarf_Unsigned value = 0;
	Dwarf_Signed value_signed;
	int got = dwarf_attr(die, name, &attr, &de);

	*v = 0;
	if (got == DW_DLV_OK) {
		got = dwarf_formudata(attr, &value, &de);
		if (got == DW_DLV_ERROR) {
			dwarf_dealloc_error(r->dbg, de);
			got = dwarf_formsdata(attr, &value_signed, &de);
			value =
			    got == DW_DLV_OK && value_signed > 0 ? (Dwarf_Unsigned)value_signed : 0;
		}
		dwarf_dealloc_attribute(attr);
	}
	if (got == DW_DLV_ERROR)
		dwarf_dealloc_error(r->dbg, de);
	*v = value <= UINT32_MAX ? (uint32_t)value : 0;
	return got == DW_DLV_OK;
}

bool attr_offset(struct reader *r, Dwarf_Die die, Dwarf_Half name, uint64_t *to)
{
	Dwarf_Attribute attr;
	Dwarf_Error de = NULL;
	Dwarf_Off offset = 0;
	int got = dwarf_attr(die, name, &attr, &de);

	if (got == DW_DLV_OK) {
		got = dwarf_global_formref(attr, &offset, &de);
		dwarf_dealloc_attribute(attr);
	}
	if (got == DW_DLV_ERROR)
		dwarf_dealloc_error(r->dbg, de);
	*to = offset;
	return got == DW_DLV_OK;
}

const char *attr_text(struct reader *r, Dwarf_Die die, Dwarf_Half name)
{
	Dwarf_Attribute attr;
	Dwarf_Error de = NULL;
	char *text = NULL;
	int got = dwarf_attr(die, name, &attr, &de);

	if (got == DW_DLV_OK) {
		got = dwarf_formstring(attr, &text, &de);
		dwarf_dealloc_attribute(attr);
	}
	if (got == DW_DLV_ERROR)
		dwarf_dealloc_error(r->dbg, de);
	return got == DW_DLV_OK ? text : NULL;
}

static uint32_t name_of(struct reader *r, Dwarf_Die die, Dwarf_Half name)
{
	const char *text = attr_text(r, die, name);

	return text && *text ? intern_add(r->strings, text, strlen(text)) : 0;
}

uint32_t reader_function(struct reader *r, uint64_t start)
{
	uint64_t todo[2 * LIMIT_HOPS + 2] = {start};
	uint32_t name = 0, linkage = 0, *kept, known = map64_get(&r->names, start);
	size_t n = 1;

	if (known)
		return known - 1;
	/* LIMIT_HOPS ends a cycle of references */
	for (size_t hops = 0; n && hops < LIMIT_HOPS && !linkage; hops++) {
		Dwarf_Error de = NULL;
		Dwarf_Die die;
		int got = dwarf_offdie_b(r->dbg, todo[--n], 1, &die, &de);

		if (got == DW_DLV_ERROR)
			dwarf_dealloc_error(r->dbg, de);
		if (got != DW_DLV_OK)
			continue;
		linkage = name_of(r, die, DW_AT_linkage_name);
		if (!linkage)
			linkage = name_of(r, die, DW_AT_MIPS_linkage_name);
		if (!name)
			name = name_of(r, die, DW_AT_name);
		if (attr_offset(r, die, DW_AT_abstract_origin, &todo[n]))
			n++;
		if (attr_offset(r, die, DW_AT_specification, &todo[n]))
			n++;
		dwarf_dealloc_die(die);
	}
	kept = map64_put(&r->names, start);
	*kept = (linkage ? linkage : name) + 1;
	return *kept - 1;
}
