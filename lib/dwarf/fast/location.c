/* SPDX-License-Identifier: MIT */
#include "lib/dwarf/fast/location.h"

struct fast_location_lists fast_locations_of(struct object *o)
{
	struct object_section loc = {.size = 0}, loclists = {.size = 0};
	struct err e = ERR_INIT;

	if (object_section(o, ".debug_loc", &loc, &e))
		loc.size = 0;
	if (object_section(o, ".debug_loclists", &loclists, &e))
		loclists.size = 0;
	return (struct fast_location_lists){{loc.data, loc.size}, {loclists.data, loclists.size}};
}

/* DW_FORM_loclistx: the offsets behind the header of the unit's part of .debug_loclists. */
static bool list_offset(const struct fast_location_lists *lists, const struct die *d,
			uint64_t *offset)
{
	const uint64_t index = d->facts[DIE_LOCATION].v, size = d->u->wide ? 8 : 4;
	struct die root = {.f = d->f, .u = d->u, .at = d->u->die};
	uint64_t base = d->u->wide ? 20 : 12;
	struct rd r;

	if (die_read(&root, true) && root.facts[DIE_LOCLISTS].form)
		base = root.facts[DIE_LOCLISTS].v;
	if (index > UINT32_MAX || base > UINT64_MAX / 2)
		return false;
	r = rd_at(lists->loclists, base + index * size, d->f->big_endian);
	*offset = base + rd_offset(&r, d->u->wide);
	return !r.failed;
}

bool fast_location_begin(struct fast_location *l, const struct fast_location_lists *lists,
			 const struct die *d, struct budget *b)
{
	const struct fast_value *v = &d->facts[DIE_LOCATION];
	uint64_t offset = v->v;

	if (v->class == CLASS_LOCATION_INDEX) {
		if (!list_offset(lists, d, &offset))
			return false;
	} else if (v->class != CLASS_OFFSET && (v->class != CLASS_CONSTANT || d->u->version > 3)) {
		return false;
	}
	*l = (struct fast_location){.u = d->u, .budget = b, .old = d->u->version < 5};
	l->r = rd_at(l->old ? lists->loc : lists->loclists, offset, d->f->big_endian);
	return !l->r.failed;
}

static bool cut_out(struct rd *from, uint64_t n, struct rd *expression)
{
	if (from->failed || n > rd_left(from))
		return false;
	*expression = *from;
	expression->end = from->p + n;
	rd_skip(from, n);
	return true;
}

static bool next_old(struct fast_location *l, struct rd *expression)
{
	const uint64_t select = UINT64_MAX >> (64 - 8 * l->u->address_size);

	while (!l->r.failed && !budget_spend(l->budget, 1)) {
		uint64_t lo = rd_uint(&l->r, l->u->address_size);
		uint64_t hi = rd_uint(&l->r, l->u->address_size);

		if (l->r.failed || (!lo && !hi))
			return false;
		if (lo != select)
			return cut_out(&l->r, rd_u16(&l->r), expression);
	}
	return false;
}

bool fast_location_next(struct fast_location *l, struct rd *expression)
{
	if (l->old)
		return next_old(l, expression);
	while (!l->r.failed && !budget_spend(l->budget, 1)) {
		switch (rd_u8(&l->r)) {
		case DW_LLE_base_addressx: rd_skip_leb(&l->r); continue;
		case DW_LLE_base_address: rd_skip(&l->r, l->u->address_size); continue;
		case DW_LLE_startx_endx:
		case DW_LLE_startx_length:
		case DW_LLE_offset_pair:
			rd_skip_leb(&l->r);
			rd_skip_leb(&l->r);
			break;
		case DW_LLE_default_location: break;
		case DW_LLE_start_end: rd_skip(&l->r, 2u * l->u->address_size); break;
		case DW_LLE_start_length:
			rd_skip(&l->r, l->u->address_size);
			rd_skip_leb(&l->r);
			break;
		default: return false; /* the end, too */
		}
		return cut_out(&l->r, rd_uleb(&l->r), expression);
	}
	return false;
}
