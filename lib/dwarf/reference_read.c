/* SPDX-License-Identifier: MIT
 *
 * Units through libdwarf, turned into plain data: what they own, and their functions.
 */
#include "lib/base/mem.h"
#include "lib/dwarf/reference_libdwarf.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static int get_section(void *obj, access_index i, access_section *out, int *error)
{
	struct reader *r = obj;

	(void)error;
	if (i >= SECTION_COUNT)
		return DW_DLV_NO_ENTRY;
	*out = (access_section){0};
	out->MEMBER(as, name) = section_names[i];
	out->MEMBER(as, size) = r->sections.all[i].size;
	out->MEMBER(as, addr) = r->sections.all[i].addr;
	out->MEMBER(as, type) = i ? 1 : 0; /* SHT_PROGBITS */
	return DW_DLV_OK;
}

static int load_section(void *obj, access_index i, Dwarf_Small **data, int *error)
{
	struct reader *r = obj;

	(void)error;
	if (i >= SECTION_COUNT || !r->sections.all[i].size)
		return DW_DLV_NO_ENTRY;
	*data = (Dwarf_Small *)(uintptr_t)r->sections.all[i].data;
	return DW_DLV_OK;
}

static access_order get_byte_order(void *obj)
{
	return object_is_big_endian(((struct reader *)obj)->object) ? ORDER_BIG : ORDER_LITTLE;
}

static Dwarf_Small get_address_size(void *obj)
{
	return object_is_64(((struct reader *)obj)->object) ? 8 : 4;
}

static Dwarf_Unsigned get_section_count(void *obj)
{
	(void)obj;
	return SECTION_COUNT;
}

#ifdef DW_LIBDWARF_VERSION
static Dwarf_Unsigned get_file_size(void *obj)
{
	struct reader *r = obj;
	Dwarf_Unsigned n = 0;

	for (size_t i = 0; i < SECTION_COUNT; i++)
		n += r->sections.all[i].size;
	return n;
}
#endif

/* Address 0 is where linkers put discarded functions, unless a segment really has code there
 * and not the file's header. */
static bool has_code_at_zero(const struct object *o)
{
	size_t n;
	const struct object_segment *s = object_segments(o, &n);

	for (size_t i = 0; i < n; i++) {
		if (s[i].executable && !s[i].vaddr && s[i].offset && s[i].memsz)
			return true;
	}
	return false;
}

static enum status open_handle(struct reader *r, struct err *e)
{
	Dwarf_Error de = NULL;

	r->walked = 0;
	if (dwarf_object_init_b(&r->interface, NULL, NULL, DW_GROUPNUMBER_ANY, &r->dbg, &de) !=
	    DW_DLV_OK) {
		r->dbg = NULL;
		return reader_failed(r, de, e, "debug sections");
	}
	return ST_OK;
}

enum status reader_new(struct reader **out, struct object *o, struct intern *strings,
		       const uint64_t *buried, size_t n_buried, struct err *e)
{
	struct reader *r = mem_zalloc(sizeof *r);
	enum status st;

	*out = r;
	r->object = o;
	r->strings = strings;
	r->zero_is_code = has_code_at_zero(o);
	st = sections_load(&r->sections, o, e);
	if (st)
		return st;
	for (size_t i = 0; i < n_buried; i++)
		sections_bury(&r->sections, buried[i]);
	r->methods = (access_methods){
	    .MEMBER(om, get_section_info) = get_section,
	    .MEMBER(om, get_byte_order) = get_byte_order,
	    .MEMBER(om, get_length_size) = get_address_size,
	    .MEMBER(om, get_pointer_size) = get_address_size,
	    .MEMBER(om, get_section_count) = get_section_count,
	    .MEMBER(om, load_section) = load_section,
#ifdef DW_LIBDWARF_VERSION
	    .om_get_filesize = get_file_size,
#endif
	};
	r->interface.MEMBER(ai, object) = r;
	r->interface.MEMBER(ai, methods) = &r->methods;
	dwarf_set_de_alloc_flag(0); /* its bookkeeping of every allocation is half of the time */
	return open_handle(r, e);
}

const char *reader_complaint(struct reader *r)
{
	return buf_str(&r->sections.complaint);
}

static int next_header(struct reader *r, struct unit *u, uint64_t *next, Dwarf_Error *de)
{
	Dwarf_Unsigned length, type_offset, next_offset;
	Dwarf_Half version, address_size, length_size, extension, type;
	Dwarf_Off abbrev;
	Dwarf_Sig8 signature;
	int got = dwarf_next_cu_header_d(r->dbg, 1, &length, &version, &abbrev, &address_size,
					 &length_size, &extension, &signature, &type_offset,
					 &next_offset, &type, de);

	if (got == DW_DLV_OK) {
		u->version = version;
		u->is_type = type == DW_UT_type || type == DW_UT_split_type;
		*next = next_offset;
	}
	return got;
}

uint32_t reader_peek(const struct reader *r, uint64_t *offset)
{
	*offset = r->next_offset;
	return r->next_number;
}

enum status reader_next(struct reader *r, struct unit *u, struct err *e)
{
	Dwarf_Error de = NULL;
	uint64_t next = 0;
	int got = DW_DLV_OK;

	if (r->die)
		dwarf_dealloc_die(r->die);
	r->die = NULL;
	u->number = r->next_number;
	u->offset = r->next_offset;
	for (; got == DW_DLV_OK && r->walked <= r->next_number; r->walked++)
		got = next_header(r, u, &next, &de);
	if (got == DW_DLV_NO_ENTRY)
		return ST_NONE;
	if (got != DW_DLV_OK)
		return reader_failed(r, de, e, "unit header");
	if (next <= r->next_offset)
		return err_set(e, ST_BAD, "unit header: the next unit is not behind it");
	r->next_offset = next;
	r->next_number++;
	return ST_OK;
}

bool reader_bury(struct reader *r)
{
	struct err e = ERR_INIT;

	if (!sections_bury(&r->sections, r->next_offset))
		return false;
	OBJECT_FINISH(r->dbg);
	r->dbg = NULL;
	return open_handle(r, &e) == ST_OK;
}

static void add_range(const struct reader *r, struct unit_range **to, size_t *n, size_t *cap,
		      uint64_t lo, uint64_t hi)
{
	uint64_t last = object_is_64(r->object) ? UINT64_MAX : UINT32_MAX;

	/* linkers mark what they discarded by 0, 1 (in .debug_ranges), or the two highest addresses
	 */
	if (lo >= hi || lo >= last - 1 || (lo <= 1 && !r->zero_is_code))
		return;
	VEC_PUSH(*to, *n, *cap) = (struct unit_range){lo, hi};
}

/* .debug_ranges, DWARF 2-4 (section 2.17.3 of DWARF 4). */
static enum status old_ranges(struct reader *r, Dwarf_Die die, uint64_t offset, uint64_t base,
			      struct unit_range **to, size_t *n, size_t *cap, struct err *e)
{
	Dwarf_Ranges *list;
	Dwarf_Signed count;
	Dwarf_Unsigned bytes;
	Dwarf_Off real;
	Dwarf_Error de = NULL;
	int got = dwarf_get_ranges_b(r->dbg, offset, die, &real, &list, &count, &bytes, &de);

	if (got == DW_DLV_NO_ENTRY)
		return ST_OK;
	if (got != DW_DLV_OK)
		return reader_failed(r, de, e, "address ranges");
	for (Dwarf_Signed i = 0; i < count && list[i].dwr_type != DW_RANGES_END; i++) {
		if (list[i].dwr_type == DW_RANGES_ADDRESS_SELECTION)
			base = list[i].dwr_addr2;
		else if (list[i].dwr_addr1 < list[i].dwr_addr2)
			add_range(r, to, n, cap, base + list[i].dwr_addr1,
				  base + list[i].dwr_addr2);
	}
	RANGES_DEALLOC(r->dbg, list, count);
	return ST_OK;
}

/* .debug_rnglists, DWARF 5 (section 7.25). */
static enum status new_ranges(struct reader *r, Dwarf_Attribute attr, Dwarf_Half form,
			      uint64_t value, struct unit_range **to, size_t *n, size_t *cap,
			      struct err *e)
{
	Dwarf_Rnglists_Head head;
	Dwarf_Unsigned count, at, raw1, raw2, lo, hi;
	Dwarf_Error de = NULL;
	enum status st = ST_OK;
	int got = dwarf_rnglists_get_rle_head(attr, form, value, &head, &count, &at, &de);

	if (got == DW_DLV_NO_ENTRY)
		return ST_OK;
	if (got != DW_DLV_OK)
		return reader_failed(r, de, e, "address ranges");
	for (Dwarf_Unsigned i = 0; i < count; i++) {
		unsigned len, kind;
		Dwarf_Bool missing = 0;

		got = dwarf_get_rnglists_entry_fields_a(head, (unsigned)i, &len, &kind, &raw1,
							&raw2, &missing, &lo, &hi, &de);
		if (got != DW_DLV_OK) {
			st = reader_failed(r, got == DW_DLV_ERROR ? de : NULL, e, "address ranges");
			break;
		}
		if (kind == DW_RLE_end_of_list)
			break;
		if (kind != DW_RLE_base_address && kind != DW_RLE_base_addressx && !missing)
			add_range(r, to, n, cap, lo, hi);
	}
	dwarf_dealloc_rnglists_head(head);
	return st;
}

/* Of a unit, a subprogram or an inlined subroutine. *there: the DIE says something about its
 * addresses, though all of it may be dead. */
static enum status read_ranges(struct reader *r, const struct unit *u, Dwarf_Die die, uint64_t base,
			       struct unit_range **to, size_t *n, size_t *cap, bool *there,
			       struct err *e)
{
	Dwarf_Attribute attr;
	Dwarf_Error de = NULL;
	Dwarf_Half form;
	enum Dwarf_Form_Class class;
	Dwarf_Addr lo, hi;
	Dwarf_Unsigned value = 0;
	Dwarf_Off offset;
	enum status st;
	int got = dwarf_attr(die, DW_AT_ranges, &attr, &de);

	*there = false;
	if (got == DW_DLV_ERROR)
		return reader_failed(r, de, e, "DW_AT_ranges");
	if (got == DW_DLV_OK) {
		*there = true;
		got = dwarf_whatform(attr, &form, &de);
		if (got == DW_DLV_OK && form == DW_FORM_rnglistx)
			got = dwarf_formudata(attr, &value, &de);
		else if (got == DW_DLV_OK && (form == DW_FORM_data4 || form == DW_FORM_data8))
			got = dwarf_formudata(attr, &value, &de); /* DWARF 2 and 3 */
		else if (got == DW_DLV_OK &&
			 (got = dwarf_global_formref(attr, &offset, &de)) == DW_DLV_OK)
			value = offset;
		if (got != DW_DLV_OK)
			st = reader_failed(r, got == DW_DLV_ERROR ? de : NULL, e, "DW_AT_ranges");
		else if (u->version >= 5)
			st = new_ranges(r, attr, form, value, to, n, cap, e);
		else
			st = old_ranges(r, die, value, base, to, n, cap, e);
		dwarf_dealloc_attribute(attr);
		return st;
	}
	got = dwarf_lowpc(die, &lo, &de);
	if (got == DW_DLV_OK)
		got = dwarf_highpc_b(die, &hi, &form, &class, &de);
	if (got == DW_DLV_ERROR)
		return reader_failed(r, de, e, "low_pc, high_pc");
	if (got == DW_DLV_OK) {
		*there = true;
		if (class == DW_FORM_CLASS_CONSTANT)
			hi = hi > UINT64_MAX - lo ? UINT64_MAX : lo + hi;
		add_range(r, to, n, cap, lo, hi);
	}
	return ST_OK;
}

static uint64_t unit_base(struct reader *r)
{
	Dwarf_Error de = NULL;
	Dwarf_Addr base = 0;
	int got = dwarf_lowpc(r->die, &base, &de);

	if (got == DW_DLV_ERROR)
		dwarf_dealloc_error(r->dbg, de);
	return got == DW_DLV_OK ? base : 0;
}

static bool has(struct reader *r, Dwarf_Half attr)
{
	Dwarf_Error de = NULL;
	Dwarf_Bool there = 0;

	if (dwarf_hasattr(r->die, attr, &there, &de) == DW_DLV_ERROR)
		dwarf_dealloc_error(r->dbg, de);
	return there;
}

enum status reader_ranges(struct reader *r, struct unit *u, struct err *e)
{
	Dwarf_Error de = NULL;
	int got = dwarf_siblingof_b(r->dbg, NULL, 1, &r->die, &de);
	enum status st;

	u->n_ranges = 0;
	if (got != DW_DLV_OK) {
		r->die = NULL;
		return reader_failed(r, got == DW_DLV_ERROR ? de : NULL, e, "unit DIE");
	}
	u->split = has(r, DW_AT_dwo_name) || has(r, DW_AT_GNU_dwo_name);
	st = read_ranges(r, u, r->die, unit_base(r), &u->ranges, &u->n_ranges, &u->cap_ranges,
			 &u->ranged, e);
	/* DWARF 2 has no DW_AT_ranges: functions in other sections lie outside low_pc, high_pc */
	if (u->version < 3 && !has(r, DW_AT_ranges))
		u->ranged = false;
	return st;
}

/* Adds the scope that die is, if it is one. *scope: the enclosing one, replaced by the new. */
static enum status visit(struct reader *r, struct unit *u, Dwarf_Die die, uint64_t base,
			 uint32_t *scope, bool *dead, struct err *e)
{
	Dwarf_Error de = NULL;
	Dwarf_Half tag;
	Dwarf_Off offset;
	struct unit_scope s = {.first_range = (uint32_t)u->n_scope_ranges};
	enum status st;
	bool there;

	if (dwarf_tag(die, &tag, &de) != DW_DLV_OK)
		return reader_failed(r, de, e, "DIE");
	if (tag != DW_TAG_subprogram && tag != DW_TAG_inlined_subroutine)
		return ST_OK;
	if (dwarf_dieoffset(die, &offset, &de) != DW_DLV_OK)
		return reader_failed(r, de, e, "DIE");
	s.die = offset;
	s.inlined = tag == DW_TAG_inlined_subroutine;
	s.parent = s.inlined ? *scope : 0;
	if (u->n_scopes >= UINT32_MAX - 1 || u->n_scope_ranges >= UINT32_MAX / 2)
		return err_set(e, ST_LIMIT, "too many functions");
	st = read_ranges(r, u, die, base, &u->scope_ranges, &u->n_scope_ranges,
			 &u->cap_scope_ranges, &there, e);
	if (st)
		return st;
	/* what is inlined into a discarded function is dead whatever its addresses say */
	if (s.inlined && *dead)
		u->n_scope_ranges = s.first_range;
	s.n_ranges = (uint32_t)(u->n_scope_ranges - s.first_range);
	if (!s.inlined)
		*dead = there && !s.n_ranges;
	if (s.inlined && s.n_ranges) {
		s.has_file = attr_number(r, die, DW_AT_call_file, &s.file);
		attr_number(r, die, DW_AT_call_line, &s.line);
		attr_number(r, die, DW_AT_call_column, &s.column);
	}
	VEC_PUSH(u->scopes, u->n_scopes, u->cap_scopes) = s;
	*scope = (uint32_t)u->n_scopes;
	return ST_OK;
}

struct level {
	Dwarf_Die die;
	uint32_t scope; /* of its children */
	bool dead;
};

/* The DIE after *die in its list, which is freed. Offsets must grow: a sibling reference that
 * leads back would never end. */
static enum status step(struct reader *r, Dwarf_Die *die, bool to_child, Dwarf_Die *next,
			struct err *e)
{
	Dwarf_Error de = NULL;
	Dwarf_Off from, to;
	int got =
	    to_child ? dwarf_child(*die, next, &de) : dwarf_siblingof_b(r->dbg, *die, 1, next, &de);

	if (got == DW_DLV_NO_ENTRY)
		return ST_NONE;
	if (got != DW_DLV_OK)
		return reader_failed(r, de, e, "DIE");
	if (dwarf_dieoffset(*die, &from, &de) != DW_DLV_OK ||
	    dwarf_dieoffset(*next, &to, &de) != DW_DLV_OK)
		return reader_failed(r, de, e, "DIE");
	if (to <= from)
		return err_set(e, ST_BAD, "DIE at 0x%" PRIx64 ": the next one is not behind it",
			       (uint64_t)from);
	return ST_OK;
}

enum status reader_scopes(struct reader *r, struct unit *u, struct err *e)
{
	struct level *stack = NULL;
	size_t depth = 0, cap = 0;
	uint64_t base = unit_base(r);
	Dwarf_Die die, next;
	enum status st;

	u->n_scopes = u->n_scope_ranges = 0;
	st = step(r, &r->die, true, &die, e);
	if (st == ST_NONE)
		return ST_OK;
	while (!st) {
		struct level at = {.die = die};

		if (depth) {
			at.scope = stack[depth - 1].scope;
			at.dead = stack[depth - 1].dead;
		}
		st = visit(r, u, die, base, &at.scope, &at.dead, e);
		if (st)
			break;
		st = step(r, &die, true, &next, e);
		if (st == ST_OK && depth == LIMIT_DEPTH)
			st = err_set(e, ST_LIMIT, "DIEs nested deeper than %d", LIMIT_DEPTH);
		if (st == ST_OK) {
			VEC_PUSH(stack, depth, cap) = at;
			die = next;
			continue;
		}
		while (st == ST_NONE) {
			st = step(r, &die, false, &next, e);
			dwarf_dealloc_die(die);
			if (st == ST_OK)
				die = next;
			else if (st == ST_NONE && depth)
				die = stack[--depth].die;
			else
				break;
		}
		if (st == ST_NONE)
			break;
	}
	free(stack);
	return st == ST_NONE ? ST_OK : st;
}
