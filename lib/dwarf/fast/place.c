/* SPDX-License-Identifier: MIT
 *
 * The fast engine's answers of dwarf/place.h.
 */
#include "lib/dwarf/fast/place.h"

#include "lib/base/mem.h"
#include "lib/dwarf/fast/merge.h"
#include "lib/dwarf/fast/split.h"
#include "lib/dwarf/sections.h"

#include <stdlib.h>

enum {
	SECONDS = 60,         /* of processor time, for all queries of one file */
	LIMIT_RANGES = 65536, /* of one scope, as many as are shown at all */
};

struct claim {
	uint64_t lo, hi;
	uint32_t unit;
};

struct dwarf_places {
	struct fast_engine g;
	struct fast_file file;
	struct dwarf_options options;
	struct dwarf_job job;
	struct dwarf_answers answers; /* for complaints only */
	struct fast_worker worker;
	struct claim *claims; /* in the order of the units */
	size_t n_claims, cap_claims;
	uint32_t unit;      /* its claims are being read */
	struct arena arena; /* of the last answer */
};

static void place_add_claim(void *arg, uint64_t lo, uint64_t hi)
{
	struct dwarf_places *p = arg;

	VEC_PUSH(p->claims, p->n_claims, p->cap_claims) = (struct claim){lo, hi, p->unit};
}

struct dwarf_places *dwarf_places_new(struct object *o, struct err *e)
{
	struct sections sections = {.abbrev = NULL};
	struct dwarf_places *p;
	enum status st;

	err_set(e, ST_NONE, "%s", "");
	if (!object_has_dwarf(o))
		return NULL;
	p = mem_zalloc(sizeof *p);
	p->options.jobs = 1;
	p->job = (struct dwarf_job){.object = o, .out = &p->answers};
	p->g = (struct fast_engine){.options = &p->options, .job = &p->job, .file = &p->file};
	p->worker.budget.seconds = clock_thread_seconds() + SECONDS;
	dwarf_answers_init(&p->answers, 0);
	st = fast_load(&p->g, &sections, e);
	buf_release(&sections.complaint);
	if (st) {
		dwarf_answers_release(&p->answers);
		free(p);
		return NULL;
	}
	fast_units_index(&p->file);
	for (size_t i = 0; i < p->file.n_units; i++) {
		p->unit = (uint32_t)i;
		fast_own(&p->file, &p->worker, &p->file.units[i], place_add_claim, p);
	}
	return p;
}

void dwarf_places_free(struct dwarf_places *p)
{
	if (!p)
		return;
	fast_worker_release(&p->worker);
	fast_file_release(&p->file);
	dwarf_answers_release(&p->answers);
	arena_release(&p->arena);
	free(p->claims);
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
	struct fast_ranges *all = &p->worker.ranges;
	struct dwarf_range *copy;
	struct facts x;
	bool there;

	*to = (struct dwarf_scope){.die = from->die, .inlined = from->abbrev->kind == KIND_INLINED};
	if (!place_read_facts(f, u, t, from->die, &x) ||
	    fast_ranges_read(f, u, &x.ranges, &x.low, &x.high, &p->worker.budget, all, &there) ||
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
	struct fast_scopes *s = &p->worker.scopes;
	struct dwarf_scope *all;
	uint32_t node = 0;
	size_t n = 0;

	s->n = 0;
	for (int everything = 0; !node && everything < 2; everything++)
		if (fast_scopes_walk(f, u, t, &addr, 1, everything, &p->worker.budget, s, &node))
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

	for (size_t i = 0; !text && i < p->n_claims; i++) {
		const struct claim *c = &p->claims[i];

		for (int relative = 0; addr >= c->lo && addr < c->hi && !text && relative < 2;
		     relative++) {
			p->file.relative = relative;
			text = fast_lines_source(&p->file, &p->file.units[c->unit],
						 &p->worker.lines, path, n);
		}
	}
	p->file.relative = false;
	return text;
}

void dwarf_places_at(struct dwarf_places *p, uint64_t addr, struct dwarf_place *out)
{
	struct fast_file *f = &p->file;
	uint32_t last = UINT32_MAX;
	struct fast_unit *asked = NULL;
	const struct fast_unit *u;
	const struct abbrevs *t;
	struct facts root;

	*out = (struct dwarf_place){.found = false};
	arena_release(&p->arena);
	for (size_t i = 0; i < p->n_claims; i++) {
		const struct claim *c = &p->claims[i];

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
		const struct fast_part *part = fast_part_of(f, asked, &p->worker.budget);

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
