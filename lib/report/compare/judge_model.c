/* SPDX-License-Identifier: MIT */
#include "lib/report/compare/judge_model.h"

#include "lib/base/mem.h"
#include "lib/base/sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double statistic_max = 1e6;
static const double absence_df = 4, factor_df = 4;

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

static void take_values(struct model *m, size_t column, double *work)
{
	struct model_column *c = &m->columns[column];
	const struct judge_subject *s = c->subject;
	double below = 0;

	for (size_t k = 0; k < m->n; k++)
		below = run_value(s, k) < below ? run_value(s, k) : below;
	c->linear = below < 0;
	if (c->linear)
		c->unit = linear_unit(s, m->n, work);
	for (size_t k = 0; k < m->n; k++) {
		double x = run_value(s, k);
		bool there = c->linear || x > 0;

		*cell(m, m->there, k, column) = there;
		*cell(m, m->y, k, column) = !there ? 0 : c->linear ? x / c->unit : log(x);
		c->there += there;
	}
	c->asked = c->there > 0;
}

/* --- the factor that a run has in all subjects of a rule --- */

struct factor {
	size_t first, last; /* the rule's columns */
	size_t used;
	double *of;      /* by run */
	double variance; /* that the middle of so many columns has by itself */
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

/* It is taken out where runs differ in it by more than the middle of so many columns does anyway. */
static bool differs(const struct factor *f, size_t n)
{
	double mean = 0, squares = 0;

	for (size_t k = 0; k < n; k++)
		mean += f->of[k] / (double)n;
	for (size_t k = 0; k < n; k++)
		squares += (f->of[k] - mean) * (f->of[k] - mean);
	return squares / (double)(n - 1) > 3 * f->variance + 1e-18;
}

static void take_factor(struct model *m, struct judge_rule *r, struct factor *f, double *work)
{
	f->used = 0;
	for (size_t i = f->first; i < f->last; i++)
		f->used += for_factor(m, i);
	if (f->used < JUDGE_FACTOR_MIN || m->n < 3)
		return;
	f->of = mem_array(m->n, sizeof *f->of);
	estimate_factor(m, f, work);
	if (!differs(f, m->n)) {
		free(f->of);
		return;
	}
	free(r->factors);
	r->factors = f->of;
	for (size_t i = f->first; i < f->last; i++)
		for (size_t k = 0; k < m->n && !m->columns[i].linear; k++)
			*cell(m, m->y, k, i) -= *cell(m, m->there, k, i) * f->of[k];
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

static void measure(struct model *m, size_t column, double *work)
{
	struct model_column *c = &m->columns[column];
	double base = middle_of(work, values_of(m, column, 0, m->n_base, work));
	double new = middle_of(work, values_of(m, column, m->n_base, m->n, work));
	size_t n = 0;

	c->growth = new - base;
	for (size_t k = 0; k < m->n_base && !c->linear && c->subject; k++)
		if (run_value(c->subject, k) > 0)
			work[n++] = run_value(c->subject, k);
	if (n)
		c->unit = middle_of(work, n);
	if (c->subject)
		c->limit = limit_of(c);
}

/* The growth that is allowed; the rest stays. */
static void allow(struct model *m, size_t column)
{
	struct model_column *c = &m->columns[column];
	double growth = m->direction * c->growth;
	double out = growth > c->limit ? c->limit : growth > 0 ? growth : 0;

	for (size_t k = 0; k < m->n; k++) {
		double *y = cell(m, m->y, k, column);

		*y = m->direction * *y - (k < m->n_base ? 0 : out * *cell(m, m->there, k, column));
	}
	c->growth = growth;
}

/* --- what is far off, and the middle --- */

/* Values beyond those that are left on a side when fewer than half of its runs go astray are drawn in
 * to within once the range of what is left. */

static size_t draw_in(struct model *m, size_t column, double *work)
{
	const struct model_column *c = &m->columns[column];
	size_t side = m->n_base < m->n_new ? m->n_base : m->n_new, most = (side - 1) / 2, far = 0;
	double low, high, width;

	if (!c->there)
		return 0;
	if (most > (c->there - 1) / 2)
		most = (c->there - 1) / 2;
	values_of(m, column, 0, m->n, work);
	sort_array(work, c->there, sizeof *work, model_ascending);
	low = work[most];
	high = work[c->there - 1 - most];
	width = high - low;
	for (size_t k = 0; k < m->n; k++) {
		double *y = cell(m, m->y, k, column);

		if (!(*cell(m, m->there, k, column) > 0))
			continue;
		far += *y > high + 5 * width || *y < low - 5 * width;
		*y = *y > high + width ? high + width : *y < low - width ? low - width : *y;
	}
	return far;
}

static void center(struct model *m, size_t column)
{
	struct model_column *c = &m->columns[column];
	double mean = 0;

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

/* Of logarithms of variances with df degrees of freedom: how far they differ more than that. */
static double prior_df(const double *logs, size_t n, double df)
{
	double width = (quantile(logs, n, 0.75) - quantile(logs, n, 0.25)) / 1.349;
	double more = width * width - 2 / df - 2 / (df * df), to;

	if (n < 10)
		return n < 5 ? 0 : 4;
	if (more <= 0)
		return 60;
	to = (1 + sqrt(1 + 2 * more)) / more;
	return to < 4 ? 4 : to > 60 ? 60 : to;
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
	m->prior_df = n ? prior_df(logs, n, (double)(m->n - 1)) : 0;
	free(logs);
}

static void measure_absence(struct model *m)
{
	size_t asked = 0;

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
	work = mem_array(f->last - f->first + 1, sizeof *work);
	for (size_t i = f->first; i < f->last; i++)
		if (m->columns[i].asked && !m->columns[i].linear)
			work[n++] = m->columns[i].limit;
	c->limit = middle_of(work, n);
	free(work);
	c->noise = f->variance;
}

static void fill_model(struct model *m, struct judge_rule *rules, size_t n, double *work)
{
	size_t at = 0, values = 0, far = 0;
	struct factor *f = mem_zarray(n + 1, sizeof *f);

	for (size_t i = 0; i < n; i++) {
		f[i].first = at;
		for (size_t k = 0; k < rules[i].n; k++, at++) {
			m->columns[at].subject = &rules[i].subjects[k];
			take_values(m, at, work);
		}
		f[i].last = at;
		take_factor(m, &rules[i], &f[i], work);
	}
	for (size_t i = 0; i < m->n_subjects; i++)
		measure(m, i, work);
	for (size_t i = 0; i < n; i++)
		add_common(m, &rules[i], &f[i], m->n_subjects + i, work);
	for (size_t i = 0; i < m->n_columns; i++) {
		allow(m, i);
		far += draw_in(m, i, work);
		values += m->columns[i].there;
		center(m, i);
	}
	if (values)
		m->drawn_in = (double)far / (double)values;
	free(f);
}

void model_init(struct model *m, struct judge_rule *rules, size_t n, double direction)
{
	double *work;

	*m = (struct model){.direction = direction};
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
	share_variance(m);
	measure_absence(m);
	free(work);
}

void model_release(struct model *m)
{
	free(m->columns);
	free(m->y);
	free(m->there);
}

/* --- statistics --- */

/* Of a sum of n values in a of n: the part of their squares that lies between the two sides. */
static double between(double sum, double a, double n)
{
	return sum * sum * n / (a * (n - a));
}

static double ratio_of(double sum, double part, double squares, double prior_squares, double df)
{
	double within = squares - part, t;

	if (!(part > 0) || !(df > 0))
		return df > 0 ? 0 : -statistic_max;
	if (within < 1e-12 * squares)
		within = 0;
	within += prior_squares;
	t = within > 0 ? sqrt(part * df / within) : statistic_max;
	t = t > statistic_max ? statistic_max : t;
	return sum > 0 ? t : -t;
}

/* The k-th smallest; v is reordered (Hoare 1961). */
static double select_kth(double *v, size_t n, size_t k)
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
	upper = select_kth(v, n, n / 2);
	if (n % 2)
		return upper;
	/* Everything below the upper one stands before it. */
	for (size_t i = 1; i < n / 2; i++)
		v[0] = v[i] > v[0] ? v[i] : v[0];
	return v[0] / 2 + upper / 2;
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
		if (in[i] > 0 && in[i] < there) {
			within -= between(sums[i], in[i], there);
			within = within < 1e-12 * c->squares ? 0 : within / (there - 2);
		} else {
			within /= there - 1;
		}
		work[n++] = within;
	}
	return select_median(work, n);
}

static double statistic(const struct model *m, const struct model_column *c, double sum, double in,
			double df, double variance)
{
	double n = (double)c->there, t = -statistic_max, p, all = (double)m->n;

	if (in > 0 && in < n)
		t = ratio_of(sum, between(sum, in, n), c->squares, df * variance, df + n - 2);
	if (c->there && c->there < m->n) {
		sum = m->direction * (in - n * (double)m->n_new / all);
		p = ratio_of(sum, between(sum, (double)m->n_new, all), n * (1 - n / all),
			     absence_df * m->absence, absence_df + all - 2);
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
