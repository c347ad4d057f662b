/* SPDX-License-Identifier: MIT */
#include "lib/dwarf/fast/unit.h"

#include "lib/base/mem.h"
#include "lib/base/sort.h"
#include "lib/dwarf/fast/split.h"
#include "lib/object/map.h"

#include <inttypes.h>
#include <stdlib.h>

static void lose(struct fast_unit *u, const char *why)
{
	u->state = UNIT_LOST;
	u->why = why;
}

/* The rest of a header, behind its length; start: its first byte. */
static void fast_unit_read_header(const struct fast_file *f, struct fast_unit *u,
				  const uint8_t *start, struct rd *r)
{
	uint16_t version = rd_u16(r);

	u->type = DW_UT_compile;
	u->version = 0;
	if (!r->failed && (version < 2 || version > 5)) {
		lose(u, fast_fault(f, IN_INFO, u->offset + (uint64_t)(r->p - 2 - start),
				   "unit header: unknown version %u", version));
		return;
	}
	u->version = (uint8_t)version;
	if (u->version >= 5) {
		u->type = rd_u8(r);
		u->address_size = rd_u8(r);
		u->abbrev_offset = rd_offset(r, u->wide);
	} else {
		u->abbrev_offset = rd_offset(r, u->wide);
		u->address_size = rd_u8(r);
	}
	if (u->type == DW_UT_type || u->type == DW_UT_split_type) {
		u->state = UNIT_TYPE;
		rd_skip(r, u->wide ? 16 : 12);
	} else if (u->type == DW_UT_skeleton || u->type == DW_UT_split_compile) {
		u->dwo_id = rd_u64(r);
	} else if (u->type != DW_UT_compile && u->type != DW_UT_partial) {
		lose(u, fast_fault(f, IN_INFO, u->offset, "unit header: unknown type of unit %u",
				   u->type));
	}
	u->die = u->offset + (uint64_t)(r->p - start);
	if (r->failed) {
		lose(u, fast_fault(f, IN_INFO, u->die, "unit header: cut short"));
	} else if (u->address_size != 2 && u->address_size != 4 && u->address_size != 8) {
		lose(u, fast_fault(f, IN_INFO, u->offset,
				   "unit header: impossible address "
				   "size: %u bytes",
				   u->address_size));
	} else if (u->abbrev_offset >= f->in[IN_ABBREV].n) {
		lose(u, fast_fault(f, IN_INFO, u->offset,
				   "unit header: the abbreviations, at 0x%" PRIx64 ", lie "
				   "outside .debug_abbrev",
				   u->abbrev_offset));
	}
}

static void break_chain(struct fast_file *f, uint64_t at, const char *why)
{
	f->chain_broken = why;
	f->chain_offset = at;
	f->lost = true;
}

static void fast_unit_read_headers(struct fast_file *f)
{
	enum { NEAR = 64 }; /* more than a header */
	struct fast_bytes info = f->in[IN_INFO];
	uint8_t near[NEAR];
	uint64_t at = 0;

	while (at < info.n) {
		struct rd r = rd_at(info, at, f->big_endian);
		struct fast_unit u = {.offset = at};
		uint64_t length, left;
		const uint8_t *start;

		if (f->map[IN_INFO] && info.n - at >= NEAR) {
			map_copy(f->map[IN_INFO], info.p + at, NEAR, near);
			r.p = near;
			r.end = near + NEAR;
		}
		start = r.p;
		length = rd_u32(&r);
		u.wide = length == UINT32_MAX;
		if (u.wide)
			length = rd_u64(&r);
		else if (length >= 0xfffffff0)
			rd_fail(&r);
		left = info.n - at - (uint64_t)(r.p - start);
		if (r.failed || length > left || f->n_units >= UINT32_MAX / 2) {
			break_chain(f, at,
				    fast_fault(f, IN_INFO, at,
					       "unit header: the length, 0x%" PRIx64 ", is "
					       "larger than the section",
					       length));
			return;
		}
		u.end = at + (uint64_t)(r.p - start) + length;
		if (length < rd_left(&r))
			r.end = r.p + length;
		fast_unit_read_header(f, &u, start, &r);
		if (u.state == UNIT_LOST)
			u.abbrev_offset = f->in[IN_ABBREV].n;
		VEC_PUSH(f->units, f->n_units, f->cap_units) = u;
		at = u.end;
	}
}

/* Gives units of one table the same index. */
static void fast_unit_share_tables(struct fast_file *f)
{
	struct fast_tables *t = &f->tables;
	struct sort_item *items = mem_array(f->n_units, sizeof *items);

	t->file = f;
	t->keys = mem_array(f->n_units, sizeof *t->keys);
	t->uses = mem_zarray(f->n_units, sizeof *t->uses);
	for (size_t i = 0; i < f->n_units; i++) {
		const struct fast_unit *u = &f->units[i];
		/* low bits: the kind, so that equal pairs become neighbours */
		uint64_t kind = (u->version == 2) | (uint64_t)u->wide << 1 |
				(uint64_t)(u->address_size & 8) << 2 |
				(uint64_t)(u->address_size & 4) << 4;

		items[i] = (struct sort_item){u->abbrev_offset << 8 | kind, (uint32_t)i};
	}
	sort_radix(items, f->n_units);
	for (size_t i = 0; i < f->n_units; i++) {
		struct fast_unit *u = &f->units[items[i].index];

		if (!i || items[i].key != items[i - 1].key)
			t->keys[t->n++] = (struct abbrev_kind){
			    .offset = u->abbrev_offset,
			    .version = u->version,
			    .address_size = u->address_size,
			    .wide = u->wide,
			};
		u->table = (uint32_t)(t->n - 1);
		t->uses[u->table]++;
	}
	t->compiled = mem_zarray(t->n, sizeof *t->compiled);
	/* sound tables do not overlap; that of a broken header may */
	t->limit = f->in[IN_ABBREV].n * 4 + 65536;
	free(items);
}

void fast_units_index(struct fast_file *f)
{
	f->common = fast_common_new();
	fast_unit_read_headers(f);
	fast_unit_share_tables(f);
}

void fast_file_release(struct fast_file *f)
{
	if (f->alt) {
		fast_file_release(f->alt);
		free(f->alt);
	}
	fast_splits_free(f->splits);
	fast_tables_release(&f->tables);
	free(f->units);
	fast_common_free(f->common);
	*f = (struct fast_file){.units = NULL};
}

static void read_block(struct rd *r, uint64_t n, struct fast_value *v)
{
	v->class = CLASS_BLOCK;
	v->text = (const char *)r->p;
	v->n = (size_t)n;
	rd_skip(r, n);
}

static void in_section(struct fast_value *v, uint64_t offset, enum fast_section section)
{
	v->class = CLASS_TEXT;
	v->section = (uint8_t)section;
	v->v = offset;
}

static void constant(struct fast_value *v, enum fast_class class, uint64_t value)
{
	v->class = (uint8_t) class;
	v->v = value;
}

bool fast_value_read(const struct fast_unit *u, struct rd *r, uint64_t form, int64_t implicit,
		     struct fast_value *v)
{
	for (unsigned i = 0; form == DW_FORM_indirect && i < 4; i++) {
		form = rd_uleb(r);
		if (form == DW_FORM_implicit_const) /* its value would be in the abbreviation */
			return false;
	}
	/* 0 is for what is not there: a vendor's form is as good as any */
	*v = (struct fast_value){.class = CLASS_NONE,
				 .form = form < DW_FORM_VENDOR ? (uint8_t)form : UINT8_MAX};
	switch (form) {
	case DW_FORM_addr: constant(v, CLASS_ADDRESS, rd_uint(r, u->address_size)); break;
	case DW_FORM_block1: read_block(r, rd_u8(r), v); break;
	case DW_FORM_block2: read_block(r, rd_u16(r), v); break;
	case DW_FORM_block4: read_block(r, rd_u32(r), v); break;
	case DW_FORM_block:
	case DW_FORM_exprloc: read_block(r, rd_uleb(r), v); break;
	case DW_FORM_data1: constant(v, CLASS_CONSTANT, rd_u8(r)); break;
	case DW_FORM_data2: constant(v, CLASS_CONSTANT, rd_u16(r)); break;
	case DW_FORM_data4: constant(v, CLASS_CONSTANT, rd_u32(r)); break;
	case DW_FORM_data8: constant(v, CLASS_CONSTANT, rd_u64(r)); break;
	case DW_FORM_udata: constant(v, CLASS_CONSTANT, rd_uleb(r)); break;
	case DW_FORM_sdata: constant(v, CLASS_CONSTANT, (uint64_t)rd_sleb(r)); break;
	case DW_FORM_implicit_const: constant(v, CLASS_CONSTANT, (uint64_t)implicit); break;
	case DW_FORM_sec_offset: constant(v, CLASS_OFFSET, rd_offset(r, u->wide)); break;
	case DW_FORM_rnglistx: constant(v, CLASS_LIST_INDEX, rd_uleb(r)); break;
	case DW_FORM_GNU_addr_index:
	case DW_FORM_addrx: constant(v, CLASS_ADDRESS_INDEX, rd_uleb(r)); break;
	case DW_FORM_addrx1: constant(v, CLASS_ADDRESS_INDEX, rd_u8(r)); break;
	case DW_FORM_addrx2: constant(v, CLASS_ADDRESS_INDEX, rd_u16(r)); break;
	case DW_FORM_addrx3: constant(v, CLASS_ADDRESS_INDEX, rd_uint(r, 3)); break;
	case DW_FORM_addrx4: constant(v, CLASS_ADDRESS_INDEX, rd_u32(r)); break;
	case DW_FORM_GNU_str_index:
	case DW_FORM_strx: constant(v, CLASS_TEXT_INDEX, rd_uleb(r)); break;
	case DW_FORM_strx1: constant(v, CLASS_TEXT_INDEX, rd_u8(r)); break;
	case DW_FORM_strx2: constant(v, CLASS_TEXT_INDEX, rd_u16(r)); break;
	case DW_FORM_strx3: constant(v, CLASS_TEXT_INDEX, rd_uint(r, 3)); break;
	case DW_FORM_strx4: constant(v, CLASS_TEXT_INDEX, rd_u32(r)); break;
	case DW_FORM_ref1: constant(v, CLASS_REFERENCE, u->offset + rd_u8(r)); break;
	case DW_FORM_ref2: constant(v, CLASS_REFERENCE, u->offset + rd_u16(r)); break;
	case DW_FORM_ref4: constant(v, CLASS_REFERENCE, u->offset + rd_u32(r)); break;
	case DW_FORM_ref8: constant(v, CLASS_REFERENCE, u->offset + rd_u64(r)); break;
	case DW_FORM_ref_udata: constant(v, CLASS_REFERENCE, u->offset + rd_uleb(r)); break;
	case DW_FORM_ref_addr:
		constant(v, CLASS_REFERENCE,
			 u->version == 2 ? rd_uint(r, u->address_size) : rd_offset(r, u->wide));
		break;
	case DW_FORM_strp: in_section(v, rd_offset(r, u->wide), IN_STR); break;
	case DW_FORM_line_strp: in_section(v, rd_offset(r, u->wide), IN_LINE_STR); break;
	case DW_FORM_string:
		in_section(v, 0, IN_INFO);
		v->text = rd_cstr(r, &v->n);
		break;
	case DW_FORM_flag: rd_skip(r, 1); break;
	case DW_FORM_flag_present: break;
	case DW_FORM_data16: rd_skip(r, 16); break;
	case DW_FORM_ref_sig8: rd_skip(r, 8); break;
	case DW_FORM_ref_sup8: constant(v, CLASS_REFERENCE_ALT, rd_u64(r)); break;
	case DW_FORM_ref_sup4: constant(v, CLASS_REFERENCE_ALT, rd_u32(r)); break;
	case DW_FORM_GNU_ref_alt: constant(v, CLASS_REFERENCE_ALT, rd_offset(r, u->wide)); break;
	case DW_FORM_strp_sup:
	case DW_FORM_GNU_strp_alt: in_section(v, rd_offset(r, u->wide), IN_ALT_STR); break;
	case DW_FORM_loclistx: constant(v, CLASS_LOCATION_INDEX, rd_uleb(r)); break;
	default: return false;
	}
	return !r->failed;
}

static uint64_t default_base(const struct fast_unit *u, uint64_t base, uint64_t narrow)
{
	return base != UINT64_MAX ? base : u->wide ? narrow + 8 : narrow;
}

/* Entry of a table of equal entries; false: it lies outside. */
static bool entry(const struct fast_file *f, enum fast_section section, uint64_t base,
		  uint64_t index, unsigned size, uint64_t *v)
{
	struct rd r;

	if (index > UINT64_MAX / 16 || index * size > UINT64_MAX - base)
		return false;
	r = rd_at(f->in[section], base + index * size, f->big_endian);
	if (!r.failed)
		*v = rd_uint(&r, size);
	return !r.failed;
}

const char *fast_value_text(const struct fast_file *f, const struct fast_unit *u,
			    const struct fast_value *v, size_t *n)
{
	enum fast_section section = (enum fast_section)v->section;
	uint64_t offset = v->v;
	struct rd r;

	*n = v->n;
	if (v->class == CLASS_TEXT_INDEX) {
		if (!entry(f, IN_STR_OFFSETS, default_base(u, u->str_offsets_base, 8), v->v,
			   u->wide ? 8 : 4, &offset))
			return NULL;
		section = IN_STR;
	} else if (v->class != CLASS_TEXT) {
		return NULL;
	} else if (section == IN_INFO) {
		return v->text;
	}
	r = rd_at(f->in[section], offset, false);
	return r.failed ? NULL : rd_cstr(&r, n);
}

bool fast_unit_address(const struct fast_file *f, const struct fast_unit *u, uint64_t index,
		       uint64_t *addr)
{
	return entry(f, IN_ADDR, default_base(u, u->addr_base, 8), index, u->address_size, addr);
}

bool fast_value_address(const struct fast_file *f, const struct fast_unit *u,
			const struct fast_value *v, uint64_t *addr)
{
	*addr = v->v;
	if (v->class == CLASS_ADDRESS_INDEX)
		return fast_unit_address(f, u, v->v, addr);
	return v->class == CLASS_ADDRESS;
}

const struct fast_unit *fast_unit_at(const struct fast_file *f, uint64_t offset)
{
	size_t lo = BISECT(i, 0, f->n_units, f->units[i].end <= offset);

	return lo < f->n_units && offset >= f->units[lo].die ? &f->units[lo] : NULL;
}

static bool refuse(struct fast_unit *u, enum fast_state state, const char *why)
{
	u->state = (uint8_t)state;
	u->why = why;
	return false;
}

static bool cut_table(const struct fast_file *f, struct fast_unit *u, const struct rd *r)
{
	return refuse(
	    u, UNIT_LOST,
	    fast_fault_of(f, IN_ABBREV, r->p, u->abbrev_offset, "abbreviations are cut short"));
}

/* Puts r behind the head of the unit DIE's abbreviation. GCC has it anywhere in the table, which is not
 * compiled for it alone. */
static bool fast_unit_find_root(const struct fast_file *f, struct fast_unit *u, uint64_t wanted,
				struct rd *r)
{
	*r = rd_at(f->in[IN_ABBREV], u->abbrev_offset, f->big_endian);
	while (!r->failed && r->p < r->end) {
		uint64_t code = rd_uleb(r);

		if (!code)
			break;
		rd_skip_leb(r);
		rd_u8(r);
		if (code == wanted)
			return !r->failed || cut_table(f, u, r);
		abbrev_skip_attrs(r);
	}
	if (r->failed)
		return cut_table(f, u, r);
	return refuse(
	    u, UNIT_LOST,
	    fast_fault(f, IN_INFO, u->die, "unit DIE: unknown abbreviation %" PRIu64, wanted));
}

static const char *text_or_none(const struct fast_file *f, const struct fast_unit *u,
				const struct fast_value *v, size_t *n)
{
	const char *s = fast_value_text(f, u, v, n);

	if (!s)
		*n = 0;
	return s ? s : "";
}

static bool lies_in(const struct fast_bytes *b, const char *s)
{
	return (uintptr_t)s - (uintptr_t)b->p < b->n;
}

static bool fast_unit_read_root(const struct fast_file *f, struct fast_unit *u, struct rd r,
				struct fast_value *ranges, struct fast_value *low,
				struct fast_value *high)
{
	struct rd a;
	struct fast_value v, comp_dir = {.class = CLASS_NONE}, dwo_name = comp_dir;
	uint64_t name, form, code;
	int64_t implicit;
	bool seen_lines = false;

	*ranges = *low = *high = (struct fast_value){.class = CLASS_NONE};
	u->str_offsets_base = u->addr_base = u->rnglists_base = UINT64_MAX;
	code = r.failed ? 0 : rd_uleb(&r);
	if (!code || r.failed)
		return refuse(u, UNIT_LOST, fast_fault(f, IN_INFO, u->die, "unit DIE: missing"));
	if (!fast_unit_find_root(f, u, code, &a))
		return false;
	while (abbrev_next_attr(&a, &name, &form, &implicit)) {
		if (!fast_value_read(u, &r, form, implicit, &v)) {
			if (form >= DW_FORM_VENDOR && form <= UINT16_MAX)
				return refuse(u, UNIT_LOST,
					      fast_fault(f, IN_INFO, u->die,
							 "form 0x%" PRIx64 " is in no standard",
							 form));
			return refuse(
			    u, UNIT_LOST,
			    r.failed ? fast_fault_of(f, IN_INFO, r.p, u->die, "unit DIE: cut short")
				     : fast_fault_of(f, IN_INFO, r.p, u->die,
						     "unit DIE: unknown form 0x%" PRIx64, form));
		}
		switch (name) {
		case DW_AT_ranges: *ranges = ranges->form ? *ranges : v; break;
		case DW_AT_low_pc: *low = low->form ? *low : v; break;
		case DW_AT_high_pc: *high = high->form ? *high : v; break;
		case DW_AT_comp_dir: comp_dir = comp_dir.form ? comp_dir : v; break;
		case DW_AT_str_offsets_base: u->str_offsets_base = v.v; break;
		case DW_AT_addr_base: u->addr_base = v.v; break;
		case DW_AT_rnglists_base: u->rnglists_base = v.v; break;
		case DW_AT_stmt_list:
			if (!seen_lines && (v.class == CLASS_OFFSET || v.class == CLASS_CONSTANT)) {
				u->has_lines = true;
				u->lines = v.v;
			}
			seen_lines = true;
			break;
		case DW_AT_dwo_name:
		case DW_AT_GNU_dwo_name:
			u->split = true;
			dwo_name = dwo_name.form ? dwo_name : v;
			break;
		case DW_AT_GNU_dwo_id: u->dwo_id = v.v; break;
		case DW_AT_GNU_addr_base: u->addr_base = v.v; break;
		case DW_AT_GNU_ranges_base: u->gnu_ranges_base = v.v; break;
		default: break;
		}
	}
	if (a.failed)
		return cut_table(f, u, &a);
	u->comp_dir = text_or_none(f, u, &comp_dir, &u->n_comp_dir);
	u->dwo_name = text_or_none(f, u, &dwo_name, &u->n_dwo_name);
	if (!fast_value_address(f, u, low, &u->base))
		u->base = 0;
	return true;
}

bool fast_unit_root(const struct fast_file *f, struct fast_unit *u, const struct fast_bytes *head,
		    struct fast_value *ranges, struct fast_value *low, struct fast_value *high)
{
	struct rd r = {.big_endian = f->big_endian};
	uint64_t before = u->die - u->offset;

	if (head && head->n > before) {
		r.p = head->p + before;
		r.end = head->p + head->n;
		/* texts must stay, and what seems to be cut short goes on in the section */
		if (fast_unit_read_root(f, u, r, ranges, low, high) &&
		    !lies_in(head, u->comp_dir) && !lies_in(head, u->dwo_name))
			return true;
		u->state = UNIT_SOUND;
		u->split = u->has_lines = false;
		u->why = NULL;
	}
	return fast_unit_read_root(f, u, fast_unit_bytes(f, u, u->die), ranges, low, high);
}
