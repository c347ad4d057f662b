/* SPDX-License-Identifier: MIT
 *
 * Totals of functions, locations and sites over the tree of stacks, recursion counted once (group_pass.h).
 */
#include "lib/group/group_pass.h"

#include "lib/base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { AHEAD = 16 }; /* nodes that are fetched ahead; by experiment */

/* One walk over the tree of stacks, however many stacks share their callers. Sums by depth are
 * kept narrow, for the sake of stacks a million deep. The order of the walk is found first, so that
 * what it will touch can be fetched ahead. */
struct walk {
	struct group_pass *f;
	size_t grouping;
	enum key by;
	struct walk_node {
		uint32_t node, end; /* place behind the last that it is a caller of */
	} * nodes;                  /* in the order of the walk, from 1 */
	size_t n;
	uint32_t *active; /* by id at the key: how often on the path */
	size_t cap_active;
	uint8_t sums[SUMS]; /* those there are */
	size_t n_sums, depth, cap;
	uint64_t *v; /* by depth, n_sums of each, and which of them are known */
	struct walk_open {
		uint32_t end, node, location;
	} * path; /* by depth */
	size_t cap_path;
	struct tally_sums own; /* what is not in sums is 0 */
};

static uint64_t *at_depth(const struct walk *w, size_t depth)
{
	return w->v + depth * (w->n_sums + 1);
}

static void add(const struct walk *w, size_t depth, const struct tally_sums *s)
{
	uint64_t *v = at_depth(w, depth);

	for (size_t i = 0; i < w->n_sums; i++) {
		unsigned sum = w->sums[i];

		if (s->has >> sum & 1)
			v[i] = sum_join(sum, v[w->n_sums] >> sum & 1, v[i], s->v[sum]);
	}
	v[w->n_sums] |= s->has;
}

static void walk_take(struct walk *w, size_t depth)
{
	const uint64_t *v = at_depth(w, depth);

	w->own.has = (unsigned)v[w->n_sums];
	for (size_t i = 0; i < w->n_sums; i++)
		w->own.v[w->sums[i]] = v[i];
}

static uint32_t *active(struct walk *w, uint32_t id)
{
	w->active = mem_grow_zero(w->active, &w->cap_active, (size_t)id + 1, sizeof *w->active);
	return &w->active[id];
}

static uint32_t *active_site(struct walk *w, uint32_t node)
{
	return active(w, pass_site_id(w->f->p, pass_ask_site(w->f, node)));
}

static void walk_enter(struct walk *w, const struct walk_node *at)
{
	const struct grouped_profile *p = w->f->p;
	uint32_t location = pass_location(w->f, at->node);
	const struct names_location *l = &p->names.locations[location];
	size_t row = (w->n_sums + 1) * sizeof *w->v;

	w->v = mem_grow(w->v, &w->cap, ++w->depth + 1, row);
	memset(at_depth(w, w->depth), 0, row);
	w->path = mem_grow(w->path, &w->cap_path, w->depth + 1, sizeof *w->path);
	w->path[w->depth] = (struct walk_open){at->end, at->node, location};
	for (uint32_t c = w->f->cells[at->node]; c; c = w->f->cell_next[c - 1]) {
		struct tally_sums s = pass_cell(w->f, c - 1);
		struct tally_sums own = pass_own_time(w->f, c - 1, &s);

		s.has |= own.has;
		s.v[SUM_TIME_TOTAL] = own.v[SUM_TIME_TOTAL];
		add(w, w->depth, &s);
	}
	if (w->by == KEY_SITE) {
		++*active_site(w, at->node);
		return;
	}
	for (uint32_t k = l->first; k < l->first + l->n_calls; k++)
		++*active(w, pass_call_id(p, w->by, &p->names.calls[k]));
}

/* The sums, to what was entered there for the first time. The total time of groups is among what is theirs
 * (pass_times). */
static void walk_add(const struct walk *w, uint32_t id, uint32_t site)
{
	struct profile_key *to = &w->f->p->now.keys[w->grouping];
	uint32_t group = grouping_group(&w->f->p->groupings[w->grouping], 0, id,
					site & ~SITE_INSIDE, site & SITE_INSIDE);
	const unsigned none =
	    w->by == KEY_SITE ? SUMS_MEASURED : 0; /* which it has none of itself */
	struct tally_sums rest = w->own;
	struct tally_sums time = {.has = w->own.has & (SUM_BIT(SUM_TIME_TOTAL) | none)};

	time.v[SUM_TIME_TOTAL] = rest.v[SUM_TIME_TOTAL];
	rest.has &= ~SUM_BIT(SUM_TIME_TOTAL);
	rest.v[SUM_TIME_TOTAL] = 0;
	if (time.has >> SUM_TIME_TOTAL & 1)
		columns_add(&to->self, group, &time);
	if (rest.has && w->by != KEY_SITE)
		columns_add(&to->total, group, &rest);
}

static void walk_leave(struct walk *w)
{
	struct grouped_profile *p = w->f->p;
	const struct names_location *l = &p->names.locations[w->path[w->depth].location];

	walk_take(w, w->depth);
	if (w->by == KEY_SITE) {
		uint32_t node = w->path[w->depth].node;

		if (--*active_site(w, node) == 0 && w->own.has >> SUM_TIME_TOTAL & 1)
			walk_add(w, pass_site_id(p, pass_node_site(w->f, node)),
				 pass_node_site(w->f, node));
	}
	for (uint32_t k = l->first; w->by != KEY_SITE && k < l->first + l->n_calls; k++) {
		uint32_t id = pass_call_id(p, w->by, &p->names.calls[k]);

		/* Recursion counts once: only where it was first entered. */
		if (--*active(w, id) == 0 && w->own.has)
			walk_add(w, id, 0);
	}
	add(w, --w->depth, &w->own);
}

/* Callers have smaller ids than the stacks they are part of: how many places each node takes with all
 * that it is a caller of is known before, and from that its place. */
static void walk_order(struct walk *w)
{
	const struct group_pass *f = w->f;
	size_t n = pass_nodes(f);
	uint32_t *takes = mem_zarray(n, sizeof *takes), *next = mem_array(n, sizeof *next);

	for (size_t i = n; i-- > 1;) {
		takes[i] += takes[i] || f->cells[i];
		takes[pass_parent(f, (uint32_t)i)] += takes[i];
	}
	w->n = (size_t)takes[0] + 1;
	w->nodes = mem_array(w->n, sizeof *w->nodes);
	next[0] = 1;
	for (uint32_t i = 1; i < n; i++) {
		uint32_t *at = &next[takes[i] ? pass_parent(f, i) : i];

		if (!takes[i])
			continue;
		w->nodes[*at] = (struct walk_node){i, *at + takes[i]};
		next[i] = *at + 1;
		*at += takes[i];
	}
	free(takes);
	free(next);
}

static inline __attribute__((always_inline)) void walk_fetch(const struct walk *w, size_t at)
{
	const struct group_pass *f = w->f;
	uint32_t cell;

	if (at + AHEAD < w->n) {
		uint32_t node = w->nodes[at + AHEAD].node;

		pass_prefetch_location(f, node);
		__builtin_prefetch(&f->cells[node]);
	}
	if (at + AHEAD / 2 >= w->n)
		return;
	cell = f->cells[w->nodes[at + AHEAD / 2].node];
	if (cell) {
		__builtin_prefetch(&f->a->cells[cell - 1]);
		__builtin_prefetch(&f->a->cells[cell - 1].real);
		__builtin_prefetch(&f->cell_next[cell - 1]);
	}
}

void pass_totals(struct group_pass *f, size_t grouping)
{
	struct walk w = {.f = f, .grouping = grouping, .by = f->p->groupings[grouping].key.by};

	for (unsigned s = 0; s < SUMS; s++)
		if (f->at_cells >> s & 1 && (w.by != KEY_SITE || s == SUM_TIME_TOTAL))
			w.sums[w.n_sums++] = (uint8_t)s;
	f->cells = mem_grow_zero(f->cells, &f->cap_cells, pass_nodes(f), sizeof *f->cells);
	w.v = mem_grow(NULL, &w.cap, 64, (w.n_sums + 1) * sizeof *w.v);
	memset(w.v, 0, (w.n_sums + 1) * sizeof *w.v);
	walk_order(&w);
	for (size_t i = 1; i < w.n; i++) {
		while (w.depth && w.path[w.depth].end <= i)
			walk_leave(&w);
		walk_fetch(&w, i);
		walk_enter(&w, &w.nodes[i]);
	}
	while (w.depth)
		walk_leave(&w);
	free(w.nodes);
	free(w.path);
	free(w.active);
	free(w.v);
}
