/* SPDX-License-Identifier: MIT
 *
 * Internals of tally/tally.h: the work that the wanted sums need.
 */
#ifndef TM_TALLY_WORK_H
#define TM_TALLY_WORK_H

#include "lib/tally/tally.h"

/* At a capture's beginning, from its metrics. */
void tally_choose_work(struct tally *a, const struct trace *t);
/* At its end. Not needed before: the blocks themselves give the sums. Sums saturate here. */
void tally_settle_live(struct tally *a);

#endif
