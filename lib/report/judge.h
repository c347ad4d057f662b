/* SPDX-License-Identifier: MIT
 *
 * What a difference between runs means: regressed, improved, unchanged or inconclusive. Larger is
 * worse (a caller for whom less is worse negates). A subject is one number per run on each side
 * with what it may grow by; a rule is a question with one or more subjects.
 *
 * One run on each side, or one base run: nothing is known of noise, and the difference alone is
 * held against the limit. Fewer than four runs on a side: a difference above the limit counts only
 * when it is above the noise floor of the base runs too; otherwise it is inconclusive. From four
 * against four on:
 *
 *	regressed     the difference is above the limit, and so is the lower end of its bootstrap
 *	              interval, and the rank test of (new - limit) against base says so after the
 *	              false-discovery step
 *	improved      the same downwards
 *	unchanged     no such difference, and one above the limit would have shown (the upper end of
 *	              the interval is within the limit, or the smallest detectable difference is).
 *	              With a limit of 0 nothing noisy can be shown to be within it: there
 *	              unchanged means no significant difference
 *	inconclusive  everything else
 *
 * The false-discovery step runs over the rules; a rule of several subjects enters it with one
 * combined p-value, and its subjects are then told apart among themselves. Error rate: when
 * nothing has changed, the chance that any rule regresses or improves is at most alpha. It holds
 *for any noise from four against four on (the rank test, both directions), and for normal noise
 *below (the prediction interval, with alpha shared out over directions, rules and subjects).
 */
#ifndef TM_REPORT_JUDGE_H
#define TM_REPORT_JUDGE_H

#include "lib/report/stats.h"

enum { JUDGE_RUNS_MIN = 4 }; /* on each side, to be tested */

enum change { CHANGE_UNCHANGED, CHANGE_IMPROVED, CHANGE_REGRESSED, CHANGE_INCONCLUSIVE, CHANGES };
extern const char *const change_words[CHANGES];

enum judge_why {
	JUDGE_CLEAR,
	JUDGE_NOISE,    /* above the limit, not above the noise floor */
	JUDGE_FEW_RUNS, /* above the limit; so few runs cannot confirm it among so many rules */
	JUDGE_UNSURE,   /* above the limit, not confirmed */
	JUDGE_SPREAD,   /* within the limit, but one above it would not have shown */
};

struct judge_subject {
	struct stats_sample base, new; /* borrowed; at least one value each */
	double limit;                  /* difference that is allowed, >= 0 */
	bool median;                   /* the base's median counts, not its mean */

	/* what came out */
	double mean_base, mean_new, difference;
	bool has_floor, has_interval, has_detectable;
	double floor, detectable;
	struct stats_interval interval;
	double p_worse, p_better; /* of the rank test, two-sided; 1 when it was not made */
	enum change change;
	enum judge_why why;
};

struct judge_rule {
	struct judge_subject *subjects;
	size_t n;
	double p_worse, p_better; /* adjusted; 1 when no subject was tested */
};

struct judge_options {
	double alpha; /* 0.05, both directions together */
	double power; /* 0.8 */
	uint64_t seed;
};

void judge_rules(struct judge_rule *rules, size_t n, const struct judge_options *o);

#endif
