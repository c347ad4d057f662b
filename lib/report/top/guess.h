/* SPDX-License-Identifier: MIT
 *
 * The guess of allocator wrappers that no rule knows (alloc_wrappers.h): they are no sites any more, but are
 * passed over. The options to suggest are chosen here, too: those that, tried on the sums, change a ranking of
 * sites.
 *
 * The profile is as lib/group/resite.h has it.
 */
#ifndef TM_REPORT_TOP_GUESS_H
#define TM_REPORT_TOP_GUESS_H

#include "lib/base/buf.h"
#include "lib/group/grouped_profile.h"

/* Passes over what is found, again and again, since wrappers have wrappers; names of them and why go to said, which stays
 * empty where there are none. */
void guess_sites(struct grouped_profile *p, enum sum sum, struct buf *said);
/* The same where one site has more than half of a sum of allocations and is such a wrapper, and its callers say more. */
void guess_if_needed(struct grouped_profile *p, enum sum sum, struct buf *said);

enum { ADVICE_HIDE = 1 << 0, ADVICE_GUESS = 1 << 1 };

/* Of the site with more than half, if there is one: what of --hide and --guess-sites tells its callers apart. */
unsigned guess_advice(struct grouped_profile *p, enum sum sum);

#endif
