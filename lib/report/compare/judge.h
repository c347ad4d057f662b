/* SPDX-License-Identifier: MIT
 *
 * The verdict on a difference between runs: regressed, improved, unchanged or inconclusive. Larger
 * is worse (a caller for whom less is worse negates). A subject is one number per run on each side
 * with what it may grow by; a rule is a question with one or more subjects.
 *
 * One run on each side: nothing is known of noise, the runs are taken as exact, and the difference
 * alone is compared with the limit. No error rate is promised then; runs_min = 2 makes what exceeds
 * a limit inconclusive instead. With more:
 *
 *	regressed     the excess (difference less limit) is above 0, and its p is at most alpha
 *	              after Holm's step over all subjects of all rules
 *	improved      the same downwards
 *	inconclusive  there is an excess that is not confirmed, and one of:
 *	              - with a limit above 0, its own p is at most alpha, or 1 / n of n subjects of
 *	                the rule: of one, any excess; of many, one that would break the rule if it
 *	                were alone, but among so many chance does as much
 *	              - it is above the noise floor of the base (so the new runs do not agree), or
 *	                of the base's noise nothing is known, or it is larger than the base itself
 *	unchanged     everything else: no evidence of an excess. `told` is the smallest growth that
 *	would have been detected
 *
 * So no growth passes by being large: above the floor, or twice the base, it is inconclusive at
 * least, whatever the number of runs and subjects.
 *
 * p is that of Student's t with the variance of both sides together, of new less limit against
 * base, doubled for the two directions. Why t and not ranks: N against N runs give a rank test no p
 * below 1 / C(2N, N), which among 1,000 subjects confirms nothing before nine runs a side, so that a
 * gate on ranks gets weaker with more rules and has steps where more runs detect less. t has no
 * such floor, its power only grows with runs, and among long-tailed noise it errs to the safe side
 *(outliers widen what it divides by). It is fooled by noise of few tight levels. So ranks have a
 * veto: where they can be at most alpha at all (three against three), they must be, for t to count.
 * Why a base-only floor besides: growth often comes with noise of its own, which hides it from t.
 *
 * Error rates: when nothing has changed the chance that anything regresses or improves is at most
 * alpha. Exact for independent normal noise; by simulation for heavy tails and a common drift
 * (tests/simulate/judge.txt). A single subject's is kept in each direction for any noise from three
 * against three on (the veto). Not kept where all base runs come before a drift and all new ones
 * behind it: that is a change, of the machine.
 */
#ifndef TM_REPORT_COMPARE_JUDGE_H
#define TM_REPORT_COMPARE_JUDGE_H

#include "lib/stats/stats.h"

enum change { CHANGE_UNCHANGED, CHANGE_IMPROVED, CHANGE_REGRESSED, CHANGE_INCONCLUSIVE };

enum judge_why {
	JUDGE_CLEAR,
	JUDGE_SINGLE,  /* fewer runs than runs_min */
	JUDGE_AMONG,   /* above the limit, not confirmed (among so many) */
	JUDGE_NOISE,   /* above the noise of the base, but the new runs do not agree */
	JUDGE_DOUBLED, /* by more than all of the base, among noise as large */
	JUDGE_WHYS,
};

struct judge_subject {
	struct stats_sample base, new; /* borrowed; at least one value each */
	double limit;                  /* difference that is allowed, >= 0 */
	bool median;                   /* the base's median counts, not its mean */

	/* what came out */
	double mean_base, mean_new, difference;
	bool has_noise;                 /* some side has two runs: then the next one holds */
	struct stats_interval interval; /* of the difference, 95 %, for itself */
	bool has_floor;                 /* the base has two runs */
	double floor; /* how far new may lie above base by the base's noise alone */
	double told;  /* the smallest difference that would have regressed, with the given power */
	double p;     /* of the excess, by itself */
	double p_all; /* after Holm's step */
	enum change change;
	enum judge_why why;
};

struct judge_rule {
	struct judge_subject *subjects;
	size_t n;
};

struct judge_options {
	double alpha;    /* 0.05, both directions together */
	double power;    /* 0.8 */
	size_t runs_min; /* on each side, to regress; 0 and 1 are the same */
};

/* alpha is shared out evenly among rules, and of a rule among its subjects. */
void judge_rules(struct judge_rule *rules, size_t n, const struct judge_options *o);

#endif
