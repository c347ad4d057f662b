/* SPDX-License-Identifier: MIT
 *
 * SUM_TIME_TOTAL of a pass's groups: outermost calls only (group_pass.h).
 */
#include "lib/group/group_pass.h"

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
	bool timed;    /* there are some, if of 0 ns */
	bool has_kept; /* it is the time of its own calls */
};

/* With a hook cost: of the cells of a thread at a stack. What is taken off differs from cell to cell, and none has
 * less than 0, so a total is what the selves in and below it are together. */
struct times_selves {
	uint32_t thread, next;     /* of the same stack, + 1 */
	bool unknown;              /* some have none */
	uint64_t below;            /* selves in and below it */
	uint64_t calls, own_calls; /* that cost: below it, and of it */
	uint64_t totals, n;        /* as captured, of so many cells at the stack itself */
};

struct times {
	struct group_pass *f;
	bool
	    called; /* the paths of calls, which are no callers of samples; else the stacks of these */
	uint32_t *first, *next;    /* cells + 1 with a time, by stack of the capture; by cell */
	uint32_t *child, *sibling; /* stacks */
	uint32_t *selves_at;       /* hook cost only: by stack, in selves, + 1 */
	struct times_selves *selves;
	size_t n_selves, cap_selves;
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

static struct times_selves *selves_of(struct times *w, uint32_t stack, uint32_t thread)
{
	struct times_selves *s = w->selves;

	for (uint32_t i = s ? w->selves_at[stack] : 0; i; i = s[i - 1].next)
		if (s[i - 1].thread == thread)
			return &s[i - 1];
	VEC_PUSH(w->selves, w->n_selves, w->cap_selves) =
	    (struct times_selves){.thread = thread, .next = w->selves_at[stack]};
	w->selves_at[stack] = (uint32_t)w->n_selves;
	return &w->selves[w->n_selves - 1];
}

static void add_selves(struct times *w, size_t cell)
{
	const struct tally_cell *c = &w->f->a->cells[cell];
	const struct tally_measure *m = tally_timed(w->f->a, cell);
	struct times_selves *x = selves_of(w, c->stack, c->thread);
	struct tally_sums s;

	tally_sums(w->f->a, cell, &s);
	x->unknown |= !(s.has >> SUM_TIME_SELF & 1);
	x->below = add_saturating(x->below, s.v[SUM_TIME_SELF]);
	x->own_calls = add_saturating(x->own_calls, m->sampled);
	x->totals = add_saturating(x->totals, m->total);
	x->n++;
}

static void pass_selves_up(struct times *w, uint32_t stack, uint32_t parent)
{
	for (uint32_t i = w->selves_at[stack]; i; i = w->selves[i - 1].next) {
		struct times_selves *to = selves_of(w, parent, w->selves[i - 1].thread);
		const struct times_selves *x = &w->selves[i - 1];

		to->unknown |= x->unknown;
		to->below = add_saturating(to->below, x->below);
		to->calls = add_saturating(to->calls, add_saturating(x->calls, x->own_calls));
	}
}

/* As it was captured, without the hook's part. */
static uint64_t time_of(struct times *w, const struct tally_cell *c, const struct tally_measure *m)
{
	const struct times_selves *x;
	uint64_t hook;

	if (!w->selves_at)
		return m->total;
	x = selves_of(w, c->stack, c->thread);
	if (x->unknown) {
		if (__builtin_mul_overflow(x->calls, w->f->a->options.hook_cost, &hook))
			hook = UINT64_MAX;
		return m->total > hook ? m->total - hook : 0;
	}
	if (!x->totals)
		return x->below / x->n;
	return (uint64_t)((unsigned __int128)x->below * m->total / x->totals);
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
	struct group_pass *f = w->f;

	for (size_t k = 0; k < f->p->n_groupings; k++) {
		const struct grouping_key *key = &f->p->groupings[k].key;
		bool first;
		uint32_t g;

		if (key->by == KEY_FRAME || (!kept && (!grouping_has_total(key) || !node)))
			continue;
		g = pass_group(f, c, node, k);
		first = !*active(w, k, g);
		if (kept && first)
			columns_add(&f->p->now.keys[k].self, g, s);
		open_group(w, k, g, !kept && first);
	}
}

/* A caller of which there is nothing itself: a first call has it on its own stack, or a sample. */
static void open_callers(struct times *w, uint32_t stack)
{
	const struct tally_cell c = {.stack = stack, .domain = w->called ? CELL_PATH : CELL_TIMED};
	const struct tally_sums none = {.has = 0};
	uint32_t node;

	pass_place(w->f, &c, &node);
	open_groups(w, &c, node, false, &none);
}

/* Counts the calls at the stack whose groups are not on the path yet, then puts them there: two
 * markers at one stack are side by side. */
static void pass_times_enter(struct times *w, uint32_t stack)
{
	struct group_pass *f = w->f;
	struct times_at at = {.n_open = w->n_open};

	for (uint32_t i = w->first[stack]; i; i = w->next[i - 1]) {
		const struct tally_cell *c = &f->a->cells[i - 1];
		struct tally_sums s = {.has = SUM_BIT(SUM_TIME_TOTAL)};
		uint32_t node;
		bool kept = pass_place(f, c, &node);

		s.v[SUM_TIME_TOTAL] = time_of(w, c, tally_timed(f->a, i - 1));
		if (kept) {
			if (!*active(w, EVERYTHING, 0))
				sums_add(&f->p->now.all, &s);
			open_group(w, EVERYTHING, 0, false);
			at.kept = add_saturating(at.kept, s.v[SUM_TIME_TOTAL]);
			at.timed = at.has_kept = true;
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
		if (o->of_kept && at.timed)
			columns_add(&w->f->p->now.keys[o->grouping].self, o->group, &kept);
	}
	if (w->depth && !w->path[w->depth - 1].has_kept) {
		w->path[w->depth - 1].kept = add_saturating(w->path[w->depth - 1].kept, at.kept);
		w->path[w->depth - 1].timed |= at.timed;
	}
}

/* Callers have smaller ids than the stacks they are part of. */
static bool pass_times_find_tree(struct times *w)
{
	const struct group_pass *f = w->f;
	size_t n = f->t->n_stacks;
	bool any = false;

	w->first = mem_zarray(n, sizeof *w->first);
	w->next = mem_zarray(f->a->n_cells + 1, sizeof *w->next);
	if (f->a->options.hook_cost)
		w->selves_at = mem_zarray(n, sizeof *w->selves_at);
	for (size_t i = f->a->n_cells; i-- > 0;) {
		const struct tally_cell *c = &f->a->cells[i];
		const struct tally_measure *m = tally_timed(f->a, i);
		uint32_t *at = &w->first[c->stack];

		if (!m || !(m->has >> SUM_TIME_TOTAL & 1) ||
		    c->domain != (w->called ? CELL_PATH : CELL_TIMED))
			continue;
		w->next[i] = *at;
		*at = (uint32_t)i + 1;
		any = true;
		if (w->selves_at)
			add_selves(w, i);
	}
	w->child = mem_zarray(n, sizeof *w->child);
	w->sibling = mem_zarray(n, sizeof *w->sibling);
	for (size_t i = n; any && i-- > 1;) {
		uint32_t parent = f->t->stacks[i].parent;

		if (!w->first[i] && !w->child[i])
			continue;
		w->sibling[i] = w->child[parent];
		w->child[parent] = (uint32_t)i;
		if (w->selves_at && parent) /* what has no stack calls nothing */
			pass_selves_up(w, (uint32_t)i, parent);
	}
	return any;
}

static void pass_times_walk(struct times *w)
{
	const struct stack *stacks = w->f->t->stacks;
	uint32_t stack;

	pass_times_enter(w, 0); /* calls without a stack have no callers and no callees */
	leave(w);
	for (stack = w->child[0]; stack;) {
		pass_times_enter(w, stack);
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

static void pass_times_of(struct group_pass *f, bool called)
{
	struct times w = {.f = f, .called = called};

	if (pass_times_find_tree(&w))
		pass_times_walk(&w);
	free(w.first);
	free(w.next);
	free(w.child);
	free(w.sibling);
	free(w.selves_at);
	free(w.selves);
	free(w.open);
	free(w.path);
	for (size_t i = 0; i <= GROUPINGS_MAX; i++)
		free(w.active[i]);
}

void pass_times(struct group_pass *f)
{
	if (!(f->at_cells >> SUM_TIME_TOTAL & 1))
		return;
	pass_times_of(f, false);
	pass_times_of(f, true);
}
