/* SPDX-License-Identifier: MIT */
#include "lib/report/frames/groups.h"

#include "lib/base/mem.h"
#include "lib/base/sort.h"

#include <stdlib.h>
#include <string.h>

struct frame_groups *frame_groups_new(void)
{
	return mem_zalloc(sizeof(struct frame_groups));
}

void frame_groups_free(struct frame_groups *g)
{
	if (!g)
		return;
	free(g->ids);
	free(g->sums);
	free(g->mark);
	free(g->lives);
	free(g->of_cell);
	free(g);
}

static struct tally_sums *at(struct frame_groups *g, uint32_t group)
{
	g->lives = mem_grow_zero(g->lives, &g->cap_lives, (size_t)group + 1, sizeof *g->lives);
	g->mark = mem_grow_zero(g->mark, &g->cap_mark, (size_t)group + 1, sizeof *g->mark);
	if (!g->mark[group]) {
		VEC_PUSH(g->ids, g->n, g->cap) = group;
		g->mark[group] = (uint32_t)g->n;
		g->sums = mem_grow(g->sums, &g->cap_sums, g->n, sizeof *g->sums);
		g->sums[g->n - 1] = (struct tally_sums){.has = 0};
	}
	return &g->sums[g->mark[group] - 1];
}

static void add_cell(struct frame_groups *g, const struct tally *a, size_t i, uint32_t group)
{
	struct tally_sums add, *to = at(g, group);
	unsigned live;

	tally_slice_sums(a, i, &add);
	live = add.has & SUMS_LIVE;
	add.has &= ~(unsigned)SUMS_LIVE;
	sums_add(to, &add);
	to->has |= live;
	for (size_t m = 0; m < 3; m++) {
		g->lives[group][m] += add.v[SUM_LIVE_COUNT + m];
		g->live[m] += add.v[SUM_LIVE_COUNT + m];
	}
}

/* The group of a cell stays what it is; there may be none yet. */
static uint32_t frame_groups_of(struct frame_groups *g, struct grouped_profile *p,
				const struct trace *t, uint32_t cell, size_t grouping)
{
	uint32_t group;

	g->of_cell =
	    mem_grow_zero(g->of_cell, &g->cap_of_cell, (size_t)cell + 1, sizeof *g->of_cell);
	if (g->of_cell[cell])
		return g->of_cell[cell] - 1;
	group = grouped_profile_cell_group(p, t, cell, grouping);
	if (group != GROUP_NONE)
		g->of_cell[cell] = group + 1;
	return group;
}

void frame_groups_fill(struct frame_groups *g, struct grouped_profile *p, const struct trace *t,
		       const struct tally_slice *s, size_t grouping)
{
	bool by_type = p->groupings[grouping].key.by == KEY_TYPE;

	if (!s->index) {
		if (g->cap_lives)
			memset(g->lives, 0, g->cap_lives * sizeof *g->lives);
		memset(g->live, 0, sizeof g->live);
		if (g->cap_of_cell)
			memset(g->of_cell, 0, g->cap_of_cell * sizeof *g->of_cell);
	}
	for (size_t i = 0; i < g->n; i++)
		g->mark[g->ids[i]] = 0;
	g->n = 0;
	for (size_t i = 0; i < s->n_cells; i++) {
		uint32_t group;

		group = frame_groups_of(g, p, t, s->cells[i], grouping);
		if (group != GROUP_NONE)
			add_cell(g, &p->tally, i, group);
	}
	for (size_t i = 0; i < g->n; i++) {
		memcpy(&g->sums[i].v[SUM_LIVE_COUNT], g->lives[g->ids[i]], sizeof *g->lives);
		g->sums[i].has &= ~tally_unidentified(&p->tally, t);
	}
	if (!by_type || filters_any(p->options.filters))
		return;
	for (size_t i = 0; i < s->n_types; i++) {
		struct tally_sums add;

		tally_slice_type_sums(&p->tally, i, &add);
		sums_add(at(g, grouped_profile_type_group(p, t, s->types[i], grouping)), &add);
	}
}

struct order {
	const struct frame_groups *g;
	enum sum by;
};

static int frame_groups_compare(const void *a, const void *b, void *arg)
{
	const struct order *o = arg;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	const struct tally_sums *p = &o->g->sums[o->g->mark[x] - 1];
	const struct tally_sums *q = &o->g->sums[o->g->mark[y] - 1];
	unsigned has_p = p->has >> o->by & 1, has_q = q->has >> o->by & 1;

	if (has_p != has_q)
		return has_p ? -1 : 1;
	if (p->v[o->by] != q->v[o->by])
		return sum_order(o->by, q->v[o->by]) < sum_order(o->by, p->v[o->by]) ? -1 : 1;
	return x < y ? -1 : x > y;
}

void frame_groups_sort(struct frame_groups *g, enum sum by)
{
	struct order o = {g, by};
	struct tally_sums *sorted = mem_array(g->n + 1, sizeof *sorted);

	sort_array_by(g->ids, g->n, sizeof *g->ids, frame_groups_compare, &o);
	for (size_t i = 0; i < g->n; i++)
		sorted[i] = g->sums[g->mark[g->ids[i]] - 1];
	for (size_t i = 0; i < g->n; i++)
		g->mark[g->ids[i]] = (uint32_t)i + 1;
	free(g->sums);
	g->sums = sorted;
	g->cap_sums = g->n + 1;
}
