/* SPDX-License-Identifier: MIT
 *
 * Statistics of a few runs against a few others. Everything is deterministic: the same values in
 * the same order give the same result. Swapping the two samples swaps `less` and `greater`.
 *
 * Sources of the methods: the rank test is Mann and Whitney 1947 with midranks for ties, exact by
 * counting all assignments of the pooled midranks (small samples), else the normal approximation
 * with the correction for ties and for continuity; several tests at once are Holm 1979, with
 * weights; the errors of a difference are those of Student's test of two samples.
 */
#ifndef TM_STATS_STATS_H
#define TM_STATS_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { STATS_EXACT_MAX = 40 }; /* values in both samples; above: the normal approximation */

struct stats_sample { /* borrowed */
	const double *v;
	size_t n;
};

double stats_mean(struct stats_sample s); /* 0 for none */

/* Student's t with df > 0 degrees of freedom. The quantile is good to 1e-9 relative. */
double stats_t_cdf(double t, double df);
double stats_t_quantile(double p, double df); /* 0 < p < 1 */
double stats_normal_cdf(double z);

/* Were both samples drawn from one population: the probability of new lying at least as far
 * above base as it does (greater), or below (less). Both samples have values. */
struct stats_rank {
	double greater, less;
	bool exact;
};
struct stats_rank stats_rank_test(struct stats_sample base, struct stats_sample new);

/* The smallest `greater` that any values of these sizes can reach. */
double stats_rank_least(size_t n_base, size_t n_new);

/* The p-values adjusted so that the chance of any false one among those at most alpha is at most
 * alpha, shared out by weights (> 0, of any sum). adjusted may be p. */
void stats_holm(const double *p, const double *weights, double *adjusted, size_t n);

struct stats_interval {
	double low, high;
};

/* The standard error of mean(new) - mean(base): with the variance that both samples have together
 * (base.n + new.n - 2 degrees of freedom), or that base has (base.n - 1), which then says how far
 * n_new further runs may lie from it. 0 where there are no degrees of freedom. */
double stats_error(struct stats_sample base, struct stats_sample new);
double stats_error_base(struct stats_sample base, size_t n_new);

#endif
