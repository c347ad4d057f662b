/* SPDX-License-Identifier: MIT
 *
 * One unit of DWARF through libdwarf, turned into plain data. The only includer of libdwarf's
 * headers: differences between Debian 12's 20210528 and the numbered releases (0.x, 2.x) end
 * here.
 */
#include "lib/base/mem.h"
#include "lib/dwarf/reference.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
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
#endif

enum {
	LIMIT_HOPS = 16,       /* along abstract origins and specifications */
	LIMIT_FILES = 1 << 20, /* of one unit */
};

static const char *const section_names[] = {
    "", /* libdwarf takes section 0 for ELF's null section */
    ".debug_info",
    ".debug_abbrev",
    ".debug_str",
    ".debug_line",
    ".debug_line_str",
    ".debug_str_offsets",
    ".debug_addr",
    ".debug_ranges",
    ".debug_rnglists",
};
enum { N_SECTIONS = sizeof section_names / sizeof *section_names, SECTION_LINE = 4 };

struct reader {
	struct object *object;
	struct intern *strings;
	struct object_section sections[N_SECTIONS];
	access_interface interface;
	access_methods methods;
	Dwarf_Debug dbg;
	Dwarf_Die die; /* of the unit */
	uint64_t next_offset;
	uint32_t next_number;
	bool zero_is_code;
	struct map64 names; /* DIE -> string id + 1 */
	struct buf complaint, path;
};

static int get_section(void *obj, access_index i, access_section *out, int *error)
{
	struct reader *r = obj;

	(void)error;
	if (i >= N_SECTIONS)
		return DW_DLV_NO_ENTRY;
	*out = (access_section){0};
	out->MEMBER(as, name) = section_names[i];
	out->MEMBER(as, size) = r->sections[i].size;
	out->MEMBER(as, addr) = r->sections[i].addr;
	out->MEMBER(as, type) = i ? 1 : 0; /* SHT_PROGBITS */
	return DW_DLV_OK;
}

static int load_section(void *obj, access_index i, Dwarf_Small **data, int *error)
{
	struct reader *r = obj;

	(void)error;
	if (i >= N_SECTIONS || !r->sections[i].size)
		return DW_DLV_NO_ENTRY;
	*data = (Dwarf_Small *)(uintptr_t)r->sections[i].data;
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
	return N_SECTIONS;
}

#ifdef DW_LIBDWARF_VERSION
static Dwarf_Unsigned get_file_size(void *obj)
{
	struct reader *r = obj;
	Dwarf_Unsigned n = 0;

	for (size_t i = 0; i < N_SECTIONS; i++)
		n += r->sections[i].size;
	return n;
}
#endif

/* Takes over de, which is NULL where libdwarf said that something is not there. */
static enum status failed(struct reader *r, Dwarf_Error de, struct err *e, const char *what)
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

void reader_preload(struct object *o)
{
	for (size_t i = 1; i < N_SECTIONS; i++) {
		struct object_section s;
		struct err e = ERR_INIT;

		(void)!object_section(o, section_names[i], &s,
				      &e); /* the worker will see it again */
	}
}

enum status reader_new(struct reader **out, struct object *o, struct intern *strings, struct err *e)
{
	struct reader *r = mem_zalloc(sizeof *r);
	Dwarf_Error de = NULL;
	enum status st;

	*out = r;
	r->object = o;
	r->strings = strings;
	r->zero_is_code = has_code_at_zero(o);
	for (size_t i = 1; i < N_SECTIONS; i++) {
		st = object_section(o, section_names[i], &r->sections[i], e);
		if (st == ST_OK)
			continue;
		r->sections[i] = (struct object_section){0};
		if (st == ST_NONE)
			continue;
		if (i <= 2) /* nothing works without units and abbreviations */
			return st;
		buf_addf(&r->complaint, "%s%s", r->complaint.len ? "; " : "", e->msg);
	}
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
	if (dwarf_object_init_b(&r->interface, NULL, NULL, DW_GROUPNUMBER_ANY, &r->dbg, &de) !=
	    DW_DLV_OK) {
		r->dbg = NULL;
		return failed(r, de, e, "debug sections");
	}
	return ST_OK;
}

const char *reader_complaint(const struct reader *r)
{
	return buf_str((struct buf *)(uintptr_t)&r->complaint);
}

enum status reader_next(struct reader *r, struct unit *u, struct err *e)
{
	Dwarf_Unsigned length, type_offset, next;
	Dwarf_Half version, address_size, length_size, extension, type;
	Dwarf_Off abbrev;
	Dwarf_Sig8 signature;
	Dwarf_Error de = NULL;
	int got;

	if (r->die)
		dwarf_dealloc_die(r->die);
	r->die = NULL;
	got = dwarf_next_cu_header_d(r->dbg, 1, &length, &version, &abbrev, &address_size,
				     &length_size, &extension, &signature, &type_offset, &next,
				     &type, &de);
	if (got == DW_DLV_NO_ENTRY)
		return ST_NONE;
	u->number = r->next_number;
	u->offset = r->next_offset;
	if (got != DW_DLV_OK)
		return failed(r, de, e, "unit header");
	if (next <= r->next_offset)
		return err_set(e, ST_BAD, "unit header: the next unit is not behind it");
	r->next_offset = next;
	r->next_number++;
	u->version = version;
	u->is_type = type == DW_UT_type || type == DW_UT_split_type;
	return ST_OK;
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
		return failed(r, de, e, "address ranges");
	for (Dwarf_Signed i = 0; i < count && list[i].dwr_type != DW_RANGES_END; i++) {
		if (list[i].dwr_type == DW_RANGES_ADDRESS_SELECTION)
			base = list[i].dwr_addr2;
		else if (list[i].dwr_addr1 < list[i].dwr_addr2)
			add_range(r, to, n, cap, base + list[i].dwr_addr1,
				  base + list[i].dwr_addr2);
	}
	dwarf_ranges_dealloc(r->dbg, list, count);
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
		return failed(r, de, e, "address ranges");
	for (Dwarf_Unsigned i = 0; i < count; i++) {
		unsigned len, kind;
		Dwarf_Bool missing = 0;

		got = dwarf_get_rnglists_entry_fields_a(head, (unsigned)i, &len, &kind, &raw1,
							&raw2, &missing, &lo, &hi, &de);
		if (got != DW_DLV_OK) {
			st = failed(r, got == DW_DLV_ERROR ? de : NULL, e, "address ranges");
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
		return failed(r, de, e, "DW_AT_ranges");
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
			st = failed(r, got == DW_DLV_ERROR ? de : NULL, e, "DW_AT_ranges");
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
		return failed(r, de, e, "low_pc, high_pc");
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
		return failed(r, got == DW_DLV_ERROR ? de : NULL, e, "unit DIE");
	}
	u->split = has(r, DW_AT_dwo_name) || has(r, DW_AT_GNU_dwo_name);
	st = read_ranges(r, u, r->die, unit_base(r), &u->ranges, &u->n_ranges, &u->cap_ranges,
			 &u->ranged, e);
	/* DWARF 2 has no DW_AT_ranges: functions in other sections lie outside low_pc, high_pc */
	if (u->version < 3 && !has(r, DW_AT_ranges))
		u->ranged = false;
	return st;
}

static bool number(struct reader *r, Dwarf_Die die, Dwarf_Half name, uint32_t *v)
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
		return failed(r, de, e, "DIE");
	if (tag != DW_TAG_subprogram && tag != DW_TAG_inlined_subroutine)
		return ST_OK;
	if (dwarf_dieoffset(die, &offset, &de) != DW_DLV_OK)
		return failed(r, de, e, "DIE");
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
		s.has_file = number(r, die, DW_AT_call_file, &s.file);
		number(r, die, DW_AT_call_line, &s.line);
		number(r, die, DW_AT_call_column, &s.column);
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
		return failed(r, de, e, "DIE");
	if (dwarf_dieoffset(*die, &from, &de) != DW_DLV_OK ||
	    dwarf_dieoffset(*next, &to, &de) != DW_DLV_OK)
		return failed(r, de, e, "DIE");
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

/* A reference to another DIE, of this unit or of another one; or an offset into another
 * section. */
static bool reference(struct reader *r, Dwarf_Die die, Dwarf_Half name, uint64_t *to)
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

static const char *comp_dir(struct reader *r)
{
	Dwarf_Attribute attr;
	Dwarf_Error de = NULL;
	char *text = NULL;
	int got = dwarf_attr(r->die, DW_AT_comp_dir, &attr, &de);

	if (got == DW_DLV_OK) {
		got = dwarf_formstring(attr, &text, &de);
		dwarf_dealloc_attribute(attr);
	}
	if (got == DW_DLV_ERROR)
		dwarf_dealloc_error(r->dbg, de);
	return got == DW_DLV_OK && text ? text : "";
}

static enum status read_files(struct reader *r, struct unit *u, Dwarf_Line_Context context,
			      uint16_t version, struct err *e)
{
	const char *base = comp_dir(r);
	Dwarf_Error de = NULL;
	Dwarf_Signed first, count, end;
	int got = dwarf_srclines_files_indexes(context, &first, &count, &end, &de);

	if (got != DW_DLV_OK)
		return failed(r, got == DW_DLV_ERROR ? de : NULL, e, "line table's files");
	if (first < 0 || end < first || end > LIMIT_FILES)
		return err_set(e, ST_LIMIT, "line table: %" PRId64 " files", (int64_t)count);
	for (Dwarf_Signed i = 0; i < end; i++) {
		const char *name = NULL, *dir = NULL;
		Dwarf_Unsigned dir_index = 0, mtime, length;
		Dwarf_Form_Data16 *md5;

		VEC_PUSH(u->files, u->n_files, u->cap_files) = 0;
		if (i < first)
			continue;
		got = dwarf_srclines_files_data_b(context, i, &name, &dir_index, &mtime, &length,
						  &md5, &de);
		if (got == DW_DLV_ERROR)
			return failed(r, de, e, "line table's files");
		if (got != DW_DLV_OK || !name)
			continue;
		/* DWARF 5 counts directories from 0; before it 0 is the compilation directory, in
		 * no table */
		if ((version >= 5 || dir_index) && dir_index < LIMIT_FILES) {
			got = dwarf_srclines_include_dir_data(context, (Dwarf_Signed)dir_index,
							      &dir, &de);
			if (got == DW_DLV_ERROR)
				dwarf_dealloc_error(r->dbg, de);
			if (got != DW_DLV_OK)
				dir = NULL;
		}
		r->path.len = 0;
		unit_join_path(&r->path, version, base, dir_index, dir ? dir : "", name);
		u->files[i] = intern_add(r->strings, buf_str(&r->path), r->path.len);
	}
	return ST_OK;
}

static enum status read_row(Dwarf_Line line, struct unit_row *row, Dwarf_Error *de)
{
	Dwarf_Addr addr;
	Dwarf_Unsigned file, number_, column;
	Dwarf_Bool end;

	if (dwarf_lineaddr(line, &addr, de) || dwarf_line_srcfileno(line, &file, de) ||
	    dwarf_lineno(line, &number_, de) || dwarf_lineoff_b(line, &column, de) ||
	    dwarf_lineendsequence(line, &end, de))
		return ST_BAD;
	*row = (struct unit_row){
	    .addr = addr,
	    .file = file < LIMIT_FILES ? (uint32_t)file : LIMIT_FILES,
	    .line = number_ <= UINT32_MAX ? (uint32_t)number_ : 0,
	    .column = column <= UINT32_MAX ? (uint32_t)column : 0,
	    .end = end,
	};
	return ST_OK;
}

static void fix_default_file(struct reader *r, struct unit *u)
{
	const struct object_section *s = &r->sections[SECTION_LINE];
	uint64_t at;

	if (reference(r, r->die, DW_AT_stmt_list, &at) && at < s->size)
		unit_fix_default_file(u, s->data + at, (size_t)(s->size - at),
				      object_is_big_endian(r->object));
}

enum status reader_rows(struct reader *r, struct unit *u, struct err *e)
{
	Dwarf_Line_Context context;
	Dwarf_Error de = NULL;
	Dwarf_Unsigned version;
	Dwarf_Small tables;
	Dwarf_Line *lines;
	Dwarf_Signed count;
	enum status st;
	int got = dwarf_srclines_b(r->die, &version, &tables, &context, &de);

	u->n_rows = u->n_files = 0;
	if (got == DW_DLV_NO_ENTRY)
		return ST_OK;
	if (got != DW_DLV_OK)
		return failed(r, de, e, "line table");
	st = read_files(r, u, context, (uint16_t)version, e);
	got = dwarf_srclines_from_linecontext(context, &lines, &count, &de);
	if (got == DW_DLV_ERROR && !st)
		st = failed(r, de, e, "line table");
	if (got != DW_DLV_OK || tables > 1) /* two-level tables: an experiment of 2014 */
		count = 0;
	for (Dwarf_Signed i = 0; i < count && !st; i++) {
		struct unit_row row;

		st = read_row(lines[i], &row, &de);
		if (st)
			failed(r, de, e, "line table");
		else
			VEC_PUSH(u->rows, u->n_rows, u->cap_rows) = row;
	}
	dwarf_srclines_dealloc_b(context);
	if (!st && version == 5)
		fix_default_file(r, u);
	if (st)
		u->n_rows = 0;
	return st;
}

static uint32_t string(struct reader *r, Dwarf_Die die, Dwarf_Half name)
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
	return got == DW_DLV_OK && text && *text ? intern_add(r->strings, text, strlen(text)) : 0;
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
		linkage = string(r, die, DW_AT_linkage_name);
		if (!linkage)
			linkage = string(r, die, DW_AT_MIPS_linkage_name);
		if (!name)
			name = string(r, die, DW_AT_name);
		if (reference(r, die, DW_AT_abstract_origin, &todo[n]))
			n++;
		if (reference(r, die, DW_AT_specification, &todo[n]))
			n++;
		dwarf_dealloc_die(die);
	}
	kept = map64_put(&r->names, start);
	*kept = (linkage ? linkage : name) + 1;
	return *kept - 1;
}
