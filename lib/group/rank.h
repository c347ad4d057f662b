/* SPDX-License-Identifier: MIT
 *
 * The names of groups, and their order by a sum.
 */
#ifndef TM_GROUP_RANK_H
#define TM_GROUP_RANK_H

#include "lib/group/grouped_profile.h"

struct group_name {
	const char *name, *file, *module;
	const char *label; /* of a frame */
	size_t name_len, file_len, module_len, label_len;
	uint32_t line; /* 0: not known */
	uint64_t address;
	bool has_address;
};

void group_name(const struct grouped_profile *p, size_t grouping, uint32_t group,
		struct group_name *n);

struct ranking {
	const struct grouped_profile *p;
	const struct profile *run;
	size_t grouping;
	enum sum sum;
	bool cumulative;
	bool some; /* groups of which nothing is live, and nothing below them is, are left out */
};

/* The value that a group is ranked by; false: it has none. Slack is signed;
 * the lifetime is the mean. */
bool group_value(const struct ranking *r, uint32_t group, enum sum sum, bool cumulative,
		 uint64_t *v);

/* Below 0: a comes before b. */
int rank_order(const struct ranking *r, uint32_t a, uint32_t b);

/* Indexes of the first n groups (0: of all) that the run knows, best first; *n is then how many
 * there are. The caller's to free. */
uint32_t *rank_groups(const struct ranking *r, size_t *n);

#endif
