/* SPDX-License-Identifier: MIT
 *
 * Internal to gate.h: a rule with its values, and the check it becomes.
 */
#ifndef TM_REPORT_COMPARE_GATE_RULE_H
#define TM_REPORT_COMPARE_GATE_RULE_H

#include "lib/report/compare/compare.h"
#include "lib/report/compare/judge.h"
#include "lib/report/compare/judge_least.h"
#include "lib/report/compare/policy.h"
#include "lib/table/checks.h"

enum { GATE_TENFOLD = 10 }; /* a limit that ten times as much keeps has no effect */

struct gate_subject {
	size_t row;         /* in the key's rows; SIZE_MAX: everything, or a sum */
	size_t entities;    /* so many of which it is the sum */
	size_t guessed;     /* of them, or of the row: matched with the base by a guess */
	double *base, *new; /* per run */
	struct judge_least
	    least; /* GROWTH, COVERAGE: the builds whose level the base runs are at */
	/* Of what is estimated: so many bytes are those of all new runs, in multiples of the bytes from sample to
	 * sample; NaN: not known. */
	double points;
	size_t runs;  /* NEW: new runs that have it, no base run has */
	double p;     /* NEW: that chance gives anything to as many new runs, and to no base run */
	bool exact;   /* NEW: all runs of a side have the same entities */
	bool certain; /* NEW: it is no chance */
};

/* As the index of a subject: what all of a rule's have in common. */
#define GATE_ALL_ALIKE SIZE_MAX

struct gate_rule {
	const struct policy_rule *rule;
	struct gate_subject *subjects;
	size_t n, cap, n_base, n_new;
	size_t guessed;                  /* entities that a guess matched with the base */
	size_t unknown;                  /* entities of which a value is not known */
	const struct judge_rule *judged; /* GROWTH: subjects in the same order */
	const struct judge_result *result;
	const struct gate_newness *newness; /* NEW */
	double level; /* MAX: what chance may do of a subject that is estimated */
	double
	    moments; /* of estimated peaks: the logarithm of the number of their moments, of all new runs added up */
	const char *const *builds; /* of the base, the oldest first; NULL: it is one */
	size_t n_builds;
	bool median;    /* of the base the median counts; of growth always, and of both sides */
	bool estimated; /* its values are, by sampling */
	bool unmatched; /* it has patterns, and nothing matches one */
	const struct match *gone; /* a pattern that matches in the base only; NULL: none */
	bool nameless; /* the key says nothing: no run has types, or owners are not asked for */
	const char *unseen;      /* why it cannot see what grew: a sentence; NULL: it can */
	const char *others_grew; /* what does not count did: a sentence; NULL: it did not */
	size_t small;            /* entities that are too small or too rare for it */
	double most;             /* NEW: the largest entity of the new side that it is about */
};

/* What counts of a subject on each side. */
double gate_base(const struct gate_rule *r, const struct gate_subject *s);
double gate_new_value(const struct gate_rule *r, const struct gate_subject *s);
/* Of growth that the median of the new runs does not show: so many of them have it, and their median; else 0. */
size_t gate_new_some(const struct gate_rule *r, size_t i, double *value);

struct gate_context {
	const struct compare *c;
	const struct compare_policy *p;
	const struct compare_rows *rows; /* of the rule's key; NULL: everything */
	const char *today, *lossy;
	const char *no_base; /* why the base is missing; NULL: it is there */
	bool allow_no_base, allow_unmatched;
	/* Of all keys: sites and stacks say where an entity is, and who calls it. NULL: not held. */
	const struct compare_rows *sites, *stacks;
	bool *used; /* by waiver */
	bool *open; /* by waiver: what it is about is inconclusive, or its rule was not judged */
	uint64_t gave_up;    /* patterns, in addition to the rule's own */
	struct arena *arena; /* texts and breaches */
};

/* Under the name that it has on the last side, or had in the base. */
bool gate_row_matches(const struct compare_rows *rows, size_t row, struct match *m);
/* The share of a metric at named sites, in percent; false: not known. */
bool gate_named_share(const struct profile *s, enum sum sum, double *share);
/* Of all that it is about nothing is as large as it asks, or there is nothing. */
bool gate_rule_is_idle(const struct gate_rule *r);
/* What some new runs have much more of, and the verdict is silent about, the first of it; large: because base runs
 * are far off as well. False: nothing is. x->rows are those of the rule's key. */
bool gate_rule_describe_open(const struct gate_context *x, const struct gate_rule *r, bool large,
			     struct buf *b);
/* A subject that fails, above its limit only without what is so taken out. */
bool gate_rule_is_beside(const struct gate_rule *r, size_t i);
/* The check of a rule that is not looked at, and why. */
void gate_check_nothing(struct arena *arena, const struct policy_rule *r, const char *why,
			struct table_check *to);

#define GATE_CALLED_BY " < "
enum { GATE_CALLS_MAX = 64 };
/* As a breach names it, and a waiver matches it: of a stack the site and its callers, "site (file:1) < ui <
 * main". */
void gate_entity_text(const struct profile_entities *t, enum key key,
		      const struct profile_entity *entity, struct buf *b);

/* "build b3 and 2 like it, the least of 10"; nothing where all builds are alike. */
void gate_rule_add_least(const struct gate_rule *r, size_t i, const char *before, struct buf *b);
/* "1.5 MiB", in the rule's unit. */
void gate_rule_add_amount(struct buf *b, const struct policy_rule *r, double v);
/* What people read of a breach (gate_describe.c): the sentence, the callers, the command and the waiver, and
 * its source where the entity itself has none. */
void gate_describe(const struct gate_context *x, const struct gate_rule *r, size_t i,
		   struct breach *to);
/* What of the policy had no effect (gate_notes.c), in the arena. */
void gate_notes(const struct gate_context *x, const struct gate_rule *rules,
		const struct compare_rows *rows, struct table_checks *to);

void gate_check(const struct gate_context *x, size_t index, const struct gate_rule *r,
		struct table_check *to);

#endif
