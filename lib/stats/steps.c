/* SPDX-License-Identifier: MIT */
#include "lib/stats/steps.h"

#include "lib/base/hash.h"
#include "lib/base/mem.h"
#include "lib/base/sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double steps_free = 0.05;

struct part {
	size_t first, last;
};

struct search {
	struct stats_sample s;
	uint64_t seed;
	double alpha;
	double shrink; /* of squares, since runs depend on each other */
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

/* Of values whose largest is about that of Gumbel's distribution: the share above x. */
static double gumbel_above(double sum, double squares, double n, double x)
{
	double mean = sum / n, deviation = sqrt(fmax(squares / n - mean * mean, 0));
	double beta = deviation * 0.7796968; /* sqrt(6) / pi */

	if (!(beta > 0))
		return x > mean ? 0 : 1;
	return -expm1(-exp(-(x - mean) / beta - 0.5772157));
}

/* p of the largest statistic by permutation; where so few cannot show it, by the distribution of their
 * largest. 1 as soon as p cannot be alpha or less. */
static double permuted(double *v, size_t n, double most, double alpha, uint64_t seed)
{
	bool tail = alpha * (STEPS_PERMUTATIONS + 1) < STEPS_TAIL_LEAST;
	size_t as_large = 0, ignored, all = tail ? STEPS_TAIL_PERMUTATIONS : STEPS_PERMUTATIONS;
	double sum = 0, squares = 0;
	uint64_t state = seed;

	for (size_t i = 0; i < all; i++) {
		double x;

		shuffle(v, n, &state);
		x = largest(v, n, 2, &ignored);
		as_large += reaches(x, most);
		sum += sqrt(x);
		squares += x;
		if (tail ? as_large > 0 : (double)(as_large + 1) > alpha * (STEPS_PERMUTATIONS + 1))
			return 1;
	}
	return tail ? gumbel_above(sum, squares, (double)all, sqrt(most))
		    : (double)(as_large + 1) / (STEPS_PERMUTATIONS + 1);
}

static double choose(size_t n, size_t m)
{
	return m == 2 ? (double)n * (double)(n - 1) / 2
		      : (double)n * (double)(n - 1) * (double)(n - 2) / 6;
}

/* With a third run, of those that are as far as `far` from the mean together. */
static size_t triples(const double *v, size_t n, double two, size_t below, double mean, double far)
{
	size_t as_far = 0;

	(void)n;
	for (size_t i = 0; i < below; i++)
		as_far += reaches(fabs(two + v[i] - mean), far);
	return as_far;
}

/* The share of sets of m runs, 2 or 3, that are as far from the mean as the last m are. */
static double at_end(const double *v, size_t n, size_t m, double shrink)
{
	double mean = stats_mean((struct stats_sample){v, n}), far = 0, as_far = 0;

	for (size_t i = n - m; i < n; i++)
		far += v[i] - mean;
	far = fabs(far) * sqrt(shrink);
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < i; k++) {
			double two = v[i] - mean + (v[k] - mean);

			as_far += m == 2 ? (double)reaches(fabs(two), far)
					 : (double)triples(v, n, two, k, mean, far);
		}
	return far > 0 ? as_far / choose(n, m) : 1;
}

/* p of a step in n values, and where; 1: none at this alpha. */
static double steps_find(const struct search *x, struct part part, size_t *at)
{
	size_t n = part.last - part.first, tail = n - 2,
	       end = n < STEPS_END_MAX ? n : STEPS_END_MAX;
	uint64_t seed = x->seed ^ hash_u64(part.first + 1);
	double most, p = 1, alpha = x->alpha / 2;

	stats_draw_in(x->s.v + part.first, n, x->clipped);
	if (part.last == x->s.n && choose(end, 3) * alpha >= 1)
		p = at_end(x->clipped + n - end, end, choose(end, 2) * alpha >= 1 ? 2 : 3,
			   x->shrink);
	most = largest(x->clipped, n, 2, at) * x->shrink;
	largest(x->clipped, n, n - STEPS_TAIL, &tail);
	if (most > 0) {
		double anywhere = permuted(x->clipped, n, most, alpha, seed);

		if (anywhere <= alpha)
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
	if (p > x->alpha / 2)
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

static void steps_search(struct search *x)
{
	x->n = x->n_todo = 0;
	VEC_PUSH(x->todo, x->n_todo, x->cap_todo) = (struct part){0, x->s.n};
	while (x->n_todo) {
		struct part part = x->todo[--x->n_todo];

		look(x, part);
	}
	if (x->n)
		sort_array(x->steps, x->n, sizeof *x->steps, steps_by_place);
	for (size_t i = 0; i < x->n; i++) {
		struct stats_step *step = &x->steps[i];

		step->first = i ? x->steps[i - 1].at : 0;
		step->last = i + 1 < x->n ? x->steps[i + 1].at : x->s.n;
		step->before = stats_median(
		    (struct stats_sample){x->s.v + step->first, step->at - step->first});
		step->after =
		    stats_median((struct stats_sample){x->s.v + step->at, step->last - step->at});
	}
}

/* What is left of drawn-in values without the mean of the level that each is of. */
static void residuals(struct stats_sample s, const struct stats_step *steps, size_t n_steps,
		      double *to)
{
	for (size_t i = 0; i <= n_steps; i++) {
		size_t first = i ? steps[i - 1].at : 0, last = i < n_steps ? steps[i].at : s.n;
		double mean;

		stats_draw_in(s.v + first, last - first, to + first);
		mean = stats_mean((struct stats_sample){to + first, last - first});
		for (size_t k = first; k < last; k++)
			to[k] -= mean;
	}
}

/* Takes a line out of values (least squares): the squares that it leaves, and its ends. */
static double take_line(double *v, size_t n, double *first, double *last)
{
	double mean = stats_mean((struct stats_sample){v, n}), middle = (double)(n - 1) / 2;
	double along = 0, squares = 0, slope;

	for (size_t i = 0; i < n; i++)
		along += (v[i] - mean) * ((double)i - middle);
	slope = along * 12 / ((double)n * ((double)n * (double)n - 1));
	for (size_t i = 0; i < n; i++) {
		v[i] -= mean + slope * ((double)i - middle);
		squares += v[i] * v[i];
	}
	*first = mean - slope * middle;
	*last = mean + slope * middle;
	return squares;
}

/* How much each run keeps of the one before. */
static double correlation(const double *e, size_t n)
{
	double together = 0, squares = 0, rho;

	for (size_t i = 0; i < n; i++) {
		squares += e[i] * e[i];
		together += i ? e[i] * e[i - 1] : 0;
	}
	rho = squares > 0 ? together / squares : 0;
	return rho + (1 + 4 * rho) / (double)(n + 1); /* Kendall 1954: it comes out too small */
}

/* Of what the steps leave, or a line, whichever leaves less; 0: no more than chance. */
static double dependence(const struct search *x)
{
	double *e = mem_array(x->s.n + 1, sizeof *e), first, last, rho, line;

	residuals(x->s, x->steps, x->n, e);
	rho = correlation(e, x->s.n);
	stats_draw_in(x->s.v, x->s.n, e);
	take_line(e, x->s.n, &first, &last);
	line = correlation(e, x->s.n);
	free(e);
	rho = line < rho ? line : rho;
	return rho * sqrt((double)x->s.n) > 2 ? fmin(rho, 0.95) : 0;
}

/* Steps are searched more freely than is asked, so that none of them is taken for dependence; each time
 * fewer are found, and more of what is left is dependence. */
static void find_dependence(struct search *x)
{
	double alpha = x->alpha;

	x->alpha = alpha > steps_free ? alpha : steps_free;
	steps_search(x);
	for (size_t i = 0; i < STEPS_ROUNDS && x->n; i++) {
		double rho = dependence(x), shrink = (1 - rho) / (1 + rho);

		if (shrink >= x->shrink)
			break;
		x->shrink = shrink;
		steps_search(x);
	}
	x->alpha = alpha;
}

size_t stats_steps(struct stats_sample s, const struct stats_steps_options *o,
		   struct stats_step **to)
{
	struct search x = {.s = s, .seed = o->seed, .alpha = o->alpha, .shrink = 1};

	x.clipped = mem_array(s.n + 1, sizeof *x.clipped);
	find_dependence(&x);
	if (x.alpha < steps_free)
		steps_search(&x);
	free(x.clipped);
	free(x.todo);
	*to = x.steps ? x.steps : mem_alloc(sizeof **to);
	return x.n;
}

bool stats_trend(struct stats_sample s, const struct stats_step *steps, size_t n_steps,
		 struct stats_trend *to)
{
	double *v = mem_array(s.n + 1, sizeof *v), line = 0, levels = 0, n = (double)s.n;

	if (n_steps) {
		residuals(s, steps, n_steps, v);
		for (size_t i = 0; i < s.n; i++)
			levels += v[i] * v[i];
		stats_draw_in(s.v, s.n, v);
		line = take_line(v, s.n, &to->first, &to->last);
	}
	free(v);
	/* Schwarz 1978: each step is a level and a place, a line is one number. */
	return n_steps && levels > 0 && line > 0 &&
	       n * log(line) + log(n) < n * log(levels) + 2 * (double)n_steps * log(n);
}
