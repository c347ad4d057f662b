/* SPDX-License-Identifier: MIT */
#include "lib/report/top/handers.h"

#include "lib/base/mem.h"
#include "lib/report/top/callers.h"
#include "lib/table/table.h"

#include <stdlib.h>

enum { STACKS = 1, DEEP = 4096 };

struct hander {           /* by function of names */
	uint64_t own;     /* of the sum */
	uint64_t largest; /* of one caller */
	uint32_t callers; /* different functions */
	bool others;      /* it calls something that allocates */
};

struct handers {
	const struct group_project *p;
	struct hander *of;
	struct map64 pairs; /* function and caller -> index + 1 in amounts */
	uint64_t *amounts;
	size_t n, cap;
};

static uint32_t function_of(const struct group_project *p, uint32_t call)
{
	return p->names.calls[call].function;
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
	site = function_of(h->p, call);
	h->of[site].own = add_saturating(h->of[site].own, v);
	for (size_t deep = 0; deep < DEEP && (call = callers_next(h->p, &stack, call)); deep++) {
		function = function_of(h->p, call);
		if (function == site)
			continue;
		if (!known)
			add_caller(h, site, function, v);
		known = true;
		h->of[function].others = true;
	}
}

void handers_find(const struct group_project *p, enum sum sum,
		  void (*found)(void *arg, const char *name, size_t n, size_t callers,
				uint64_t share),
		  void *arg)
{
	const struct grouping *g = &p->groupings[STACKS];
	struct handers h = {.p = p, .of = mem_zarray(p->names.n_functions + 1, sizeof *h.of)};
	uint64_t all = p->now.all.v[sum];

	for (uint32_t i = 0; i < g->n; i++) {
		struct tally_sums s = columns_get(&p->now.groupings[STACKS].self, i);

		if (s.v[sum])
			handers_add_stack(&h, g->groups[i].id, s.v[sum]);
	}
	for (uint32_t f = 1; f < p->names.n_functions; f++) {
		const struct hander *x = &h.of[f];
		struct table_cell share = cell_share(x->own, all);
		struct table_cell largest = cell_share(x->largest, x->own);
		size_t n;
		const char *name = names_text(&p->names, p->names.functions[f].display, &n);

		if (n && !x->others && x->callers >= HANDERS_CALLERS && share.present &&
		    share.number >= HANDERS_LEAST * 100 && largest.present &&
		    largest.number <= HANDERS_LARGEST * 100)
			found(arg, name, n, x->callers, share.number);
	}
	map64_release(&h.pairs);
	free(h.amounts);
	free(h.of);
}
