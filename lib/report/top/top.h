/* SPDX-License-Identifier: MIT
 *
 * TopN: the groups of a grouped profile, ranked by one sum, as a table. Equal sums are ordered by name, file,
 * line, module and address, so the same input always gives the same table.
 */
#ifndef TM_REPORT_TOP_TOP_H
#define TM_REPORT_TOP_TOP_H

#include "lib/group/grouped_profile.h"
#include "lib/group/metric.h"
#include "lib/table/table.h"

struct top_options {
	int sort;         /* an enum sum or SORT_AUTO and so on (metric.h) */
	bool cumulative;  /* functions and locations: by total, not self */
	uint64_t n;       /* rows; 0: all */
	unsigned metrics; /* SUM_BITs of columns; 0: TALLY_TOP */
	size_t shown;    /* the profile's grouping that the rows are of; within another, they are of
			   * both keys */
	uint64_t stacks; /* beneath each row; the grouping behind the shown one has to be by stack
			   * within it then */
	uint64_t callers;  /* rows with their main callers below them; the same holds */
	unsigned advice;   /* ADVICE_ bits of guess.h */
	bool frames_shown; /* the worst frames have a table: no note names one */
	bool own;          /* shown is of own code (own_code.h): a table below the ranking */
};

struct top;

/* p must outlive it and not change. NULL: the sum to sort by is not known; *e says why. */
struct top *top_new(const struct grouped_profile *p, const struct top_options *o, struct err *e);
void top_free(struct top *t); /* accepts NULL */
const struct table *top_table(const struct top *t);

#endif
