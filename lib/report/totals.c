/* SPDX-License-Identifier: MIT */
#include "lib/report/fold.h"

#include "lib/base/mem.h"

#include <stdlib.h>

/* One walk over the tree of stacks, however many stacks share their callers. */
struct walk {
	struct fold *f;
	uint32_t *child, *sibling; /* by stack id */
	uint32_t *active;          /* by function or location: how often on the path */
	struct sums *sums;         /* by depth */
	size_t depth, cap;
};

static void enter(struct walk *w, uint32_t stack)
{
	const struct project *p = w->f->p;
	const struct names_location *l = &p->names.locations[w->f->location[stack]];
	struct sums *own;

	w->sums = mem_grow(w->sums, &w->cap, ++w->depth + 1, sizeof *w->sums);
	own = &w->sums[w->depth];
	*own = (struct sums){.has = 0};
	for (uint32_t c = w->f->cells[stack]; c; c = w->f->cell_next[c - 1]) {
		struct sums s = fold_cell(w->f, c - 1);

		sums_add(own, &s);
	}
	if (p->options.by == KEY_LOCATION)
		w->active[w->f->location[stack]]++;
	else
		for (uint32_t k = l->first; k < l->first + l->n_calls; k++)
			w->active[p->names.calls[k].function]++;
}

static void leave_one(struct walk *w, uint32_t id, const struct sums *s)
{
	/* Recursion counts once: only where it was first entered. */
	if (--w->active[id] == 0 && s->has) {
		uint32_t g = fold_group(w->f->p, id, 0);

		sums_add(&w->f->p->total[g], s);
	}
}

static void leave(struct walk *w, uint32_t stack)
{
	struct project *p = w->f->p;
	const struct names_location *l = &p->names.locations[w->f->location[stack]];
	const struct sums *own = &w->sums[w->depth];

	if (p->options.by == KEY_LOCATION)
		leave_one(w, w->f->location[stack], own);
	else
		for (uint32_t k = l->first; k < l->first + l->n_calls; k++)
			leave_one(w, p->names.calls[k].function, own);
	sums_add(&w->sums[w->depth - 1], own);
	w->depth--;
}

void fold_totals(struct fold *f)
{
	struct project *p = f->p;
	size_t n = f->t->n_stacks;
	struct walk w = {.f = f};
	uint32_t stack;

	w.child = mem_zarray(n, sizeof *w.child);
	w.sibling = mem_zarray(n, sizeof *w.sibling);
	w.active =
	    mem_zarray(p->options.by == KEY_LOCATION ? p->names.n_locations : p->names.n_functions,
		       sizeof *w.active);
	w.sums = mem_grow(NULL, &w.cap, 64, sizeof *w.sums);
	w.sums[0] = (struct sums){.has = 0};
	for (size_t i = n; i-- > 1;)
		if (f->used[i]) {
			w.sibling[i] = w.child[f->t->stacks[i].parent];
			w.child[f->t->stacks[i].parent] = (uint32_t)i;
		}
	for (stack = w.child[0]; stack;) {
		enter(&w, stack);
		if (w.child[stack]) {
			stack = w.child[stack];
			continue;
		}
		for (;;) {
			leave(&w, stack);
			if (w.sibling[stack]) {
				stack = w.sibling[stack];
				break;
			}
			stack = f->t->stacks[stack].parent;
			if (!stack)
				break;
		}
	}
	free(w.child);
	free(w.sibling);
	free(w.active);
	free(w.sums);
}
