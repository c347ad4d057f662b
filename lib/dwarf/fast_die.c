/* SPDX-License-Identifier: MIT */
#include "lib/dwarf/fast_die.h"

#include <string.h>

static int fact_of(uint16_t attribute)
{
	switch (attribute) {
	case AT_NAME: return DIE_NAME;
	case AT_LOCATION: return DIE_LOCATION;
	case AT_TYPE: return DIE_TYPE;
	case AT_ABSTRACT_ORIGIN: return DIE_ORIGIN;
	case AT_SPECIFICATION: return DIE_SPECIFICATION;
	case AT_DECL_FILE: return DIE_DECL_FILE;
	case AT_DECL_LINE: return DIE_DECL_LINE;
	case AT_BYTE_SIZE: return DIE_SIZE;
	case AT_COUNT: return DIE_COUNT;
	case AT_UPPER_BOUND: return DIE_UPPER;
	case AT_LOWER_BOUND: return DIE_LOWER;
	case AT_FRAME_BASE: return DIE_BASE;
	case AT_LOW_PC: return DIE_LOW;
	case AT_HIGH_PC: return DIE_HIGH;
	case AT_RANGES: return DIE_RANGES;
	case AT_LLVM_TAG_OFFSET: return DIE_TAG;
	case AT_LOCLISTS_BASE: return DIE_LOCLISTS;
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
	all = all || d->tag == DW_VARIABLE || d->tag == DW_FORMAL_PARAMETER;
	if (all)
		memset(d->facts, 0, sizeof d->facts);
	for (uint32_t i = 0; i < a->n_attrs; i++) {
		const struct abbrev_attr *at = &t->attrs[a->first_attr + i];
		int fact = all ? fact_of(at->name) : -1;
		struct fast_value v;

		if (!fast_value_read(d->u, &r, at->form, at->implicit, &v))
			return false;
		if (fact >= 0 && !d->facts[fact].form)
			d->facts[fact] = v;
		if (at->name == AT_SIBLING && v.class == CLASS_REFERENCE && v.v > d->at)
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
	if (!d.u || d.u->state == UNIT_LOST || d.u->state == UNIT_DECLINED || !die_read(&d, true) ||
	    !d.tag)
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
static bool array_size(struct budget *b, const struct die *t, unsigned hops, uint64_t *size)
{
	struct die_walk w = {.budget = b, .d = *t, .next = t->behind, .inside = 1};
	struct die of;

	if (!die_refer(t, DIE_TYPE, &of) || !die_type_size(b, of, hops + 1, size))
		return false;
	while (t->children && die_advance(&w, true)) {
		uint64_t n, lower;

		if (w.d.tag == DW_SUBRANGE_TYPE) {
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
		case DW_POINTER_TYPE:
		case DW_REFERENCE_TYPE:
		case DW_RVALUE_REFERENCE_TYPE: return true;
		case DW_MEMBER_POINTER_TYPE:
			if (die_refer(&t, DIE_TYPE, &of) && of.tag == DW_SUBROUTINE_TYPE)
				*size *= 2;
			return true;
		case DW_ARRAY_TYPE: return array_size(b, &t, hops, size);
		default: break;
		}
		if (!die_refer(&t, DIE_TYPE, &t))
			return false;
	}
	return false;
}
