/* SPDX-License-Identifier: MIT */
#include "lib/dwarf/fast/name.h"

#include "lib/base/mem.h"

#include <stdlib.h>

enum { LIMIT_HOPS = 16 }; /* ends a cycle of references */

/* A DIE of the supplementary file, in places that hold DIEs of either. */
#define IN_ALT (UINT64_C(1) << 63)

/* The DIE that v refers to from a DIE of f; 0: none. in_alt: f is the supplementary file. */
static uint64_t target(const struct fast_value *v, bool in_alt)
{
	if (v->v >= IN_ALT || (v->class != CLASS_REFERENCE && v->class != CLASS_REFERENCE_ALT))
		return 0;
	return in_alt || v->class == CLASS_REFERENCE_ALT ? v->v | IN_ALT : v->v;
}

/* The file and the unit of a DIE, which loses its mark; u is a guess. False: none. */
static bool find_unit(struct fast_file **f, const struct fast_unit **u, uint64_t *die)
{
	if (*die & IN_ALT) {
		*die &= ~IN_ALT;
		*f = (*f)->alt;
		*u = *f ? fast_unit_at(*f, *die) : NULL;
	} else if (*die < (*u)->die || *die >= (*u)->end) {
		*u = fast_unit_at(*f, *die);
	}
	return *u && (*u)->state != UNIT_LOST;
}

/* What one DIE says of a name. */
struct naming {
	struct fast_text linkage, name;
	uint64_t next[2]; /* abstract origin, specification */
	size_t n_next;
};

static void set_text(const struct fast_file *f, const struct fast_unit *u,
		     const struct fast_value *v, struct fast_text *t)
{
	size_t n;
	const char *s = fast_value_text(f, u, v, &n);

	if (!s || !n || t->s)
		return;
	/* what is near goes when the worker goes on */
	if (u->near && v->class == CLASS_TEXT && v->section == IN_INFO)
		s = (const char *)f->in[IN_INFO].p + u->offset + ((const uint8_t *)s - u->near);
	*t = (struct fast_text){s, n, false};
}

static const struct abbrevs *table_of(const struct fast_names *names, struct fast_file *f,
				      const struct fast_unit *u)
{
	return u == names->unit ? names->table
				: fast_tables_get(&f->tables, f->in[IN_ABBREV], u->table);
}

/* The linkage name at r, which its abbreviation says to be there. */
static struct fast_text fast_name_near(const struct fast_names *names, const struct fast_file *f,
				       const struct fast_unit *u, struct rd r, uint16_t place)
{
	struct fast_value v = {.class = CLASS_TEXT, .section = IN_STR};
	struct fast_text name = {.s = NULL};
	const struct fast_bytes *texts = &f->in[IN_STR];

	rd_skip(&r, place);
	v.v = rd_offset(&r, u->wide);
	if (r.failed)
		return name;
	if (names->closed)
		set_text(f, u, &v, &name);
	else if (v.v < texts->n)
		name = (struct fast_text){(const char *)texts->p + v.v, texts->n - v.v, true};
	return name;
}

/* False: there is no DIE. u is a guess. */
static bool read_naming(const struct fast_names *names, struct fast_file *f,
			const struct fast_unit *u, uint64_t die, struct naming *x)
{
	struct fast_value v, linkage = {.form = 0}, mips = linkage, name = linkage;
	const struct abbrev_site *site;
	const struct abbrevs *t;
	const struct abbrev *a;
	struct rd r;
	uint64_t code, origin = 0, specification = 0;
	bool in_alt = die & IN_ALT;

	*x = (struct naming){.n_next = 0};
	if (!find_unit(&f, &u, &die))
		return false;
	t = table_of(names, f, u);
	r = fast_unit_bytes(f, u, die);
	code = rd_uleb(&r);
	a = t->why || !code ? NULL : abbrev_find(t, code);
	if (!a)
		return false;
	site = abbrev_site(t, a);
	if (site->linkage != ABBREV_FAR) {
		x->linkage = fast_name_near(names, f, u, r, site->linkage);
		if (x->linkage.s) /* where else a name may be does not matter then */
			return true;
	}
	if (site->only_origin) {
		rd_skip(&r, site->origin);
		x->next[x->n_next++] = (u->offset + rd_u32(&r)) | (in_alt ? IN_ALT : 0);
		return !r.failed;
	}
	for (uint32_t i = 0; i < a->n_attrs; i++) {
		const struct abbrev_attr *at = &t->attrs[a->first_attr + i];

		if (!fast_value_read(u, &r, at->form, at->implicit, &v))
			break;
		switch (at->name) {
		case DW_AT_name: name = name.form ? name : v; break;
		case DW_AT_linkage_name: linkage = linkage.form ? linkage : v; break;
		case DW_AT_MIPS_linkage_name: mips = mips.form ? mips : v; break;
		case DW_AT_abstract_origin: origin = origin ? origin : target(&v, in_alt); break;
		case DW_AT_specification:
			specification = specification ? specification : target(&v, in_alt);
			break;
		default: break;
		}
	}
	set_text(f, u, &linkage, &x->linkage);
	set_text(f, u, &mips, &x->linkage);
	if (!x->linkage.s)
		set_text(f, u, &name, &x->name);
	if (origin)
		x->next[x->n_next++] = origin;
	if (specification)
		x->next[x->n_next++] = specification;
	return true;
}

static uint32_t keep(struct fast_names *names, struct fast_text t)
{
	if (!t.s)
		return 0;
	VEC_PUSH(names->all, names->n, names->cap) = t;
	return (uint32_t)names->n;
}

static uint32_t small(const struct fast_value *v)
{
	return v->class == CLASS_CONSTANT && v->v <= UINT32_MAX ? (uint32_t)v->v : 0;
}

/* The DIEs to look at. */
struct facts_walk {
	uint64_t todo[2 * LIMIT_HOPS + 4];
	size_t n;
	bool declared; /* one of them has said in which file */
};

/* What one DIE says for struct fast_facts, in what is still missing. first: it is the function's
 * own. False: there is no DIE. */
static bool fast_name_read_facts(struct fast_names *names, struct fast_file *f,
				 const struct fast_unit *u, uint64_t die, bool first,
				 struct fast_facts *x, struct facts_walk *w)
{
	struct fast_text name = {.s = NULL};
	uint64_t code, specification = 0;
	const struct abbrevs *t;
	const struct abbrev *a;
	/* files are numbered by the table of the unit that asks */
	bool foreign = die < u->die || die >= u->end, in_alt = die & IN_ALT;
	struct fast_value v;
	struct rd r;

	if (!find_unit(&f, &u, &die))
		return false;
	t = table_of(names, f, u);
	r = fast_unit_bytes(f, u, die);
	code = rd_uleb(&r);
	a = t->why || !code ? NULL : abbrev_find(t, code);
	for (uint32_t i = 0; a && i < a->n_attrs; i++) {
		const struct abbrev_attr *at = &t->attrs[a->first_attr + i];

		if (!fast_value_read(u, &r, at->form, at->implicit, &v))
			break;
		switch (at->name) {
		case DW_AT_name: set_text(f, u, &v, &name); break;
		case DW_AT_low_pc:
			if (first && !fast_value_address(f, u, &v, &x->start))
				x->start = UINT64_MAX;
			break;
		case DW_AT_decl_file:
			if (w->declared)
				break;
			w->declared = true;
			x->has_file = v.class == CLASS_CONSTANT && !foreign;
			x->file = small(&v);
			break;
		case DW_AT_decl_line: x->line = x->line ? x->line : small(&v); break;
		case DW_AT_abstract_origin:
			if (target(&v, in_alt))
				w->todo[w->n++] = target(&v, in_alt);
			break;
		case DW_AT_specification: specification = target(&v, in_alt); break;
		default: break;
		}
		if (w->n > 2 * (size_t)LIMIT_HOPS) /* the same attribute again and again */
			return false;
	}
	if (specification)
		w->todo[w->n++] = specification;
	if (!x->name)
		x->name = keep(names, name);
	return a;
}

void fast_facts_read(struct fast_names *names, struct fast_file *f, const struct fast_unit *u,
		     uint64_t die, struct fast_facts *x)
{
	struct facts_walk w = {.todo = {die}, .n = 1};

	*x = (struct fast_facts){.start = UINT64_MAX};
	for (size_t hops = 0; w.n && hops < LIMIT_HOPS; hops++) {
		if (!fast_name_read_facts(names, f, u, w.todo[--w.n], !hops, x, &w) && !hops)
			return;
	}
}

/* The name from here on; x is what the first DIE says. */
static struct fast_text fast_name_follow(const struct fast_names *names, struct fast_file *f,
					 const struct fast_unit *u, struct naming *x)
{
	uint64_t todo[2 * LIMIT_HOPS + 2];
	struct fast_text name = {.s = NULL};
	size_t n = 0;

	for (size_t hops = 0; hops < LIMIT_HOPS; hops++) {
		if (x->linkage.s)
			return x->linkage;
		if (!name.s)
			name = x->name;
		for (size_t i = 0; i < x->n_next; i++)
			todo[n++] = x->next[i];
		x->n_next = 0;
		if (!n)
			break;
		read_naming(names, f, u, todo[--n], x);
	}
	return name;
}

uint32_t fast_names_find(struct fast_names *names, struct fast_file *f, const struct fast_unit *u,
			 uint64_t die)
{
	struct naming x;
	uint32_t *known;

	if (!read_naming(names, f, u, die, &x))
		return 0;
	/* The usual case: a copy that says no more than whose it is. */
	if (!x.linkage.s && !x.name.s && x.n_next == 1) {
		known = map64_put(&names->known, x.next[0]);
		if (!*known)
			*known = keep(names, fast_name_follow(names, f, u, &x)) + 1;
		return *known - 1;
	}
	known = map64_put(&names->known, die);
	if (!*known)
		*known = keep(names, fast_name_follow(names, f, u, &x)) + 1;
	return *known - 1;
}

void fast_names_clear(struct fast_names *names)
{
	names->n = 0;
	map64_release(&names->known);
}

void fast_names_release(struct fast_names *names)
{
	free(names->all);
	map64_release(&names->known);
	*names = (struct fast_names){.n = 0};
}

static uint32_t number(struct rd r, uint16_t place, uint8_t size)
{
	if (!size)
		return 0;
	rd_skip(&r, place);
	return (uint32_t)rd_uint(&r, size);
}

void fast_call_site_read(const struct fast_file *f, const struct fast_unit *u,
			 const struct abbrevs *t, const struct abbrev *a, uint64_t die,
			 struct fast_call_site *c)
{
	struct rd r = fast_unit_bytes(f, u, die);
	const struct abbrev_site *site = abbrev_site(t, a);
	struct fast_value v;

	*c = (struct fast_call_site){.has_file = false};
	rd_uleb(&r);
	if (site->near && !f->extras) {
		c->has_file = site->file_size;
		c->file = number(r, site->file, site->file_size);
		c->line = number(r, site->line, site->line_size);
		c->column = number(r, site->column, site->column_size);
		return;
	}
	for (uint32_t i = 0; i < a->n_attrs; i++) {
		const struct abbrev_attr *at = &t->attrs[a->first_attr + i];

		if (!fast_value_read(u, &r, at->form, at->implicit, &v))
			return;
		switch (at->name) {
		case DW_AT_call_file:
			c->file = small(&v);
			c->has_file = v.class == CLASS_CONSTANT;
			break;
		case DW_AT_call_line: c->line = small(&v); break;
		case DW_AT_call_column: c->column = small(&v); break;
		case DW_AT_GNU_discriminator: c->discriminator = small(&v); break;
		default: break;
		}
	}
}
