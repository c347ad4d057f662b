/* SPDX-License-Identifier: MIT
 *
 * A series is one value for each run: of the total, of an entity, of a rule of a policy, or of a counter. Its steps
 * (lib/stats/steps.h) are between builds, of which each has the median of its runs.
 *
 * Entities are distinguished by name here: what has the same name in two builds is one series,
 * whatever its line; names that are not unique by their files, too (series_match.h). A run that does not
 * know the metric, or was pruned of the entity, has no value: a gap, never 0.
 */
#ifndef TM_HISTORY_SERIES_H
#define TM_HISTORY_SERIES_H

#include "lib/history/history.h"
#include "lib/report/compare/policy.h"
#include "lib/stats/steps.h"
#include "lib/table/table.h"

struct history_line {
	const char *rule;   /* the policy's, or NULL */
	const char *key;    /* "total", "owner", ..., "counter" */
	const char *name;   /* the entity's; "total" */
	const char *metric; /* "real", "live count" */
	enum column_type type;
	unsigned decimals; /* of what is divided */
	double *v;         /* by run; NaN: absent */
	struct stats_step *steps;
	size_t n_steps; /* between builds that have a value, but first, at and last are runs */
	struct stats_tail tail; /* of builds, behind the steps */
	size_t present;         /* runs that have one */
	const char *was;        /* what it was called before; NULL: the same in all runs */
	bool joined;            /* internal to renamed.c */
};

struct history_renamed { /* from run on (its index); borrowed */
	const char *was, *now;
	size_t run;
};

struct history_lines {
	const struct history_runs *runs; /* borrowed */
	struct history_line *items;
	size_t n, cap;
	struct arena texts;
	struct history_renamed *renamed; /* by a guess (renamed.h) */
	size_t n_renamed, cap_renamed;
	size_t full; /* values that are left out: the store has no more than 2^63-1 */
	/* by history_steps_find: */
	size_t asked;     /* series that were tested */
	size_t too_short; /* that are not, or in which no step could be found though they move */
	size_t
	    undecided; /* of which it cannot be said that they do not step up: they move, and no step could be
			      found, or have a tail */
	size_t enough; /* builds in which a step can be found */
	size_t most,
	    behind; /* builds of the longest, and how many a step of it needs (stats_steps_behind) */
};

void history_lines_init(struct history_lines *l, const struct history_runs *runs);
void history_lines_release(struct history_lines *l);

/* The series of a rule; per is used as the rule's own. ST_UNSUPPORTED: the rule has no series
 * (rules about stacks, new entities, coverage), or no run knows the metric; *e says which. */
enum status history_series(struct history *h, struct history_lines *l,
			   const struct policy_rule *rule, enum run_per per, const char *name,
			   struct err *e);
/* The metric that all runs know best, for what asks for none: one of sums, or the first that there
 * is in the order of sort_first. Also of the groups SORT_LIVE and the like (metric.h). */
enum status history_metric(struct history *h, const struct history_runs *runs, int sort,
			   enum sum *to, struct err *e);

struct history_steps_options {
	struct stats_steps_options stats;
	double least_percent; /* smaller steps are passed over; 0: none */
	bool joint;           /* all series share alpha */
};
/* The runs of a build are next to each other (history_runs_gather). */
void history_steps_find(struct history_lines *l, const struct history_steps_options *o);
/* Lines with steps first, the largest in percent; then by their last value. */
void history_lines_sort(struct history_lines *l);
double history_step_percent(const struct stats_step *s); /* infinite for a rise from 0 */

/* v as a cell of the line's type; NaN is blank. */
struct table_cell history_cell(const struct history_line *l, double v);
/* The same for people: "1.5 MiB". */
void history_value_text(const struct history_line *l, double v, bool is_signed, struct buf *to);

#endif
