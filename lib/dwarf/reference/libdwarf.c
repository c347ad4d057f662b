/* SPDX-License-Identifier: MIT
 *
 * The only includer of libdwarf's functions: the differences between Debian 12's 20210528 and the
 * numbered releases (0.x, 2.x) end here.
 */
#include "lib/dwarf/reference/libdwarf.h"

#include "lib/base/bytes.h"
#include "lib/base/mem.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#if __has_include(<libdwarf/libdwarf.h>)
#include <libdwarf/libdwarf.h>
#else
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

struct handle {
	access_interface interface;
	access_methods methods;
	Dwarf_Debug dbg;
};

static const struct sections *sections_of(const struct handle *h)
{
	return h->interface.MEMBER(ai, object);
}

static int libdwarf_get_section(void *obj, access_index i, access_section *out, int *error)
{
	const struct sections *s = obj;

	(void)error;
	if (i >= SECTION_COUNT)
		return DW_DLV_NO_ENTRY;
	*out = (access_section){0};
	out->MEMBER(as, name) = s->names ? s->names[i] ? s->names[i] : "" : section_names[i];
	/* libdwarf 20210528 refuses a unit whose last attribute, without bytes of its own
	 * (DW_FORM_flag_present), ends the section. Behind the bytes is a NUL. */
	out->MEMBER(as, size) = s->all[i].size + (i == SECTION_INFO && s->all[i].size && !s->names);
	out->MEMBER(as, addr) = s->all[i].addr;
	out->MEMBER(as, type) = i ? 1 : 0; /* SHT_PROGBITS */
	return DW_DLV_OK;
}

static int libdwarf_load_section(void *obj, access_index i, Dwarf_Small **data, int *error)
{
	const struct sections *s = obj;

	(void)error;
	if (i >= SECTION_COUNT || !s->all[i].size)
		return DW_DLV_NO_ENTRY;
	*data = (Dwarf_Small *)(uintptr_t)s->all[i].data;
	return DW_DLV_OK;
}

static access_order libdwarf_get_byte_order(void *obj)
{
	return ((const struct sections *)obj)->big_endian ? ORDER_BIG : ORDER_LITTLE;
}

static Dwarf_Small libdwarf_get_address_size(void *obj)
{
	return ((const struct sections *)obj)->address_size;
}

static Dwarf_Unsigned libdwarf_get_section_count(void *obj)
{
	(void)obj;
	return SECTION_COUNT;
}

#ifdef DW_LIBDWARF_VERSION
static Dwarf_Unsigned libdwarf_get_file_size(void *obj)
{
	const struct sections *s = obj;
	Dwarf_Unsigned n = 0;

	for (size_t i = 0; i < SECTION_COUNT; i++)
		n += s->all[i].size;
	return n;
}
#endif

static enum status failed(struct handle *h, Dwarf_Error de, struct err *e, const char *what)
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
	if (h->dbg)
		dwarf_dealloc_error(h->dbg, de);
	return st;
}

enum status handle_open(struct handle **out, struct sections *s, struct err *e)
{
	struct handle *h = mem_zalloc(sizeof *h);
	Dwarf_Error de = NULL;
	enum status st;

	h->methods = (access_methods){
	    .MEMBER(om, get_section_info) = libdwarf_get_section,
	    .MEMBER(om, get_byte_order) = libdwarf_get_byte_order,
	    .MEMBER(om, get_length_size) = libdwarf_get_address_size,
	    .MEMBER(om, get_pointer_size) = libdwarf_get_address_size,
	    .MEMBER(om, get_section_count) = libdwarf_get_section_count,
	    .MEMBER(om, load_section) = libdwarf_load_section,
#ifdef DW_LIBDWARF_VERSION
	    .om_get_filesize = libdwarf_get_file_size,
#endif
	};
	h->interface.MEMBER(ai, object) = s;
	h->interface.MEMBER(ai, methods) = &h->methods;
	dwarf_set_de_alloc_flag(0); /* its bookkeeping of every allocation is half of the time */
	if (dwarf_object_init_b(&h->interface, NULL, NULL, DW_GROUPNUMBER_ANY, &h->dbg, &de) !=
	    DW_DLV_OK) {
		h->dbg = NULL;
		st = failed(h, de, e, "debug sections");
		free(h);
		return st;
	}
	*out = h;
	return ST_OK;
}

void handle_close(struct handle *h)
{
	OBJECT_FINISH(h->dbg);
	free(h);
}

enum status handle_next_unit(struct handle *h, struct reference_unit *u, uint64_t *next,
			     struct err *e)
{
	Dwarf_Unsigned length, type_offset, next_offset;
	Dwarf_Half version, address_size, length_size, extension, type;
	Dwarf_Off abbrev;
	Dwarf_Sig8 signature;
	Dwarf_Error de = NULL;
	int got = dwarf_next_cu_header_d(h->dbg, 1, &length, &version, &abbrev, &address_size,
					 &length_size, &extension, &signature, &type_offset,
					 &next_offset, &type, &de);

	if (got == DW_DLV_NO_ENTRY)
		return ST_NONE;
	if (got != DW_DLV_OK)
		return failed(h, de, e, "unit header");
	u->version = version;
	u->dwo_id = 0;
	if (type == DW_UT_skeleton || type == DW_UT_split_compile)
		u->dwo_id = bytes_number(signature.signature, 8, sections_of(h)->big_endian);
	u->is_type = type == DW_UT_type || type == DW_UT_split_type;
	u->wide = length_size == 8;
	*next = next_offset;
	return ST_OK;
}

enum status handle_root(struct handle *h, struct Dwarf_Die_s **die, struct err *e)
{
	Dwarf_Error de = NULL;
	int got = dwarf_siblingof_b(h->dbg, NULL, 1, die, &de);

	return got == DW_DLV_OK ? ST_OK : failed(h, got == DW_DLV_ERROR ? de : NULL, e, "unit DIE");
}

static enum status open_index(struct handle *h, Dwarf_Xu_Index_Header *header,
			      Dwarf_Unsigned *version, Dwarf_Unsigned *columns,
			      Dwarf_Unsigned *slots, struct err *e)
{
	Dwarf_Unsigned units;
	const char *name;
	Dwarf_Error de = NULL;
	int got = dwarf_get_xu_index_header(h->dbg, "cu", header, version, columns, &units, slots,
					    &name, &de);

	return got == DW_DLV_OK ? ST_OK
				: failed(h, got == DW_DLV_ERROR ? de : NULL, e, "index of units");
}

enum status handle_index_version(struct handle *h, uint16_t *version, struct err *e)
{
	Dwarf_Xu_Index_Header header;
	Dwarf_Unsigned number = 0, columns, slots;
	enum status st = open_index(h, &header, &number, &columns, &slots, e);

	if (st)
		return st;
	dwarf_xu_header_free(header);
	*version = (uint16_t)number;
	if (number == 2 || number == 5)
		return ST_OK;
	return err_set(e, ST_UNSUPPORTED, "index of units: version %" PRIu64, (uint64_t)number);
}

/* The row of the table, from 1; 0: no slot has the id. Every slot is looked at: libdwarf's own search
 * never ends in a table without a free slot. */
static int find_row(Dwarf_Xu_Index_Header header, Dwarf_Unsigned slots, const Dwarf_Sig8 *id,
		    Dwarf_Unsigned *row, Dwarf_Error *de)
{
	*row = 0;
	for (Dwarf_Unsigned i = 0; i < slots && !*row; i++) {
		Dwarf_Sig8 at;
		Dwarf_Unsigned to;
		int got = dwarf_get_xu_hash_entry(header, i, &at, &to, de);

		if (got != DW_DLV_OK)
			return got;
		if (to && !memcmp(&at, id, sizeof at))
			*row = to;
	}
	return DW_DLV_OK;
}

static int read_row(Dwarf_Xu_Index_Header header, Dwarf_Unsigned at, Dwarf_Unsigned columns,
		    struct handle_row *row, Dwarf_Error *de)
{
	int got = DW_DLV_OK;

	*row = (struct handle_row){.size = {0}};
	for (Dwarf_Unsigned i = 0; i < columns && got == DW_DLV_OK; i++) {
		Dwarf_Unsigned number, offset, size;
		const char *name;

		got = dwarf_get_xu_section_names(header, i, &number, &name, de);
		if (got == DW_DLV_NO_ENTRY) { /* a column that has no name */
			got = DW_DLV_OK;
			continue;
		}
		if (got == DW_DLV_OK)
			got = dwarf_get_xu_section_offset(header, at, i, &offset, &size, de);
		if (got == DW_DLV_OK && number < INDEX_COLUMNS) {
			row->offset[number] = offset;
			row->size[number] = size;
		}
	}
	return got;
}

enum status handle_index_find(struct handle *h, uint64_t dwo_id, struct handle_row *row,
			      struct err *e)
{
	Dwarf_Xu_Index_Header header;
	Dwarf_Unsigned version, columns, slots, at = 0;
	Dwarf_Sig8 key;
	Dwarf_Error de = NULL;
	int got;
	enum status st = open_index(h, &header, &version, &columns, &slots, e);

	if (st)
		return st;
	/* keys are as they lie in the file */
	for (size_t i = 0; i < sizeof key.signature; i++)
		key.signature[i] = (char)(dwo_id >> 8 * (sections_of(h)->big_endian ? 7 - i : i));
	got = find_row(header, slots, &key, &at, &de);
	if (got == DW_DLV_OK && at)
		got = read_row(header, at, columns, row, &de);
	dwarf_xu_header_free(header);
	if (got != DW_DLV_OK)
		return failed(h, got == DW_DLV_ERROR ? de : NULL, e, "index of units");
	return at ? ST_OK : ST_NONE;
}

bool handle_die(struct handle *h, uint64_t offset, struct Dwarf_Die_s **die)
{
	Dwarf_Error de = NULL;
	int got = dwarf_offdie_b(h->dbg, offset, 1, die, &de);

	if (got == DW_DLV_ERROR)
		dwarf_dealloc_error(h->dbg, de);
	return got == DW_DLV_OK;
}

void die_free(struct Dwarf_Die_s *die)
{
	if (die)
		dwarf_dealloc_die(die);
}

enum status die_tag(struct handle *h, struct Dwarf_Die_s *die, uint16_t *tag, uint64_t *offset,
		    struct err *e)
{
	Dwarf_Error de = NULL;
	Dwarf_Half t;
	Dwarf_Off at;

	if (dwarf_tag(die, &t, &de) != DW_DLV_OK || dwarf_dieoffset(die, &at, &de) != DW_DLV_OK)
		return failed(h, de, e, "DIE");
	*tag = t;
	*offset = at;
	return ST_OK;
}

enum status die_step(struct handle *h, struct Dwarf_Die_s *die, bool to_child,
		     struct Dwarf_Die_s **next, struct err *e)
{
	Dwarf_Error de = NULL;
	Dwarf_Off from, to;
	int got =
	    to_child ? dwarf_child(die, next, &de) : dwarf_siblingof_b(h->dbg, die, 1, next, &de);

	if (got == DW_DLV_NO_ENTRY)
		return ST_NONE;
	if (got != DW_DLV_OK)
		return failed(h, de, e, "DIE");
	if (dwarf_dieoffset(die, &from, &de) != DW_DLV_OK ||
	    dwarf_dieoffset(*next, &to, &de) != DW_DLV_OK)
		return failed(h, de, e, "DIE");
	if (to <= from)
		return err_set(e, ST_BAD, "DIE at 0x%" PRIx64 ": the next one is not behind it",
			       (uint64_t)from);
	return ST_OK;
}

bool die_has(struct handle *h, struct Dwarf_Die_s *die, uint16_t name)
{
	Dwarf_Error de = NULL;
	Dwarf_Bool there = 0;

	if (dwarf_hasattr(die, (Dwarf_Half)name, &there, &de) == DW_DLV_ERROR)
		dwarf_dealloc_error(h->dbg, de);
	return there;
}

bool die_low_pc(struct handle *h, struct Dwarf_Die_s *die, uint64_t *lo)
{
	Dwarf_Error de = NULL;
	Dwarf_Addr addr = 0;
	int got = dwarf_lowpc(die, &addr, &de);

	if (got == DW_DLV_ERROR)
		dwarf_dealloc_error(h->dbg, de);
	*lo = got == DW_DLV_OK ? addr : 0;
	return got == DW_DLV_OK;
}

bool die_id(struct handle *h, struct Dwarf_Die_s *die, uint16_t name, uint64_t *v)
{
	Dwarf_Attribute attr;
	Dwarf_Error de = NULL;
	Dwarf_Unsigned value = 0;
	Dwarf_Signed value_signed;
	int got = dwarf_attr(die, (Dwarf_Half)name, &attr, &de);

	if (got == DW_DLV_OK) {
		got = dwarf_formudata(attr, &value, &de);
		if (got == DW_DLV_ERROR) {
			dwarf_dealloc_error(h->dbg, de);
			got = dwarf_formsdata(attr, &value_signed, &de);
			value =
			    got == DW_DLV_OK && value_signed > 0 ? (Dwarf_Unsigned)value_signed : 0;
		}
		dwarf_dealloc_attribute(attr);
	}
	if (got == DW_DLV_ERROR)
		dwarf_dealloc_error(h->dbg, de);
	*v = value;
	return got == DW_DLV_OK;
}

bool die_number(struct handle *h, struct Dwarf_Die_s *die, uint16_t name, uint32_t *v)
{
	uint64_t value;
	bool there = die_id(h, die, name, &value);

	*v = value <= UINT32_MAX ? (uint32_t)value : 0;
	return there;
}

/* libdwarf 20210528 knows DW_FORM_ref_sup4 and 8 only to step over them. */
static int read_ref_sup(const struct handle *h, struct Dwarf_Die_s *die, Dwarf_Attribute attr,
			unsigned size, Dwarf_Off *to, Dwarf_Error *de)
{
	Dwarf_Off at = 0;
	uint64_t v = 0;
	int got = dwarf_attr_offset(die, attr, &at, de);

	if (got == DW_DLV_OK && !sections_number(sections_of(h), SECTION_INFO, at, size, &v))
		got = DW_DLV_NO_ENTRY;
	*to = v;
	return got;
}

bool die_reference(struct handle *h, struct Dwarf_Die_s *die, uint16_t name, uint64_t *to)
{
	Dwarf_Attribute attr;
	Dwarf_Error de = NULL;
	Dwarf_Half form = 0;
	Dwarf_Off offset = 0;
	int got = dwarf_attr(die, (Dwarf_Half)name, &attr, &de);

	if (got == DW_DLV_OK) {
		got = dwarf_whatform(attr, &form, &de);
		if (got == DW_DLV_OK && (form == DW_FORM_ref_sup4 || form == DW_FORM_ref_sup8))
			got = read_ref_sup(h, die, attr, form == DW_FORM_ref_sup8 ? 8 : 4, &offset,
					   &de);
		else if (got == DW_DLV_OK)
			got = dwarf_global_formref(attr, &offset, &de);
		dwarf_dealloc_attribute(attr);
	}
	if (got == DW_DLV_ERROR)
		dwarf_dealloc_error(h->dbg, de);
	*to = offset;
	if (form == DW_FORM_GNU_ref_alt || form == DW_FORM_ref_sup4 || form == DW_FORM_ref_sup8)
		*to |= DIE_ALT;
	return got == DW_DLV_OK && offset < DIE_ALT;
}

/* A string of the supplementary file: libdwarf has none, and would give a text that says so. */
static char *alt_text(const struct handle *h, Dwarf_Attribute attr)
{
	const struct sections *s = sections_of(h);
	Dwarf_Error de = NULL;
	Dwarf_Off offset = 0;
	int got = dwarf_global_formref(attr, &offset, &de);

	if (got == DW_DLV_ERROR)
		dwarf_dealloc_error(h->dbg, de);
	if (got != DW_DLV_OK || offset >= s->alt_str.size)
		return NULL;
	/* sections end in a NUL of our own */
	return (char *)(uintptr_t)s->alt_str.data + offset;
}

const char *die_text(struct handle *h, struct Dwarf_Die_s *die, uint16_t name)
{
	Dwarf_Attribute attr;
	Dwarf_Error de = NULL;
	Dwarf_Half form = 0;
	char *text = NULL;
	int got = dwarf_attr(die, (Dwarf_Half)name, &attr, &de);

	if (got == DW_DLV_OK) {
		got = dwarf_whatform(attr, &form, &de);
		if (got == DW_DLV_OK && (form == DW_FORM_GNU_strp_alt || form == DW_FORM_strp_sup))
			text = alt_text(h, attr);
		else if (got == DW_DLV_OK)
			got = dwarf_formstring(attr, &text, &de);
		dwarf_dealloc_attribute(attr);
	}
	if (got == DW_DLV_ERROR)
		dwarf_dealloc_error(h->dbg, de);
	return got == DW_DLV_OK ? text : NULL;
}

static void add_range(struct unit_range **to, size_t *n, size_t *cap, uint64_t lo, uint64_t hi)
{
	if (lo < hi)
		VEC_PUSH(*to, *n, *cap) = (struct unit_range){lo, hi};
}

/* .debug_ranges, DWARF 2-4 (section 2.17.3 of DWARF 4). */
static enum status libdwarf_old_ranges(struct handle *h, Dwarf_Die die, uint64_t offset,
				       uint64_t base, struct unit_range **to, size_t *n,
				       size_t *cap, struct err *e)
{
	Dwarf_Ranges *list;
	Dwarf_Signed count;
	Dwarf_Unsigned bytes;
	Dwarf_Off real;
	Dwarf_Error de = NULL;
	int got = dwarf_get_ranges_b(h->dbg, offset, die, &real, &list, &count, &bytes, &de);

	if (got == DW_DLV_NO_ENTRY)
		return ST_OK;
	if (got != DW_DLV_OK)
		return failed(h, de, e, "address ranges");
	for (Dwarf_Signed i = 0; i < count && list[i].dwr_type != DW_RANGES_END; i++) {
		if (list[i].dwr_type == DW_RANGES_ADDRESS_SELECTION)
			base = list[i].dwr_addr2;
		else if (list[i].dwr_addr1 < list[i].dwr_addr2)
			add_range(to, n, cap, base + list[i].dwr_addr1, base + list[i].dwr_addr2);
	}
	RANGES_DEALLOC(h->dbg, list, count);
	return ST_OK;
}

/* .debug_rnglists, DWARF 5 (section 7.25). skeleton: of a part, whose unit DIE has no low_pc. */
static enum status libdwarf_new_ranges(struct handle *h, Dwarf_Attribute attr, Dwarf_Half form,
				       uint64_t value, const uint64_t *skeleton,
				       struct unit_range **to, size_t *n, size_t *cap,
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
		return failed(h, de, e, "address ranges");
	for (Dwarf_Unsigned i = 0; i < count; i++) {
		unsigned len, kind;
		Dwarf_Bool missing = 0;

		got = dwarf_get_rnglists_entry_fields_a(head, (unsigned)i, &len, &kind, &raw1,
							&raw2, &missing, &lo, &hi, &de);
		if (got != DW_DLV_OK) {
			st = failed(h, got == DW_DLV_ERROR ? de : NULL, e, "address ranges");
			break;
		}
		if (kind == DW_RLE_end_of_list)
			break;
		if (kind == DW_RLE_base_address || kind == DW_RLE_base_addressx)
			skeleton = NULL;
		if (kind == DW_RLE_offset_pair && skeleton) {
			lo = *skeleton + raw1;
			hi = *skeleton + raw2;
			missing = 0;
		}
		if (kind != DW_RLE_base_address && kind != DW_RLE_base_addressx && !missing)
			add_range(to, n, cap, lo, hi);
	}
	dwarf_dealloc_rnglists_head(head);
	return st;
}

enum status die_ranges(struct handle *h, uint16_t version, struct Dwarf_Die_s *die, uint64_t base,
		       struct unit_range **to, size_t *n, size_t *cap, bool *there, struct err *e)
{
	Dwarf_Attribute attr;
	Dwarf_Error de = NULL;
	Dwarf_Half form;
	enum Dwarf_Form_Class class;
	Dwarf_Addr lo, hi;
	Dwarf_Unsigned value = 0;
	Dwarf_Off offset;
	bool part = sections_of(h)->part;
	enum status st;
	int got = dwarf_attr(die, DW_AT_ranges, &attr, &de);

	*there = false;
	if (got == DW_DLV_ERROR)
		return failed(h, de, e, "DW_AT_ranges");
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
			st = failed(h, got == DW_DLV_ERROR ? de : NULL, e, "DW_AT_ranges");
		else if (part && form == DW_FORM_rnglistx &&
			 (value = sections_list_offset(sections_of(h), value)) == UINT64_MAX)
			st = err_set(e, ST_BAD, "DW_AT_ranges: invalid index");
		else if (version >= 5)
			st = libdwarf_new_ranges(h, attr, part ? DW_FORM_sec_offset : form, value,
						 part ? &base : NULL, to, n, cap, e);
		else
			st = libdwarf_old_ranges(h, die, value, base, to, n, cap, e);
		dwarf_dealloc_attribute(attr);
		return st;
	}
	got = dwarf_lowpc(die, &lo, &de);
	if (got == DW_DLV_OK)
		got = dwarf_highpc_b(die, &hi, &form, &class, &de);
	if (got == DW_DLV_ERROR)
		return failed(h, de, e, "low_pc, high_pc");
	if (got == DW_DLV_OK) {
		*there = true;
		if (class == DW_FORM_CLASS_CONSTANT)
			hi = hi > UINT64_MAX - lo ? UINT64_MAX : lo + hi;
		add_range(to, n, cap, lo, hi);
	}
	return ST_OK;
}

static enum status libdwarf_read_files(struct handle *h, Dwarf_Line_Context context,
				       uint16_t version, line_file_fn *add, void *arg,
				       struct err *e)
{
	Dwarf_Error de = NULL;
	Dwarf_Signed first, count, end;
	int got = dwarf_srclines_files_indexes(context, &first, &count, &end, &de);

	if (got != DW_DLV_OK)
		return failed(h, got == DW_DLV_ERROR ? de : NULL, e, "line table's files");
	if (first < 0 || end < first || end > LIMIT_FILES)
		return err_set(e, ST_LIMIT, "line table: %" PRId64 " files", (int64_t)count);
	for (Dwarf_Signed i = first; i < end; i++) {
		const char *name = NULL, *dir = NULL;
		Dwarf_Unsigned dir_index = 0, mtime, length;
		Dwarf_Form_Data16 *md5;

		got = dwarf_srclines_files_data_b(context, i, &name, &dir_index, &mtime, &length,
						  &md5, &de);
		if (got == DW_DLV_ERROR)
			return failed(h, de, e, "line table's files");
		if (got != DW_DLV_OK || !name)
			continue;
		/* DWARF 5 counts directories from 0; before it 0 is the compilation directory, in
		 * no table */
		if ((version >= 5 || dir_index) && dir_index < LIMIT_FILES) {
			got = dwarf_srclines_include_dir_data(context, (Dwarf_Signed)dir_index,
							      &dir, &de);
			if (got == DW_DLV_ERROR)
				dwarf_dealloc_error(h->dbg, de);
			if (got != DW_DLV_OK)
				dir = NULL;
		}
		add(arg, (uint32_t)i, version, dir_index, dir ? dir : "", name);
	}
	return ST_OK;
}

static enum status libdwarf_read_row(Dwarf_Line line, struct unit_row *row, Dwarf_Error *de)
{
	Dwarf_Addr addr;
	Dwarf_Unsigned file, number_, column, isa, discriminator;
	Dwarf_Bool end, prologue, epilogue;

	if (dwarf_lineaddr(line, &addr, de) || dwarf_line_srcfileno(line, &file, de) ||
	    dwarf_lineno(line, &number_, de) || dwarf_lineoff_b(line, &column, de) ||
	    dwarf_lineendsequence(line, &end, de) ||
	    dwarf_prologue_end_etc(line, &prologue, &epilogue, &isa, &discriminator, de))
		return ST_BAD;
	*row = (struct unit_row){
	    .addr = addr,
	    .file = file < LIMIT_FILES ? (uint32_t)file : LIMIT_FILES,
	    .line = number_ <= UINT32_MAX ? (uint32_t)number_ : 0,
	    .column = column <= UINT32_MAX ? (uint32_t)column : 0,
	    .discriminator = discriminator <= UINT32_MAX ? (uint32_t)discriminator : 0,
	    /* libdwarf 20210528 says it of rows that begin an epilogue, too; no row is both */
	    .end = end && !epilogue,
	};
	return ST_OK;
}

enum status die_lines(struct handle *h, struct Dwarf_Die_s *die, struct reference_unit *u,
		      uint16_t *version_out, line_file_fn *add, void *arg, struct err *e)
{
	Dwarf_Line_Context context;
	Dwarf_Error de = NULL;
	Dwarf_Unsigned version;
	Dwarf_Small tables;
	Dwarf_Line *lines;
	Dwarf_Signed count;
	enum status st;
	int got = dwarf_srclines_b(die, &version, &tables, &context, &de);

	if (got == DW_DLV_NO_ENTRY)
		return ST_OK;
	if (got != DW_DLV_OK)
		return failed(h, de, e, "line table");
	*version_out = (uint16_t)version;
	st = libdwarf_read_files(h, context, (uint16_t)version, add, arg, e);
	got = dwarf_srclines_from_linecontext(context, &lines, &count, &de);
	if (got == DW_DLV_ERROR && !st)
		st = failed(h, de, e, "line table");
	if (got != DW_DLV_OK || tables > 1) /* two-level tables: an experiment of 2014 */
		count = 0;
	for (Dwarf_Signed i = 0; i < count && !st; i++) {
		struct unit_row row;

		st = libdwarf_read_row(lines[i], &row, &de);
		if (st)
			failed(h, de, e, "line table");
		else
			VEC_PUSH(u->rows, u->n_rows, u->cap_rows) = row;
	}
	dwarf_srclines_dealloc_b(context);
	return st;
}
