/* SPDX-License-Identifier: MIT */
#include "lib/report/heap/retained.h"

#include "lib/base/intern.h"
#include "lib/base/mem.h"
#include "lib/base/pages.h"
#include "lib/tally/sums.h"

#include <stdlib.h>
#include <string.h>

#define EMPTY      0          /* the set without a group; others are ids of search.sets */
#define EVERYTHING UINT32_MAX /* of what has not been looked at */

enum {
	PAIRS = 1 << 16,     /* a power of two */
	MERGED_AT_ONCE = 16, /* members: to merge so few takes no longer than to look them up */
	AHEAD = 4 /* turns whose memory is asked for early: most of the time is waiting for it */
};

/* What was found of the last pairs. */
struct pair {
	uint64_t key;
	uint32_t set; /* + 1; 0: none yet */
};

struct search {
	const struct heap_part *p;
	const uint32_t *of;
	struct intern sets;           /* places of groups, ascending, 4 bytes each */
	struct pair *unions, *shared; /* of (set, group), (set, set) */
	uint32_t *alone;              /* group -> the set of it alone, 0: not made yet */
	size_t cap_alone;
	size_t n_members;
	uint32_t *made; /* the set that is being made */
	size_t n_made, cap_made;
	struct sets_of {        /* by object */
		uint32_t above; /* what the sets share of all that refer to it, as they are known */
		uint32_t own;   /* with its group, as it was at its last turn */
	} * at;
	/* Objects whose set may be less than it was: a ring with room for all. */
	uint32_t *waiting, first, n_waiting;
	uint8_t *waits; /* a bit each */
	uint64_t left;  /* references to look at before it has taken too long */
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

static struct pair *pair(struct pair *pairs, uint32_t a, uint32_t b)
{
	uint64_t key = (uint64_t)a << 32 | b;
	struct pair *p = &pairs[hash_u64(key) & (PAIRS - 1)];

	if (p->key != key)
		*p = (struct pair){key, 0};
	return p;
}

static uint32_t with(struct search *f, uint32_t set, uint32_t group)
{
	struct members m = members_of(f, set);
	struct pair *known = pair(f->unions, set, group);

	if (known->set)
		return known->set - 1;
	for (; peek(&m) < group; m.at++)
		put(f, peek(&m));
	if (peek(&m) == group) {
		f->n_made = 0;
		return set;
	}
	put(f, group);
	for (; m.at < m.n; m.at++)
		put(f, peek(&m));
	known->set = done(f) + 1;
	return known->set - 1;
}

static uint32_t retained_alone(struct search *f, uint32_t group)
{
	f->alone = mem_grow_zero(f->alone, &f->cap_alone, (size_t)group + 1, sizeof *f->alone);
	if (!f->alone[group]) {
		put(f, group);
		f->alone[group] = done(f);
	}
	return f->alone[group];
}

static uint32_t retained_merge(struct search *f, uint32_t a, uint32_t b, struct members x,
			       struct members y)
{
	while (x.at < x.n && y.at < y.n) {
		uint32_t g = peek(&x), h = peek(&y);

		if (g == h)
			put(f, g);
		x.at += g <= h;
		y.at += h <= g;
	}
	if (f->n_made == x.n || f->n_made == y.n) {
		uint32_t whole = f->n_made == x.n ? a : b;

		f->n_made = 0;
		return whole;
	}
	return done(f);
}

static uint32_t retained_shared(struct search *f, uint32_t a, uint32_t b)
{
	struct members x, y;
	struct pair *known;

	if (a == b || b == EVERYTHING)
		return a;
	if (a == EVERYTHING)
		return b;
	if (a == EMPTY || b == EMPTY)
		return EMPTY;
	x = members_of(f, a);
	y = members_of(f, b);
	if (x.n + y.n <= MERGED_AT_ONCE)
		return retained_merge(f, a, b, x, y);
	known = a < b ? pair(f->shared, a, b) : pair(f->shared, b, a);
	if (!known->set)
		known->set = retained_merge(f, a, b, x, y) + 1;
	return known->set - 1;
}

/* What no root reaches holds nothing that a root reaches. */
static bool holds(const struct search *f, uint32_t from, uint32_t to)
{
	const uint32_t *distance = f->p->paths.distance;

	return distance[from] || !distance[to];
}

static void wait_for_turn(struct search *f, uint32_t v)
{
	uint32_t room = f->p->h->n + 1, last = f->first + f->n_waiting;

	if (f->waits[v / 8] >> v % 8 & 1)
		return;
	f->waits[v / 8] |= (uint8_t)(1u << v % 8);
	f->n_waiting++;
	f->waiting[last < room && last >= f->first ? last : last - room] = v;
}

/* Asks the memory for what the turn in so many turns needs first; what follows from that later. */
static void retained_fetch(const struct search *f)
{
	const struct heap *h = f->p->h;
	uint32_t far = f->first + 3 * AHEAD, near = f->first + 2 * AHEAD, next = f->first + AHEAD;

	if (f->n_waiting <= 3 * AHEAD || far > h->n || far < f->first)
		return;
	__builtin_prefetch(&h->out_start[f->waiting[far]]);
	__builtin_prefetch(&f->at[f->waiting[far]]);
	__builtin_prefetch(&f->of[f->waiting[far]]);
	near = h->out_start[f->waiting[near]];
	__builtin_prefetch(&h->out[near]);
	next = f->waiting[next];
	for (uint32_t r = h->out_start[next], k = 0; r < h->out_start[next + 1] && k < 2 * AHEAD;
	     r++, k++)
		__builtin_prefetch(&f->at[h->out[r]]);
}

static uint32_t pop_waiting(struct search *f)
{
	uint32_t v = f->waiting[f->first];

	f->first = f->first == f->p->h->n ? 0 : f->first + 1;
	f->n_waiting--;
	f->waits[v / 8] &= (uint8_t) ~(1u << v % 8);
	return v;
}

static uint32_t set_now(struct search *f, uint32_t v)
{
	uint32_t above = f->at[v].above, group = f->of[v];

	if (group == HEAP_NONE)
		return above;
	return above == EMPTY ? retained_alone(f, group) : with(f, above, group);
}

/* An object's set is handed to all that it refers to when it has become less: what they share with
 * what it was before they share with more. */
static bool retained_find_sets(struct search *f)
{
	const struct heap *h = f->p->h;

	for (uint32_t v = 0; v <= h->n; v++)
		f->at[v] = (struct sets_of){EVERYTHING, EVERYTHING};
	/* From the roots in the order of distance: sets begin small. */
	for (uint32_t v = 1; v <= h->n; v++)
		if (f->p->dominators.top[v])
			f->at[v].above = EMPTY;
	for (uint32_t r = h->out_start[0]; r < h->out_start[1]; r++)
		f->at[h->out[r]].above = EMPTY;
	for (uint32_t v = 1; v <= h->n; v++)
		if (f->at[v].above == EMPTY)
			wait_for_turn(f, v);
	while (f->n_waiting) {
		uint32_t v, set, n;

		retained_fetch(f);
		v = pop_waiting(f);
		set = set_now(f, v);
		if (set == f->at[v].own)
			continue;
		f->at[v].own = set;
		n = h->out_start[v + 1] - h->out_start[v];
		if (f->left <= n || f->n_members > HEAP_RETAINED_MEMBERS)
			return false;
		f->left -= n;
		for (uint32_t r = h->out_start[v]; r < h->out_start[v + 1]; r++) {
			uint32_t to = h->out[r], above;

			if (f->at[to].above == EMPTY || !holds(f, v, to))
				continue;
			above = retained_shared(f, f->at[to].above, set);
			if (above != f->at[to].above) {
				f->at[to].above = above;
				wait_for_turn(f, to);
			}
		}
	}
	return true;
}

static void retained_add_up(const struct search *f, struct heap_group *groups)
{
	const struct heap *h = f->p->h;
	size_t n = (size_t)intern_count(&f->sets) + 1;
	uint64_t *bytes = mem_zarray(n, sizeof *bytes), *count = mem_zarray(n, sizeof *count);

	for (uint32_t v = 1; v <= h->n; v++) {
		uint32_t set = f->at[v].own;

		if (h->flags[v] & HEAP_SIZED)
			bytes[set] = add_saturating(bytes[set], heap_size(h, v));
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

	f.at = pages_array(n, sizeof *f.at);
	f.waiting = mem_array(n, sizeof *f.waiting);
	f.waits = mem_zarray(n / 8 + 1, sizeof *f.waits);
	f.unions = mem_zarray(PAIRS, sizeof *f.unions);
	f.shared = mem_zarray(PAIRS, sizeof *f.shared);
	f.left = HEAP_RETAINED_ROUNDS * ((uint64_t)h->n_references + n);
	known = retained_find_sets(&f);
	if (known)
		retained_add_up(&f, groups);
	free(f.at);
	free(f.waiting);
	free(f.waits);
	free(f.unions);
	free(f.shared);
	free(f.alone);
	free(f.made);
	intern_release(&f.sets);
	return known;
}
