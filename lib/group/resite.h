/* SPDX-License-Identifier: MIT
 *
 * A second choice of sites, for stacks that are added up already. It also passes over functions that no rule
 * names, as a guess, or to try one. No input is read for it.
 *
 * The profile is by site, by stack within that (all sums), and whatever else; grouped_profile_close was called;
 * and nothing of it came from an aggregate, whose sites were settled when it was made.
 */
#ifndef TM_GROUP_RESITE_H
#define TM_GROUP_RESITE_H

#include "lib/group/grouped_profile.h"

/* A rule says that the call is never passed over. */
bool resite_stays(struct grouped_profile *p, uint32_t call);
/* The sum of the site that would have most of it if these functions of names were passed over. */
uint64_t resite_try(struct grouped_profile *p, const uint32_t *functions, size_t n, enum sum sum);
/* From now on they are: the groups by site, their sums and the coverage of the run become what they are then. The total
 * time of calls in a site is not known afterwards, since it is no sum over stacks. */
void resite_pass_over(struct grouped_profile *p, const uint32_t *functions, size_t n);

#endif
