/* SPDX-License-Identifier: MIT
 *
 * The policy file (tracemill-policy(5)): rules that a comparison is checked against, and waivers.
 * Sections [policy], [rule NAME] and [waiver NAME] of lib/base/ini.h.
 */
#ifndef TM_REPORT_COMPARE_POLICY_H
#define TM_REPORT_COMPARE_POLICY_H

#include "lib/base/arena.h"
#include "lib/base/buf.h"
#include "lib/base/err.h"
#include "lib/group/grouping.h"
#include "lib/match/match.h"
#include "lib/names/disambiguate.h"
#include "lib/names/paths.h"
#include "lib/profile/identity.h"
#include "lib/profile/per.h"
#include "lib/tally/counters.h"
#include "lib/tally/sums.h"

enum policy_kind {
	POLICY_GROWTH,   /* new against base: percent AND absolute, where there are count of them */
	POLICY_MAX,      /* no more than this on the new side; needs no base */
	POLICY_NEW,      /* so many entities may be there that the base has not */
	POLICY_COVERAGE, /* at least this share of the metric is at named sites */
};
extern const char *const policy_kinds[]; /* "growth", ... */

enum { POLICY_MATCH_MAX = 16384 }; /* bytes of a line with an expression that is proposed */
enum { POLICY_TOTAL = KEYS };      /* the key of everything together */

struct policy_rule {
	decimal absolute; /* GROWTH: allowed growth; NEW: smaller entities do not count */
	decimal max;      /* MAX: the most */
	const char *name; /* unique */
	uint32_t line;
	enum policy_kind kind;
	enum sum metric;
	const char *counter;    /* NULL, or instead of the metric: a counter's name, */
	enum counter_stat stat; /* and what of it */
	int key;                /* enum key, or POLICY_TOTAL */
	struct match **match;   /* names of the key: any of them; none: all */
	size_t n_match;
	bool each;         /* every entity by itself; else their sum */
	bool cumulative;   /* total and not self, where the key has both */
	enum run_per per;  /* not PER_CAPTURE */
	double percent;    /* GROWTH: allowed growth; COVERAGE: least share; NaN: not given */
	double drop;       /* COVERAGE: points it may fall below the base; NaN: not given */
	bool time;         /* of a counter: limits are in ns, whatever its unit of time is */
	uint64_t count;    /* entities with fewer allocations on both sides do not count */
	uint64_t most_new; /* NEW: so many */
};

struct policy_waiver {
	const char *name, *reason;
	const char *until; /* YYYY-MM-DD, the last day on which it counts */
	uint32_t line;
	const char *rule_name;
	size_t rule;         /* its index in rules */
	struct match *match; /* on the subject; NULL: all of the rule's */
	decimal max;         /* it covers values up to this, */
	bool has_max;        /* or all */
};

struct compare_policy {
	struct policy_rule *rules;
	size_t n_rules, cap_rules;
	struct policy_waiver *waivers;
	size_t n_waivers, cap_waivers;
	double alpha;  /* error rate of all rules together; 0.05 */
	uint64_t runs; /* so many on a side have to say that something grew; 1 */
	/* The base of a history: a build's runs, or of so many newest builds for each subject the
	 * least (judge_least.h). NULL and 0: its newest runs. */
	const char *against;
	uint64_t best_of;
	struct paths *paths; /* of its map-path lines; NULL: none */
	/* Of its map-module and map-function lines. */
	struct identity_map *modules, *functions;
	size_t n_modules, cap_modules, n_functions, cap_functions;
	struct arena arena;
};

/* The name is for messages. ST_BAD: "line 3, column 9: ...". A failed policy is released
 * already. */
enum status policy_parse(struct compare_policy *p, const char *name, const char *text, size_t n,
			 struct err *e);
enum status policy_read(struct compare_policy *p, const char *path, struct err *e);
void policy_release(struct compare_policy *p);

/* True for a rule without patterns. */
bool policy_about(const struct policy_rule *r, const struct name_suffix_name *s);
/* An expression that matches this, without a backslash, which is printed as two. */
void policy_add_literal(struct buf *b, const char *s, size_t n);
/* How often the patterns of a rule, and of its waivers, were given up (match.h). */
uint64_t policy_gave_up(const struct compare_policy *p, size_t rule);
/* The waiver that is in force for a rule's subject of this value (NaN: it has none) on a day; NULL: none. *other: one
 * that would be, had its day not passed or were the value smaller; may be NULL. */
const struct policy_waiver *policy_waived(const struct compare_policy *p, size_t rule,
					  const struct name_suffix_name *s, double value,
					  const char *today, const struct policy_waiver **other);

/* YYYY-MM-DD of a day that exists. */
bool policy_date(const char *s);

#endif
