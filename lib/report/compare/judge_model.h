/* SPDX-License-Identifier: MIT
 *
 * The inside of judge.h: the values of all subjects as columns that runs can be exchanged in, and
 * the statistic of a column. One column for each subject, and behind them one for the common factor
 * of each rule that has one.
 */
#ifndef TM_REPORT_COMPARE_JUDGE_MODEL_H
#define TM_REPORT_COMPARE_JUDGE_MODEL_H

#include "lib/report/compare/judge.h"
#include "lib/stats/exchange.h"

struct model_column {
	struct judge_subject *subject;
	bool linear; /* a value is below 0: not by logarithms */
	bool asked;  /* some run has it */
	double
	    unit; /* linear: what values are divided by; else the base's median where it is there */
	double limit;   /* growth that is allowed, in the column's own measure */
	double growth;  /* of the medians; NaN: one side has none */
	size_t there;   /* runs that have it */
	double squares; /* about the mean of all */
	double noise;   /* of a common factor: the variance that it has by itself */
};

struct model {
	size_t n_base, n_new, n; /* runs */
	size_t n_columns, n_subjects;
	struct model_column *columns;
	double *y;       /* by run, then column: less the column's mean; 0 where it is absent */
	double *there;   /* 1 or 0 */
	double prior_df; /* of the variance that subjects share */
	double
	    absence; /* of subjects with absent values: the variance of being there, on average */
	double drawn_in;
	double direction; /* 1: growth, -1: decrease */
};

/* direction: 1, or -1 to ask for decrease. Fills factors and common.growth of rules. */
void model_init(struct model *m, struct judge_rule *rules, size_t n, double direction);
void model_release(struct model *m);

/* The statistics of all columns if these runs were the new side. work: 3 * n_columns numbers. */
void model_statistics(const struct model *m, const uint32_t *set, double *work, double *to);
/* The variance within the sides that subjects share. */
double model_shared_variance(const struct model *m, const uint32_t *set);

/* judge_told.c: for each subject the growth above its limit that would be detected with this chance; NaN:
 * not known. critical: what a statistic must be above, for at most `allowed` other sets to reach it. */
void model_told(const struct model *m, const struct exchange *x, double critical, size_t allowed,
		double power, double *to);

#endif
