/* SPDX-License-Identifier: MIT
 *
 * Calls of which no path is wanted: they are added up while they are open, and memory is
 * O(functions + open calls), however many paths there are. What pass_times and pass_totals find on
 * paths is found here on the calls that are open around one:
 *
 * - the time of a group is that of its calls that lie in no other call of it,
 * - what lies in or below a function is what its calls had that lie in none that is of it.
 */
#include "lib/group/group_pass.h"

#include "lib/base/mem.h"
#include "lib/tally/open_calls.h"

#include <stdlib.h>

/* What is open once or several times, of one grouping: a group as pass_times has it, or a call that
 * pass_totals adds to. */
struct pass_open {
	uint32_t grouping, id; /* id: the group, or of is_call pass_call_id */
	bool is_call, has;
	uint64_t ns, calls, self; /* ns: of a group; the others: of a call */
};

struct pass_calls_cell {
	uint32_t first, n; /* in of_cells; n 0: not asked yet */
};

struct pass_calls {
	struct pass_calls_cell *cells; /* by cell */
	size_t cap_cells;
	uint32_t *of_cells; /* in opens */
	size_t n_of, cap_of;
	struct pass_open *opens;
	size_t n_opens, cap_opens;
	struct map64 index[GROUPINGS_MAX]; /* id << 1 | is_call -> open + 1 */
	struct map64 depth;                /* thread << 32 | open -> how many are open */
	uint64_t all;                      /* ns of outermost calls */
	bool any;
};

bool pass_calls_suffice(const struct grouped_profile *p)
{
	const struct grouped_profile_options *o = &p->options;

	if (filters_any(o->filters) || o->owners || o->selection || o->hook_cost ||
	    (o->slicing != SLICE_NONE && !o->slice_marked))
		return false;
	for (size_t i = 0; i < p->n_groupings; i++)
		if (p->groupings[i].key.by == KEY_FRAME || p->groupings[i].key.by == KEY_OWNER ||
		    (p->groupings[i].key.by == KEY_STACK && !p->groupings[i].key.spare))
			return false;
	return true;
}

bool pass_calls_need_caller(void *arg, const struct trace *t, uint32_t location)
{
	struct group_pass *f = pass_begin(arg, t);

	return pass_site(f->p, names_location(&f->p->names, t, location)) == UINT32_MAX;
}

static void add_open(struct pass_calls *c, struct pass_calls_cell *cell, uint32_t grouping,
		     uint32_t id, bool is_call)
{
	uint32_t *open = map64_put(&c->index[grouping], (uint64_t)id << 1 | is_call);

	if (!*open) {
		VEC_PUSH(c->opens, c->n_opens, c->cap_opens) =
		    (struct pass_open){.grouping = grouping, .id = id, .is_call = is_call};
		*open = (uint32_t)c->n_opens;
	}
	for (uint32_t i = cell->first; i < cell->first + cell->n; i++)
		if (c->of_cells[i] == *open - 1)
			return;
	VEC_PUSH(c->of_cells, c->n_of, c->cap_of) = *open - 1;
	cell->n++;
}

/* Groups of the callers of a stack. */
static void add_callers(struct group_pass *f, struct pass_calls_cell *cell, uint32_t stack,
			uint32_t k)
{
	for (uint32_t s = f->t->stacks[stack].parent; s; s = f->t->stacks[s].parent) {
		const struct tally_cell c = {.stack = s, .domain = CELL_CALLED};
		uint32_t node;

		pass_place(f, &c, &node);
		add_open(f->calls, cell, k, pass_group(f, &c, node, k), false);
	}
}

/* Of the callers that the cell's stack has all but a first call's own are open around it anyway. */
static void pass_calls_ask_cell(struct group_pass *f, struct pass_calls_cell *cell, uint32_t index)
{
	struct pass_calls *c = f->calls;
	const struct grouped_profile *p = f->p;
	const struct tally_cell *of = &f->a->cells[index];
	uint32_t node;

	pass_place(f, of, &node);
	cell->first = (uint32_t)c->n_of;
	for (uint32_t k = 0; k < p->n_groupings; k++) {
		add_open(c, cell, k, pass_group(f, of, node, k), false);
		if (grouping_has_total(&p->groupings[k].key))
			add_callers(f, cell, of->stack, k);
	}
	for (uint32_t k = 0; k < p->n_groupings; k++) {
		const struct grouping_key *key = &p->groupings[k].key;

		if (!grouping_has_total(key))
			continue;
		for (uint32_t s = of->stack; s; s = f->t->stacks[s].parent) {
			uint32_t location = pass_location(f, s);
			const struct names_location *l = &p->names.locations[location];

			for (uint32_t i = l->first; i < l->first + l->n_calls; i++)
				add_open(c, cell, k, pass_call_id(p, key->by, &p->names.calls[i]),
					 true);
		}
	}
}

static const struct pass_calls_cell *cell_at(struct group_pass *f, uint32_t index)
{
	struct pass_calls *c = f->calls;
	struct pass_calls_cell cell;

	c->cells = mem_grow_zero(c->cells, &c->cap_cells, (size_t)index + 1, sizeof *c->cells);
	if (!c->cells[index].n) {
		cell = (struct pass_calls_cell){.n = 0};
		pass_calls_ask_cell(f, &cell, index);
		c->cells[index] = cell;
	}
	return &c->cells[index];
}

void pass_calls_entered(void *arg, const struct trace *t, uint32_t thread, uint32_t cell)
{
	struct group_pass *f = pass_begin(arg, t);
	const struct pass_calls_cell *of;

	if (!f->calls)
		f->calls = mem_zalloc(sizeof *f->calls);
	of = cell_at(f, cell);
	for (uint32_t i = of->first; i < of->first + of->n; i++)
		++*map64_put(&f->calls->depth, (uint64_t)thread << 32 | f->calls->of_cells[i]);
}

void pass_calls_ended(void *arg, uint32_t thread, uint32_t cell, const struct open_call *call,
		      bool outermost)
{
	const struct grouped_profile *p = arg;
	struct pass_calls *c = p->pass->calls;
	const struct pass_calls_cell *of = &c->cells[cell];
	bool has = tally_touched(&p->tally, cell), timed = has && call->total >= 0;
	uint64_t ns = call->total > 0 ? (uint64_t)call->total : 0;

	for (uint32_t i = of->first; i < of->first + of->n; i++) {
		struct pass_open *open = &c->opens[c->of_cells[i]];
		uint64_t key = (uint64_t)thread << 32 | c->of_cells[i];
		uint32_t *depth = map64_put(&c->depth, key);

		if (*depth > 1) {
			--*depth;
			continue;
		}
		map64_remove(&c->depth, key);
		open->has |= open->is_call ? has : timed;
		open->ns = add_saturating(open->ns, ns);
		open->calls = add_saturating(open->calls, call->calls);
		open->self = add_saturating(open->self, call->self);
	}
	if (outermost && timed) {
		c->all = add_saturating(c->all, ns);
		c->any = true;
	}
}

void pass_calls_times(struct group_pass *f)
{
	struct tally_sums s = {.has = SUM_BIT(SUM_TIME_TOTAL)};
	const struct pass_calls *c = f->calls;

	if (!c || !(f->at_cells >> SUM_TIME_TOTAL & 1))
		return;
	for (size_t i = 0; i < c->n_opens; i++) {
		const struct pass_open *o = &c->opens[i];

		if (!o->has || o->is_call)
			continue;
		s.v[SUM_TIME_TOTAL] = o->ns;
		columns_add(&f->p->now.keys[o->grouping].self, o->id, &s);
	}
	if (c->any) {
		s.v[SUM_TIME_TOTAL] = c->all;
		sums_add(&f->p->now.all, &s);
	}
}

void pass_calls_totals(struct group_pass *f, size_t grouping)
{
	const struct pass_calls *c = f->calls;
	struct grouped_profile *p = f->p;
	struct tally_sums s = {.has = 0};

	for (size_t i = 0; c && i < c->n_opens; i++) {
		const struct pass_open *o = &c->opens[i];

		if (!o->has || !o->is_call || o->grouping != grouping)
			continue;
		s.has = f->at_cells &
			(SUM_BIT(SUM_ENTRIES) | SUM_BIT(SUM_CALLS) | SUM_BIT(SUM_TIME_SELF));
		s.v[SUM_ENTRIES] = s.v[SUM_CALLS] = o->calls;
		s.v[SUM_TIME_SELF] = o->self;
		columns_add(&p->now.keys[grouping].total,
			    grouping_group(&p->groupings[grouping], 0, o->id, 0, false), &s);
	}
}

void pass_calls_free(struct pass_calls *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < GROUPINGS_MAX; i++)
		map64_release(&c->index[i]);
	map64_release(&c->depth);
	free(c->cells);
	free(c->of_cells);
	free(c->opens);
	free(c);
}
