/* SPDX-License-Identifier: MIT
 *
 * The periods of samples (SUM_PERIOD). Those of one event (cycles, page-faults) add up; those of several do not.
 * A run whose captures have those of several events knows its periods by type only.
 */
#ifndef TM_GROUP_PERIODS_H
#define TM_GROUP_PERIODS_H

#include "lib/group/group_pass.h"

/* A cell has s; counts: the filters keep it. */
void periods_see(struct group_pass *f, const struct tally_cell *c, const struct tally_sums *s,
		 bool counts);
/* When what is known of the capture is learnt. */
void periods_learn(struct group_pass *f);
/* An aggregate with periods of this event was added to the run; several: they are of more than one. */
void periods_join(struct grouped_profile *p, const char *event, size_t n, bool several);

#endif
