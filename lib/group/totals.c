/* SPDX-License-Identifier: MIT
 *
 * Totals of functions and locations over the tree of stacks, recursion counted once (fold.h).
 */
#include "lib/group/fold.h"

#include "lib/base/mem.h"

#include <stdlib.h>
#include <string.h>

/* One walk over the tree of stacks, however many stacks share their callers. Sums by depth are
 * kept narrow, for the sake of stacks a million deep. */
struct walk {
	struct fold *f;
	size_t grouping;
	enum key by;
	uint32_t *child, *sibling; /* by node */
	uint32_t *active;          /* by id at the key: how often on the path */
	size_t cap_active;
	uint8_t sums[SUMS]; /* those there are */
	size_t n_sums, depth, cap;
	uint64_t *v; /* by depth, n_sums of each, and which of them are known */
};

static uint64_t *at_depth(const struct walk *w, size_t depth)
{
	return w->v + depth * (w->n_sums + 1);
}

static void add(const struct walk *w, size_t depth, const struct tally_sums *s)
{
	uint64_t *v = at_depth(w, depth);

	for (size_t i = 0; i < w->n_sums; i++)
		v[i] = sum_plus(w->sums[i], v[i], s->v[w->sums[i]]);
	v[w->n_sums] |= s->has;
}

static struct tally_sums taken(const struct walk *w, size_t depth)
{
	const uint64_t *v = at_depth(w, depth);
	struct tally_sums s = {.has = (unsigned)v[w->n_sums]};

	for (size_t i = 0; i < w->n_sums; i++)
		s.v[w->sums[i]] = v[i];
	return s;
}

static uint32_t *active(struct walk *w, uint32_t id)
{
	w->active = mem_grow_zero(w->active, &w->cap_active, (size_t)id + 1, sizeof *w->active);
	return &w->active[id];
}

static void enter(struct walk *w, uint32_t node)
{
	const struct group_project *p = w->f->p;
	uint32_t location = fold_location(w->f, node);
	const struct names_location *l = &p->names.locations[location];
	size_t row = (w->n_sums + 1) * sizeof *w->v;

	w->v = mem_grow(w->v, &w->cap, ++w->depth + 1, row);
	memset(at_depth(w, w->depth), 0, row);
	for (uint32_t c = w->f->cells[node]; c; c = w->f->cell_next[c - 1]) {
		struct tally_sums s = fold_cell(w->f, c - 1);

		add(w, w->depth, &s);
	}
	for (uint32_t k = l->first; k < l->first + l->n_calls; k++)
		++*active(w, fold_call_id(p, w->by, &p->names.calls[k]));
}

static void fold_totals_leave(struct walk *w, uint32_t node)
{
	struct group_project *p = w->f->p;
	uint32_t location = fold_location(w->f, node);
	const struct names_location *l = &p->names.locations[location];
	struct tally_sums own = taken(w, w->depth);

	for (uint32_t k = l->first; k < l->first + l->n_calls; k++) {
		uint32_t id = fold_call_id(p, w->by, &p->names.calls[k]);

		/* Recursion counts once: only where it was first entered. */
		if (--*active(w, id) == 0 && own.has) {
			struct run_grouping *to = &p->now.groupings[w->grouping];
			uint32_t g = grouping_group(&p->groupings[w->grouping], 0, id, 0, false);
			struct tally_sums time = fold_alone(w->f, &own);

			columns_add(&to->total, g, &own);
			columns_add(&to->self, g, &time);
		}
	}
	add(w, --w->depth, &own);
}

void fold_totals(struct fold *f, size_t grouping)
{
	size_t n = fold_nodes(f);
	struct walk w = {.f = f, .grouping = grouping, .by = f->p->groupings[grouping].key.by};
	uint32_t node;

	for (unsigned s = 0; s < SUMS; s++)
		if (f->at_cells >> s & 1)
			w.sums[w.n_sums++] = (uint8_t)s;
	f->cells = mem_grow_zero(f->cells, &f->cap_cells, n, sizeof *f->cells);
	w.child = mem_zarray(n, sizeof *w.child);
	w.sibling = mem_zarray(n, sizeof *w.sibling);
	w.v = mem_grow(NULL, &w.cap, 64, (w.n_sums + 1) * sizeof *w.v);
	memset(w.v, 0, (w.n_sums + 1) * sizeof *w.v);
	for (size_t i = n; i-- > 1;)
		if (f->cells[i] || w.child[i]) {
			uint32_t parent = fold_parent(f, (uint32_t)i);

			w.sibling[i] = w.child[parent];
			w.child[parent] = (uint32_t)i;
		}
	for (node = w.child[0]; node;) {
		enter(&w, node);
		if (w.child[node]) {
			node = w.child[node];
			continue;
		}
		for (;;) {
			fold_totals_leave(&w, node);
			if (w.sibling[node]) {
				node = w.sibling[node];
				break;
			}
			node = fold_parent(f, node);
			if (!node)
				break;
		}
	}
	free(w.child);
	free(w.sibling);
	free(w.active);
	free(w.v);
}
