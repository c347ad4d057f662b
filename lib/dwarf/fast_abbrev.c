/* SPDX-License-Identifier: MIT */
#include "lib/dwarf/fast_abbrev.h"

#include "lib/base/mem.h"
#include "lib/dwarf/fast_fault.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>

/* Attributes may take no bytes in a DIE: many of them in many DIEs would take ages. */
enum { LIMIT_ATTRS = 1024 };

int form_size(uint64_t form, uint8_t version, uint8_t address_size, bool wide)
{
	switch (form) {
	case FORM_ADDR: return address_size;
	case FORM_BLOCK2: return -1 - OP_BLOCK2;
	case FORM_BLOCK4: return -1 - OP_BLOCK4;
	case FORM_BLOCK1: return -1 - OP_BLOCK1;
	case FORM_BLOCK:
	case FORM_EXPRLOC: return -1 - OP_BLOCK;
	case FORM_STRING: return -1 - OP_STRING;
	case FORM_SDATA:
	case FORM_UDATA:
	case FORM_REF_UDATA:
	case FORM_STRX:
	case FORM_ADDRX:
	case FORM_GNU_ADDR_INDEX:
	case FORM_GNU_STR_INDEX:
	case FORM_LOCLISTX:
	case FORM_RNGLISTX: return -1 - OP_LEB;
	case FORM_INDIRECT: return -1 - OP_INDIRECT;
	case FORM_FLAG_PRESENT:
	case FORM_IMPLICIT_CONST: return 0;
	case FORM_DATA1:
	case FORM_REF1:
	case FORM_FLAG:
	case FORM_STRX1:
	case FORM_ADDRX1: return 1;
	case FORM_DATA2:
	case FORM_REF2:
	case FORM_STRX2:
	case FORM_ADDRX2: return 2;
	case FORM_STRX3:
	case FORM_ADDRX3: return 3;
	case FORM_DATA4:
	case FORM_REF4:
	case FORM_REF_SUP4:
	case FORM_STRX4:
	case FORM_ADDRX4: return 4;
	case FORM_DATA8:
	case FORM_REF8:
	case FORM_REF_SIG8:
	case FORM_REF_SUP8: return 8;
	case FORM_DATA16: return 16;
	case FORM_REF_ADDR: return version == 2 ? address_size : wide ? 8 : 4;
	case FORM_STRP:
	case FORM_SEC_OFFSET:
	case FORM_STRP_SUP:
	case FORM_LINE_STRP:
	case FORM_GNU_REF_ALT:
	case FORM_GNU_STRP_ALT: return wide ? 8 : 4;
	default: return INT_MIN;
	}
}

bool abbrev_next_attr(struct rd *r, uint64_t *name, uint64_t *form, int64_t *implicit)
{
	*name = rd_uleb(r);
	*form = rd_uleb(r);
	*implicit = *form == FORM_IMPLICIT_CONST ? rd_sleb(r) : 0;
	return !r->failed && (*name || *form);
}

static uint8_t kind_of(uint64_t tag)
{
	switch (tag) {
	case DW_SUBPROGRAM: return KIND_FUNCTION;
	case DW_INLINED_SUBROUTINE: return KIND_INLINED;
	case DW_LEXICAL_BLOCK:
	case DW_TRY_BLOCK:
	case DW_CATCH_BLOCK: return KIND_BLOCK;
	case DW_ARRAY_TYPE:
	case DW_CLASS_TYPE:
	case DW_ENUMERATION_TYPE:
	case DW_STRUCTURE_TYPE:
	case DW_SUBROUTINE_TYPE:
	case DW_UNION_TYPE:
	case DW_INTERFACE_TYPE:
	case DW_FORMAL_PARAMETER:
	case DW_VARIABLE:
	case DW_CALL_SITE:
	case DW_GNU_CALL_SITE: return KIND_CLOSED;
	default: return KIND_OPEN;
	}
}

/* Where the present attribute is, from the first one. */
static uint16_t place(const struct abbrev *a)
{
	return !a->n_ops && a->tail < ABBREV_FAR ? (uint16_t)a->tail : ABBREV_FAR;
}

static void note(struct abbrev *a, const struct abbrev_attr *t, int size)
{
	uint16_t at = place(a);
	bool first = false;

	switch (t->name) {
	case AT_SIBLING:
		if (a->sibling || (t->form != FORM_REF4 && t->form != FORM_REF8 &&
				   t->form != FORM_REF2 && t->form != FORM_REF1))
			return;
		a->sibling = (uint8_t)size;
		a->sibling_ops = a->n_ops;
		a->sibling_bytes = a->tail;
		return;
	case AT_LOW_PC:
		first = t->form == FORM_ADDR && a->low == ABBREV_FAR;
		a->low = at;
		a->has_pc = true;
		break;
	case AT_HIGH_PC:
		first = (t->form == FORM_ADDR || t->form == FORM_DATA8 || t->form == FORM_DATA4 ||
			 t->form == FORM_DATA2 || t->form == FORM_DATA1) &&
			a->high == ABBREV_FAR;
		a->high_size = t->form == FORM_ADDR ? 0 : (uint8_t)size;
		a->high = at;
		break;
	case AT_RANGES:
		first = t->form == FORM_SEC_OFFSET && a->ranges == ABBREV_FAR;
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
	bool plain = t->form == FORM_DATA1 || t->form == FORM_DATA2 || t->form == FORM_DATA4;

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
	case AT_CALL_FILE: note_number(a, s, t, size, &s->file, &s->file_size); break;
	case AT_CALL_LINE: note_number(a, s, t, size, &s->line, &s->line_size); break;
	case AT_CALL_COLUMN: note_number(a, s, t, size, &s->column, &s->column_size); break;
	case AT_NAME:
	case AT_LINKAGE_NAME:
	case AT_MIPS_LINKAGE_NAME:
	case AT_SPECIFICATION: s->only_origin = false; break;
	case AT_ABSTRACT_ORIGIN:
		if (s->origin != ABBREV_FAR || t->form != FORM_REF4)
			s->only_origin = false;
		s->origin = place(a);
		break;
	default: break;
	}
}

/* The first thing that is wrong, at r. */
#define WRONG(f, r, ...) fast_fault_of(f, IN_ABBREV, (r)->p, 0, __VA_ARGS__)

/* The attribute that ends at r. */
static void add_attr(const struct fast_file *f, const struct rd *r, struct abbrevs *t,
		     const struct abbrev_kind *k, struct abbrev *a, struct abbrev_site *s,
		     uint64_t name, uint64_t form, int64_t implicit)
{
	int size = form_size(form, k->version, k->address_size, k->wide);
	struct abbrev_attr attr = {.name = name < UINT16_MAX ? (uint16_t)name : UINT16_MAX,
				   .form = (uint16_t)form,
				   .implicit = implicit};

	if (a->n_attrs >= LIMIT_ATTRS) {
		t->why = WRONG(f, r, "an abbreviation of more than %d attributes", LIMIT_ATTRS);
		return;
	}
	if (size == INT_MIN) {
		t->declined = form >= FORM_VENDOR && form <= UINT16_MAX;
		t->why = WRONG(f, r,
			       t->declined ? "form 0x%" PRIx64 " is no standard's"
					   : "unknown form 0x%" PRIx64,
			       form);
		return;
	}
	note(a, &attr, size);
	note_site(a, s, &attr, size);
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

static void add_code(struct abbrevs *t, uint64_t code)
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

/* Stops at the first invalid entry, with why set. */
static void compile(const struct fast_file *f, struct abbrevs *t, const struct abbrev_kind *k,
		    struct rd *r)
{
	while (!t->why && r->p < r->end) {
		uint64_t code = rd_uleb(r), tag, name, form;
		int64_t implicit;
		struct abbrev a = {.low = ABBREV_FAR, .high = ABBREV_FAR, .ranges = ABBREV_FAR};
		struct abbrev_site site = {.origin = ABBREV_FAR, .only_origin = true, .near = true};

		if (!code)
			break;
		tag = rd_uleb(r);
		a.kind = kind_of(tag);
		site.tag = tag < UINT16_MAX ? (uint16_t)tag : UINT16_MAX;
		a.children = rd_u8(r) != 0;
		a.first_op = (uint32_t)t->n_ops;
		a.first_attr = (uint32_t)t->n_attrs;
		a.near = true;
		while (!t->why && abbrev_next_attr(r, &name, &form, &implicit))
			add_attr(f, r, t, k, &a, &site, name, form, implicit);
		a.passes = passes(&a);
		t->has_code |= a.has_pc && (a.kind == KIND_FUNCTION || a.kind == KIND_INLINED);
		site.only_origin &= site.origin != ABBREV_FAR;
		add_code(t, code);
		if (t->n >= t->cap_sites)
			t->sites = mem_grow(t->sites, &t->cap_sites, t->n + 1, sizeof *t->sites);
		t->sites[t->n] = site;
		VEC_PUSH(t->all, t->n, t->cap) = a;
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
static uint64_t abbrevs_make(struct fast_tables *t, struct bytes section, size_t index,
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
		compile(t->file, made, k, &r);
		return (uint64_t)(r.p - section.p) - k->offset;
	}
	return 0;
}

const struct abbrevs *fast_tables_get(struct fast_tables *t, struct bytes section, size_t index)
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
		return made;
	}
	abbrevs_free(made);
	return other;
}

const struct abbrevs *fast_tables_own(struct fast_tables *t, struct bytes section, size_t index,
				      struct abbrevs *own)
{
	if (t->uses[index] > 1 || atomic_load_explicit(&t->compiled[index], memory_order_relaxed))
		return NULL;
	free(own->codes);
	own->codes = NULL;
	own->cap_codes = 0;
	map64_release(&own->by_code);
	own->n = own->n_attrs = own->n_ops = 0;
	own->has_code = own->declined = false;
	own->why = NULL;
	atomic_fetch_add(&t->spent, abbrevs_make(t, section, index, own));
	return own;
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
