/* SPDX-License-Identifier: MIT
 *
 * The result of a gate: one check per rule of the policy, with its breaches. Everything is
 * borrowed, NUL-terminated, as captured (render escapes), and may be NULL where nothing else is
 * said.
 */
#ifndef TM_TABLE_CHECKS_H
#define TM_TABLE_CHECKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum verdict {
	VERDICT_PASS,
	VERDICT_IMPROVED,     /* passes, and is better than it was */
	VERDICT_SKIPPED,      /* nothing was there to check */
	VERDICT_WAIVED,       /* would fail, but a waiver is in force */
	VERDICT_INCONCLUSIVE, /* the data do not decide */
	VERDICT_FAIL,
	VERDICTS,
};

extern const char *const verdict_words[VERDICTS + 1]; /* "pass", ..., NULL */

/* Nothing is to be done about it. */
static inline bool verdict_holds(enum verdict v)
{
	return v <= VERDICT_SKIPPED;
}

/* One thing that broke a rule, or would have but for a waiver, or about which nothing can be
 * decided. */
struct breach {
	enum verdict verdict; /* FAIL, WAIVED or INCONCLUSIVE */
	const char *subject;  /* never NULL: the function, type, frame, total ... */
	/* For people, before the statistics: a sentence; "ai_system < main"; a command; and lines for
	 * the policy that accept it, each with its end. */
	const char *fact, *callers, *look, *accept;
	const char *message;  /* a sentence's part for people: "grew by 7.1 %" */
	const char *measured; /* values with units, for people */
	const char *limit;
	const char *detectable; /* the smallest growth that would have been detected */
	const char *waiver;     /* VERDICT_WAIVED: the reason, and until when */
	const char *file;       /* source of the subject, for an annotation; NULL: not known */
	uint32_t line;          /* 0: not known */
};

struct table_check {
	const char *name;     /* never NULL: the rule's name in the policy; unique in checks */
	const char *category; /* the rule's kind: "total", "growth", "coverage"; a JUnit class */
	enum verdict verdict;
	const char *message; /* one line for people */
	const char *measured, *limit;
	const char *waiver;   /* the reason, and until when, where something is waived */
	bool more_runs;       /* INCONCLUSIVE: more runs may decide it */
	uint32_t policy_line; /* where the policy says so; 0: not known */
	const struct breach *breaches;
	size_t n_breaches;
};

struct table_checks {
	const char *name; /* as a table's */
	const char *title;
	const char *policy; /* the policy's file */
	const struct table_check *items;
	size_t n_items;
	const char **notes; /* on the policy: what of it had no effect */
	size_t n_notes;
};

/* How many have this verdict. */
size_t checks_count(const struct table_checks *c, enum verdict v);

#endif
