/* SPDX-License-Identifier: MIT
 *
 * Simulated builds, for the judge of gates (lib/report/compare/judge.h) and a yardstick beside it.
 *
 * A pair is the runs of a base and of a new build, taken in turn (a single new one is the last), each
 * with so many sites of means from 1,000 to 1,000,000. In a build that grew the first site did. Noises:
 *
 *	normal    2 %
 *	tails     2 % times Student's t with 2 degrees of freedom: its variance is infinite
 *	outliers  lognormal 3 %, and one value of 20 is half as large again
 *	pareto    0.9 + 0.1 X, P(X > x) = (1 + x)^-2.5
 *	bimodal   0 or +6 %, each half of the time
 *	zero      none at all in 30 % of runs, else normal 2 %
 *	steps     multiples of 4 %: a normal of 0.6, rounded
 *	drift     5 % from the first to the last run, in all sites alike; normal 1 % besides
 *	ar1       2 %, of which each run keeps 0.8 of the one before
 *	machine   normal 3 % of each run, in all sites alike; 0.5 % of each site
 *	spread    lognormal of 2 % exp(0.8 Z), Z normal and of each site
 *	levels    one of two values, each half of the time; not in the table
 */
#ifndef TM_TESTS_SIMULATE_SIMULATE_H
#define TM_TESTS_SIMULATE_SIMULATE_H

#include "lib/report/compare/judge.h"

#include <stdint.h>

enum { RUNS_MAX = 64, SITES_MAX = 500 };

enum noise {
	NORMAL,
	TAILS,
	OUTLIERS,
	PARETO,
	BIMODAL,
	ZERO,
	STEPS,
	DRIFT,
	AR1,
	MACHINE,
	SPREAD,
	NOISES,
	LEVELS = NOISES
};

extern const char *const simulate_noises[NOISES + 1];

struct kind {
	enum noise noise;
	size_t n_base, n_new, sites;
	double growth; /* of the first site; 1: it did not grow */
};

struct pair {
	double mean[SITES_MAX], sd[SITES_MAX]; /* of sites */
	double base[SITES_MAX][RUNS_MAX], new[SITES_MAX][RUNS_MAX];
};

void simulate_seed(uint64_t seed);
void simulate_sites(const struct kind *k, struct pair *p); /* means and deviations */
void simulate_runs(const struct kind *k, struct pair *p);  /* of those sites */

/* yardstick.c: does the first site grow, by the test of 20 lines that stands beside the judge? It needs
 * as many new runs as base runs. centred: less the median of all sites of a run. */
bool simulate_yardstick(const struct kind *k, const struct pair *p, bool centred);

/* cases.c */
int judge_end(const struct judge_rule *rules, size_t n); /* the exit status: 0, 1 or 5 */
void simulate_cases(void);

#endif
