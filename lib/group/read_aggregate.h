/* SPDX-License-Identifier: MIT
 *
 * The reader of an aggregate into a grouped profile, as if its captures had been read, for tm-top to rank.
 * Stacks are paths of functions, without lines but for their sites.
 */
#ifndef TM_GROUP_READ_AGGREGATE_H
#define TM_GROUP_READ_AGGREGATE_H

#include "lib/group/grouped_profile.h"
#include "lib/profile/file.h"

/* What a program asks of aggregates. */
struct aggregate_asked {
	const char *options; /* filters and ranges in words (cli_filter_words); NULL: none */
	/* What was pruned from one: so many entities of a key, with these sums. */
	void (*pruned)(void *arg, enum key by, uint64_t entities, const struct tally_sums *lost);
	void *arg;
	bool stacks_spare; /* stacks within rows are looked at where they are known */
};

/* ST_UNSUPPORTED: the profile groups by what an aggregate has not, or chooses differently than it
 * was chosen. */
enum status grouped_profile_read_aggregate(struct cursor *c, struct grouped_profile *p,
					   const struct aggregate_asked *asked, struct err *e);
/* Whether the head was made with the options asked for, if any are. */
enum status aggregate_check_options(const struct aggregate_record *head, const char *options,
				    struct err *e);

#endif
