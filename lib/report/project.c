/* SPDX-License-Identifier: MIT */
#include "lib/report/fold.h"

#include "lib/base/mem.h"

#include <stdlib.h>
#include <string.h>

const char *const key_words[] = {"site", "function", "location", "stack", "type", NULL};

static void *grown(void *p, size_t *cap, size_t need, size_t size)
{
	size_t old = *cap;

	p = mem_grow(p, cap, need, size);
	memset((char *)p + old * size, 0, (*cap - old) * size);
	return p;
}

static bool passed_over(struct project *p, const struct names_call *c)
{
	enum { ASKED = 0x80 };
	struct sites *s = p->options.sites ? p->options.sites : p->own_sites;
	const struct names *n = &p->names;
	const struct names_function *f = &n->functions[c->function];
	unsigned verdict;

	if (c->function >= p->cap_passed)
		p->passed = grown(p->passed, &p->cap_passed, n->n_functions, 1);
	if (c->file >= p->cap_file_passed)
		p->file_passed = grown(p->file_passed, &p->cap_file_passed, c->file + 1, 1);
	if (!p->passed[c->function])
		p->passed[c->function] =
		    (uint8_t)(ASKED | sites_module(s, names_text(n, f->module, NULL)) |
			      sites_function(s, names_text(n, f->display, NULL),
					     names_text(n, f->raw, NULL)));
	if (c->file && !p->file_passed[c->file])
		p->file_passed[c->file] =
		    (uint8_t)(ASKED | sites_file(s, names_text(n, c->file, NULL)));
	verdict = (p->passed[c->function] | (c->file ? p->file_passed[c->file] : 0u)) & ~ASKED;
	return verdict == SITE_PASS;
}

static uint32_t match_text(const struct project *p, const char *s, size_t n)
{
	uint32_t bits = 0;

	for (size_t i = 0; i < p->options.n_filters; i++)
		if (match_test(p->options.filters[i].match, s, n))
			bits |= (uint32_t)1 << i;
	return bits;
}

static uint32_t match_function(struct project *p, uint32_t function)
{
	p->matched =
	    mem_grow(p->matched, &p->cap_matched, p->names.n_functions, sizeof *p->matched);
	for (; p->n_matched < p->names.n_functions; p->n_matched++) {
		size_t len;
		const char *s =
		    names_text(&p->names, p->names.functions[p->n_matched].display, &len);

		p->matched[p->n_matched] = match_text(p, s, len);
	}
	return p->matched[function];
}

static bool kept(const struct project *p, uint32_t matched)
{
	for (size_t i = 0; i < p->options.n_filters; i++)
		if ((matched >> i & 1) == p->options.filters[i].ignore)
			return false;
	return true;
}

static bool cell_kept(const struct fold *f, const struct aggregate_cell *c)
{
	size_t len;
	const char *s;

	if (!f->matched)
		return true;
	if (c->stack)
		return kept(f->p, f->matched[c->stack]);
	s = intern_text(&f->t->strings, f->t->types[c->type], &len);
	return kept(f->p, match_text(f->p, s, len));
}

static bool in_domain(const struct fold *f, const struct aggregate_cell *c)
{
	return f->domain == DOMAIN_ALL || f->domain == c->domain;
}

/* Callers have smaller ids than the stacks they are part of, so one pass upwards settles what a
 * stack inherits, and one downwards what is used. */
static void walk_stacks(struct fold *f)
{
	struct project *p = f->p;
	size_t n = f->t->n_stacks;

	f->used = mem_zarray(n, sizeof *f->used);
	f->location = mem_array(n, sizeof *f->location);
	f->site = mem_array(n, sizeof *f->site);
	if (p->options.n_filters)
		f->matched = mem_zarray(n, sizeof *f->matched);
	for (size_t i = 0; i < f->a->n_cells; i++)
		if (in_domain(f, &f->a->cells[i]))
			f->used[f->a->cells[i].stack] = true;
	for (size_t i = n; i-- > 1;)
		if (f->used[i])
			f->used[f->t->stacks[i].parent] = true;
	f->location[0] = f->site[0] = 0;
	for (size_t i = 1; i < n; i++) {
		uint32_t parent = f->t->stacks[i].parent, bits = 0, call;
		const struct names_location *l;

		if (!f->used[i])
			continue;
		f->location[i] = names_location(&p->names, f->t, f->t->stacks[i].location);
		l = &p->names.locations[f->location[i]];
		for (call = l->first; call < l->first + l->n_calls; call++)
			if (!passed_over(p, &p->names.calls[call]))
				break;
		if (call < l->first + l->n_calls)
			f->site[i] = call;
		else
			f->site[i] = parent ? f->site[parent] : (call - 1) | INSIDE;
		if (!f->matched)
			continue;
		for (call = l->first; call < l->first + l->n_calls; call++)
			bits |= match_function(p, p->names.calls[call].function);
		f->matched[i] = f->matched[parent] | bits;
	}
}

static size_t stack_hash(uint32_t parent, uint32_t location)
{
	return (size_t)hash_u64((uint64_t)parent << 32 | location);
}

static void enlarge_stack_index(struct project *p)
{
	size_t size = p->stack_slots ? (p->stack_mask + 1) * 2 : 1024;

	free(p->stack_slots);
	p->stack_slots = mem_zarray(size, sizeof *p->stack_slots);
	p->stack_mask = size - 1;
	for (uint32_t id = 1; id < p->n_stacks; id++) {
		size_t i = stack_hash(p->stacks[id].parent, p->stacks[id].location) & p->stack_mask;

		while (p->stack_slots[i])
			i = (i + 1) & p->stack_mask;
		p->stack_slots[i] = id;
	}
}

/* Ids only, no keys: with millions of stacks a map64 would be the largest thing here. */
static uint32_t merged_stack(struct project *p, uint32_t parent, uint32_t location)
{
	size_t i;

	if (!p->stack_slots || p->n_stacks > p->stack_mask / 2)
		enlarge_stack_index(p);
	for (i = stack_hash(parent, location) & p->stack_mask; p->stack_slots[i];
	     i = (i + 1) & p->stack_mask) {
		const struct project_stack *s = &p->stacks[p->stack_slots[i]];

		if (s->parent == parent && s->location == location)
			return p->stack_slots[i];
	}
	p->stack_slots[i] = (uint32_t)p->n_stacks;
	VEC_PUSH(p->stacks, p->n_stacks, p->cap_stacks) = (struct project_stack){parent, location};
	return p->stack_slots[i];
}

static void merge_stacks(struct fold *f)
{
	f->merged = mem_zarray(f->t->n_stacks, sizeof *f->merged);
	for (size_t i = 1; i < f->t->n_stacks; i++)
		if (f->used[i])
			f->merged[i] =
			    merged_stack(f->p, f->merged[f->t->stacks[i].parent], f->location[i]);
}

static uint32_t type_group(struct fold *f, uint32_t type)
{
	size_t len;
	const char *s = intern_text(&f->t->strings, f->t->types[type], &len);

	if (!type) {
		s = "[no type]";
		len = 9;
	}
	return fold_group(f->p, intern_add(&f->p->types, s, len), 0);
}

/* Sites at one place are one, whatever the addresses. */
static uint32_t site_group(struct project *p, uint32_t site)
{
	const struct names_call *c = &p->names.calls[site & ~INSIDE];
	uint32_t key[4] = {c->function, c->file, c->line, site & INSIDE};

	return fold_group(p, intern_add(&p->sites, (const char *)key, sizeof key), site);
}

static uint32_t self_group(struct fold *f, const struct aggregate_cell *c)
{
	struct project *p = f->p;
	uint32_t location = f->location[c->stack];

	switch (p->options.by) {
	case KEY_TYPE: return type_group(f, c->type);
	case KEY_SITE: return site_group(p, f->site[c->stack]);
	case KEY_LOCATION: return fold_group(p, location, 0);
	case KEY_FUNCTION:
		return fold_group(p, p->names.calls[p->names.locations[location].first].function,
				  0);
	default: return fold_group(p, f->merged[c->stack], f->site[c->stack]);
	}
}

static void fold_cells(struct fold *f)
{
	struct project *p = f->p;

	for (size_t i = 0; i < f->a->n_cells; i++) {
		const struct aggregate_cell *c = &f->a->cells[i];
		struct sums s;
		uint32_t g;
		unsigned tier;

		if (!in_domain(f, c))
			continue;
		p->domain_used[c->domain] = true;
		s = fold_cell(f, i);
		sums_add(&p->unfiltered, &s);
		if (!cell_kept(f, c))
			continue;
		sums_add(&p->all, &s);
		tier = TIERS;
		if (c->stack)
			tier =
			    p->names.locations[p->names.calls[f->site[c->stack] & ~INSIDE].location]
				.tier;
		sums_add(&p->coverage[tier], &s);
		g = self_group(f, c);
		sums_add(&p->self[g], &s);
		if (p->total && !c->stack)
			sums_add(&p->total[g], &s);
		if (f->cells) {
			f->cell_next[i] = f->cells[c->stack];
			f->cells[c->stack] = (uint32_t)i + 1;
		}
	}
}

static void fold_type_totals(struct fold *f)
{
	for (uint32_t type = 0; type < f->t->n_types; type++) {
		struct sums s;
		uint32_t g;

		aggregate_type_sums(f->a, type, &s);
		if (!s.has)
			continue;
		g = type_group(f, type);
		sums_add(&f->p->self[g], &s);
		sums_add(&f->p->all, &s);
		sums_add(&f->p->unfiltered, &s);
	}
}

static enum status fold(void *arg, struct trace *t, struct aggregate *a, struct err *e)
{
	struct project *p = arg;
	struct fold f = {.p = p, .t = t, .a = a};

	(void)e;
	p->captures++;
	fold_learn(&f, t);
	names_capture(&p->names, t);
	walk_stacks(&f);
	if (p->options.by == KEY_STACK)
		merge_stacks(&f);
	if (p->options.by == KEY_FUNCTION || p->options.by == KEY_LOCATION) {
		f.cells = mem_zarray(t->n_stacks, sizeof *f.cells);
		f.cell_next = mem_zarray(a->n_cells + 1, sizeof *f.cell_next);
	}
	fold_cells(&f);
	if (f.cells)
		fold_totals(&f);
	if (p->options.by == KEY_TYPE && !p->options.n_filters)
		fold_type_totals(&f);
	free(f.used);
	free(f.location);
	free(f.site);
	free(f.matched);
	free(f.cells);
	free(f.cell_next);
	free(f.merged);
	if (p->options.captured)
		p->options.captured(p->options.arg, t);
	return ST_OK;
}

void project_init(struct project *p, const struct project_options *o)
{
	*p = (struct project){.options = *o};
	aggregate_init(&p->aggregate, &(struct aggregate_options){.done = fold, .arg = p});
	names_init(&p->names);
	if (!o->sites)
		p->own_sites = sites_new();
	VEC_PUSH(p->stacks, p->n_stacks, p->cap_stacks) = (struct project_stack){0, 0};
}

void project_release(struct project *p)
{
	aggregate_release(&p->aggregate);
	sites_free(p->own_sites);
	names_release(&p->names);
	intern_release(&p->types);
	intern_release(&p->sites);
	free(p->stack_slots);
	map64_release(&p->group_index);
	free(p->stacks);
	free(p->groups);
	free(p->self);
	free(p->total);
	free(p->passed);
	free(p->file_passed);
	free(p->matched);
	*p = (struct project){.captures = 0};
}
