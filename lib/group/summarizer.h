/* SPDX-License-Identifier: MIT
 *
 * The conversion of a profile's rows from groups of a grouped profile to entities (profile/entities.h), which mean
 * the same in other runs and builds.
 */
#ifndef TM_GROUP_SUMMARIZER_H
#define TM_GROUP_SUMMARIZER_H

#include "lib/group/grouped_profile.h"

/* Remembers which entities the groups of one grouped profile are. */
struct summarizer {
	struct profile_entities *entities; /* with the strings of p's names */
	struct grouped_profile *p;

	struct summarizer_index *index; /* summarizer.c */
};

void summarizer_init(struct summarizer *z, struct profile_entities *entities,
		     struct grouped_profile *p);
void summarizer_release(struct summarizer *z);
/* *r is a run of p (grouped_profile_finish_run). A grouping within another is passed over, and what only groups have
 * is given back. options: filters and ranges, as the user gave them; NULL: none. */
void summarize(struct summarizer *z, struct profile *r, const char *options);

#endif
