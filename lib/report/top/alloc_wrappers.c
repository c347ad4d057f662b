/* SPDX-License-Identifier: MIT */
#include "lib/report/top/alloc_wrappers.h"

#include "lib/base/mem.h"
#include "lib/group/resite.h"
#include "lib/report/top/callers.h"
#include "lib/rules/templates.h"
#include "lib/table/table.h"

#include <stdlib.h>

enum { STACKS = 1, DEEP = 4096 };

struct alloc_wrapper_callers {
	uint64_t own;     /* of the sum */
	uint64_t largest; /* of one caller */
	uint32_t main;    /* that one */
	uint32_t callers; /* different functions */
};

struct wrapper {                           /* by function of names, the first of a template's */
	struct alloc_wrapper_callers by;   /* of it as a site */
	struct alloc_wrapper_callers over; /* of it as the caller of a site */
	uint32_t only;                     /* the one site's function that it calls, + 1; 0: none */
	uint32_t instances, allocating;    /* of a template: functions, those that are sites */
	uint32_t call;                     /* a site in this very function, or 0 */
	bool others;                       /* it calls several that are */
};

struct wrappers {
	const struct grouped_profile *p;
	struct wrapper *of;
	uint32_t *first;    /* by function: what stands for its template; itself */
	struct map64 pairs; /* function (* 2, + 1 as a caller) and caller -> index + 1 in amounts */
	uint64_t *amounts;
	size_t n, cap;
};

static uint32_t function_of(const struct wrappers *h, uint32_t call)
{
	return h->p->names.calls[call].function;
}

/* The source file tells templates of one name apart; where it is not known, the scope. */
static void alloc_wrappers_join_instances(struct wrappers *h)
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

static void add_caller(struct wrappers *h, struct alloc_wrapper_callers *x, uint64_t key,
		       uint32_t caller, uint64_t v)
{
	uint32_t *at = map64_put(&h->pairs, key << 32 | caller);

	if (!*at) {
		VEC_PUSH(h->amounts, h->n, h->cap) = 0;
		*at = (uint32_t)h->n;
		x->callers++;
	}
	h->amounts[*at - 1] = add_saturating(h->amounts[*at - 1], v);
	if (h->amounts[*at - 1] > x->largest) {
		x->largest = h->amounts[*at - 1];
		x->main = caller;
	}
}

/* One stack: its site's function, who calls it, who calls that one, and all functions further out, which
 * call something that allocates. */
static void alloc_wrappers_add_stack(struct wrappers *h, uint32_t stack, uint64_t v)
{
	uint32_t call, site, function, caller = 0;
	bool known = false;

	if (!callers_start(h->p, &stack, &call))
		return;
	function = function_of(h, call);
	site = h->first[function];
	h->of[site].allocating += !h->of[function].call;
	h->of[function].call = call;
	h->of[site].by.own = add_saturating(h->of[site].by.own, v);
	for (size_t deep = 0; deep < DEEP && (call = callers_next(h->p, &stack, call)); deep++) {
		struct wrapper *x;

		function = h->first[function_of(h, call)];
		if (function == site)
			continue;
		x = &h->of[function];
		x->others |= x->only && x->only != site + 1;
		x->only = site + 1;
		if (known || function == caller || x->instances > 1)
			continue;
		if (!caller) {
			add_caller(h, &h->of[site].by, (uint64_t)site * 2, function, v);
			x->over.own = add_saturating(x->over.own, v);
		} else {
			add_caller(h, &h->of[caller].over, (uint64_t)caller * 2 + 1, function, v);
			known = true;
		}
		caller = function;
	}
}

/* What a rule keeps is no guess, and what was guessed before is no new one. */
static bool alloc_wrappers_may(struct grouped_profile *p, uint32_t function,
			       const struct wrapper *x)
{
	return !grouped_profile_passes_over(p, function) && (!x->call || !resite_stays(p, x->call));
}

static bool has_many(const struct alloc_wrapper_callers *c)
{
	struct table_cell largest = cell_share(c->largest, c->own);

	return c->callers >= ALLOC_WRAPPERS_MANY ||
	       (c->callers >= ALLOC_WRAPPERS_CALLERS && largest.present &&
		largest.number <= ALLOC_WRAPPERS_LARGEST * 100);
}

/* Most comes through one caller, which calls nothing else that allocates, does not allocate, and has many. */
static bool is_below_one(const struct wrappers *h, const struct wrapper *x)
{
	const struct wrapper *over = &h->of[x->by.main];

	return x->by.callers && !over->by.own && !over->others && has_many(&over->over);
}

static bool alloc_wrappers_is(const struct wrappers *h, const struct wrapper *x, uint64_t all)
{
	struct table_cell share = cell_share(x->by.own, all);

	if (x->only || !share.present || share.number < ALLOC_WRAPPERS_LEAST * 100)
		return false;
	if (x->allocating >= ALLOC_WRAPPERS_INSTANCES && x->by.callers >= ALLOC_WRAPPERS_INSTANCES)
		return true;
	return has_many(&x->by) || is_below_one(h, x);
}

void alloc_wrappers_find(struct grouped_profile *p, enum sum sum,
			 void (*found)(void *arg, const struct alloc_wrapper_found *f),
			 void (*instance)(void *arg, uint32_t function), void *arg)
{
	const struct grouping *g = &p->groupings[STACKS];
	struct wrappers h = {.p = p,
			     .of = mem_zarray(p->names.n_functions + 1, sizeof *h.of),
			     .first = mem_zarray(p->names.n_functions + 1, sizeof *h.first)};
	uint64_t all = p->now.all.v[sum];
	struct buf b = BUF_INIT;
	size_t n, own;

	alloc_wrappers_join_instances(&h);
	for (uint32_t i = 0; i < g->n; i++) {
		struct tally_sums s = columns_get(&p->now.keys[STACKS].self, i);

		if (s.v[sum])
			alloc_wrappers_add_stack(&h, g->groups[i].id, s.v[sum]);
	}
	for (uint32_t f = 1; f < p->names.n_functions; f++) {
		const struct wrapper *x = &h.of[f];
		const char *name = names_text(&p->names, p->names.functions[f].display, &n);
		struct alloc_wrapper_found is = {name, x->by.callers, x->allocating,
						 cell_share(x->by.own, all).number};

		if (h.first[f] != f || !n || !alloc_wrappers_is(&h, x, all) ||
		    !alloc_wrappers_may(p, f, x))
			continue;
		if (x->instances < 2)
			is.instances = 0;
		else if (templates_name(name, n, &b, &own))
			is.name = buf_str(&b);
		found(arg, &is);
		for (uint32_t i = f; i < p->names.n_functions; i++)
			if (h.first[i] == f)
				instance(arg, i);
	}
	buf_release(&b);
	map64_release(&h.pairs);
	free(h.amounts);
	free(h.first);
	free(h.of);
}
