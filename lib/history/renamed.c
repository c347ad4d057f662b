/* SPDX-License-Identifier: MIT */
#include "lib/history/renamed.h"

#include "lib/base/mem.h"
#include "lib/base/sort.h"
#include "lib/profile/read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEVEL_RUNS = 10, CALLER_GONE = 1 };

static const double level_factor = 2, level_same = 0.05, level_deviations = 3 * 1.4826;

/* One end of a series. */
struct renamed_end {
	size_t line, run;    /* run: the last that has some of it; of one that begins, the first */
	size_t build;        /* the first without it; of one that begins, the first with it */
	double level, noise; /* of the runs next to it */
	uint32_t name;       /* in the entities' strings */
	uint64_t callers;    /* a hash of who calls it; 0: not known */
	bool joined;
};

struct renamed_ends {
	struct renamed_end *items;
	size_t n, cap;
};

struct renamed_call {
	uint32_t function, caller; /* names, in the entities' strings; caller 0: none */
};

struct renamed {
	struct history *h;
	struct history_lines *l;
	struct renamed_ends sides[2]; /* of series that end, and that begin */
	/* of one build */
	struct profile_entities entities;
	struct renamed_calls {
		struct renamed_call *items;
		size_t n, cap;
	} calls[2];
};

/* The nearest runs with some of it, from a run on forwards or back. */
static void renamed_level(const struct renamed *r, struct renamed_end *to, int step)
{
	const struct history_line *line = &r->l->items[to->line];
	double v[LEVEL_RUNS], off[LEVEL_RUNS];
	size_t n = 0;

	for (size_t i = to->run; i < r->l->runs->n && n < LEVEL_RUNS; i += (size_t)step)
		if (line->v[i] > 0)
			v[n++] = line->v[i];
	to->level = stats_median((struct stats_sample){v, n});
	for (size_t i = 0; i < n; i++)
		off[i] = fabs(v[i] - to->level);
	to->noise = level_deviations * stats_median((struct stats_sample){off, n});
}

static size_t build_of(const struct renamed *r, size_t run)
{
	return r->l->runs->items[run].nth_build;
}

/* The ends of a series, when it has none of it in the builds before or behind. */
static void renamed_add_ends(struct renamed *r, size_t line)
{
	const double *v = r->l->items[line].v;
	size_t n = r->l->runs->n, first = 0, last = n, before, behind;

	while (first < n && !(fabs(v[first]) > 0))
		first++;
	if (first == n)
		return;
	while (!(fabs(v[last - 1]) > 0))
		last--;
	last--;
	before = first;
	while (before-- > 0 && isnan(v[before]))
		;
	behind = last + 1;
	while (behind < n && isnan(v[behind]))
		behind++;
	if (behind < n && build_of(r, behind) != build_of(r, last) && v[last] > 0)
		VEC_PUSH(r->sides[0].items, r->sides[0].n, r->sides[0].cap) =
		    (struct renamed_end){.line = line, .run = last, .build = build_of(r, behind)};
	if (before < n && build_of(r, before) != build_of(r, first) && v[first] > 0)
		VEC_PUSH(r->sides[1].items, r->sides[1].n, r->sides[1].cap) =
		    (struct renamed_end){.line = line, .run = first, .build = build_of(r, first)};
}

static int renamed_by_build(const void *a, const void *b)
{
	const struct renamed_end *x = a, *y = b;

	if (x->build != y->build)
		return x->build > y->build ? 1 : -1;
	return (x->line > y->line) - (x->line < y->line);
}

static int renamed_by_level(const void *a, const void *b)
{
	const struct renamed_end *x = a, *y = b;

	if (x->callers != y->callers)
		return x->callers > y->callers ? 1 : -1;
	if (x->level < y->level || x->level > y->level)
		return x->level > y->level ? 1 : -1;
	return (x->line > y->line) - (x->line < y->line);
}

/* --- who calls what --- */

static uint32_t name_of(const struct profile_entities *t, uint32_t node)
{
	return node ? t->keys[KEY_FUNCTION].items[t->stacks.rows[node].location].name : 0;
}

static int renamed_by_call(const void *a, const void *b)
{
	const struct renamed_call *x = a, *y = b;

	if (x->function != y->function)
		return x->function > y->function ? 1 : -1;
	return (x->caller > y->caller) - (x->caller < y->caller);
}

static void renamed_add_calls(const struct renamed *r, const struct profile *s,
			      struct renamed_calls *to)
{
	const struct profile_entities *t = &r->entities;
	const struct profile_key *k = &s->keys[KEY_STACK];
	uint8_t *seen = mem_zarray(t->stacks.n + 1, 1);
	size_t kept = 0;

	for (size_t i = 0; i < t->keys[KEY_STACK].n; i++)
		for (uint32_t node = columns_has(&k->self, i) ? t->keys[KEY_STACK].items[i].node
							      : 0;
		     node && !seen[node]; node = t->stacks.rows[node].parent) {
			seen[node] = 1;
			VEC_PUSH(to->items, to->n, to->cap) = (struct renamed_call){
			    name_of(t, node), name_of(t, t->stacks.rows[node].parent)};
		}
	free(seen);
	if (to->n)
		sort_array(to->items, to->n, sizeof *to->items, renamed_by_call);
	for (size_t i = 0; i < to->n; i++)
		if (!i || renamed_by_call(&to->items[i], &to->items[i - 1]) != 0)
			to->items[kept++] = to->items[i];
	to->n = kept;
}

/* Of a run's stacks; nothing where they were pruned, or its aggregate is damaged, which series do without. */
static void renamed_read_calls(struct renamed *r, size_t run, unsigned side)
{
	struct profile *s = mem_zalloc(sizeof *s);
	struct buf bytes = BUF_INIT;
	struct err e = ERR_INIT;
	struct cursor c;

	r->calls[side].n = 0;
	if (!history_aggregate(r->h, r->l->runs->items[run].id, &bytes, &e)) {
		cursor_init(&c, bytes.data, bytes.len, 0, &e);
		if (!profile_read(&c, &r->entities, s, &e)) {
			if (s->keys[KEY_STACK].held && !s->keys[KEY_STACK].cut)
				renamed_add_calls(r, s, &r->calls[side]);
			profile_release(s);
		}
	}
	buf_release(&bytes);
	free(s);
}

/* Who calls what; a caller that one build alone has may itself be renamed, and is like any other such. */
static void renamed_set_callers(const struct renamed *r, unsigned side, struct renamed_end *ends,
				size_t n)
{
	const struct renamed_calls *calls = &r->calls[side], *others = &r->calls[!side];
	struct map64 at = MAP64_INIT, known = MAP64_INIT;

	for (size_t i = 0; i < n; i++)
		*map64_put(&at, ends[i].name) = (uint32_t)i + 1;
	for (size_t i = 0; i < others->n; i++)
		*map64_put(&known, others->items[i].function) = 1;
	for (size_t i = 0; i < calls->n; i++) {
		const struct renamed_call *c = &calls->items[i];
		uint32_t to = map64_get(&at, c->function);
		bool there = !c->caller || map64_get(&known, c->caller);

		if (to && c->caller != c->function)
			ends[to - 1].callers += hash_u64(there ? c->caller + 2 : CALLER_GONE);
	}
	map64_release(&at);
	map64_release(&known);
}

/* --- joining --- */

static bool renamed_is_level(const struct renamed_end *a, const struct renamed_end *b, bool wide)
{
	double more = fmax(a->level, b->level), off = fabs(a->level - b->level);

	return wide ? more <= level_factor * fmin(a->level, b->level)
		    : off <= fmax(level_same * more, fmax(a->noise, b->noise));
}

static void renamed_join_two(struct renamed *r, struct renamed_end *a, struct renamed_end *b)
{
	struct history_line *was = &r->l->items[a->line], *now = &r->l->items[b->line];

	for (size_t i = 0; i < b->run; i++)
		now->v[i] = was->v[i];
	now->present = 0;
	for (size_t i = 0; i < r->l->runs->n; i++)
		now->present += !isnan(now->v[i]);
	now->was = was->name;
	was->joined = true;
	a->joined = b->joined = true;
	VEC_PUSH(r->l->renamed, r->l->n_renamed, r->l->cap_renamed) =
	    (struct history_renamed){was->name, now->name, b->run};
}

/* Both are in the order of their levels, of those with the same callers. */
static void renamed_pass(struct renamed *r, struct renamed_end *a, size_t n_a,
			 struct renamed_end *b, size_t n_b, bool wide)
{
	size_t i = 0, k = 0;

	while (i < n_a && k < n_b) {
		if (a[i].joined || (a[i].callers < b[k].callers && !b[k].joined)) {
			i++;
		} else if (b[k].joined || a[i].callers > b[k].callers) {
			k++;
		} else if (renamed_is_level(&a[i], &b[k], wide) && (a[i].callers || !wide)) {
			renamed_join_two(r, &a[i++], &b[k++]);
		} else if (a[i].level < b[k].level) {
			i++;
		} else {
			k++;
		}
	}
}

static uint32_t renamed_name(struct renamed *r, const struct renamed_end *end)
{
	const char *name = r->l->items[end->line].name;

	return entities_string(&r->entities, name, strlen(name));
}

static void renamed_set_levels(struct renamed *r, unsigned side, struct renamed_end *ends, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		ends[i].name = renamed_name(r, &ends[i]);
		renamed_level(r, &ends[i], side ? 1 : -1);
	}
	renamed_set_callers(r, side, ends, n);
	sort_array(ends, n, sizeof *ends, renamed_by_level);
}

/* Of one build: what it has no longer, and what it has first. */
static void renamed_join_build(struct renamed *r, struct renamed_end *a, size_t n_a,
			       struct renamed_end *b, size_t n_b)
{
	entities_init(&r->entities, NULL);
	renamed_read_calls(r, a->run, 0);
	renamed_read_calls(r, b->run, 1);
	if (!r->calls[0].n || !r->calls[1].n)
		r->calls[0].n = r->calls[1].n = 0;
	renamed_set_levels(r, 0, a, n_a);
	renamed_set_levels(r, 1, b, n_b);
	renamed_pass(r, a, n_a, b, n_b, false);
	renamed_pass(r, a, n_a, b, n_b, true);
	entities_release(&r->entities);
}

static size_t renamed_same_build(const struct renamed_ends *of, size_t at)
{
	size_t n = 1;

	while (at + n < of->n && of->items[at + n].build == of->items[at].build)
		n++;
	return n;
}

static void renamed_join_builds(struct renamed *r)
{
	struct renamed_ends *ends = &r->sides[0], *begins = &r->sides[1];
	size_t i = 0, k = 0;

	while (i < ends->n && k < begins->n) {
		struct renamed_end *a = &ends->items[i], *b = &begins->items[k];

		if (a->build < b->build) {
			i++;
		} else if (a->build > b->build) {
			k++;
		} else {
			size_t n_a = renamed_same_build(ends, i),
			       n_b = renamed_same_build(begins, k);

			renamed_join_build(r, a, n_a, b, n_b);
			i += n_a;
			k += n_b;
		}
	}
}

static void renamed_drop_joined(struct history_lines *l, size_t first)
{
	size_t kept = first;

	for (size_t i = first; i < l->n; i++) {
		if (l->items[i].joined)
			free(l->items[i].v);
		else
			l->items[kept++] = l->items[i];
	}
	l->n = kept;
}

static int renamed_by_name(const void *a, const void *b)
{
	const struct history_line *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static int renamed_by_run(const void *a, const void *b)
{
	const struct history_renamed *x = a, *y = b;

	return x->run != y->run ? (x->run > y->run ? 1 : -1) : strcmp(x->was, y->was);
}

void renamed_join(struct history *h, struct history_lines *l, size_t first, enum key key)
{
	struct renamed r = {.h = h, .l = l};
	size_t before = l->n_renamed;

	if (key != KEY_FUNCTION && key != KEY_SITE && key != KEY_TYPE && key != KEY_FILE &&
	    key != KEY_MODULE)
		return;
	/* A store has them in any order, and equal guesses go by it. */
	if (l->n > first)
		sort_array(l->items + first, l->n - first, sizeof *l->items, renamed_by_name);
	for (size_t i = first; i < l->n; i++)
		renamed_add_ends(&r, i);
	for (unsigned side = 0; side < 2; side++)
		if (r.sides[side].n)
			sort_array(r.sides[side].items, r.sides[side].n,
				   sizeof *r.sides[side].items, renamed_by_build);
	renamed_join_builds(&r);
	if (l->n_renamed > before)
		sort_array(l->renamed + before, l->n_renamed - before, sizeof *l->renamed,
			   renamed_by_run);
	renamed_drop_joined(l, first);
	for (unsigned side = 0; side < 2; side++) {
		free(r.sides[side].items);
		free(r.calls[side].items);
	}
}
