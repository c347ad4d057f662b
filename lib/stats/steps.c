/* SPDX-License-Identifier: MIT */
#include "lib/stats/steps.h"

#include "lib/base/hash.h"
#include "lib/base/mem.h"
#include "lib/base/sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct part {
	size_t first, last;
};

struct search {
	struct stats_sample s;
	const struct stats_steps_options *o;
	double *clipped;
	struct part *todo;
	size_t n_todo, cap_todo;
	struct stats_step *steps;
	size_t n, cap;
};

void stats_draw_in(const double *v, size_t n, double *to)
{
	double middle = stats_median((struct stats_sample){v, n}), reach;
	double *work = mem_array(n + 1, sizeof *work);

	for (size_t i = 0; i < n; i++)
		work[i] = fabs(v[i] - middle);
	reach = STEPS_CLIP * 1.4826 * stats_median((struct stats_sample){work, n});
	for (size_t i = 0; i < n; i++)
		to[i] = reach > 0 && v[i] > middle + reach   ? middle + reach
			: reach > 0 && v[i] < middle - reach ? middle - reach
							     : v[i];
	free(work);
}

/* The largest of the statistic's squares for k from `from` on (2), and the first k where it is. */
static double largest(const double *v, size_t n, size_t from, size_t *at)
{
	double mean = stats_mean((struct stats_sample){v, n}), sum = 0, most = -1;

	for (size_t k = 1; k + 2 <= n; k++) {
		double x;

		sum += v[k - 1] - mean;
		if (k < from)
			continue;
		x = sum * sum * (double)n / ((double)k * (double)(n - k));
		if (x > most) {
			most = x;
			*at = k;
		}
	}
	return most;
}

static uint64_t next(uint64_t *state)
{
	*state += 0x9e3779b97f4a7c15u;
	return hash_u64(*state);
}

static void shuffle(double *v, size_t n, uint64_t *state)
{
	for (size_t i = n - 1; i; i--) {
		size_t k = (size_t)((unsigned __int128)next(state) * (i + 1) >> 64);
		double x = v[i];

		v[i] = v[k];
		v[k] = x;
	}
}

/* Equal arrangements add up in another order: what differs by rounding alone is as large. */
static bool reaches(double x, double most)
{
	return x >= most * (1 - 1e-9);
}

/* 1 as soon as p cannot be alpha or less. */
static double permuted(double *v, size_t n, double most, double alpha, uint64_t seed)
{
	uint64_t state = seed;
	size_t as_large = 0, ignored;

	for (size_t i = 0; i < STEPS_PERMUTATIONS; i++) {
		shuffle(v, n, &state);
		as_large += reaches(largest(v, n, 2, &ignored), most);
		if ((double)(as_large + 1) > alpha * (STEPS_PERMUTATIONS + 1))
			return 1;
	}
	return (double)(as_large + 1) / (STEPS_PERMUTATIONS + 1);
}

/* The share of pairs as far from the mean as the last two are. */
static double at_end(const double *v, size_t n)
{
	double mean = stats_mean((struct stats_sample){v, n});
	double far = fabs(v[n - 1] - mean + (v[n - 2] - mean));
	size_t as_far = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < i; k++)
			as_far += reaches(fabs(v[i] - mean + (v[k] - mean)), far);
	return far > 0 ? 2 * (double)as_far / ((double)n * (double)(n - 1)) : 1;
}

/* p of a step in n values, and where; 1: none at this alpha. */
static double steps_find(const struct search *x, struct part part, size_t *at)
{
	size_t n = part.last - part.first, tail = n - 2;
	uint64_t seed = x->o->seed ^ hash_u64(part.first + 1);
	double most, p = 1;

	stats_draw_in(x->s.v + part.first, n, x->clipped);
	if (part.last == x->s.n)
		p = at_end(x->clipped, n);
	most = largest(x->clipped, n, 2, at);
	largest(x->clipped, n, n - STEPS_TAIL, &tail);
	if (most > 0) {
		double anywhere = permuted(x->clipped, n, most, x->o->alpha / 2, seed);

		if (anywhere <= x->o->alpha / 2)
			return anywhere;
	}
	*at = tail;
	return p;
}

static void look(struct search *x, struct part part)
{
	struct stats_step *step;
	size_t at = 0;
	double p;

	if (part.last - part.first < STEPS_RUNS_MIN)
		return;
	p = steps_find(x, part, &at);
	if (p > x->o->alpha / 2)
		return;
	at += part.first;
	step = &VEC_PUSH(x->steps, x->n, x->cap);
	*step = (struct stats_step){.at = at, .p = p};
	VEC_PUSH(x->todo, x->n_todo, x->cap_todo) = (struct part){part.first, at};
	VEC_PUSH(x->todo, x->n_todo, x->cap_todo) = (struct part){at, part.last};
}

static int steps_by_place(const void *a, const void *b)
{
	const struct stats_step *x = a, *y = b;

	return (x->at > y->at) - (x->at < y->at);
}

size_t stats_steps(struct stats_sample s, const struct stats_steps_options *o,
		   struct stats_step **to)
{
	struct search x = {.s = s, .o = o};

	x.clipped = mem_array(s.n + 1, sizeof *x.clipped);
	VEC_PUSH(x.todo, x.n_todo, x.cap_todo) = (struct part){0, s.n};
	while (x.n_todo) {
		struct part part = x.todo[--x.n_todo];

		look(&x, part);
	}
	if (x.n)
		sort_array(x.steps, x.n, sizeof *x.steps, steps_by_place);
	for (size_t i = 0; i < x.n; i++) {
		struct stats_step *step = &x.steps[i];

		step->first = i ? x.steps[i - 1].at : 0;
		step->last = i + 1 < x.n ? x.steps[i + 1].at : s.n;
		step->before =
		    stats_median((struct stats_sample){s.v + step->first, step->at - step->first});
		step->after =
		    stats_median((struct stats_sample){s.v + step->at, step->last - step->at});
	}
	free(x.clipped);
	free(x.todo);
	*to = x.steps ? x.steps : mem_alloc(sizeof **to);
	return x.n;
}
