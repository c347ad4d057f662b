/* SPDX-License-Identifier: MIT */
#include "lib/dwarf/fast/abbrev.h"

#include "lib/base/mem.h"
#include "lib/dwarf/fast/fault.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>

/* Attributes may take no bytes in a DIE: many of them in many DIEs would take ages. */
enum { LIMIT_ATTRS = 1024 };

int form_size(uint64_t form, uint8_t version, uint8_t address_size, bool wide)
{
	switch (form) {
	case DW_FORM_addr: return address_size;
	case DW_FORM_block2: return -1 - OP_BLOCK2;
	case DW_FORM_block4: return -1 - OP_BLOCK4;
	case DW_FORM_block1: return -1 - OP_BLOCK1;
	case DW_FORM_block:
	case DW_FORM_exprloc: return -1 - OP_BLOCK;
	case DW_FORM_string: return -1 - OP_STRING;
	case DW_FORM_sdata:
	case DW_FORM_udata:
	case DW_FORM_ref_udata:
	case DW_FORM_strx:
	case DW_FORM_addrx:
	case DW_FORM_GNU_addr_index:
	case DW_FORM_GNU_str_index:
	case DW_FORM_loclistx:
	case DW_FORM_rnglistx: return -1 - OP_LEB;
	case DW_FORM_indirect: return -1 - OP_INDIRECT;
	case DW_FORM_flag_present:
	case DW_FORM_implicit_const: return 0;
	case DW_FORM_data1:
	case DW_FORM_ref1:
	case DW_FORM_flag:
	case DW_FORM_strx1:
	case DW_FORM_addrx1: return 1;
	case DW_FORM_data2:
	case DW_FORM_ref2:
	case DW_FORM_strx2:
	case DW_FORM_addrx2: return 2;
	case DW_FORM_strx3:
	case DW_FORM_addrx3: return 3;
	case DW_FORM_data4:
	case DW_FORM_ref4:
	case DW_FORM_ref_sup4:
	case DW_FORM_strx4:
	case DW_FORM_addrx4: return 4;
	case DW_FORM_data8:
	case DW_FORM_ref8:
	case DW_FORM_ref_sig8:
	case DW_FORM_ref_sup8: return 8;
	case DW_FORM_data16: return 16;
	case DW_FORM_ref_addr: return version == 2 ? address_size : wide ? 8 : 4;
	case DW_FORM_strp:
	case DW_FORM_sec_offset:
	case DW_FORM_strp_sup:
	case DW_FORM_line_strp:
	case DW_FORM_GNU_ref_alt:
	case DW_FORM_GNU_strp_alt: return wide ? 8 : 4;
	default: return INT_MIN;
	}
}

bool abbrev_long_attr(struct rd *r, uint64_t *name, uint64_t *form, int64_t *implicit)
{
	*name = rd_uleb(r);
	*form = rd_uleb(r);
	*implicit = *form == DW_FORM_implicit_const ? rd_sleb(r) : 0;
	return !r->failed && (*name || *form);
}

static uint8_t fast_abbrev_kind_of(uint64_t tag)
{
	switch (tag) {
	case DW_TAG_subprogram: return KIND_FUNCTION;
	case DW_TAG_inlined_subroutine: return KIND_INLINED;
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block: return KIND_BLOCK;
	case DW_TAG_array_type:
	case DW_TAG_class_type:
	case DW_TAG_enumeration_type:
	case DW_TAG_structure_type:
	case DW_TAG_subroutine_type:
	case DW_TAG_union_type:
	case DW_TAG_interface_type:
	case DW_TAG_formal_parameter:
	case DW_TAG_variable:
	case DW_TAG_call_site:
	case DW_TAG_GNU_call_site: return KIND_CLOSED;
	default: return KIND_OPEN;
	}
}

/* Where the present attribute is, from the first one. */
static uint16_t place(const struct abbrev *a)
{
	return !a->n_ops && a->tail < ABBREV_FAR ? (uint16_t)a->tail : ABBREV_FAR;
}

static void fast_abbrev_note(struct abbrev *a, const struct abbrev_attr *t, int size)
{
	uint16_t at = place(a);
	bool first = false;

	switch (t->name) {
	case DW_AT_sibling:
		if (a->sibling || (t->form != DW_FORM_ref4 && t->form != DW_FORM_ref8 &&
				   t->form != DW_FORM_ref2 && t->form != DW_FORM_ref1))
			return;
		a->sibling = (uint8_t)size;
		a->sibling_ops = a->n_ops;
		a->sibling_bytes = a->tail;
		return;
	case DW_AT_low_pc:
		first = t->form == DW_FORM_addr && a->low == ABBREV_FAR;
		a->low = at;
		a->has_pc = true;
		break;
	case DW_AT_high_pc:
		first = (t->form == DW_FORM_addr || t->form == DW_FORM_data8 ||
			 t->form == DW_FORM_data4 || t->form == DW_FORM_data2 ||
			 t->form == DW_FORM_data1) &&
			a->high == ABBREV_FAR;
		a->high_size = t->form == DW_FORM_addr ? 0 : (uint8_t)size;
		a->high = at;
		break;
	case DW_AT_ranges:
		first = t->form == DW_FORM_sec_offset && a->ranges == ABBREV_FAR;
		a->ranges = at;
		a->has_pc = true;
		break;
	default: return;
	}
	if (!first || at == ABBREV_FAR)
		a->near = false;
}

static void note_number(struct abbrev *a, struct abbrev_site *s, const struct abbrev_attr *t,
			int size, uint16_t *at, uint8_t *at_size)
{
	bool plain =
	    t->form == DW_FORM_data1 || t->form == DW_FORM_data2 || t->form == DW_FORM_data4;

	if (*at_size || !plain || place(a) == ABBREV_FAR) {
		s->near = false;
		return;
	}
	*at = place(a);
	*at_size = (uint8_t)size;
}

static void note_site(struct abbrev *a, struct abbrev_site *s, const struct abbrev_attr *t,
		      int size)
{
	switch (t->name) {
	case DW_AT_call_file: note_number(a, s, t, size, &s->file, &s->file_size); break;
	case DW_AT_call_line: note_number(a, s, t, size, &s->line, &s->line_size); break;
	case DW_AT_call_column: note_number(a, s, t, size, &s->column, &s->column_size); break;
	case DW_AT_linkage_name:
		if (!s->has_linkage && t->form == DW_FORM_strp)
			s->linkage = place(a);
		s->has_linkage = true;
		s->only_origin = false;
		break;
	case DW_AT_name:
	case DW_AT_MIPS_linkage_name: s->only_origin = false; break;
	case DW_AT_specification:
	case DW_AT_abstract_origin:
		if (s->origin != ABBREV_FAR || t->form != DW_FORM_ref4)
			s->only_origin = false;
		s->origin = place(a);
		break;
	default: break;
	}
}

/* The first thing that is wrong, at r. */
#define WRONG(f, r, ...) fast_fault_of(f, IN_ABBREV, (r)->p, 0, __VA_ARGS__)

/* What is noted of an attribute depends on these names alone; most have another. */
static inline bool is_noted(uint64_t name)
{
#define BIT(n) (UINT64_C(1) << ((n) % 64))
	static const uint64_t noted[2] = {BIT(DW_AT_sibling) | BIT(DW_AT_name) | BIT(DW_AT_low_pc) |
					      BIT(DW_AT_high_pc) | BIT(DW_AT_abstract_origin),
					  BIT(DW_AT_specification) | BIT(DW_AT_ranges) |
					      BIT(DW_AT_call_column) | BIT(DW_AT_call_file) |
					      BIT(DW_AT_call_line) | BIT(DW_AT_linkage_name)};
#undef BIT
	return name < 128 ? noted[name / 64] >> name % 64 & 1 : name == DW_AT_MIPS_linkage_name;
}

enum { USUAL_FORMS = 0x30 };

/* form_size of the usual forms, for one kind of table. */
struct form_sizes {
	int8_t of[USUAL_FORMS]; /* INT8_MIN: ask form_size */
};

static void form_sizes_make(struct form_sizes *x, const struct abbrev_kind *k)
{
	for (uint64_t form = 0; form < USUAL_FORMS; form++) {
		int size = form_size(form, k->version, k->address_size, k->wide);

		x->of[form] = size == INT_MIN ? INT8_MIN : (int8_t)size;
	}
}

/* The attribute that ends at r. */
static inline void fast_abbrev_add_attr(const struct fast_file *f, const struct rd *r,
					struct abbrevs *t, const struct abbrev_kind *k,
					const struct form_sizes *sizes, struct abbrev *a,
					struct abbrev_site *s, uint64_t name, uint64_t form,
					int64_t implicit)
{
	int size = form < USUAL_FORMS ? sizes->of[form] : INT8_MIN;
	struct abbrev_attr attr = {.name = name < UINT16_MAX ? (uint16_t)name : UINT16_MAX,
				   .form = (uint16_t)form,
				   .implicit = implicit};

	if (a->n_attrs >= LIMIT_ATTRS) {
		t->why = WRONG(f, r, "an abbreviation has more than %d attributes", LIMIT_ATTRS);
		return;
	}
	if (size == INT8_MIN)
		size = form_size(form, k->version, k->address_size, k->wide);
	if (size == INT_MIN) {
		t->why = WRONG(f, r, "unknown form 0x%" PRIx64, form);
		return;
	}
	if (is_noted(name)) {
		fast_abbrev_note(a, &attr, size);
		note_site(a, s, &attr, size);
	}
	VEC_PUSH(t->attrs, t->n_attrs, t->cap_attrs) = attr;
	a->n_attrs++;
	if (size >= 0) {
		a->tail += (uint32_t)size;
		return;
	}
	VEC_PUSH(t->ops, t->n_ops, t->cap_ops) =
	    (struct abbrev_op){.fixed = a->tail, .kind = (uint32_t)(-1 - size)};
	a->n_ops++;
	a->tail = 0;
}

static void fast_abbrev_add_code(struct abbrevs *t, uint64_t code)
{
	uint32_t *index;

	if (!t->codes && code == t->n + 1)
		return;
	if (!t->codes) {
		t->codes = mem_grow(NULL, &t->cap_codes, t->n + 1, sizeof *t->codes);
		for (size_t i = 0; i < t->n; i++) {
			t->codes[i] = i + 1;
			*map64_put(&t->by_code, i + 1) = (uint32_t)i + 1;
		}
	}
	if (t->n >= t->cap_codes)
		t->codes = mem_grow(t->codes, &t->cap_codes, t->n + 1, sizeof *t->codes);
	t->codes[t->n] = code;
	index = map64_put(&t->by_code, code);
	if (!*index)
		*index = (uint32_t)t->n + 1;
}

static uint8_t passes(const struct abbrev *a)
{
	if (!a->children && (a->kind == KIND_OPEN || a->kind == KIND_CLOSED))
		return ABBREV_PASS | ABBREV_PASS_ALWAYS;
	/* declarations, and what others are copies of */
	if (a->kind == KIND_CLOSED || (a->kind == KIND_FUNCTION && !a->has_pc))
		return ABBREV_PASS;
	return 0;
}

static struct abbrev_hop hop_of(const struct abbrev *a)
{
	enum { CODE = 1, REFERENCE = 4 };
	struct abbrev_hop hop = {.kind = HOP_NONE};

	if (!a->passes)
		return hop;
	if (a->children && a->sibling == REFERENCE && !a->sibling_ops &&
	    a->sibling_bytes < ABBREV_FAR - CODE - REFERENCE) {
		hop.kind = HOP_SIBLING;
		hop.size = (uint16_t)(CODE + a->sibling_bytes + REFERENCE);
	} else if (!a->children && !a->n_ops && a->tail < ABBREV_FAR - CODE) {
		hop.kind = a->passes & ABBREV_PASS_ALWAYS ? HOP_LEAF : HOP_DECLARATION;
		hop.size = (uint16_t)(CODE + a->tail);
	}
	return hop;
}

/* A vendor's form, of unknown size: what has it cannot be read, and the rest of the table can. */
static bool is_odd(const struct abbrev_kind *k, uint64_t form)
{
	return form >= DW_FORM_VENDOR && form <= UINT16_MAX &&
	       form_size(form, k->version, k->address_size, k->wide) == INT_MIN;
}

/* Stops at the first invalid entry, with why set. */
static void fast_abbrev_compile(const struct fast_file *f, struct abbrevs *t,
				const struct abbrev_kind *k, struct rd *r)
{
	struct form_sizes sizes;

	for (size_t i = 0; i < HOP_CODES; i++)
		t->hops[i] = (struct abbrev_hop){.kind = HOP_NONE};
	form_sizes_make(&sizes, k);
	while (!t->why && r->p < r->end) {
		uint64_t code = rd_uleb(r), tag, name, form;
		int64_t implicit;
		bool odd = false;
		struct abbrev a = {.low = ABBREV_FAR, .high = ABBREV_FAR, .ranges = ABBREV_FAR};
		struct abbrev_site site = {
		    .origin = ABBREV_FAR, .linkage = ABBREV_FAR, .only_origin = true, .near = true};

		if (!code)
			break;
		tag = rd_uleb(r);
		a.kind = fast_abbrev_kind_of(tag);
		site.tag = tag < UINT16_MAX ? (uint16_t)tag : UINT16_MAX;
		a.children = rd_u8(r) != 0;
		a.first_op = (uint32_t)t->n_ops;
		a.first_attr = (uint32_t)t->n_attrs;
		a.near = true;
		while (!t->why && abbrev_next_attr(r, &name, &form, &implicit)) {
			odd |= is_odd(k, form);
			if (!odd)
				fast_abbrev_add_attr(f, r, t, k, &sizes, &a, &site, name, form,
						     implicit);
		}
		if (odd) { /* the table has no such code then */
			t->n_ops = a.first_op;
			t->n_attrs = a.first_attr;
			t->has_code = true;
			continue;
		}
		a.passes = passes(&a);
		t->has_code |= a.has_pc && (a.kind == KIND_FUNCTION || a.kind == KIND_INLINED);
		site.only_origin &= site.origin != ABBREV_FAR;
		fast_abbrev_add_code(t, code);
		if (t->n >= t->cap_sites)
			t->sites = mem_grow(t->sites, &t->cap_sites, t->n + 1, sizeof *t->sites);
		t->sites[t->n] = site;
		VEC_PUSH(t->all, t->n, t->cap) = a;
		if (code < HOP_CODES / 2 && abbrev_find(t, code) == &t->all[t->n - 1])
			t->hops[code] = hop_of(&a);
		if (t->n_attrs >= UINT32_MAX / 2 || t->n >= UINT32_MAX / 2)
			t->why = WRONG(f, r, "too many abbreviations");
	}
	if (r->failed && !t->why)
		t->why = WRONG(f, r, "abbreviations are cut short");
}

void abbrevs_release(struct abbrevs *t)
{
	free(t->all);
	free(t->sites);
	free(t->codes);
	free(t->attrs);
	free(t->ops);
	map64_release(&t->by_code);
	*t = (struct abbrevs){.n = 0};
}

static void abbrevs_free(struct abbrevs *t)
{
	if (t)
		abbrevs_release(t);
	free(t);
}

/* How many bytes were read; the caller says when they are spent. */
static uint64_t abbrevs_make(struct fast_tables *t, struct fast_bytes section, size_t index,
			     struct abbrevs *made)
{
	const struct abbrev_kind *k = &t->keys[index];
	/* byte order does not matter to what is read here */
	struct rd r = rd_at(section, k->offset, false);

	if (r.failed) {
		made->why = fast_fault(t->file, IN_ABBREV, k->offset,
				       "abbreviations lie outside the section");
	} else if (atomic_load(&t->spent) > t->limit) {
		made->why = WRONG(t->file, &r, "abbreviation tables overlap too often");
	} else {
		fast_abbrev_compile(t->file, made, k, &r);
		return (uint64_t)(r.p - section.p) - k->offset;
	}
	return 0;
}

static uint64_t abbrevs_bytes(const struct abbrevs *a)
{
	return sizeof *a + a->cap * sizeof *a->all + a->cap_sites * sizeof *a->sites +
	       a->cap_attrs * sizeof *a->attrs + a->cap_ops * sizeof *a->ops +
	       a->cap_codes * sizeof *a->codes;
}

const struct abbrevs *fast_tables_get(struct fast_tables *t, struct fast_bytes section,
				      size_t index)
{
	struct abbrevs *made = atomic_load_explicit(&t->compiled[index], memory_order_acquire);
	struct abbrevs *other = NULL;
	uint64_t spent;

	if (made)
		return made;
	made = mem_zalloc(sizeof *made);
	spent = abbrevs_make(t, section, index, made);
	if (atomic_compare_exchange_strong(&t->compiled[index], &other, made)) {
		/* once, however many workers have made it at once */
		atomic_fetch_add(&t->spent, spent);
		atomic_fetch_add(&t->bytes, abbrevs_bytes(made));
		return made;
	}
	abbrevs_free(made);
	return other;
}

const struct abbrevs *fast_tables_own(struct fast_tables *t, struct fast_bytes section,
				      size_t index, struct abbrevs *own)
{
	if (t->uses[index] > 1 || atomic_load_explicit(&t->compiled[index], memory_order_relaxed))
		return NULL;
	free(own->codes);
	own->codes = NULL;
	own->cap_codes = 0;
	map64_release(&own->by_code);
	own->n = own->n_attrs = own->n_ops = 0;
	own->has_code = false;
	own->why = NULL;
	atomic_fetch_add(&t->spent, abbrevs_make(t, section, index, own));
	return own;
}

uint64_t fast_tables_bytes(const struct fast_tables *t)
{
	return t->n * (sizeof *t->keys + sizeof *t->compiled + sizeof *t->uses) +
	       atomic_load_explicit(&t->bytes, memory_order_relaxed);
}

void fast_tables_begin(struct fast_tables *t)
{
	atomic_store(&t->spent, 0);
}

void fast_tables_release(struct fast_tables *t)
{
	for (size_t i = 0; i < t->n; i++)
		abbrevs_free(atomic_load(&t->compiled[i]));
	free(t->compiled);
	free(t->uses);
	free(t->keys);
	*t = (struct fast_tables){.keys = NULL};
}
