/* SPDX-License-Identifier: MIT
 *
 * The smallest growth that would have been detected: growth is planted in runs that are drawn anew
 * from what the runs of all subjects have differed by.
 */
#include "lib/report/compare/judge_model.h"

#include "lib/base/hash.h"
#include "lib/base/mem.h"
#include "lib/base/sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TRIALS = 400 };

/* Runs drawn anew, of a subject whose standard deviation is 1. */
struct trial {
	double scale;      /* what a deviation may be in truth that was found to be 1 */
	double difference; /* of the means of the two sides */
	double squares;    /* within the two sides */
	double own; /* the growth above which the true set is among the first of its subject */
};

struct draws {
	const struct model *m;
	const struct exchange *x;
	size_t allowed; /* sets that may be as large as the true one */
	double variance;
	double
	    *pool; /* deviations of runs from their side, in standard deviations of their subject */
	size_t n;
	uint64_t state;
};

static double draws_uniform(struct draws *d)
{
	d->state += 0x9e3779b97f4a7c15u;
	return ((double)(hash_u64(d->state) >> 11) + 0.5) / 9007199254740992.0;
}

/* Box and Muller 1958. */
static double draws_normal(struct draws *d)
{
	double r = sqrt(-2 * log(draws_uniform(d)));

	return r * cos(6.283185307179586 * draws_uniform(d));
}

static double side_mean(const struct model *m, size_t column, size_t first, size_t last)
{
	double sum = 0;

	for (size_t k = first; k < last; k++)
		sum += m->y[k * m->n_columns + column];
	return sum / (double)(last - first);
}

static double within(const struct model *m, size_t column)
{
	double base = side_mean(m, column, 0, m->n_base), sum = 0;
	double new = side_mean(m, column, m->n_base, m->n);

	for (size_t k = 0; k < m->n; k++) {
		double e = m->y[k * m->n_columns + column] - (k < m->n_base ? base : new);

		sum += e * e;
	}
	return sum;
}

/* The standard deviation of a subject, shared as its statistic shares it. */
static double deviation(const struct draws *d, size_t column)
{
	double df = d->m->prior_df + (double)d->m->n - 2;

	return sqrt((d->m->prior_df * d->variance + within(d->m, column)) / df);
}

static void fill_pool(struct draws *d)
{
	const struct model *m = d->m;

	d->pool = mem_array(m->n_subjects * m->n + 1, sizeof *d->pool);
	for (size_t i = 0; i < m->n_subjects; i++) {
		double sd;

		if (m->columns[i].there < m->n || !(m->columns[i].squares > 0))
			continue;
		sd = deviation(d, i);
		for (int side = 0; side < 2 && sd > 0; side++) {
			size_t first = side ? m->n_base : 0, last = side ? m->n : m->n_base;
			double mean = side_mean(m, i, first, last), n = (double)(last - first);

			for (size_t k = first; k < last && n > 1; k++)
				d->pool[d->n++] =
				    (m->y[k * m->n_columns + i] - mean) * sqrt(n / (n - 1)) / sd;
		}
	}
}

static int told_ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* In the order of sums any set comes before the true one as long as the growth is at most this. */
static double growth_for_set(const struct draws *d, const double *e, const uint32_t *set)
{
	double sum = 0;
	size_t shared = 0;

	for (size_t k = 0; k < d->m->n_new; k++) {
		sum += e[set[k]] - e[d->m->n_base + k];
		shared += set[k] >= d->m->n_base;
	}
	return shared == d->m->n_new ? INFINITY : sum / (double)(d->m->n_new - shared);
}

static void draw_trial(struct draws *d, struct trial *t, double *e, double *growths)
{
	const struct model *m = d->m;
	double df = m->prior_df + (double)m->n - 2, chi = 0, base = 0, new = 0;

	for (size_t i = 0; i < (size_t)(df + 0.5); i++) {
		double z = draws_normal(d);

		chi += z * z;
	}
	*t = (struct trial){.scale = sqrt(df / chi)};
	for (size_t k = 0; k < m->n; k++) {
		e[k] = d->pool[(size_t)(draws_uniform(d) * (double)d->n)];
		*(k < m->n_base ? &base : &new) += e[k];
	}
	base /= (double)m->n_base;
	new /= (double)m->n_new;
	t->difference = new - base;
	for (size_t k = 0; k < m->n; k++) {
		double x = e[k] - (k < m->n_base ? base : new);

		t->squares += x * x;
	}
	for (size_t i = 1; i < d->x->n; i++)
		growths[i - 1] = growth_for_set(d, e, d->x->sets + i * d->x->chosen);
	sort_array(growths, d->x->n - 1, sizeof *growths, told_ascending);
	t->own = growths[d->x->n - 2 - d->allowed];
}

/* What is planted in a trial of a subject with this deviation, to be detected. */
static double least_growth(const struct draws *d, const struct trial *t, double sd, double critical)
{
	const struct model *m = d->m;
	double df = m->prior_df + (double)m->n - 2;
	double share = (double)m->n / ((double)m->n_base * (double)m->n_new);
	double variance, others;

	sd *= t->scale;
	variance = (m->prior_df * d->variance + sd * sd * t->squares) / df;
	others = critical * sqrt(variance * share) - sd * t->difference;
	return m->n_subjects > 1 && others > sd * t->own ? others : sd * t->own;
}

void model_told(const struct model *m, const struct exchange *x, double critical, size_t allowed,
		double power, double *to)
{
	struct draws d = {.m = m, .x = x, .allowed = allowed, .state = 1};
	struct trial *trials = mem_array(TRIALS, sizeof *trials);
	double *e = mem_array(m->n, sizeof *e), *v = mem_array(TRIALS, sizeof *v);
	double *growths = mem_array(x->n, sizeof *growths);

	d.variance = model_shared_variance(m, x->sets);
	fill_pool(&d);
	for (size_t i = 0; i < TRIALS && d.n; i++)
		draw_trial(&d, &trials[i], e, growths);
	for (size_t i = 0; i < m->n_subjects; i++) {
		double sd = deviation(&d, i);

		to[i] = NAN;
		if (!d.n || m->columns[i].there < m->n || !(sd > 0))
			continue;
		for (size_t k = 0; k < TRIALS; k++)
			v[k] = least_growth(&d, &trials[k], sd, critical);
		sort_array(v, TRIALS, sizeof *v, told_ascending);
		to[i] = v[(size_t)(power * TRIALS)];
	}
	free(d.pool);
	free(trials);
	free(e);
	free(v);
	free(growths);
}
