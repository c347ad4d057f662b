/* SPDX-License-Identifier: MIT
 *
 * The fast engine's answers of dwarf/place.h.
 */
#include "lib/dwarf/fast/place.h"

#include "lib/base/mem.h"
#include "lib/dwarf/fast/claims.h"
#include "lib/dwarf/fast/split.h"

#include <stdlib.h>

enum { LIMIT_RANGES = 65536 }; /* of one scope, as many as are shown at all */

struct dwarf_places {
	struct fast_claims of;
	struct arena arena; /* of the last answer */
};

struct dwarf_places *dwarf_places_new(struct object *o, struct err *e)
{
	struct dwarf_places *p;

	err_set(e, ST_NONE, "%s", "");
	if (!object_has_dwarf(o))
		return NULL;
	p = mem_zalloc(sizeof *p);
	if (!fast_claims_load(&p->of, o, e))
		return p;
	free(p);
	return NULL;
}

void dwarf_places_free(struct dwarf_places *p)
{
	if (!p)
		return;
	fast_claims_release(&p->of);
	arena_release(&p->arena);
	free(p);
}

static const char *text(struct dwarf_places *p, const struct fast_file *f,
			const struct fast_unit *u, const struct fast_value *v)
{
	size_t n;
	const char *s = fast_value_text(f, u, v, &n);
	char *copy;

	if (!s)
		return NULL;
	copy = arena_zalloc(&p->arena, n + 1);
	memcpy(copy, s, n);
	return copy;
}

/* The attributes of a DIE that say where it is, and its name. */
struct facts {
	struct fast_value ranges, low, high, name;
};

static bool place_read_facts(const struct fast_file *f, const struct fast_unit *u,
			     const struct abbrevs *t, uint64_t die, struct facts *x)
{
	struct rd r = rd_between(f->in[IN_INFO], die, u->end, f->big_endian);
	const struct abbrev *a = r.failed ? NULL : abbrev_find(t, rd_uleb(&r));

	*x = (struct facts){.ranges = {.class = CLASS_NONE}};
	for (uint32_t i = 0; a && i < a->n_attrs; i++) {
		const struct abbrev_attr *attr = &t->attrs[a->first_attr + i];
		struct fast_value v;

		if (!fast_value_read(u, &r, attr->form, attr->implicit, &v))
			return false;
		switch (attr->name) {
		case DW_AT_ranges: x->ranges = v; break;
		case DW_AT_low_pc: x->low = v; break;
		case DW_AT_high_pc: x->high = v; break;
		case DW_AT_name: x->name = v; break;
		default: break;
		}
	}
	return a;
}

static void fill_scope(struct dwarf_places *p, const struct fast_file *f, const struct fast_unit *u,
		       const struct abbrevs *t, const struct fast_scope *from,
		       struct dwarf_scope *to)
{
	struct fast_ranges *all = &p->of.worker.ranges;
	struct dwarf_range *copy;
	struct facts x;
	bool there;

	*to = (struct dwarf_scope){.die = from->die, .inlined = from->abbrev->kind == KIND_INLINED};
	if (!place_read_facts(f, u, t, from->die, &x) ||
	    fast_ranges_read(f, u, &x.ranges, &x.low, &x.high, &p->of.worker.budget, all, &there) ||
	    all->n > LIMIT_RANGES)
		return;
	copy = arena_zalloc(&p->arena, all->n * sizeof *copy);
	for (size_t i = 0; i < all->n; i++)
		copy[i] = (struct dwarf_range){all->all[i].lo, all->all[i].hi};
	to->ranges = copy;
	to->n_ranges = all->n;
}

static void fill_scopes(struct dwarf_places *p, const struct fast_file *f,
			const struct fast_unit *u, const struct abbrevs *t, uint64_t addr,
			struct dwarf_place *out)
{
	struct fast_scopes *s = &p->of.worker.scopes;
	struct dwarf_scope *all;
	uint32_t node = 0;
	size_t n = 0;

	s->n = 0;
	for (int everything = 0; !node && everything < 2; everything++)
		if (fast_scopes_walk(f, u, t, &addr, 1, everything, &p->of.worker.budget, s, &node))
			return;
	for (uint32_t i = node; i; i = s->all[i - 1].parent)
		n++;
	all = arena_zalloc(&p->arena, n * sizeof *all);
	for (uint32_t i = node; i; i = s->all[i - 1].parent)
		fill_scope(p, f, u, t, &s->all[i - 1], &all[out->n_scopes++]);
	out->scopes = all;
}

const char *dwarf_places_source(struct dwarf_places *p, uint64_t addr, const char *path, size_t *n)
{
	const char *text = NULL;

	for (size_t i = 0; !text && i < p->of.n; i++) {
		const struct fast_claim *c = &p->of.items[i];

		for (int relative = 0; addr >= c->lo && addr < c->hi && !text && relative < 2;
		     relative++) {
			p->of.file.relative = relative;
			text = fast_lines_source(&p->of.file, &p->of.file.units[c->unit],
						 &p->of.worker.lines, path, n);
		}
	}
	p->of.file.relative = false;
	return text;
}

void dwarf_places_at(struct dwarf_places *p, uint64_t addr, struct dwarf_place *out)
{
	struct fast_file *f = &p->of.file;
	uint32_t last = UINT32_MAX;
	struct fast_unit *asked = NULL;
	const struct fast_unit *u;
	const struct abbrevs *t;
	struct facts root;

	*out = (struct dwarf_place){.found = false};
	arena_release(&p->arena);
	for (size_t i = 0; i < p->of.n; i++) {
		const struct fast_claim *c = &p->of.items[i];

		if (addr < c->lo || addr >= c->hi || c->unit == last)
			continue;
		last = c->unit;
		if (!out->n_claims++) {
			asked = &f->units[c->unit];
			out->owned = (struct dwarf_range){c->lo, c->hi};
		}
	}
	if (!asked)
		return;
	u = asked;
	out->found = true;
	out->unit = u->offset;
	out->version = u->version;
	out->split = u->split;
	if (u->comp_dir) {
		char *dir = arena_zalloc(&p->arena, u->n_comp_dir + 1);

		memcpy(dir, u->comp_dir, u->n_comp_dir);
		out->comp_dir = dir;
	}
	if (asked->split && f->splits) {
		const struct fast_part *part = fast_part_of(f, asked, &p->of.worker.budget);

		out->part = part->path;
		out->why_no_part = part->why;
		if (part->file) {
			f = part->file;
			u = &part->unit;
		}
	}
	t = fast_tables_get(&f->tables, f->in[IN_ABBREV], u->table);
	if (t->why || !place_read_facts(f, u, t, u->die, &root))
		return;
	out->name = text(p, f, u, &root.name);
	fill_scopes(p, f, u, t, addr, out);
}
