/* SPDX-License-Identifier: MIT
 *
 * Change points of a series of runs: where its level steps, up or down, and stays.
 *
 * Method: two questions, each at half of alpha, of the series and then of its parts (binary
 * segmentation: Scott and Knott 1974, Vostrikova 1981).
 *
 *	anywhere    is a stretch of runs off the rest: the last ones (a step), or 2 to STEPS_HUMP_MAX
 *	            between others (a hump, two steps: circular binary segmentation, Olshen and others
 *	            2004), with two runs or more on each side. What counts is twice the logarithm of how
 *	            much likelier normal values are with a level of its own for it; a hump has to say
 *	            more by what a step costs. p is the share of random permutations of the same values
 *	            in which any stretch says as much (Antoch and Huskova 2001).
 *	at the end  how far the mean of the last two values is from that of all, so that a step shows at
 *	            its second run; of the last three, where alpha is too small for pairs. p is the
 *	            share of all pairs or triples of values that are as far: exact.
 *
 * A step is where it is as likely before as behind (the median of the posterior), between its neighbours;
 * what the second question finds, in the last STEPS_TAIL runs.
 *
 * Nothing is assumed of the noise but that its runs could have come in any order. Before, values
 * are drawn in to within STEPS_CLIP times the scaled median absolute deviation of the median, so
 * that one run gone astray does not decide where the step is. Where it is, and whether a line says more, is asked of
 * values of which only those are drawn in that no neighbour is as far off with: two or more may be a level. An alpha so small that 999 permutations
 * cannot show it (one shared by many series) is held against Gumbel's distribution of the largest of
 * the statistic, fitted to 299 permutations; any of these as large is no step, and p is no less than the
 * share of orders in which the stretch has the same values.
 *
 * Runs that depend on each other wander, and wandering looks like steps. So a series is asked for how much of
 * its value each run keeps of the one before (rho, where it is more than a deviation of chance): of what the
 * farthest stretch leaves, or a line, or by how often the series turns, whichever is least. Then the
 * squares of the statistic count (1 - rho) / (1 + rho) of those that are left. What steps all the same is
 * taken out, rho is asked of what is left, and so on until it no longer becomes smaller.
 *
 * Error rate: in a series without a step the chance that any is reported is at most alpha, for any
 * distribution of independent noise. It is per series: of a hundred, a hundred times alpha are
 * expected to err, unless the caller shares alpha between them.
 *
 * What can be found: n runs cannot give a p below 1 / C(n, 2) at a step's second run, so with
 * alpha = 0.05 eight runs have to come before it (stats_steps_behind); below STEPS_RUNS_MIN runs nothing is tested.
 */
#ifndef TM_STATS_STEPS_H
#define TM_STATS_STEPS_H

#include "lib/stats/stats.h"

enum {
	STEPS_RUNS_MIN = 6, /* in a series, or a part of it */
	STEPS_CLIP = 5,
	STEPS_TAIL = 4,
	STEPS_FAR = 2,
	STEPS_HUMP_MAX = 40,
	STEPS_PERMUTATIONS = 999,
	STEPS_TAIL_LEAST =
	    10, /* permutations that alpha is worth; below, their largest's distribution */
	STEPS_TAIL_PERMUTATIONS = 299,
	STEPS_END_MAX = 200,
	STEPS_ROUNDS = 5,
};

struct stats_step {
	size_t at;            /* the first run of the new level */
	size_t first, last;   /* the runs of both levels: [first, at) and [at, last) */
	double before, after; /* medians of the two */
	double p;
	bool trend; /* no step: from first to last it grows or falls, from `before` to `after` */
};

struct stats_steps_options {
	double alpha; /* 0.05 */
	uint64_t seed;
};

/* The fewest runs behind a step of any size with which it can be found among n; 0: none is found, however they lie. */
size_t stats_steps_behind(size_t n, double alpha);
/* The fewest runs in which any step can be found. */
size_t stats_steps_enough(double alpha);

/* The last runs, which no step was found for, though each is STEPS_FAR times the level before them or more, above all
 * that was there and farther off than what is drawn in. */
struct stats_tail {
	size_t n;            /* 0: none */
	double level, value; /* medians */
};

struct stats_tail stats_steps_tail(struct stats_sample s, const struct stats_step *steps,
				   size_t n_steps);

struct stats_trend {
	double first, last; /* at its ends */
};

/* A line says more of the values than the steps that were found: then it is a trend. */
bool stats_trend(struct stats_sample s, const struct stats_step *steps, size_t n_steps,
		 struct stats_trend *to);

/* At most s.n / 2 steps, in the order of the runs; *to is allocated, also for none. */
size_t stats_steps(struct stats_sample s, const struct stats_steps_options *o,
		   struct stats_step **to);

/* Draws values in to within STEPS_CLIP times the scaled median absolute deviation of the median; a
 * deviation of 0 draws nothing in. */
void stats_draw_in(const double *v, size_t n, double *to);

#endif
