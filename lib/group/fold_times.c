/* SPDX-License-Identifier: MIT
 *
 * SUM_TIME_TOTAL of a fold's groups: outermost calls only (fold.h).
 */
#include "lib/group/fold.h"

#include "lib/base/mem.h"

#include <stdlib.h>

enum { EVERYTHING = GROUPINGS_MAX }; /* of which the roots are the outermost calls */

/* Calls on the path from the root, as the groups that they are in. Of what filters drop, a function
 * has the time of the calls below it that are kept. */
struct open_group {
	uint32_t grouping, group;
	bool of_kept; /* the group of dropped calls, and none of it is on the path: it gets that */
};

struct times_at {      /* a stack on the path */
	size_t n_open; /* what was open before it */
	uint64_t kept; /* time of the outermost kept calls in it and below */
	bool has_kept; /* it is the time of its own calls */
};

struct times {
	struct fold *f;
	bool
	    called; /* the paths of calls, which are no callers of samples; else the stacks of these */
	uint32_t *first, *next;    /* cells + 1 with a time, by stack of the capture; by cell */
	uint32_t *child, *sibling; /* stacks */
	uint64_t *below;           /* hook cost only: calls below, by stack */
	uint32_t *active[GROUPINGS_MAX + 1]; /* by group: how often on the path */
	size_t cap_active[GROUPINGS_MAX + 1];
	struct open_group *open;
	size_t n_open, cap_open;
	struct times_at *path;
	size_t depth, cap_path;
};

static uint32_t *active(struct times *w, size_t grouping, uint32_t group)
{
	w->active[grouping] = mem_grow_zero(w->active[grouping], &w->cap_active[grouping],
					    (size_t)group + 1, sizeof **w->active);
	return &w->active[grouping][group];
}

/* As it was captured, without the hook's part. */
static uint64_t time_of(const struct times *w, uint32_t stack, const struct tally_measure *m)
{
	uint64_t hook;

	if (!w->below)
		return m->total;
	if (__builtin_mul_overflow(w->below[stack], w->f->a->options.hook_cost, &hook))
		hook = UINT64_MAX;
	return m->total > hook ? m->total - hook : 0;
}

static void open_group(struct times *w, size_t grouping, uint32_t group, bool of_kept)
{
	VEC_PUSH(w->open, w->n_open, w->cap_open) =
	    (struct open_group){(uint32_t)grouping, group, of_kept};
}

/* Each group of a cell. Time of it counts where the group is not on the path yet. */
static void open_groups(struct times *w, const struct tally_cell *c, uint32_t node, bool kept,
			const struct tally_sums *s)
{
	struct fold *f = w->f;

	for (size_t k = 0; k < f->p->n_groupings; k++) {
		const struct grouping_key *key = &f->p->groupings[k].key;
		bool first;
		uint32_t g;

		if (key->by == KEY_FRAME || (!kept && (!grouping_has_total(key) || !node)))
			continue;
		g = fold_group(f, c, node, k);
		first = !*active(w, k, g);
		if (kept && first)
			columns_add(&f->p->now.groupings[k].self, g, s);
		open_group(w, k, g, !kept && first);
	}
}

/* A caller of which there is nothing itself: a first call has it on its own stack, or a sample. */
static void open_callers(struct times *w, uint32_t stack)
{
	const struct tally_cell c = {.stack = stack,
				     .domain = w->called ? CELL_PATH : CELL_MEASURED};
	const struct tally_sums none = {.has = 0};
	uint32_t node;

	fold_place(w->f, &c, &node);
	open_groups(w, &c, node, false, &none);
}

/* Counts the calls at the stack whose groups are not on the path yet, then puts them there: two
 * markers at one stack are side by side. */
static void fold_times_enter(struct times *w, uint32_t stack)
{
	struct fold *f = w->f;
	struct times_at at = {.n_open = w->n_open};

	for (uint32_t i = w->first[stack]; i; i = w->next[i - 1]) {
		const struct tally_cell *c = &f->a->cells[i - 1];
		struct tally_sums s = {.has = SUM_BIT(SUM_TIME_TOTAL)};
		uint32_t node;
		bool kept = fold_place(f, c, &node);

		s.v[SUM_TIME_TOTAL] = time_of(w, stack, tally_measured(f->a, i - 1));
		if (kept) {
			if (!*active(w, EVERYTHING, 0))
				sums_add(&f->p->now.all, &s);
			open_group(w, EVERYTHING, 0, false);
			at.kept = add_saturating(at.kept, s.v[SUM_TIME_TOTAL]);
			at.has_kept = true;
		}
		open_groups(w, c, node, kept, &s);
	}
	if (stack && !w->first[stack])
		open_callers(w, stack);
	for (size_t i = at.n_open; i < w->n_open; i++)
		++*active(w, w->open[i].grouping, w->open[i].group);
	VEC_PUSH(w->path, w->depth, w->cap_path) = at;
}

static void leave(struct times *w)
{
	struct times_at at = w->path[--w->depth];
	struct tally_sums kept = {.has = SUM_BIT(SUM_TIME_TOTAL)};

	kept.v[SUM_TIME_TOTAL] = at.kept;
	while (w->n_open > at.n_open) {
		const struct open_group *o = &w->open[--w->n_open];

		--w->active[o->grouping][o->group];
		if (o->of_kept && at.kept)
			columns_add(&w->f->p->now.groupings[o->grouping].self, o->group, &kept);
	}
	if (w->depth && !w->path[w->depth - 1].has_kept)
		w->path[w->depth - 1].kept = add_saturating(w->path[w->depth - 1].kept, at.kept);
}

/* Callers have smaller ids than the stacks they are part of. */
static bool fold_times_find_tree(struct times *w)
{
	const struct fold *f = w->f;
	size_t n = f->t->n_stacks;
	bool any = false;

	w->first = mem_zarray(n, sizeof *w->first);
	w->next = mem_zarray(f->a->n_cells + 1, sizeof *w->next);
	if (f->a->options.hook_cost)
		w->below = mem_zarray(n, sizeof *w->below);
	for (size_t i = f->a->n_cells; i-- > 0;) {
		const struct tally_cell *c = &f->a->cells[i];
		const struct tally_measure *m = tally_measured(f->a, i);
		uint32_t *at = &w->first[c->stack];

		if (!m || !(m->has >> SUM_TIME_TOTAL & 1) ||
		    c->domain != (w->called ? CELL_PATH : CELL_MEASURED))
			continue;
		w->next[i] = *at;
		*at = (uint32_t)i + 1;
		any = true;
	}
	w->child = mem_zarray(n, sizeof *w->child);
	w->sibling = mem_zarray(n, sizeof *w->sibling);
	for (size_t i = n; any && i-- > 1;) {
		uint32_t parent = f->t->stacks[i].parent;

		if (!w->first[i] && !w->child[i])
			continue;
		w->sibling[i] = w->child[parent];
		w->child[parent] = (uint32_t)i;
		for (uint32_t c = w->first[i]; w->below && c; c = w->next[c - 1])
			w->below[parent] =
			    add_saturating(w->below[parent], tally_measured(f->a, c - 1)->sampled);
		if (w->below)
			w->below[parent] = add_saturating(w->below[parent], w->below[i]);
	}
	return any;
}

static void fold_times_walk(struct times *w)
{
	const struct stack *stacks = w->f->t->stacks;
	uint32_t stack;

	fold_times_enter(w, 0); /* calls without a stack have no callers and no callees */
	leave(w);
	for (stack = w->child[0]; stack;) {
		fold_times_enter(w, stack);
		if (w->child[stack]) {
			stack = w->child[stack];
			continue;
		}
		for (;;) {
			leave(w);
			if (w->sibling[stack]) {
				stack = w->sibling[stack];
				break;
			}
			stack = stacks[stack].parent;
			if (!stack)
				break;
		}
	}
}

static void fold_times_of(struct fold *f, bool called)
{
	struct times w = {.f = f, .called = called};

	if (fold_times_find_tree(&w))
		fold_times_walk(&w);
	free(w.first);
	free(w.next);
	free(w.child);
	free(w.sibling);
	free(w.below);
	free(w.open);
	free(w.path);
	for (size_t i = 0; i <= GROUPINGS_MAX; i++)
		free(w.active[i]);
}

void fold_times(struct fold *f)
{
	if (!(f->at_cells >> SUM_TIME_TOTAL & 1))
		return;
	fold_times_of(f, false);
	fold_times_of(f, true);
}
