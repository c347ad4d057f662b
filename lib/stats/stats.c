/* SPDX-License-Identifier: MIT */
#include "lib/stats/stats.h"

#include "lib/base/mem.h"
#include "lib/base/sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double stats_mean(struct stats_sample s)
{
	double sum = 0;

	for (size_t i = 0; i < s.n; i++)
		sum += s.v[i];
	return s.n ? sum / (double)s.n : 0;
}

/* Divided by n - 1; 0 below two values. */
static double stats_variance(struct stats_sample s)
{
	double mean = stats_mean(s), sum = 0;

	for (size_t i = 0; i < s.n; i++)
		sum += (s.v[i] - mean) * (s.v[i] - mean);
	return s.n < 2 ? 0 : sum / (double)(s.n - 1);
}

double stats_normal_cdf(double z)
{
	return 0.5 * erfc(-z / sqrt(2));
}

/* The incomplete beta function as a continued fraction (Lentz's method). */
static double stats_beta_fraction(double a, double b, double x)
{
	const double tiny = 1e-300;
	double c = 1, d = 1 - (a + b) * x / (a + 1), h;

	d = 1 / (fabs(d) < tiny ? tiny : d);
	h = d;
	for (int m = 1; m < 500; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));

		d = 1 + even * d;
		c = 1 + even / c;
		d = 1 / (fabs(d) < tiny ? tiny : d);
		c = fabs(c) < tiny ? tiny : c;
		h *= d * c;
		d = 1 + odd * d;
		c = 1 + odd / c;
		d = 1 / (fabs(d) < tiny ? tiny : d);
		c = fabs(c) < tiny ? tiny : c;
		h *= d * c;
		if (fabs(d * c - 1) < 1e-15)
			break;
	}
	return h;
}

static double beta_regularized(double a, double b, double x)
{
	double front;

	if (x <= 0)
		return 0;
	if (x >= 1)
		return 1;
	front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
	return x < (a + 1) / (a + b + 2) ? front * stats_beta_fraction(a, b, x) / a
					 : 1 - front * stats_beta_fraction(b, a, 1 - x) / b;
}

double stats_t_cdf(double t, double df)
{
	double tail = 0.5 * beta_regularized(df / 2, 0.5, df / (df + t * t));

	return t > 0 ? 1 - tail : tail;
}

/* Of a growing function that is symmetric about 0: cdf(-x) = 1 - cdf(x). */
double stats_t_quantile(double p, double df)
{
	double low = 0, high = 1, tail = p < 0.5 ? p : 1 - p;

	for (int doublings = 0; doublings < 40; doublings++, high *= 2)
		if (stats_t_cdf(-high, df) <= tail)
			break;
	for (int i = 0; i < 200 && low < high; i++) {
		double middle = (low + high) / 2;

		if (stats_t_cdf(-middle, df) > tail)
			low = middle;
		else
			high = middle;
	}
	return p < 0.5 ? -high : p > 0.5 ? high : 0;
}

static int stats_order(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double *sorted(struct stats_sample a, struct stats_sample b)
{
	double *v = mem_array(a.n + b.n + 1, sizeof *v);

	memcpy(v, a.v, a.n * sizeof *v);
	if (b.n)
		memcpy(v + a.n, b.v, b.n * sizeof *v);
	sort_array(v, a.n + b.n, sizeof *v, stats_order);
	return v;
}

/* Twice the midrank of x among the pooled values: a whole number. */
static size_t rank2(const double *pooled, size_t n, double x)
{
	size_t below = 0, equal = 0;

	for (size_t i = 0; i < n; i++) {
		below += pooled[i] < x;
		equal += pooled[i] == x;
	}
	return 2 * below + equal + 1;
}

/* In how many ways k of the pooled ranks add up to each sum: ways[j * (top + 1) + sum]. All counts
 * are below 2^53 for 40 values, so doubles hold them exactly. */
static struct stats_rank stats_count_ways(const double *pooled, size_t n, size_t k, size_t seen)
{
	size_t top = n * (n + 1);
	double *ways = mem_zarray((k + 1) * (top + 1), sizeof *ways);
	double all = 0, at_least = 0, at_most = 0;
	struct stats_rank r = {.exact = true};

	ways[0] = 1;
	for (size_t i = 0; i < n; i++) {
		size_t rank = rank2(pooled, n, pooled[i]);

		for (size_t j = k; j-- > 0;)
			for (size_t s = 0; s + rank <= top; s++)
				ways[(j + 1) * (top + 1) + s + rank] += ways[j * (top + 1) + s];
	}
	for (size_t s = 0; s <= top; s++) {
		double w = ways[k * (top + 1) + s];

		all += w;
		at_least += s >= seen ? w : 0;
		at_most += s <= seen ? w : 0;
	}
	r.greater = at_least / all;
	r.less = at_most / all;
	free(ways);
	return r;
}

static struct stats_rank stats_approximate(const double *pooled, size_t a, size_t b, size_t seen2)
{
	double n = (double)(a + b), mean = (double)b * (n + 1) / 2, ties = 0, sd;
	double rank_sum = (double)seen2 / 2;

	for (size_t i = 0, k; i < a + b; i = k) {
		double t;

		for (k = i; k < a + b && pooled[k] == pooled[i]; k++)
			;
		t = (double)(k - i);
		ties += t * t * t - t;
	}
	sd = sqrt((double)a * (double)b / 12 * (n + 1 - ties / (n * (n - 1))));
	if (!(sd > 0))
		return (struct stats_rank){.greater = 1, .less = 1};
	return (struct stats_rank){.greater = stats_normal_cdf(-(rank_sum - mean - 0.5) / sd),
				   .less = stats_normal_cdf((rank_sum - mean + 0.5) / sd)};
}

struct stats_rank stats_rank_test(struct stats_sample base, struct stats_sample new)
{
	double *pooled = sorted(base, new);
	size_t n = base.n + new.n, seen = 0;
	struct stats_rank r;

	for (size_t i = 0; i < new.n; i++)
		seen += rank2(pooled, n, new.v[i]);
	r = n <= STATS_EXACT_MAX ? stats_count_ways(pooled, n, new.n, seen)
				 : stats_approximate(pooled, base.n, new.n, seen);
	free(pooled);
	return r;
}

double stats_rank_least(size_t n_base, size_t n_new)
{
	double ways = 1; /* all of new above all of base: one assignment of them all */

	for (size_t i = 1; i <= n_new; i++)
		ways *= (double)(n_base + i) / (double)i;
	return 1 / ways;
}

struct ranked_p {
	double by; /* p for its weight */
	size_t index;
};

static int stats_p_order(const void *a, const void *b)
{
	const struct ranked_p *x = a, *y = b;

	return x->by != y->by ? (x->by > y->by) - (x->by < y->by)
			      : (x->index > y->index) - (x->index < y->index);
}

void stats_holm(const double *p, const double *weights, double *adjusted, size_t n)
{
	struct ranked_p *r = mem_array(n + 1, sizeof *r);
	double *left = mem_zarray(n + 1, sizeof *left), most = 0;

	for (size_t i = 0; i < n; i++)
		r[i] = (struct ranked_p){p[i] / weights[i], i};
	sort_array(r, n, sizeof *r, stats_p_order);
	for (size_t i = n; i-- > 0;)
		left[i] = left[i + 1] + weights[r[i].index];
	for (size_t i = 0; i < n; i++) {
		double q = left[i] * r[i].by;

		most = q > most ? q : most;
		adjusted[r[i].index] = most < 1 ? most : 1;
	}
	free(r);
	free(left);
}

double stats_error(struct stats_sample base, struct stats_sample new)
{
	double df = (double)base.n + (double)new.n - 2;

	if (!(df > 0) || !base.n || !new.n)
		return 0;
	return sqrt(((double)(base.n - 1) * stats_variance(base) +
		     (double)(new.n - 1) * stats_variance(new)) /
		    df * (1 / (double)base.n + 1 / (double)new.n));
}

double stats_error_base(struct stats_sample base, size_t n_new)
{
	if (base.n < 2 || !n_new)
		return 0;
	return sqrt(stats_variance(base) * (1 / (double)base.n + 1 / (double)n_new));
}
