/* SPDX-License-Identifier: MIT
 *
 * The parts of a step: the runs before and after the step side by side, entity by entity or stack by
 * stack. Differences of a key that has no totals add up: those that are shown, what is left of the
 * others, and what was pruned are together the difference of everything.
 *
 * What is above the runs' noise comes first (judge.h, with nothing allowed and an error of 5 % for all rows
 * together), then what is not; in each the surest first: what steps between these very runs, and not
 * before or behind. Of equally sure ones, as of one run on each side, the largest comes first.
 */
#ifndef TM_HISTORY_BLAME_H
#define TM_HISTORY_BLAME_H

#include "lib/history/history.h"
#include "lib/history/series.h"
#include "lib/report/compare/compare.h"
#include "lib/report/compare/policy.h"
#include "lib/table/document.h"

enum { BLAME_RUNS = 10 }; /* on each side, the nearest to the step */

struct history_blame_options {
	enum key by;
	enum sum sum;
	int per;      /* enum run_per; -1: per capture where a run has several */
	uint64_t top; /* rows; 0: all that differ */
	bool flame;   /* the graph of stacks, too */
	bool
	    up; /* what is blamed is a step up, of an entity: where everything has fallen, that is not the step */
	const struct policy_rule *about; /* borrowed for history_blame_new: only entities that its
					  * patterns match; NULL: all */
};

struct history_side { /* borrowed */
	const struct history_run *const *runs;
	size_t n;
};

/* Both sides of a step; do not move it: the sides point into it. */
struct history_sides {
	const struct history_run *items[2][BLAME_RUNS];
	struct history_side base, new;
};
/* The runs with a value that are nearest to the step, without those beyond the next step. */
void history_sides_of(const struct history_runs *runs, const struct history_line *l,
		      const struct stats_step *s, struct history_sides *to);

struct history_blame;

/* Reads the runs' aggregates. NULL: *e says why; ST_UNSUPPORTED: a run does not know the metric. */
struct history_blame *history_blame_new(struct history *h, const struct history_side *base,
					const struct history_side *new,
					const struct history_blame_options *o, struct err *e);
void history_blame_free(struct history_blame *b); /* accepts NULL */
/* Table "blame", and the flame graph. */
void history_blame_add(struct history_blame *b, struct table_document *d);
/* The largest part of the step that is no noise, or else the surest growth, as "name: +1.5 MiB of +2.0 MiB", for people;
 * without what it is of where it is no part of that; NULL: nothing grew. */
const char *history_blame_text(struct history_blame *b);

#endif
