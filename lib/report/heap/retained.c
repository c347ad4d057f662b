/* SPDX-License-Identifier: MIT */
#include "lib/report/heap/retained.h"

#include "lib/base/intern.h"
#include "lib/base/mem.h"
#include "lib/tally/sums.h"

#include <stdlib.h>
#include <string.h>

#define EMPTY      0          /* the set without a group; others are ids of search.sets */
#define EVERYTHING UINT32_MAX /* of what has not been looked at */

enum { PAIRS = 1 << 16 };

struct search {
	const struct heap_part *p;
	const uint32_t *of;
	struct intern sets;          /* places of groups, ascending, 4 bytes each */
	struct map64 unions, shared; /* (set, group), (set, set) -> set + 1 */
	size_t n_members;
	uint32_t *made; /* the set that is being made */
	size_t n_made, cap_made;
	uint32_t *set_of; /* by object */
	uint32_t *in_start, *in;
	/* Objects whose set may be less than it was: a ring with room for all. */
	uint32_t *waiting, first, n_waiting;
	bool *waits;
	uint64_t left; /* references to look at before it has taken too long */
};

struct members {
	const char *p;
	size_t n, at;
};

static struct members members_of(const struct search *f, uint32_t set)
{
	struct members m = {.n = 0};

	m.p = intern_text(&f->sets, set, &m.n);
	m.n /= sizeof(uint32_t);
	return m;
}

/* UINT32_MAX, which is no group, at the end. */
static uint32_t peek(const struct members *m)
{
	uint32_t x = UINT32_MAX;

	if (m->at < m->n)
		memcpy(&x, m->p + m->at * sizeof x, sizeof x);
	return x;
}

static void put(struct search *f, uint32_t group)
{
	VEC_PUSH(f->made, f->n_made, f->cap_made) = group;
}

static uint32_t done(struct search *f)
{
	uint32_t before = intern_count(&f->sets), set = EMPTY;

	if (f->n_made)
		set = intern_add(&f->sets, (const char *)f->made, f->n_made * sizeof *f->made);
	if (intern_count(&f->sets) > before)
		f->n_members += f->n_made;
	f->n_made = 0;
	return set;
}

static uint64_t pair(uint32_t a, uint32_t b)
{
	return (uint64_t)a << 32 | b;
}

/* Forgets what it has found of pairs when that has become much. */
static void remember(struct map64 *m, uint64_t key, uint32_t set)
{
	if (m->n >= PAIRS)
		map64_release(m);
	*map64_put(m, key) = set + 1;
}

static uint32_t with(struct search *f, uint32_t set, uint32_t group)
{
	uint32_t known = map64_get(&f->unions, pair(set, group)), result;
	struct members m = members_of(f, set);

	if (known)
		return known - 1;
	for (; peek(&m) < group; m.at++)
		put(f, peek(&m));
	put(f, group);
	for (m.at += peek(&m) == group; m.at < m.n; m.at++)
		put(f, peek(&m));
	result = done(f);
	remember(&f->unions, pair(set, group), result);
	return result;
}

static uint32_t retained_shared(struct search *f, uint32_t a, uint32_t b)
{
	uint64_t key = a < b ? pair(a, b) : pair(b, a);
	struct members x, y;
	uint32_t known, result;

	if (a == b || b == EVERYTHING)
		return a;
	if (a == EVERYTHING)
		return b;
	if (a == EMPTY || b == EMPTY)
		return EMPTY;
	known = map64_get(&f->shared, key);
	if (known)
		return known - 1;
	x = members_of(f, a);
	y = members_of(f, b);
	while (x.at < x.n && y.at < y.n) {
		uint32_t g = peek(&x), h = peek(&y);

		if (g == h)
			put(f, g);
		x.at += g <= h;
		y.at += h <= g;
	}
	result = done(f);
	remember(&f->shared, key, result);
	return result;
}

/* What no root reaches holds nothing that a root reaches. */
static bool holds(const struct search *f, uint32_t from, uint32_t to)
{
	const uint32_t *distance = f->p->paths.distance;

	return !from || distance[from] || !distance[to];
}

static uint32_t set_now(struct search *f, uint32_t v)
{
	uint32_t set = f->p->dominators.top[v] ? EMPTY : EVERYTHING, i = f->in_start[v];

	for (; set != EMPTY && i < f->in_start[v + 1]; i++)
		if (holds(f, f->in[i], v))
			set = retained_shared(f, set, f->set_of[f->in[i]]);
	f->left -= f->left < i - f->in_start[v] ? f->left : i - f->in_start[v];
	return set == EVERYTHING || f->of[v] == HEAP_NONE ? set : with(f, set, f->of[v]);
}

static void wait_for_turn(struct search *f, uint32_t v)
{
	if (!v || f->waits[v])
		return;
	f->waits[v] = true;
	f->waiting[(f->first + f->n_waiting++) % (f->p->h->n + 1)] = v;
}

static uint32_t take_turn(struct search *f)
{
	uint32_t v = f->waiting[f->first];

	f->first = (f->first + 1) % (f->p->h->n + 1);
	f->n_waiting--;
	f->waits[v] = false;
	return v;
}

static bool retained_find_sets(struct search *f)
{
	const struct heap *h = f->p->h;

	for (uint32_t v = 1; v <= h->n; v++)
		f->set_of[v] = EVERYTHING;
	/* From the roots in the order of distance: sets begin small. */
	for (uint32_t v = 1; v <= h->n; v++)
		if (f->p->dominators.top[v])
			wait_for_turn(f, v);
	while (f->n_waiting) {
		uint32_t v = take_turn(f), set = set_now(f, v);

		if (!f->left || f->n_members > HEAP_RETAINED_MEMBERS)
			return false;
		if (set == f->set_of[v])
			continue;
		f->set_of[v] = set;
		for (uint32_t r = h->out_start[v]; r < h->out_start[v + 1]; r++)
			wait_for_turn(f, h->out[r]);
	}
	return true;
}

static void retained_add_up(const struct search *f, struct heap_group *groups)
{
	const struct heap *h = f->p->h;
	size_t n = (size_t)intern_count(&f->sets) + 1;
	uint64_t *bytes = mem_zarray(n, sizeof *bytes), *count = mem_zarray(n, sizeof *count);

	for (uint32_t v = 1; v <= h->n; v++) {
		uint32_t set = f->set_of[v];

		if (h->flags[v] & HEAP_SIZED)
			bytes[set] = add_saturating(bytes[set], h->sizes[v]);
		count[set] += h->flags[v] & HEAP_LISTED ? 1 : 0;
	}
	for (uint32_t set = 1; set < n; set++)
		for (struct members m = members_of(f, set); m.at < m.n; m.at++) {
			struct heap_group *g = &groups[peek(&m)];

			g->retained = add_saturating(g->retained, bytes[set]);
			g->retained_count += count[set];
		}
	free(bytes);
	free(count);
}

bool heap_retained(struct heap_group *groups, const struct heap_part *p, const uint32_t *of)
{
	const struct heap *h = p->h;
	size_t n = (size_t)h->n + 1;
	struct search f = {.p = p, .of = of};
	bool known;

	heap_incoming(h, &f.in_start, &f.in);
	f.set_of = mem_zarray(n, sizeof *f.set_of);
	f.waiting = mem_array(n, sizeof *f.waiting);
	f.waits = mem_zarray(n, sizeof *f.waits);
	f.left = HEAP_RETAINED_ROUNDS * ((uint64_t)h->n_references + n);
	known = retained_find_sets(&f);
	if (known)
		retained_add_up(&f, groups);
	free(f.in_start);
	free(f.in);
	free(f.set_of);
	free(f.waiting);
	free(f.waits);
	free(f.made);
	intern_release(&f.sets);
	map64_release(&f.unions);
	map64_release(&f.shared);
	return known;
}
