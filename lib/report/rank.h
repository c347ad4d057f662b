/* SPDX-License-Identifier: MIT
 *
 * Inside of top.h: what a group is called, and which groups come first.
 */
#ifndef TM_REPORT_RANK_H
#define TM_REPORT_RANK_H

#include "lib/report/project.h"

struct group_name {
	const char *name, *file, *module;
	size_t name_len, file_len, module_len;
	uint32_t line; /* 0: not known */
	uint64_t address;
	bool has_address;
};

void group_name(const struct project *p, const struct group *g, struct group_name *n);

/* The value that a group is ranked by; false: it has none. */
bool group_value(const struct project *p, size_t group, enum sum sum, bool cumulative, uint64_t *v);

/* Indexes of the first n groups (0: of all), best first; *n is then how many there are. The
 * caller's to free. */
uint32_t *rank_groups(const struct project *p, enum sum sum, bool cumulative, size_t *n);

#endif
