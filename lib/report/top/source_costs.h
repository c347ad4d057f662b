/* SPDX-License-Identifier: MIT
 *
 * Functions with their source and what each line of it costs, as a table. It is made from a grouping
 * by stack (KEY_STACK, within nothing) and one metric. What is a function's are its lines with
 * costs and those between them, and a few around; long stretches without costs are left out.
 */
#ifndef TM_REPORT_TOP_SOURCE_COSTS_H
#define TM_REPORT_TOP_SOURCE_COSTS_H

#include "lib/group/grouped_profile.h"
#include "lib/match/match.h"
#include "lib/table/table.h"

struct source_options {
	size_t grouping;
	int sort;                /* metric.h */
	struct match *match;     /* on display names; the caller's */
	uint64_t n;              /* functions, those of the largest totals; 0: all */
	const char *const *dirs; /* folders that sources are below (lib/base/source_file.h) */
	size_t n_dirs;
};

struct source_costs;

/* Per function that matches, and file that it is in: its self and total, then its lines. Total is what
 * lies in or below a call at the line, and counts once for a stack that has it more than once; self
 * is what stacks have that end there. p must outlive it and not change. NULL: the metric is not
 * known or does not add up; *e says why. */
struct source_costs *source_costs_new(const struct grouped_profile *p,
				      const struct source_options *o, struct err *e);
void source_costs_free(struct source_costs *s); /* accepts NULL */
const struct table *source_costs_table(const struct source_costs *s);

#endif
