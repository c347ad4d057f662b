/* SPDX-License-Identifier: MIT
 *
 * The verdicts on differences between the runs of two builds, by one model over all subjects of all rules of a
 * policy. Larger is worse (a caller for whom less is worse negates). A subject is one number per run on each
 * side, with what it may grow by; a rule is a question with one or more subjects of one metric, and all subjects
 * have the same runs. tracemill-gate(7) has each formula, constant and rule of it, so that it can be written a
 * second time.
 *
 * In short: logarithms; the factor of each run that all subjects of a rule share is taken out, and
 * is a subject of its own (what new runs have more of than runs of one side differ by stays in); the
 * largest and smallest values are drawn in; the growth that is allowed
 * is taken out; the difference of means is divided by a deviation that all subjects share in part
 * (Smyth 2004). Then the runs are exchanged between the sides, in every way or in JUDGE_ORDERS - 1
 * random ones, and p of a subject is the share of ways in which any subject has a statistic as large
 * (Westfall and Young 1993, step-down). So the chance that anything regresses, when nothing has
 * changed, is at most alpha for any noise whose runs could have come in any order, however subjects
 * depend on each other; but for subjects that few base runs have alike by chance, which are compared
 * exactly (tracemill-gate(7) has measured rates).
 *
 * Where no exchange can reach alpha (one run against five), and nothing is the same in every base
 * run, nothing regresses: what stands out is inconclusive, and runs_new and runs_base say how many
 * runs would do.
 */
#ifndef TM_REPORT_COMPARE_JUDGE_H
#define TM_REPORT_COMPARE_JUDGE_H

#include "lib/stats/stats.h"

enum {
	JUDGE_EXACT_MAX = 5000, /* ways to exchange runs; with more, random ones are taken */
	JUDGE_ORDERS = 1000,
	JUDGE_FACTOR_MIN = 10, /* subjects of a rule, for a run to have a factor */
	JUDGE_TENFOLD = 5,     /* grown by more than this times is large, */
	JUDGE_HIGH = 2,        /* and by more than this is worth a word */
	JUDGE_SMALL = 100,     /* that part of all is small */
};

enum change { CHANGE_UNCHANGED, CHANGE_IMPROVED, CHANGE_REGRESSED, CHANGE_INCONCLUSIVE };

enum judge_why {
	JUDGE_CLEAR,
	JUDGE_SINGLE,  /* it regressed, but in fewer runs than runs_min */
	JUDGE_FEW,     /* it stands out, but so few runs cannot tell it */
	JUDGE_LARGE,   /* so many times the base, but the runs do not confirm it */
	JUDGE_SOME,    /* so many times the base in fewer than half of the new runs */
	JUDGE_APPEARS, /* no base run has it, new ones do */
	JUDGE_MANY,    /* one of more subjects that stand out a little than chance explains */
	JUDGE_ABOVE,   /* a rule's only subject is above a limit, but not confirmed */
	JUDGE_EITHER, /* it depends on whose what all new runs have in common is: the machine's or the build's */
	JUDGE_WHYS,
};

struct judge_subject {
	struct stats_sample base, new; /* borrowed; at least one value each */
	double ratio, absolute;        /* what is allowed: more than both is growth; each >= 0 */

	/* what came out */
	double middle_base, middle_new; /* medians */
	double limit;                   /* the larger of the two, as an amount */
	double growth; /* the logarithm of new / base without the run factors; NaN: none */
	double
	    by; /* the amount that is compared with limit; NaN: each run is compared with the base */
	double t;          /* the statistic; how sure it is, among subjects */
	double p;          /* among all subjects */
	double detectable; /* an amount whose growth would be detected with power; NaN: not known */
	size_t large;      /* new runs that are so many times the base, JUDGE_TENFOLD; */
	size_t high; /* those that are JUDGE_HIGH times, and farther off than base runs by chance */
	bool same;   /* it is compared exactly */
	bool mute;   /* so few runs cannot make it fail */
	bool
	    let_by; /* so compared it is above its limit, but a base run is as far off in another subject */
	enum change change;
	enum judge_why why;
};

struct judge_rule {
	struct judge_subject *subjects;
	size_t n;

	/* what came out; release with judge_release */
	double
	    *factors; /* of each run, base first, as logarithms; NULL: runs do not differ by one */
	double difference; /* new runs have so much more, as a logarithm; */
	double systematic; /* as much, where it is no noise and not taken out; else 0 */
	bool doubtful;     /* it is taken out, but may be the build's */
	bool taken_out;    /* runs of a side differ by it */
	double
	    comes; /* so large is what no base run has, at most, where runs have some entities and lack others */
	struct judge_subject common; /* what its subjects share: change, p, growth */
};

struct judge_options {
	double alpha;    /* 0.05 */
	double power;    /* 0.8 */
	size_t runs_min; /* on each side, to regress; 0 and 1 are the same */
	bool decrease;   /* ask for decrease beyond the limit, too */
	bool estimates;  /* values are: none is compared exactly */
	bool detectable; /* find what would have been detected */
};

struct judge_result {
	size_t orders;    /* ways in which runs were exchanged; 0: none, single runs are exact */
	bool sampled;     /* not all of them */
	bool reachable;   /* they can reach alpha */
	size_t runs_each; /* so many against as many reach it, */
	size_t runs_new, runs_base; /* so many new against this base; so many base against these */
	double drawn_in;            /* the share of values that were far off and drawn in */
};

/* All rules' subjects have the same numbers of runs. */
struct judge_result judge_rules(struct judge_rule *rules, size_t n, const struct judge_options *o);
void judge_release(struct judge_rule *rules, size_t n); /* what came out of them */

#endif
