/* SPDX-License-Identifier: MIT
 *
 * Internal to judge.h: the values of all subjects as columns that runs can be exchanged in, and
 * the statistic of a column. One column for each subject, and after them one for the common factor
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
	double limit;  /* growth that is allowed, in the column's own measure */
	double growth; /* Hodges and Lehmann's; NaN: one side has none */
	double raw;    /* before the factors of runs were taken out */
	double
	    systematic; /* all of its rule have so much more in new runs; 0: that is noise, if anything */
	bool by_factor; /* the factor of a run is found by it */
	size_t there;   /* runs that have it */
	double squares; /* about the mean of all */
	double noise;   /* of a common factor: the variance that it has by itself */
};

struct model {
	size_t n_base, n_new, n; /* runs */
	size_t n_columns, n_subjects;
	struct model_column *columns;
	double *y;        /* by run, then column: less the column's mean; 0 where it is absent */
	double *whole;    /* before values far off were drawn in */
	double *there;    /* 1 or 0 */
	double prior_df;  /* of the variance that subjects share, */
	double common_df; /* and how much they do share: it may be less */
	double
	    absence; /* of subjects with absent values: the variance of being there, on average */
	double drawn_in;
	double direction; /* 1: growth, -1: decrease */
	bool hold;        /* what runs of a side may differ by stays, where new runs may, too */
};

/* direction: 1, or -1 to ask for decrease. Fills factors and common.growth of rules, and what stands beside factors
 * unless it is asked to hold what may be either. */
void model_init(struct model *m, struct judge_rule *rules, size_t n, double direction, bool hold);
void model_release(struct model *m);

/* After its values have been set: draws in what is far off, whose number it returns, takes the means
 * out and shares the variance. model_draw_in draws in n values of one column that are there. */
size_t model_settle(struct model *m);
size_t model_draw_in(const struct model *m, double *y, size_t n, size_t stride, const double *there,
		     double *work);

/* The statistics of all columns if these runs were the new side. work: 3 * n_columns numbers. */
void model_statistics(const struct model *m, const uint32_t *set, double *work, double *to);
/* The variance within the sides that subjects share. */
double model_shared_variance(const struct model *m, const uint32_t *set);

/* The k-th smallest, k from 0; v is reordered (Hoare 1961). */
double model_select(double *v, size_t n, size_t k);

/* judge_detectable.c: for each subject the growth above its limit that would be detected with this chance; NaN:
 * not known. At most `allowed` other sets may reach the statistic of the true one. */
void model_detectable(const struct model *m, const struct exchange *x, size_t allowed, double power,
		      double *to);

#endif
