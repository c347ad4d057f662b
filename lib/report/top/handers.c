/* SPDX-License-Identifier: MIT */
#include "lib/report/top/handers.h"

#include "lib/base/mem.h"
#include "lib/report/top/callers.h"
#include "lib/rules/templates.h"
#include "lib/table/table.h"

#include <stdlib.h>

enum { STACKS = 1, DEEP = 4096 };

struct hander {                         /* by function of names, the first of a template's */
	uint64_t own;                   /* of the sum */
	uint64_t largest;               /* of one caller */
	uint32_t callers;               /* different functions */
	uint32_t instances, allocating; /* of a template: functions, those that are sites */
	bool others;                    /* it calls something that allocates */
	bool allocates;                 /* this very function is a site */
};

struct handers {
	const struct group_project *p;
	struct hander *of;
	uint32_t *first;    /* by function: what stands for its template; itself */
	struct map64 pairs; /* function and caller -> index + 1 in amounts */
	uint64_t *amounts;
	size_t n, cap;
};

static uint32_t function_of(const struct handers *h, uint32_t call)
{
	return h->p->names.calls[call].function;
}

/* The source file tells templates of one name apart; where it is not known, the scope. */
static void handers_join_instances(struct handers *h)
{
	const struct group_names *names = &h->p->names;
	uint32_t *file = mem_zarray(names->n_functions + 1, sizeof *file), id;
	struct intern templates = INTERN_INIT;
	struct buf name = BUF_INIT;
	struct map64 first = {0};
	size_t n, own;

	for (size_t c = 1; c < names->n_calls; c++)
		if (!file[names->calls[c].function])
			file[names->calls[c].function] = names->calls[c].file;
	for (uint32_t f = 0; f < names->n_functions; f++) {
		const char *s = names_text(names, names->functions[f].display, &n);
		uint32_t *at;

		h->first[f] = f;
		if (!templates_name(s, n, &name, &own))
			continue;
		own = file[f] ? own : 0;
		id = intern_add(&templates, buf_at(&name, own), name.len - own);
		at = map64_put(&first, (uint64_t)id << 32 | file[f]);
		if (!*at)
			*at = f + 1;
		h->first[f] = *at - 1;
		h->of[*at - 1].instances++;
	}
	map64_release(&first);
	buf_release(&name);
	intern_release(&templates);
	free(file);
}

static void add_caller(struct handers *h, uint32_t function, uint32_t caller, uint64_t v)
{
	uint32_t *at = map64_put(&h->pairs, (uint64_t)function << 32 | caller);
	struct hander *x = &h->of[function];

	if (!*at) {
		VEC_PUSH(h->amounts, h->n, h->cap) = 0;
		*at = (uint32_t)h->n;
		x->callers++;
	}
	h->amounts[*at - 1] = add_saturating(h->amounts[*at - 1], v);
	if (h->amounts[*at - 1] > x->largest)
		x->largest = h->amounts[*at - 1];
}

/* One stack: its site's function, who calls it, and all functions further out, which call something
 * that allocates. */
static void handers_add_stack(struct handers *h, uint32_t stack, uint64_t v)
{
	uint32_t call, site, function;
	bool known = false;

	if (!callers_start(h->p, &stack, &call))
		return;
	function = function_of(h, call);
	site = h->first[function];
	h->of[site].allocating += !h->of[function].allocates;
	h->of[function].allocates = true;
	h->of[site].own = add_saturating(h->of[site].own, v);
	for (size_t deep = 0; deep < DEEP && (call = callers_next(h->p, &stack, call)); deep++) {
		function = h->first[function_of(h, call)];
		if (function == site)
			continue;
		if (!known && h->of[function].instances < 2) {
			add_caller(h, site, function, v);
			known = true;
		}
		h->of[function].others = true;
	}
}

static bool handers_is(const struct hander *x, uint64_t all)
{
	struct table_cell share = cell_share(x->own, all);
	struct table_cell largest = cell_share(x->largest, x->own);

	if (x->others || !share.present || share.number < HANDERS_LEAST * 100)
		return false;
	if (x->allocating >= HANDERS_INSTANCES && x->callers >= HANDERS_INSTANCES)
		return true;
	return x->callers >= HANDERS_CALLERS && largest.present &&
	       largest.number <= HANDERS_LARGEST * 100;
}

void handers_find(const struct group_project *p, enum sum sum,
		  void (*found)(void *arg, const struct hander_found *f),
		  void (*named)(void *arg, const char *name, size_t n), void *arg)
{
	const struct grouping *g = &p->groupings[STACKS];
	struct handers h = {.p = p,
			    .of = mem_zarray(p->names.n_functions + 1, sizeof *h.of),
			    .first = mem_zarray(p->names.n_functions + 1, sizeof *h.first)};
	uint64_t all = p->now.all.v[sum];
	struct buf b = BUF_INIT;
	size_t n, own;

	handers_join_instances(&h);
	for (uint32_t i = 0; i < g->n; i++) {
		struct tally_sums s = columns_get(&p->now.groupings[STACKS].self, i);

		if (s.v[sum])
			handers_add_stack(&h, g->groups[i].id, s.v[sum]);
	}
	for (uint32_t f = 1; f < p->names.n_functions; f++) {
		const struct hander *x = &h.of[f];
		const char *name = names_text(&p->names, p->names.functions[f].display, &n);
		struct hander_found is = {name, x->callers, x->allocating,
					  cell_share(x->own, all).number};

		if (h.first[f] != f || !n || !handers_is(x, all))
			continue;
		if (x->instances < 2)
			is.instances = 0;
		else if (templates_name(name, n, &b, &own))
			is.name = buf_str(&b);
		found(arg, &is);
		for (uint32_t i = f; i < p->names.n_functions; i++) {
			name = names_text(&p->names, p->names.functions[i].display, &n);
			if (h.first[i] == f)
				named(arg, name, n);
		}
	}
	buf_release(&b);
	map64_release(&h.pairs);
	free(h.amounts);
	free(h.first);
	free(h.of);
}
