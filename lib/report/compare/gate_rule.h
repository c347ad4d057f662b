/* SPDX-License-Identifier: MIT
 *
 * The inside of gate.h: a rule with its values, and the check it becomes.
 */
#ifndef TM_REPORT_COMPARE_GATE_RULE_H
#define TM_REPORT_COMPARE_GATE_RULE_H

#include "lib/report/compare/compare.h"
#include "lib/report/compare/judge.h"
#include "lib/report/compare/policy.h"
#include "lib/table/checks.h"

struct gate_subject {
	size_t row;         /* in the key's rows; SIZE_MAX: everything, or a sum */
	size_t things;      /* so many of which it is the sum */
	size_t guessed;     /* of them, or of the row: matched with the base by a guess */
	double *base, *new; /* per run */
};

/* As the index of a subject: what all of a rule's have in common. */
#define GATE_ALL_ALIKE SIZE_MAX

struct gate_rule {
	const struct policy_rule *rule;
	struct gate_subject *subjects;
	size_t n, cap, n_base, n_new;
	size_t guessed;                  /* things that a guess matched with the base */
	size_t unknown;                  /* things of which a value is not known */
	const struct judge_rule *judged; /* GROWTH: subjects in the same order */
	const struct judge_result *result;
	bool median;    /* of the base the median counts; of growth always, and of both sides */
	bool unmatched; /* it has patterns, and nothing matches one */
};

/* What counts of a subject on each side. */
double gate_base(const struct gate_rule *r, const struct gate_subject *s);
double gate_new_value(const struct gate_rule *r, const struct gate_subject *s);

struct gate_context {
	const struct compare *c;
	const struct compare_policy *p;
	const struct compare_rows *rows; /* of the rule's key; NULL: everything */
	const char *today, *lossy;
	bool allow_unmatched;
	/* Of all keys: sites and stacks say where a thing is, and who calls it. NULL: not held. */
	const struct compare_rows *sites, *stacks;
	bool *used;          /* by waiver */
	uint64_t gave_up;    /* patterns, in addition to the rule's own */
	struct arena *arena; /* texts and breaches */
};

/* "1.5 MiB", in the rule's unit. */
void gate_rule_add_amount(struct buf *b, const struct policy_rule *r, double v);
/* What people read of a breach (gate_say.c): the sentence, the callers, the command and the waiver, and
 * its source where the thing itself has none. */
void gate_say(const struct gate_context *x, const struct gate_rule *r, size_t i, struct breach *to);
/* What of the policy had no effect (gate_notes.c), in the arena. */
void gate_notes(const struct gate_context *x, const struct gate_rule *rules,
		const struct compare_rows *rows, struct table_checks *to);

void gate_check(const struct gate_context *x, size_t index, const struct gate_rule *r,
		struct table_check *to);

#endif
