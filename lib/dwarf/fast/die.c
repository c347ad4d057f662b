/* SPDX-License-Identifier: MIT */
#include "lib/dwarf/fast/die.h"

#include <string.h>

static int fast_die_fact_of(uint16_t attribute)
{
	switch (attribute) {
	case DW_AT_name: return DIE_NAME;
	case DW_AT_location: return DIE_LOCATION;
	case DW_AT_type: return DIE_TYPE;
	case DW_AT_abstract_origin: return DIE_ORIGIN;
	case DW_AT_specification: return DIE_SPECIFICATION;
	case DW_AT_decl_file: return DIE_DECL_FILE;
	case DW_AT_decl_line: return DIE_DECL_LINE;
	case DW_AT_byte_size: return DIE_SIZE;
	case DW_AT_count: return DIE_COUNT;
	case DW_AT_upper_bound: return DIE_UPPER;
	case DW_AT_lower_bound: return DIE_LOWER;
	case DW_AT_frame_base: return DIE_BASE;
	case DW_AT_low_pc: return DIE_LOW;
	case DW_AT_high_pc: return DIE_HIGH;
	case DW_AT_ranges: return DIE_RANGES;
	case DW_AT_LLVM_tag_offset: return DIE_TAG;
	case DW_AT_loclists_base: return DIE_LOCLISTS;
	default: return -1;
	}
}

bool die_read(struct die *d, bool all)
{
	struct fast_file *f = d->f;
	const struct abbrevs *t = fast_tables_get(&f->tables, f->in[IN_ABBREV], d->u->table);
	struct rd r = rd_between(f->in[IN_INFO], d->at, d->u->end, f->big_endian);
	uint64_t code = r.failed ? 0 : rd_uleb(&r);
	const struct abbrev *a;

	if (t->why || r.failed)
		return false;
	d->tag = 0;
	d->sibling = 0;
	d->behind = (uint64_t)(r.p - f->in[IN_INFO].p);
	if (!code)
		return true;
	a = abbrev_find(t, code);
	if (!a)
		return false;
	d->tag = abbrev_site(t, a)->tag;
	d->kind = a->kind;
	d->children = a->children;
	all = all || d->tag == DW_TAG_variable || d->tag == DW_TAG_formal_parameter;
	if (all)
		memset(d->facts, 0, sizeof d->facts);
	for (uint32_t i = 0; i < a->n_attrs; i++) {
		const struct abbrev_attr *at = &t->attrs[a->first_attr + i];
		int fact = all ? fast_die_fact_of(at->name) : -1;
		struct fast_value v;

		if (!fast_value_read(d->u, &r, at->form, at->implicit, &v))
			return false;
		if (fact >= 0 && !d->facts[fact].form)
			d->facts[fact] = v;
		if (at->name == DW_AT_sibling && v.class == CLASS_REFERENCE && v.v > d->at)
			d->sibling = v.v;
	}
	d->behind = (uint64_t)(r.p - f->in[IN_INFO].p);
	return true;
}

bool die_refer(const struct die *from, int fact, struct die *to)
{
	const struct fast_value *v = &from->facts[fact];
	struct die d = {.f = from->f, .at = v->v};

	if (v->class == CLASS_REFERENCE_ALT)
		d.f = from->f->alt;
	else if (v->class != CLASS_REFERENCE)
		return false;
	d.u = d.f ? fast_unit_at(d.f, d.at) : NULL;
	if (!d.u || d.u->state == UNIT_LOST || !die_read(&d, true) || !d.tag)
		return false;
	*to = d;
	return true;
}

bool die_advance(struct die_walk *w, bool all)
{
	for (;;) {
		if (budget_spend(w->budget, 1) || w->next >= w->d.u->end)
			return false;
		w->d.at = w->next;
		if (!die_read(&w->d, all))
			return false;
		w->next = w->d.behind;
		if (w->d.tag) {
			w->depth = w->inside;
			w->inside += w->d.children;
			return true;
		}
		if (w->inside <= 1)
			return false;
		w->inside--;
	}
}

bool die_skip_children(struct die_walk *w)
{
	uint32_t depth = w->depth;

	if (!w->d.children)
		return true;
	if (w->d.sibling && w->d.sibling >= w->next && w->d.sibling <= w->d.u->end) {
		w->next = w->d.sibling;
		w->inside = depth;
		return true;
	}
	while (w->inside > depth) {
		if (budget_spend(w->budget, 1) || w->next >= w->d.u->end)
			return false;
		w->d.at = w->next;
		if (!die_read(&w->d, false))
			return false;
		w->next = w->d.behind;
		if (!w->d.tag)
			w->inside--;
		else
			w->inside += w->d.children;
	}
	return true;
}

bool die_constant(const struct fast_value *v, uint64_t *n)
{
	*n = v->v;
	return v->form && v->class == CLASS_CONSTANT;
}

/* An element's bytes by the lengths of all its subranges. */
static bool fast_die_array_size(struct budget *b, const struct die *t, unsigned hops,
				uint64_t *size)
{
	struct die_walk w = {.budget = b, .d = *t, .next = t->behind, .inside = 1};
	struct die of;

	if (!die_refer(t, DIE_TYPE, &of) || !die_type_size(b, of, hops + 1, size))
		return false;
	while (t->children && die_advance(&w, true)) {
		uint64_t n, lower;

		if (w.d.tag == DW_TAG_subrange_type) {
			if (die_constant(&w.d.facts[DIE_COUNT], &n))
				*size *= n;
			if (die_constant(&w.d.facts[DIE_UPPER], &n)) {
				if (!die_constant(&w.d.facts[DIE_LOWER], &lower))
					lower = 0;
				*size *= n - lower + 1;
			}
		}
		if (!die_skip_children(&w))
			break;
	}
	return true;
}

bool die_type_size(struct budget *b, struct die t, unsigned hops, uint64_t *size)
{
	for (; hops < DIE_HOPS; hops++) {
		struct die of;

		if (die_constant(&t.facts[DIE_SIZE], size))
			return true;
		*size = t.u->address_size;
		switch (t.tag) {
		case DW_TAG_pointer_type:
		case DW_TAG_reference_type:
		case DW_TAG_rvalue_reference_type: return true;
		case DW_TAG_ptr_to_member_type:
			if (die_refer(&t, DIE_TYPE, &of) && of.tag == DW_TAG_subroutine_type)
				*size *= 2;
			return true;
		case DW_TAG_array_type: return fast_die_array_size(b, &t, hops, size);
		default: break;
		}
		if (!die_refer(&t, DIE_TYPE, &t))
			return false;
	}
	return false;
}
