/* SPDX-License-Identifier: MIT */
#include "lib/report/compare/gate_new.h"

#include "lib/base/mem.h"
#include "lib/base/sort.h"
#include "lib/stats/exchange.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NEW_RUNS_MAX = 1000 };

void gate_new_add(struct gate_newness *c, const struct gate_rule *r, const struct gate_subject *s,
		  const double *points)
{
	size_t all = c->n_base + c->n_new;
	unsigned char *in = arena_zalloc(c->arena, all);
	struct gate_entity t = {.in = in, .all = all, .points = points ? 0 : INFINITY};
	double most = 0;

	for (size_t i = 0; i < all; i++) {
		double v = i < c->n_base ? s->base[i] : s->new[i - c->n_base];

		in[i] = v > 0;
		t.n += v > 0;
		most = fmax(most, v);
		if (points)
			t.points = fmax(t.points, points[i]);
	}
	if (most > 0 && most >= decimal_to_double(r->rule->absolute))
		VEC_PUSH(c->entities, c->n, c->cap) = t;
}

/* Those that most runs have come first. */
static int gate_new_order(const void *a, const void *b)
{
	const struct gate_entity *x = a, *y = b;

	return x->n != y->n ? (x->n > y->n ? -1 : 1) : memcmp(x->in, y->in, x->all);
}

/* Runs of one side differ in whether they have it; of builds one behind the other, more than once. */
static bool gate_new_differs(const struct gate_newness *c, const struct gate_entity *t)
{
	bool base = c->n_base > 1;
	size_t first = base ? 0 : c->n_base, end = base ? c->n_base : c->n_base + c->n_new;
	size_t changes = 0;

	for (size_t i = first + 1; i < end; i++)
		changes += t->in[i] != t->in[i - 1];
	return changes > (base && c->in_order ? 1 : 0);
}

/* Of samples a run that has an entity may miss it. */
static bool gate_new_surely(const struct gate_newness *c, const struct gate_entity *t)
{
	return t->points > log((double)c->n * (double)(c->n_base + c->n_new) / c->alpha);
}

static bool gate_new_within(const struct gate_entity *t, const unsigned char *set, size_t all)
{
	for (size_t i = 0; i < all; i++)
		if (t->in[i] && !set[i])
			return false;
	return true;
}

/* Leaves one of those that the same runs have. */
static size_t gate_new_patterns(const struct gate_newness *c, struct gate_entity *to)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++)
		if (c->entities[i].n <= c->n_new &&
		    (!n || gate_new_order(&to[n - 1], &c->entities[i]) != 0))
			to[n++] = c->entities[i];
	return n;
}

void gate_new_find(struct gate_newness *c)
{
	size_t all = c->n_base + c->n_new, n;
	struct gate_entity *patterns;
	unsigned char *set;
	struct exchange x;

	if (!c->n)
		return;
	sort_array(c->entities, c->n, sizeof *c->entities, gate_new_order);
	c->same = true;
	for (size_t i = 0; i < c->n; i++)
		c->same &=
		    !gate_new_surely(c, &c->entities[i]) || !gate_new_differs(c, &c->entities[i]);
	patterns = mem_array(c->n, sizeof *patterns);
	n = gate_new_patterns(c, patterns);
	exchange_init(&x, all, c->n_new, JUDGE_EXACT_MAX, JUDGE_ORDERS);
	set = mem_zarray(all, 1);
	c->most = mem_zarray(x.n, sizeof *c->most);
	for (size_t i = 0; i < x.n; i++) {
		memset(set, 0, all);
		for (size_t k = 0; k < x.chosen; k++)
			set[x.sets[i * x.chosen + k]] = 1;
		for (size_t k = 0; k < n && !c->most[i]; k++)
			if (gate_new_within(&patterns[k], set, all))
				c->most[i] = patterns[k].n;
	}
	c->orders = x.n;
	c->sampled = x.sampled;
	free(set);
	free(patterns);
	exchange_release(&x);
}

void gate_new_release(struct gate_newness *c)
{
	free(c->entities);
	free(c->most);
}

double gate_new_points(const struct gate_newness *c)
{
	double b = (double)c->n_base, w = (double)c->n_new;

	return log(fmax(1, (double)c->n) / c->alpha) / log((b + w) / w);
}

void gate_new_judge(const struct gate_newness *c, const struct gate_rule *r, struct gate_subject *s)
{
	size_t n = 0;

	s->runs = 0;
	for (size_t k = 0; k < c->n_new; k++)
		s->runs += s->new[k] > 0;
	for (size_t i = 0; i < c->orders; i++)
		n += c->most[i] >= s->runs;
	s->p = c->orders ? (double)n / (double)c->orders : 1;
	s->exact =
	    c->same && s->runs == c->n_new && (!r->estimated || s->points >= gate_new_points(c));
	s->certain = s->exact || s->p <= c->alpha + 1e-9;
}

size_t gate_new_runs(const struct gate_newness *c, size_t runs)
{
	for (size_t n = 2; n <= NEW_RUNS_MAX; n++) {
		double p = n > c->n_base || n > c->n_new ? 1 : INFINITY;

		for (size_t i = 0; i < n * runs / c->n_new; i++)
			p *= (double)(n - i) / (double)(2 * n - i);
		if (p <= c->alpha)
			return n;
	}
	return 0;
}
