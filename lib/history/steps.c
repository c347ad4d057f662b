/* SPDX-License-Identifier: MIT
 *
 * Steps in the series of a store's builds, and the order and text of series.
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

/* Steps are of the builds that have a value; their places become runs. */
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

static void drop_small(struct history_line *l, double least)
{
	size_t kept = 0;

	for (size_t i = 0; i < l->n_steps; i++)
		if (fabs(history_step_percent(&l->steps[i])) >= least)
			l->steps[kept++] = l->steps[i];
	l->n_steps = kept;
}

/* The builds of a line: of each the median of its runs, since these share what is the build's, or the machine's of
 * that day; and its first run that has a value. */
struct levels {
	double *v, *runs; /* runs: of one build */
	size_t *first;
	size_t n;
};

static void levels_add(struct levels *to, size_t run, size_t n_runs)
{
	to->first[to->n] = run;
	to->v[to->n++] = stats_median((struct stats_sample){to->runs, n_runs});
}

static void levels_of(const struct history_lines *l, const struct history_line *line,
		      struct levels *to)
{
	size_t first = 0, n = 0;

	to->n = 0;
	for (size_t k = 0; k < l->runs->n; k++) {
		if (isnan(line->v[k]))
			continue;
		if (n && l->runs->items[k].nth_build != l->runs->items[first].nth_build) {
			levels_add(to, first, n);
			n = 0;
		}
		first = n ? first : k;
		to->runs[n++] = line->v[k];
	}
	if (n)
		levels_add(to, first, n);
}

static void find_steps(struct history_line *line, const struct levels *of, size_t n_runs,
		       const struct stats_steps_options *o)
{
	struct stats_sample s = {of->v, of->n};

	free(line->steps);
	line->n_steps = stats_steps(s, o, &line->steps);
	find_trend(line, s);
	line->tail = stats_steps_tail(s, line->steps, line->n_steps);
	place(line, of->first, of->n, n_runs);
}

/* As much as a step that is asked for, or at all. */
static bool moves(const struct levels *of, double least_percent)
{
	double least = INFINITY, most = -INFINITY;

	for (size_t i = 0; i < of->n; i++) {
		least = fmin(least, of->v[i]);
		most = fmax(most, of->v[i]);
	}
	return most > least && 100 * (most - least) >= least_percent * least;
}

/* What a verdict has to leave open. */
static void count_open(struct history_lines *l, struct history_line *line, const struct levels *of,
		       const struct history_steps_options *o, double alpha)
{
	bool found = of->n && stats_steps_behind(of->n, alpha), moved = moves(of, o->least_percent);

	if (line->tail.n && 100 * (line->tail.value / line->tail.level - 1) < o->least_percent)
		line->tail.n = 0;
	l->too_short += of->n < STEPS_RUNS_MIN || (moved && !found);
	l->undecided += (moved && !found) || line->tail.n;
}

void history_steps_find(struct history_lines *l, const struct history_steps_options *o)
{
	size_t n_runs = l->runs->n;
	struct levels levels = {mem_array(n_runs + 1, sizeof(double)),
				mem_array(n_runs + 1, sizeof(double)),
				mem_array(n_runs + 1, sizeof(size_t)), 0};
	struct stats_steps_options each = o->stats;

	l->asked = l->too_short = l->undecided = l->most = 0;
	for (size_t i = 0; i < l->n; i++) {
		levels_of(l, &l->items[i], &levels);
		l->asked += levels.n >= STEPS_RUNS_MIN;
		l->most = levels.n > l->most ? levels.n : l->most;
	}
	if (o->joint && l->asked)
		each.alpha /= (double)l->asked;
	l->enough = stats_steps_enough(each.alpha);
	l->behind = stats_steps_behind(l->most, each.alpha);
	for (size_t i = 0; i < l->n; i++) {
		levels_of(l, &l->items[i], &levels);
		find_steps(&l->items[i], &levels, n_runs, &each);
		count_open(l, &l->items[i], &levels, o, each.alpha);
		drop_small(&l->items[i], o->least_percent);
	}
	free(levels.v);
	free(levels.runs);
	free(levels.first);
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

struct table_cell history_cell(const struct history_line *l, double v)
{
	decimal all;

	if (isnan(v))
		return (struct table_cell){.present = false};
	if (l->type == COLUMN_NUMBER)
		return cell_rounded(v * pow(10, l->decimals));
	if ((l->type == COLUMN_DECIMAL || l->decimals) && decimal_from_double(v, &all))
		return cell_decimal(l->decimals ? decimal_round(all, l->decimals) : all);
	return cell_rounded(v);
}

void history_value_text(const struct history_line *l, double v, bool is_signed, struct buf *to)
{
	struct table_column c = {
	    .type = l->type, .decimals = l->decimals, .flags = is_signed ? COLUMN_SIGNED : 0};
	struct table_cell cell = history_cell(l, v);

	cell_for_people(to, &c, &cell, false);
}
