/* SPDX-License-Identifier: MIT
 *
 * The smallest growth that would have been detected: growth is planted in runs that are drawn anew
 * from what the runs of all subjects have differed by. Worlds are such runs of all subjects, in which
 * nothing has grown: they show how large a statistic has to be, which differs from one to the next.
 * Trials are such runs of one subject, whose standard deviation is 1.
 *
 * A subject's deviation is known by its runs and by what all share, with df degrees of freedom. So the
 * true one is, of a drawn subject, what was found by the root of df / chi^2; and a run's distance from
 * its side, which is part of that deviation itself and so never far beyond it, becomes one that is
 * not by the root of another chi^2 / df (both are independent: Basu 1955).
 */
#include "lib/report/compare/judge_model.h"

#include "lib/base/hash.h"
#include "lib/base/mem.h"
#include "lib/base/sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	TRIALS = 400,
	DEVIATIONS = 4096,
	WORLDS_MIN = 8,
	WORLDS_MAX = 200,
	WORLDS_WORK = 20000000, /* statistics in all worlds */
	TRIAL_STEPS = 6,
	STEPS = 24, /* deviations that are tried, where there are more subjects */
};

struct world {
	double *largest;     /* by set but the true one: of all subjects but one */
	double variance, df; /* that its subjects share, and the weight of it */
};

struct trial {
	double scale;      /* what a deviation may be in truth that was found to be 1 */
	double difference; /* of the means of the two sides */
	double squares;    /* within the two sides */
	double *own; /* by set but the true one: the growth above which it comes behind that */
};

struct draws {
	const struct model *m;
	const struct exchange *x;
	size_t allowed; /* sets that may be as large as the true one */
	double *sd;     /* of each column, shared as far as they share it; 0: none */
	double
	    *pool; /* deviations of runs from their side, in standard deviations of their subject */
	size_t n;
	double deviations[DEVIATIONS]; /* what is found, of a true one of 1 */
	struct world worlds[WORLDS_MAX];
	size_t n_worlds;
	uint64_t state;
	double *work, *near; /* by run */
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

static void fill_deviations(struct draws *d)
{
	size_t df = (size_t)(d->m->common_df + (double)d->m->n - 2 + 0.5);

	for (size_t i = 0; i < DEVIATIONS; i++) {
		double chi = 0;

		for (size_t k = 0; k < df; k++) {
			double z = draws_normal(d);

			chi += z * z;
		}
		d->deviations[i] = sqrt(chi / (double)df);
	}
}

static double draws_deviation(struct draws *d)
{
	return d->deviations[(size_t)(draws_uniform(d) * DEVIATIONS)];
}

/* A run of a subject whose standard deviation is 1. */
static double draws_run(struct draws *d)
{
	return d->pool[(size_t)(draws_uniform(d) * (double)d->n)] * draws_deviation(d);
}

static int detectable_ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* --- what runs have differed by --- */

static double side_middle(const double *v, size_t n, double *work)
{
	memcpy(work, v, n * sizeof *v);
	sort_array(work, n, sizeof *work, detectable_ascending);
	return work[n / 2] / 2 + work[(n - 1) / 2] / 2;
}

static double side_mean(const double *v, size_t n)
{
	double sum = 0;

	for (size_t k = 0; k < n; k++)
		sum += v[k];
	return sum / (double)n;
}

/* Draws in what is far off as the judge does where the new runs have grown by so much. */
static void draw_in_grown(const struct draws *d, double *v, double growth)
{
	const struct model *m = d->m;

	for (size_t k = m->n_base; k < m->n; k++)
		v[k] += growth;
	model_draw_in(m, v, m->n, 1, NULL, d->work);
	for (size_t k = m->n_base; k < m->n; k++)
		v[k] -= growth;
}

/* How far each run of a subject is from the mean of its side, which values far off do not count in as they
 * are; the sum of squares, in which they do not either. */
static double residuals(const struct draws *d, size_t column, double *to)
{
	const struct model *m = d->m;
	double *sides[2] = {to, to + m->n_base}, *near = d->near, squares = 0;
	size_t n[2] = {m->n_base, m->n_new};

	for (size_t k = 0; k < m->n; k++)
		to[k] = m->whole[k * m->n_columns + column];
	for (int side = 0; side < 2; side++) {
		double middle = side_middle(sides[side], n[side], d->work);

		for (size_t k = 0; k < n[side]; k++)
			sides[side][k] -= middle;
	}
	memcpy(near, to, m->n * sizeof *near);
	model_draw_in(m, near, m->n, 1, NULL, d->work);
	for (int side = 0; side < 2; side++) {
		double mean = side_mean(near, n[side]);

		for (size_t k = 0; k < n[side]; k++) {
			squares += (near[k] - mean) * (near[k] - mean);
			sides[side][k] -= mean;
		}
		near += n[side];
	}
	return squares;
}

static bool is_drawn(const struct model *m, size_t column)
{
	return m->columns[column].there == m->n && m->columns[column].squares > 0;
}

/* The deviations of subjects. to: room for the residuals of all. */
static void find_deviations(struct draws *d, double *to)
{
	const struct model *m = d->m;
	double df = m->common_df + (double)m->n - 2, shared = 0;
	double *variances = mem_array(m->n_subjects + 1, sizeof *variances);
	size_t n = 0;

	for (size_t i = 0; i < m->n_subjects; i++) {
		d->sd[i] = is_drawn(m, i) ? residuals(d, i, to + i * m->n) : 0;
		if (d->sd[i] > 0)
			variances[n++] = d->sd[i] / (double)(m->n - 2);
	}
	if (n) {
		sort_array(variances, n, sizeof *variances, detectable_ascending);
		shared = variances[n / 2] / 2 + variances[(n - 1) / 2] / 2;
	}
	for (size_t i = 0; i < m->n_subjects; i++)
		if (is_drawn(m, i))
			d->sd[i] = sqrt((m->common_df * shared + d->sd[i]) / df);
	for (size_t i = m->n_subjects; i < m->n_columns; i++)
		if (is_drawn(m, i))
			d->sd[i] =
			    sqrt(residuals(d, i, to + m->n_subjects * m->n) / (double)(m->n - 2));
	free(variances);
}

static void fill_pool(struct draws *d)
{
	const struct model *m = d->m;
	double *of = mem_array((m->n_subjects + 1) * m->n, sizeof *of);

	d->pool = mem_array(m->n_subjects * m->n + 1, sizeof *d->pool);
	d->sd = mem_zarray(m->n_columns + 1, sizeof *d->sd);
	find_deviations(d, of);
	for (size_t i = 0; i < m->n_subjects; i++)
		for (size_t k = 0; k < m->n && d->sd[i] > 0; k++) {
			double n = (double)(k < m->n_base ? m->n_base : m->n_new);

			if (n > 1)
				d->pool[d->n++] = of[i * m->n + k] * sqrt(n / (n - 1)) / d->sd[i];
		}
	free(of);
}

/* --- worlds --- */

/* own: in its place a trial stands. */
static void draw_world(struct draws *d, struct model *w, struct world *to, size_t own, double *room)
{
	double *t = room + 3 * w->n_columns, *largest;

	largest = to->largest = mem_array(d->x->n, sizeof *largest);
	for (size_t i = 0; i < w->n_subjects; i++) {
		double sd = d->sd[i] > 0 ? d->sd[i] / draws_deviation(d) : 0;

		for (size_t k = 0; k < w->n && sd > 0; k++)
			w->y[k * w->n_columns + i] = sd * draws_run(d);
	}
	for (size_t i = w->n_subjects; i < w->n_columns; i++)
		for (size_t k = 0; k < w->n && d->sd[i] > 0; k++)
			w->y[k * w->n_columns + i] = d->sd[i] * draws_normal(d);
	model_settle(w);
	for (size_t i = 1; i < d->x->n; i++) {
		model_statistics(w, d->x->sets + i * d->x->chosen, room, t);
		largest[i - 1] = -INFINITY;
		for (size_t k = 0; k < w->n_columns; k++)
			if (k != own && t[k] > largest[i - 1])
				largest[i - 1] = t[k];
	}
	to->variance = model_shared_variance(w, d->x->sets);
	to->df = w->prior_df;
}

static void draw_worlds(struct draws *d)
{
	const struct model *m = d->m;
	struct model w = *m;
	double *room = mem_array(4 * m->n_columns + 1, sizeof *room);
	double worlds = WORLDS_WORK / ((double)d->x->n * (double)m->n_subjects);

	d->n_worlds = worlds > WORLDS_MAX   ? WORLDS_MAX
		      : worlds < WORLDS_MIN ? WORLDS_MIN
					    : (size_t)worlds;
	w.columns = mem_array(m->n_columns + 1, sizeof *w.columns);
	w.y = mem_zarray(m->n * m->n_columns + 1, sizeof *w.y);
	w.there = mem_zarray(m->n * m->n_columns + 1, sizeof *w.there);
	w.whole = NULL;
	for (size_t i = 0; i < m->n_columns; i++) {
		bool drawn = d->sd[i] > 0;

		w.columns[i] = m->columns[i];
		w.columns[i].there = drawn ? m->n : 0;
		w.columns[i].squares = 0;
		for (size_t k = 0; k < m->n; k++)
			w.there[k * m->n_columns + i] = drawn;
	}
	for (size_t i = 0; i < d->n_worlds; i++)
		draw_world(d, &w, &d->worlds[i], i % m->n_subjects, room);
	model_release(&w);
	free(room);
}

/* --- trials --- */

static double trial_share(const struct model *m)
{
	return (double)m->n / ((double)m->n_base * (double)m->n_new);
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

static void own_growths(const struct draws *d, const double *e, double *to)
{
	for (size_t i = 1; i < d->x->n; i++)
		to[i - 1] = growth_for_set(d, e, d->x->sets + i * d->x->chosen);
}

/* What is planted in a trial of a subject with this deviation, to be detected: a set counts against it by
 * the subject itself, or by any other of that world. */
static double least_growth(const struct draws *d, const struct trial *t, const struct world *w,
			   double sd, double *work)
{
	const struct model *m = d->m;
	double df = w->df + (double)m->n - 2, unit;

	sd *= t->scale;
	unit = sqrt((w->df * w->variance + sd * sd * t->squares) / df * trial_share(m));
	for (size_t i = 0; i < d->x->n - 1; i++) {
		double others = w->largest[i] * unit - sd * t->difference;

		work[i] = sd * t->own[i];
		if (m->n_subjects > 1 && others > work[i])
			work[i] = others;
	}
	return model_select(work, d->x->n - 1, d->x->n - 2 - d->allowed);
}

/* The runs of a trial as the judge sees them where so much is planted. */
static void see_trial(const struct draws *d, struct trial *t, const double *runs, double growth,
		      double *e)
{
	const struct model *m = d->m;
	double base, new;

	memcpy(e, runs, m->n * sizeof *e);
	draw_in_grown(d, e, growth);
	own_growths(d, e, t->own);
	base = side_mean(e, m->n_base);
	new = side_mean(e + m->n_base, m->n_new);
	t->difference = new - base;
	t->squares = 0;
	for (size_t k = 0; k < m->n; k++) {
		double x = e[k] - (k < m->n_base ? base : new);

		t->squares += x * x;
	}
}

/* What is far off is drawn in to within what has grown, too: so the growth that is detected is looked for in
 * steps, from none. */
static void draw_trial(struct draws *d, struct trial *t, const struct world *w, double *e,
		       double *work)
{
	const struct model *m = d->m;
	double sd = w->variance > 0 ? sqrt(w->variance) : 1, growth = 0, more;

	*t = (struct trial){.scale = 1 / draws_deviation(d),
			    .own = mem_array(d->x->n, sizeof *t->own)};
	for (size_t k = 0; k < m->n; k++)
		e[k] = draws_run(d);
	for (int i = 0; i < TRIAL_STEPS; i++) {
		see_trial(d, t, e, growth, e + m->n);
		more = least_growth(d, t, w, sd, work) / (sd * t->scale);
		if (!(more > growth * 1.001))
			break;
		growth = more;
	}
}

/* --- the whole --- */

static double power_growth(const struct draws *d, const struct trial *trials, double sd,
			   double power, double *work)
{
	double v[TRIALS];

	for (size_t k = 0; k < TRIALS; k++)
		v[k] = least_growth(d, &trials[k], &d->worlds[k % d->n_worlds], sd, work);
	return model_select(v, TRIALS, (size_t)(power * TRIALS));
}

/* Of many subjects a few deviations are tried, and what is between two lies between their growths. */
static void find_growths(const struct draws *d, const struct trial *trials, double power,
			 double *to, double *work)
{
	const struct model *m = d->m;
	double low = INFINITY, high = 0, step, at[STEPS + 1];
	size_t n = 0;

	for (size_t i = 0; i < m->n_subjects; i++) {
		if (!(d->sd[i] > 0))
			continue;
		n++;
		low = d->sd[i] < low ? d->sd[i] : low;
		high = d->sd[i] > high ? d->sd[i] : high;
	}
	step = log(high / low) / STEPS;
	for (size_t i = 0; n > STEPS && i <= STEPS; i++)
		at[i] = power_growth(d, trials, low * exp(step * (double)i), power, work);
	for (size_t i = 0; i < m->n_subjects; i++) {
		double place = n > STEPS && step > 0 ? log(d->sd[i] / low) / step : 0;
		size_t k = place < STEPS - 1 ? (size_t)place : STEPS - 1;

		if (!(d->sd[i] > 0))
			continue;
		to[i] = n > STEPS ? at[k] + (place - (double)k) * (at[k + 1] - at[k])
				  : power_growth(d, trials, d->sd[i], power, work);
	}
}

/* What is drawn anew reaches no farther than the few runs that were seen, least of all those of a single subject: so
 * much more of what is missed has to be detected. */
static double power_asked(const struct draws *d, double power)
{
	return power + (1 - power) / (d->m->n_subjects > 1 ? 20 : 10);
}

static void plant(struct draws *d, double power, double *to)
{
	struct trial *trials = mem_array(TRIALS, sizeof *trials);
	double *e = mem_array(2 * d->m->n, sizeof *e), *work = mem_array(d->x->n, sizeof *work);

	for (size_t i = 0; i < TRIALS; i++)
		draw_trial(d, &trials[i], &d->worlds[i % d->n_worlds], e, work);
	find_growths(d, trials, power_asked(d, power), to, work);
	for (size_t i = 0; i < TRIALS; i++)
		free(trials[i].own);
	free(trials);
	free(e);
	free(work);
}

void model_detectable(const struct model *m, const struct exchange *x, size_t allowed, double power,
		      double *to)
{
	struct draws *d = mem_zarray(1, sizeof *d);

	d->m = m;
	d->x = x;
	d->allowed = allowed;
	d->state = 1;
	d->work = mem_array(m->n, sizeof *d->work);
	d->near = mem_array(m->n, sizeof *d->near);
	for (size_t i = 0; i < m->n_subjects; i++)
		to[i] = NAN;
	fill_pool(d);
	fill_deviations(d);
	if (d->n) {
		draw_worlds(d);
		plant(d, power, to);
	}
	for (size_t i = 0; i < d->n_worlds; i++)
		free(d->worlds[i].largest);
	free(d->pool);
	free(d->sd);
	free(d->work);
	free(d->near);
	free(d);
}
