/* SPDX-License-Identifier: MIT
 *
 * The counters of a comparison as a table: a row per counter that any run has, with each group's
 * mean of its runs' means, the largest reading, and the last group's change against the base.
 */
#ifndef TM_REPORT_COMPARE_COUNTERS_H
#define TM_REPORT_COMPARE_COUNTERS_H

#include "lib/report/compare/compare.h"
#include "lib/table/table.h"

struct compare_counters {
	const struct compare *c;
	struct table table;
	struct table_column columns[2 + 2 * COMPARE_GROUPS_MAX + 2];
	char keys[2 * COMPARE_GROUPS_MAX][16];
	uint32_t (*rows)[2]; /* name, unit */
	size_t cap;
};

/* c and r stay where they are until the release. */
void compare_counters_init(struct compare_counters *r, const struct compare *c);
void compare_counters_release(struct compare_counters *r);

#endif
