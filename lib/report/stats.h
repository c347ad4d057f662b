/* SPDX-License-Identifier: MIT
 *
 * Statistics of a few runs against a few others. Everything is deterministic: the same values in
 * the same order give the same result, and a seed is an argument. Swapping the two samples swaps
 * `less` and `greater` and negates an interval exactly.
 *
 * Sources of the methods: the rank test is Mann and Whitney 1947 with midranks for ties, exact by
 * counting all assignments of the pooled midranks (small samples), else the normal approximation
 * with the correction for ties and for continuity; the false-discovery step is Benjamini and
 * Hochberg 1995; several tests in one are combined as Simes 1986 does; the interval is the
 * percentile bootstrap, widened to Student's t as in Hesterberg 2015 ("expanded percentile"), since
 * plain percentiles are too narrow for samples of four to ten.
 */
#ifndef TM_REPORT_STATS_H
#define TM_REPORT_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	STATS_EXACT_MAX = 40, /* values in both samples; above: the normal approximation */
	STATS_RESAMPLES = 2000,
};

struct stats_sample { /* borrowed */
	const double *v;
	size_t n;
};

double stats_mean(struct stats_sample s);     /* 0 for none */
double stats_variance(struct stats_sample s); /* divided by n - 1; 0 below two values */

/* Student's t with df > 0 degrees of freedom. The quantile is good to 1e-9 relative. */
double stats_t_cdf(double t, double df);
double stats_t_quantile(double p, double df); /* 0 < p < 1 */
double stats_normal_cdf(double z);
double stats_normal_quantile(double p);

/* Were both samples drawn from one population: the probability of new lying at least as far
 * above base as it does (greater), or below (less). Both samples have values. */
struct stats_rank {
	double greater, less;
	bool exact;
};
struct stats_rank stats_rank_test(struct stats_sample base, struct stats_sample new);

/* The smallest `greater` that any values of these sizes can reach. */
double stats_rank_least(size_t n_base, size_t n_new);

/* The p-values adjusted so that those at most alpha have a false-discovery rate of at most alpha.
 */
void stats_adjust(const double *p, double *adjusted, size_t n);
/* One p-value of n about the same question; 1 for none. */
double stats_combine(const double *p, size_t n);

/* What mean(new) - mean(base) lies in with this confidence (0.95). Both samples have two values
 * or more. */
struct stats_interval {
	double low, high;
};
struct stats_interval stats_bootstrap(struct stats_sample base, struct stats_sample new,
				      double confidence, uint64_t seed);

/* How far the mean of n_new further runs may lie above that of base by noise alone, at the error
 * alpha: the one-sided prediction interval of normal noise. False below two values of base: then
 * nothing is known. */
bool stats_noise_floor(struct stats_sample base, size_t n_new, double alpha, double *floor);

/* The true difference that samples like these show with the given power (0.8), at the error
 * alpha, one-sided. False when there are not two degrees of freedom. */
bool stats_detectable(struct stats_sample base, struct stats_sample new, double alpha, double power,
		      double *difference);

#endif
