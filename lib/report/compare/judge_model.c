/* SPDX-License-Identifier: MIT */
#include "lib/report/compare/judge_model.h"

#include "lib/base/mem.h"
#include "lib/base/sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double statistic_max = 1e6;
static const double absence_df = 4, factor_df = 4;
/* So many standard errors, and so many more by the degrees of freedom, are in doubt, and beyond doubt. */
static const double doubt_errors = 2, doubt_errors_few = 3;
static const double factor_errors = 3, factor_errors_few = 6;

static int model_ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Sorts. */
static double middle_of(double *v, size_t n)
{
	sort_array(v, n, sizeof *v, model_ascending);
	return !n ? NAN : n % 2 ? v[n / 2] : v[n / 2 - 1] / 2 + v[n / 2] / 2;
}

static double run_value(const struct judge_subject *s, size_t run)
{
	return run < s->base.n ? s->base.v[run] : s->new.v[run - s->base.n];
}

static double *cell(const struct model *m, double *of, size_t run, size_t column)
{
	return &of[run * m->n_columns + column];
}

/* The runs of a column that have it, from first on. */
static size_t values_of(const struct model *m, size_t column, size_t first, size_t last, double *to)
{
	size_t n = 0;

	for (size_t k = first; k < last; k++)
		if (*cell(m, m->there, k, column) > 0)
			to[n++] = *cell(m, m->y, k, column);
	return n;
}

/* --- values --- */

static double linear_unit(const struct judge_subject *s, size_t n, double *work)
{
	double sum = 0, middle;

	for (size_t k = 0; k < n; k++) {
		work[k] = fabs(run_value(s, k));
		sum += work[k];
	}
	middle = middle_of(work, n);
	return middle > 0 ? middle : sum > 0 ? sum / (double)n : 1;
}

/* Logarithms are near 0, so that differences of little more than a rounding stay what they are. */
static double logarithmic_unit(const struct judge_subject *s, size_t n, double *work)
{
	size_t there = 0;

	for (size_t k = 0; k < n; k++)
		if (run_value(s, k) > 0)
			work[there++] = run_value(s, k);
	return middle_of(work, there);
}

static void read_values(struct model *m, size_t column, double *work)
{
	struct model_column *c = &m->columns[column];
	const struct judge_subject *s = c->subject;
	double below = 0, unit;

	for (size_t k = 0; k < m->n; k++)
		below = run_value(s, k) < below ? run_value(s, k) : below;
	c->linear = below < 0;
	unit = c->linear ? linear_unit(s, m->n, work) : logarithmic_unit(s, m->n, work);
	if (c->linear)
		c->unit = unit;
	for (size_t k = 0; k < m->n; k++) {
		double x = run_value(s, k);
		bool there = c->linear || x > 0;

		*cell(m, m->there, k, column) = there;
		*cell(m, m->y, k, column) = !there ? 0 : c->linear ? x / unit : log(x / unit);
		c->there += there;
	}
	c->asked = c->there > 0;
}

/* --- the factor that a run has in all subjects of a rule --- */

struct factor {
	size_t first, last; /* the rule's columns */
	size_t used;
	double *of;        /* by run */
	double variance;   /* that the middle of so many columns has by itself */
	double difference; /* new runs have so much more than base runs */
	double systematic; /* as much; 0: by no more than runs of a side differ */
	bool doubtful;     /* that is not sure */
	bool differs;      /* runs do, by more than chance, but for what is systematic */
};

static bool for_factor(const struct model *m, size_t column)
{
	return !m->columns[column].linear && m->columns[column].there == m->n;
}

static double column_middle(const struct model *m, size_t column, double *work)
{
	return middle_of(work, values_of(m, column, 0, m->n, work));
}

static void estimate_factor(const struct model *m, struct factor *f, double *work)
{
	double *all = mem_array(f->used * m->n + 1, sizeof *all);
	double *spread = mem_array(f->used + 1, sizeof *spread);
	size_t at = 0;

	for (size_t i = f->first; i < f->last; i++) {
		double middle;

		if (!for_factor(m, i))
			continue;
		middle = column_middle(m, i, work);
		for (size_t k = 0; k < m->n; k++)
			all[k * f->used + at] = *cell(m, m->y, k, i) - middle;
		at++;
	}
	for (size_t k = 0; k < m->n; k++) {
		memcpy(spread, all + k * f->used, f->used * sizeof *spread);
		f->of[k] = middle_of(spread, f->used);
	}
	for (size_t i = 0; i < f->used; i++) {
		double middle;

		for (size_t k = 0; k < m->n; k++)
			work[k] = all[k * f->used + i] - f->of[k];
		middle = middle_of(work, m->n);
		for (size_t k = 0; k < m->n; k++)
			work[k] = fabs(work[k] - middle);
		middle = 1.4826 * middle_of(work, m->n);
		spread[i] = middle * middle;
	}
	f->variance = 1.57 * middle_of(spread, f->used) / (double)f->used;
	free(all);
	free(spread);
}

static double factor_of_side(const struct model *m, const struct factor *f, bool new)
{
	size_t first = new ? m->n_base : 0, last = new ? m->n : m->n_base;
	double mean = 0;

	for (size_t k = first; k < last; k++)
		mean += f->of[k] / (double)(last - first);
	return mean;
}

/* Of all runs, and within the sides. */
static void factor_squares(const struct model *m, const struct factor *f, double *all,
			   double *within)
{
	double base = factor_of_side(m, f, false), new = factor_of_side(m, f, true);
	double mean = (base * (double)m->n_base + new *(double)m->n_new) / (double)m->n;

	*all = *within = 0;
	for (size_t k = 0; k < m->n; k++) {
		double side = f->of[k] - (k < m->n_base ? base : new);

		*all += (f->of[k] - mean) * (f->of[k] - mean);
		*within += side * side;
	}
}

/* It is taken out where runs differ in it by more than the middle of so many columns does anyway. What all new
 * runs have more of than all base runs, by more than runs of a side differ, is no noise: that stays. What may be
 * either is taken out or, to see what that decides, held. */
static bool factor_is_there(const struct model *m, struct factor *f)
{
	double df = (double)(m->n - 2);
	double all, within, difference;
	double error, least = 3 * f->variance + 1e-18;

	difference = f->difference = factor_of_side(m, f, true) - factor_of_side(m, f, false);
	factor_squares(m, f, &all, &within);
	within /= df;
	error = sqrt(within * (1 / (double)m->n_base + 1 / (double)m->n_new));
	if (fabs(difference) > (factor_errors + factor_errors_few / df) * error + 1e-9)
		f->systematic = difference;
	else if (fabs(difference) > (doubt_errors + doubt_errors_few / df) * error + 1e-9)
		f->doubtful = true;
	if (m->hold && f->doubtful)
		f->systematic = difference;
	f->differs = (fabs(f->systematic) > 0 ? within : all / (double)(m->n - 1)) > least;
	return all / (double)(m->n - 1) > least;
}

static void subtract_factor(struct model *m, const struct factor *f, size_t column)
{
	m->columns[column].systematic = f->systematic;
	for (size_t k = 0; k < m->n && f->differs; k++)
		*cell(m, m->y, k, column) -= *cell(m, m->there, k, column) *
					     (f->of[k] - (k < m->n_base ? 0 : f->systematic));
}

static void fit_factor(struct model *m, struct judge_rule *r, struct factor *f, double *work)
{
	f->used = 0;
	for (size_t i = f->first; i < f->last; i++)
		f->used += m->columns[i].by_factor = for_factor(m, i);
	if (f->used < JUDGE_FACTOR_MIN || m->n < 3)
		return;
	f->of = mem_array(m->n, sizeof *f->of);
	estimate_factor(m, f, work);
	if (!factor_is_there(m, f)) {
		free(f->of);
		return;
	}
	free(r->factors);
	r->factors = f->of;
	r->difference = f->difference;
	r->doubtful = f->doubtful;
	if (!m->hold) {
		r->systematic = f->systematic;
		r->taken_out = f->differs;
	}
	for (size_t i = f->first; i < f->last; i++)
		if (!m->columns[i].linear)
			subtract_factor(m, f, i);
}

/* --- the limit --- */

static double limit_of(const struct model_column *c)
{
	double ratio = c->subject->ratio, absolute = c->subject->absolute;

	if (c->linear) {
		double by = ratio * fabs(stats_median(c->subject->base)) / c->unit;

		absolute /= c->unit;
		return by > absolute ? by : absolute;
	}
	if (c->unit > 0 && absolute / c->unit > ratio)
		ratio = absolute / c->unit;
	return log1p(ratio);
}

double model_select(double *v, size_t n, size_t k)
{
	size_t low = 0, high = n - 1;

	while (low < high) {
		double pivot = v[low + (high - low) / 2];
		size_t i = low, j = high;

		for (;;) {
			double x;

			while (v[i] < pivot)
				i++;
			while (v[j] > pivot)
				j--;
			if (i >= j)
				break;
			x = v[i];
			v[i++] = v[j];
			v[j--] = x;
		}
		if (k <= j)
			high = j;
		else
			low = j + 1;
	}
	return v[k];
}

static double select_median(double *v, size_t n)
{
	double upper;

	if (!n)
		return 0;
	upper = model_select(v, n, n / 2);
	if (n % 2)
		return upper;
	/* Everything below the upper one stands before it. */
	for (size_t i = 1; i < n / 2; i++)
		v[0] = v[i] > v[0] ? v[i] : v[0];
	return v[0] / 2 + upper / 2;
}

/* The median of all differences between a new run and a base run (Hodges and Lehmann 1963): of few
 * levels medians of the sides themselves jump from one to the next. */
static double growth_of(const struct model *m, size_t column, double *work)
{
	double *differences = mem_array(m->n_base * m->n_new + 1, sizeof *differences), growth;
	size_t base = values_of(m, column, 0, m->n_base, work), n = 0;
	size_t all = base + values_of(m, column, m->n_base, m->n, work + base);

	for (size_t i = 0; i < base; i++)
		for (size_t k = base; k < all; k++)
			differences[n++] = work[k] - work[i];
	growth = base && all > base ? select_median(differences, n) : NAN;
	free(differences);
	return growth;
}

static void measure(struct model *m, size_t column, double *work)
{
	struct model_column *c = &m->columns[column];
	size_t n = 0;

	c->growth = growth_of(m, column, work);
	for (size_t k = 0; k < m->n_base && !c->linear && c->subject; k++)
		if (run_value(c->subject, k) > 0)
			work[n++] = run_value(c->subject, k);
	if (n)
		c->unit = middle_of(work, n);
	if (c->subject)
		c->limit = limit_of(c);
}

/* What is taken out: the growth that is allowed, and of what decreased as much as all others did. */
static double allowed_of(const struct model_column *c, double growth, double systematic)
{
	double apart = growth - systematic;

	if (growth > c->limit)
		return c->limit;
	if (growth > 0)
		return growth;
	return systematic < 0 && growth <= 0 ? growth - (apart < 0 ? apart : 0) : 0;
}

static void allow(struct model *m, size_t column)
{
	struct model_column *c = &m->columns[column];
	double growth = m->direction * c->growth;
	double out = allowed_of(c, growth, m->direction * c->systematic);

	for (size_t k = 0; k < m->n; k++) {
		double *y = cell(m, m->y, k, column);

		*y = m->direction * *y - (k < m->n_base ? 0 : out * *cell(m, m->there, k, column));
	}
	c->growth = growth;
	c->raw *= m->direction;
}

/* --- what is far off, and the middle --- */

/* Values beyond those that are left when a few runs go astray, fewer than half of a side and two or a
 * sixth of all, are drawn in to within once the range of what is left. */
size_t model_draw_in(const struct model *m, double *y, size_t n, size_t stride, const double *there,
		     double *work)
{
	size_t side = m->n_base < m->n_new ? m->n_base : m->n_new, most = (side - 1) / 2;
	size_t few = m->n / 6 > 2 ? m->n / 6 : 2, far = 0, at = 0;
	double low, high, width;

	if (!n)
		return 0;
	most = most > few ? few : most;
	if (most > (n - 1) / 2)
		most = (n - 1) / 2;
	for (size_t k = 0; k < m->n; k++)
		if (!there || there[k * stride] > 0)
			work[at++] = y[k * stride];
	sort_array(work, n, sizeof *work, model_ascending);
	low = work[most];
	high = work[n - 1 - most];
	width = high - low;
	for (size_t k = 0; k < m->n; k++) {
		double *v = &y[k * stride];

		if (there && !(there[k * stride] > 0))
			continue;
		far += *v > high + 5 * width || *v < low - 5 * width;
		*v = *v > high + width ? high + width : *v < low - width ? low - width : *v;
	}
	return far;
}

static void center(struct model *m, size_t column)
{
	struct model_column *c = &m->columns[column];
	double mean = 0;

	c->squares = 0;
	for (size_t k = 0; k < m->n; k++)
		mean += *cell(m, m->y, k, column) / (double)c->there;
	for (size_t k = 0; k < m->n && c->there; k++) {
		double *y = cell(m, m->y, k, column);

		*y = *cell(m, m->there, k, column) > 0 ? *y - mean : 0;
		if (fabs(*y) <= 1e-12 * (fabs(mean) + 1))
			*y = 0;
		c->squares += *y * *y;
	}
}

/* --- the variance that columns share --- */

static double quantile(const double *sorted, size_t n, double p)
{
	double at = p * (double)(n - 1);
	size_t i = (size_t)at;

	return i + 1 < n ? sorted[i] + (at - (double)i) * (sorted[i + 1] - sorted[i]) : sorted[i];
}

/* Of logarithms of variances with df degrees of freedom: how much they have in common, as a weight. */
static double common_df(const double *logs, size_t n, double df)
{
	double width = (quantile(logs, n, 0.75) - quantile(logs, n, 0.25)) / 1.349;
	double more = width * width - 2 / df - 2 / (df * df), to;

	if (more <= 0)
		return 60;
	to = (1 + sqrt(1 + 2 * more)) / more;
	return to > 60 ? 60 : to;
}

static bool shares(const struct model_column *c)
{
	return c->there > 2 && c->squares > 0;
}

static void share_variance(struct model *m)
{
	double *logs = mem_array(m->n_subjects + 1, sizeof *logs);
	size_t n = 0;

	for (size_t i = 0; i < m->n_subjects; i++)
		if (shares(&m->columns[i]))
			logs[n++] = log(m->columns[i].squares / (double)(m->columns[i].there - 1));
	sort_array(logs, n, sizeof *logs, model_ascending);
	m->common_df = n < 10 ? 0 : common_df(logs, n, (double)(m->n - 1));
	m->prior_df = n < 5 ? 0 : m->common_df < 4 ? 4 : m->common_df;
	free(logs);
}

static void measure_absence(struct model *m)
{
	size_t asked = 0;

	m->absence = 0;
	for (size_t i = 0; i < m->n_subjects; i++) {
		double p = (double)m->columns[i].there / (double)m->n;

		asked += m->columns[i].asked;
		m->absence += p * (1 - p) * (double)m->n / (double)(m->n - 1);
	}
	if (asked)
		m->absence /= (double)asked;
}

/* --- the whole --- */

static void add_common(struct model *m, struct judge_rule *r, const struct factor *f, size_t column,
		       double *work)
{
	struct model_column *c = &m->columns[column];
	size_t n = 0;

	c->subject = NULL;
	c->asked = r->factors != NULL;
	if (!c->asked)
		return;
	c->there = m->n;
	c->linear = true;
	c->unit = 1;
	for (size_t k = 0; k < m->n; k++) {
		*cell(m, m->there, k, column) = 1;
		*cell(m, m->y, k, column) = r->factors[k];
	}
	measure(m, column, work);
	c->raw = c->growth;
	c->systematic = f->systematic;
	work = mem_array(f->last - f->first + 1, sizeof *work);
	for (size_t i = f->first; i < f->last; i++)
		if (m->columns[i].asked && !m->columns[i].linear)
			work[n++] = m->columns[i].limit;
	c->limit = middle_of(work, n);
	free(work);
	c->noise = f->variance;
}

size_t model_settle(struct model *m)
{
	double *work = mem_array(m->n + 1, sizeof *work);
	size_t far = 0;

	for (size_t i = 0; i < m->n_columns; i++) {
		far += model_draw_in(m, m->y + i, m->columns[i].there, m->n_columns, m->there + i,
				     work);
		center(m, i);
	}
	share_variance(m);
	measure_absence(m);
	free(work);
	return far;
}

static void fill_model(struct model *m, struct judge_rule *rules, size_t n, double *work)
{
	size_t at = 0, values = 0, far;
	struct factor *f = mem_zarray(n + 1, sizeof *f);

	for (size_t i = 0; i < n; i++) {
		f[i].first = at;
		for (size_t k = 0; k < rules[i].n; k++, at++) {
			m->columns[at].subject = &rules[i].subjects[k];
			read_values(m, at, work);
			m->columns[at].raw = growth_of(m, at, work);
		}
		f[i].last = at;
		fit_factor(m, &rules[i], &f[i], work);
	}
	for (size_t i = 0; i < m->n_subjects; i++)
		measure(m, i, work);
	for (size_t i = 0; i < n; i++)
		add_common(m, &rules[i], &f[i], m->n_subjects + i, work);
	for (size_t i = 0; i < m->n_columns; i++) {
		allow(m, i);
		values += m->columns[i].there;
	}
	m->whole = mem_array(m->n * m->n_columns + 1, sizeof *m->whole);
	memcpy(m->whole, m->y, m->n * m->n_columns * sizeof *m->y);
	far = model_settle(m);
	if (values)
		m->drawn_in = (double)far / (double)values;
	free(f);
}

void model_init(struct model *m, struct judge_rule *rules, size_t n, double direction, bool hold)
{
	double *work;

	*m = (struct model){.direction = direction, .hold = hold};
	for (size_t i = 0; i < n; i++) {
		m->n_subjects += rules[i].n;
		if (rules[i].n) {
			m->n_base = rules[i].subjects[0].base.n;
			m->n_new = rules[i].subjects[0].new.n;
		}
	}
	m->n = m->n_base + m->n_new;
	m->n_columns = m->n_subjects + n;
	m->columns = mem_zarray(m->n_columns + 1, sizeof *m->columns);
	m->y = mem_zarray(m->n * m->n_columns + 1, sizeof *m->y);
	m->there = mem_zarray(m->n * m->n_columns + 1, sizeof *m->there);
	work = mem_array(m->n + 1, sizeof *work);
	fill_model(m, rules, n, work);
	free(work);
}

void model_release(struct model *m)
{
	free(m->columns);
	free(m->y);
	free(m->whole);
	free(m->there);
}

/* --- statistics --- */

/* Of a sum of n values in a of n: the part of their squares that lies between the two sides. */
static double between(double sum, double a, double n)
{
	return sum * sum * n / (a * (n - a));
}

/* What is left of the squares of n values: less than their rounding counts as 0. */
static double left_within(double squares, double part, double n)
{
	double within = squares - part;

	return within < 1e-12 * squares + 2e-14 * n * sqrt(squares) ? 0 : within;
}

static double ratio_of(double sum, double part, double within, double df)
{
	double t;

	if (!(part > 0) || !(df > 0))
		return df > 0 ? 0 : -statistic_max;
	t = within > 0 ? sqrt(part * df / within) : statistic_max;
	t = t > statistic_max ? statistic_max : t;
	return sum > 0 ? t : -t;
}

/* The variance within the two sides that subjects share. */
static double shared_variance(const struct model *m, const double *sums, const double *in,
			      double *work)
{
	size_t n = 0;

	for (size_t i = 0; i < m->n_subjects; i++) {
		const struct model_column *c = &m->columns[i];
		double there = (double)c->there, within = c->squares;

		if (!shares(c))
			continue;
		if (in[i] > 0 && in[i] < there)
			within = left_within(within, between(sums[i], in[i], there), there) /
				 (there - 2);
		else
			within /= there - 1;
		work[n++] = within;
	}
	return select_median(work, n);
}

static double statistic(const struct model *m, const struct model_column *c, double sum, double in,
			double df, double variance)
{
	double n = (double)c->there, t = -statistic_max, p, all = (double)m->n, part;

	if (in > 0 && in < n) {
		part = between(sum, in, n);
		t = ratio_of(sum, part, left_within(c->squares, part, n) + df * variance,
			     df + n - 2);
	}
	if (c->there && c->there < m->n) {
		sum = m->direction * (in - n * (double)m->n_new / all);
		part = between(sum, (double)m->n_new, all);
		p = ratio_of(sum, part, n * (1 - n / all) - part + absence_df * m->absence,
			     absence_df + all - 2);
		t = p > t ? p : t;
	}
	return t;
}

static void sum_up(const struct model *m, const uint32_t *set, double *sums, double *in)
{
	for (size_t k = 0; k < m->n_new; k++) {
		const double *y = m->y + set[k] * m->n_columns;
		const double *there = m->there + set[k] * m->n_columns;

		for (size_t i = 0; i < m->n_columns; i++) {
			sums[i] += y[i];
			in[i] += there[i];
		}
	}
}

void model_statistics(const struct model *m, const uint32_t *set, double *work, double *to)
{
	double *sums = work, *in = work + m->n_columns, shared;

	memset(work, 0, 2 * m->n_columns * sizeof *work);
	sum_up(m, set, sums, in);
	shared = m->prior_df > 0 ? shared_variance(m, sums, in, work + 2 * m->n_columns) : 0;
	for (size_t i = 0; i < m->n_columns; i++)
		to[i] = i < m->n_subjects
			    ? statistic(m, &m->columns[i], sums[i], in[i], m->prior_df, shared)
			    : statistic(m, &m->columns[i], sums[i], in[i], factor_df,
					m->columns[i].noise);
}

double model_shared_variance(const struct model *m, const uint32_t *set)
{
	double *work = mem_zarray(3 * m->n_columns + 1, sizeof *work), shared;

	sum_up(m, set, work, work + m->n_columns);
	shared = shared_variance(m, work, work + m->n_columns, work + 2 * m->n_columns);
	free(work);
	return shared;
}
