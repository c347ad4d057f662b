/* SPDX-License-Identifier: MIT
 *
 * A policy (policy.h) applied to a comparison: one check per rule. The first group is the base,
 * the last one is what is judged (judge.h). Everything is reported, only breaches fail.
 */
#ifndef TM_REPORT_COMPARE_GATE_H
#define TM_REPORT_COMPARE_GATE_H

#include "lib/report/compare/compare.h"
#include "lib/report/compare/doubts.h"
#include "lib/report/compare/policy.h"
#include "lib/table/checks.h"

enum {
	GATE_BREACHES_MAX = 50, /* listed per rule and verdict; the rest is counted */
	GATE_ADVICE_MAX = 5,    /* of these say where to look, and how to accept them */
};

struct gate_options {
	const char *policy; /* the file's name */
	const char *today;  /* YYYY-MM-DD, for waivers */
	bool allow_loss;    /* runs that have lost something are judged nevertheless */
	struct compare_allowed allowed;
	/* A sentence without its end: there is no base, and why. NULL: there is one. */
	const char *no_base;
	bool allow_no_base; /* what needs one is skipped then */
	const char **notes; /* more of them, on the runs */
	size_t n_notes;
};

struct gate;

/* c and p must outlive it. Of runs that are none to judge (doubts.h) nothing is judged: all rules are inconclusive.
 * NULL: a rule asks for what the runs do not know; *e says which. */
struct gate *gate_new(const struct compare *c, struct compare_policy *p,
		      const struct gate_options *o, struct err *e);
void gate_free(struct gate *g); /* accepts NULL */
const struct table_checks *gate_checks(const struct gate *g);

/* A rule failed other than for coverage; for coverage; undecided. */
bool gate_failed(const struct gate *g);
bool gate_incomplete(const struct gate *g);
bool gate_inconclusive(const struct gate *g);
bool gate_compared(const struct gate *g); /* a rule was looked at */

/* The keys that the policy needs, as bits 1 << enum key, and the sums as SUM_BITs. */
unsigned gate_keys(const struct compare_policy *p);
unsigned gate_sums(const struct compare_policy *p);

#endif
