/* SPDX-License-Identifier: MIT
 *
 * Steps in the series of a store's runs, and the order and text of series.
 */
#include "lib/history/series.h"

#include "lib/base/mem.h"
#include "lib/base/sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double history_step_percent(const struct stats_step *s)
{
	double of = fabs(s->before);

	if (s->before == s->after)
		return 0;
	return of > 0 ? 100 * (s->after - s->before) / of : s->after > 0 ? INFINITY : -INFINITY;
}

/* Steps are of the values that are there; their places become runs. */
static void place(struct history_line *l, const size_t *runs, size_t n, size_t n_runs)
{
	for (size_t i = 0; i < l->n_steps; i++) {
		struct stats_step *s = &l->steps[i];

		s->first = runs[s->first];
		s->at = runs[s->at];
		s->last = s->last < n ? runs[s->last] : n_runs;
	}
}

/* One row instead of steps that a line explains better. */
static void find_trend(struct history_line *l, struct stats_sample s)
{
	struct stats_trend t;
	double p = 1;

	if (!stats_trend(s, l->steps, l->n_steps, &t))
		return;
	for (size_t i = 0; i < l->n_steps; i++)
		p = fmin(p, l->steps[i].p);
	l->steps[0] = (struct stats_step){
	    .at = s.n - 1, .last = s.n, .before = t.first, .after = t.last, .p = p, .trend = true};
	l->n_steps = 1;
}

static size_t values_of(const struct history_line *l, size_t n_runs)
{
	size_t n = 0;

	for (size_t k = 0; k < n_runs; k++)
		n += !isnan(l->v[k]);
	return n;
}

static void drop_small(struct history_line *l, double least)
{
	size_t kept = 0;

	for (size_t i = 0; i < l->n_steps; i++)
		if (fabs(history_step_percent(&l->steps[i])) >= least)
			l->steps[kept++] = l->steps[i];
	l->n_steps = kept;
}

void history_steps_find(struct history_lines *l, const struct history_steps_options *o)
{
	size_t n_runs = l->runs->n;
	double *v = mem_array(n_runs + 1, sizeof *v);
	size_t *runs = mem_array(n_runs + 1, sizeof *runs);
	struct stats_steps_options each = o->stats;

	l->asked = l->too_short = 0;
	for (size_t i = 0; i < l->n; i++)
		l->asked += values_of(&l->items[i], n_runs) >= STEPS_RUNS_MIN;
	l->too_short = l->n - l->asked;
	if (o->joint && l->asked)
		each.alpha /= (double)l->asked;
	for (size_t i = 0; i < l->n; i++) {
		struct history_line *line = &l->items[i];
		size_t n = 0;

		for (size_t k = 0; k < n_runs; k++)
			if (!isnan(line->v[k])) {
				v[n] = line->v[k];
				runs[n++] = k;
			}
		free(line->steps);
		line->n_steps = stats_steps((struct stats_sample){v, n}, &each, &line->steps);
		find_trend(line, (struct stats_sample){v, n});
		place(line, runs, n, n_runs);
		drop_small(line, o->least_percent);
	}
	free(v);
	free(runs);
}

static double largest_step(const struct history_line *l)
{
	double most = -1;

	for (size_t i = 0; i < l->n_steps; i++) {
		double p = fabs(history_step_percent(&l->steps[i]));

		most = p > most ? p : most;
	}
	return most;
}

static double last_value(const struct history_line *l, size_t n)
{
	while (n--)
		if (!isnan(l->v[n]))
			return l->v[n];
	return -INFINITY;
}

struct order {
	double step, last;
	size_t i;
};

static int history_steps_by_interest(const void *a, const void *b)
{
	const struct order *x = a, *y = b;

	if (x->step != y->step)
		return x->step > y->step ? -1 : 1;
	if (x->last != y->last)
		return x->last > y->last ? -1 : 1;
	return (x->i > y->i) - (x->i < y->i);
}

static int history_steps_by_name(const void *a, const void *b)
{
	const struct history_line *x = a, *y = b;
	int r = strcmp(x->rule ? x->rule : "", y->rule ? y->rule : "");

	return r ? r : strcmp(x->name, y->name);
}

void history_lines_sort(struct history_lines *l)
{
	struct history_line *sorted = mem_array(l->n + 1, sizeof *sorted);
	struct order *order = mem_array(l->n + 1, sizeof *order);

	/* Databases give rows in no order: names settle what is equal. */
	if (l->n)
		sort_array(l->items, l->n, sizeof *l->items, history_steps_by_name);
	for (size_t i = 0; i < l->n; i++)
		order[i] = (struct order){largest_step(&l->items[i]),
					  last_value(&l->items[i], l->runs->n), i};
	sort_array(order, l->n, sizeof *order, history_steps_by_interest);
	for (size_t i = 0; i < l->n; i++)
		sorted[i] = l->items[order[i].i];
	if (l->n)
		memcpy(l->items, sorted, l->n * sizeof *sorted);
	free(sorted);
	free(order);
}

static double rounded(double v, unsigned decimals)
{
	return round(v * pow(10, decimals));
}

struct table_cell history_cell(const struct history_line *l, double v)
{
	double x = rounded(v, l->decimals);
	decimal all;

	if (isnan(v))
		return (struct table_cell){.present = false};
	if (l->type == COLUMN_DECIMAL && decimal_from_double(v, &all))
		return cell_decimal(all);
	if (fabs(x) >= 9e18)
		return cell_signed(x < 0 ? -INT64_MAX : INT64_MAX);
	return cell_signed((int64_t)x);
}

void history_value_text(const struct history_line *l, double v, bool is_signed, struct buf *to)
{
	struct table_column c = {
	    .type = l->type, .decimals = l->decimals, .flags = is_signed ? COLUMN_SIGNED : 0};
	struct table_cell cell = history_cell(l, v);

	cell_for_people(to, &c, &cell, false);
}
