/* SPDX-License-Identifier: MIT */
#include "lib/report/top/callers.h"

#include "lib/base/hash.h"
#include "lib/base/mem.h"
#include "lib/group/chain.h"
#include "lib/table/table.h"

#include <stdlib.h>
#include <string.h>

enum { STACKS = 1, DEPTH = 4, LEAST = 4 }; /* a quarter of the row */

struct callers_walk { /* a stack that may be on the chain */
	uint64_t value;
	uint32_t stack, call; /* of the profile; of names, the one that was reached */
};

struct callers_list {
	struct callers_walk *items;
	size_t n, cap;
};

struct callers {
	size_t n;
	char **lines;
};

uint32_t callers_next(const struct grouped_profile *p, uint32_t *stack, uint32_t call)
{
	const struct names_location *l = &p->names.locations[p->names.calls[call].location];

	if (call + 1 < l->first + l->n_calls)
		return call + 1;
	*stack = p->stacks.rows[*stack].parent;
	return *stack ? p->names.locations[p->stacks.rows[*stack].location].first : 0;
}

bool callers_start(const struct grouped_profile *p, uint32_t *stack, uint32_t *call)
{
	uint32_t site = p->stack_sites[*stack] & ~SITE_INSIDE;
	uint32_t location = p->names.calls[site].location;

	while (*stack && p->stacks.rows[*stack].location != location)
		*stack = p->stacks.rows[*stack].parent;
	*call = site;
	return *stack && site;
}

/* Every walk goes one level out; of the functions that they reach the one with the largest sum is
 * chosen, and the others' walks end. Its sum; 0: none. */
static uint64_t callers_step(const struct grouped_profile *p, struct callers_list *l,
			     uint32_t *function)
{
	struct map64 seen = {0};
	uint64_t *sums = mem_zarray(l->n + 1, sizeof *sums), best = 0;
	uint32_t *functions = mem_zarray(l->n + 1, sizeof *functions);
	size_t n = 0, kept = 0, chosen = 0;

	for (size_t i = 0; i < l->n; i++) {
		struct callers_walk w = l->items[i];
		uint32_t *at, of;

		w.call = callers_next(p, &w.stack, w.call);
		if (!w.call)
			continue;
		of = p->names.calls[w.call].function;
		at = map64_put(&seen, (uint64_t)of + 1);
		if (!*at) {
			functions[n++] = of;
			*at = (uint32_t)n;
		}
		sums[*at - 1] = add_saturating(sums[*at - 1], w.value);
		l->items[kept++] = w;
	}
	for (size_t i = 0; i < n; i++)
		if (sums[i] > best) {
			best = sums[i];
			chosen = i;
		}
	l->n = 0;
	for (size_t i = 0; i < kept; i++)
		if (p->names.calls[l->items[i].call].function == functions[chosen])
			l->items[l->n++] = l->items[i];
	if (n)
		*function = functions[chosen];
	free(sums);
	free(functions);
	map64_release(&seen);
	return best;
}

static char *callers_text(const struct grouped_profile *p, struct callers_list *l, uint64_t all)
{
	struct buf b = BUF_INIT;
	struct table_column percent = {.type = COLUMN_PERCENT};
	uint64_t sum = 0;

	for (unsigned depth = 0; depth < DEPTH; depth++) {
		uint32_t function = 0;
		uint64_t v = callers_step(p, l, &function);
		const char *name;
		size_t n;

		if (!v || v < all / LEAST)
			break;
		sum = v;
		buf_adds(&b, depth ? " < " : "by ");
		name = names_text(&p->names, p->names.functions[function].display, &n);
		buf_add(&b, name, n);
		if (n == 4 && !memcmp(name, "main", 4))
			break;
	}
	if (b.len && sum < all) {
		struct table_cell share = cell_share(sum, all);

		buf_adds(&b, ": ");
		cell_for_people(&b, &percent, &share, false);
		buf_adds(&b, " of it");
	}
	buf_str(&b);
	if (!b.len) {
		buf_release(&b);
		return NULL;
	}
	return b.data;
}

static uint64_t without_cached(const struct profile_key *g, uint32_t group, enum sum sum,
			       uint64_t value)
{
	uint64_t cached = columns_value(&g->cached, group, sum);

	return value > cached ? value - cached : 0;
}

struct callers *callers_new(const struct ranking *r, const uint32_t *groups, size_t n, bool cached)
{
	const struct grouped_profile *p = r->p;
	const struct grouping *g = &p->groupings[STACKS];
	struct callers *c = mem_zalloc(sizeof *c);
	struct ranking of_stacks = *r;
	struct callers_list *lists;
	uint32_t *row = mem_zarray(p->groupings[r->grouping].n + 1, sizeof *row);
	uint64_t v;

	of_stacks.grouping = STACKS;
	of_stacks.cumulative = false;
	c->n = n < CALLERS_ROWS_MAX ? n : CALLERS_ROWS_MAX;
	c->lines = mem_zarray(c->n + 1, sizeof *c->lines);
	lists = mem_zarray(c->n + 1, sizeof *lists);
	for (size_t i = 0; i < c->n; i++)
		row[groups[i]] = (uint32_t)i + 1;
	for (uint32_t i = 0; i < g->n; i++) {
		uint32_t at = row[g->groups[i].outer];
		struct callers_walk w = {.stack = g->groups[i].id};

		if (!at || !columns_has(&r->run->keys[STACKS].self, i) ||
		    !group_value(&of_stacks, i, r->sum, false, &w.value) ||
		    !callers_start(p, &w.stack, &w.call))
			continue;
		if (!cached)
			w.value = without_cached(&r->run->keys[STACKS], i, r->sum, w.value);
		VEC_PUSH(lists[at - 1].items, lists[at - 1].n, lists[at - 1].cap) = w;
	}
	for (size_t i = 0; i < c->n; i++) {
		if (!group_value(r, groups[i], r->sum, false, &v))
			v = 0;
		if (!cached)
			v = without_cached(&r->run->keys[r->grouping], groups[i], r->sum, v);
		if (v && !sum_is_signed(r->sum))
			c->lines[i] = callers_text(p, &lists[i], v);
		free(lists[i].items);
	}
	free(lists);
	free(row);
	return c;
}

void callers_free(struct callers *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->n; i++)
		free(c->lines[i]);
	free(c->lines);
	free(c);
}

const char *callers_line(const struct callers *c, size_t row)
{
	return c && row < c->n ? c->lines[row] : NULL;
}
