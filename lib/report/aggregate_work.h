/* SPDX-License-Identifier: MIT
 *
 * Inside of aggregate.h: what has to be done for the sums that are wanted.
 */
#ifndef TM_REPORT_AGGREGATE_WORK_H
#define TM_REPORT_AGGREGATE_WORK_H

#include "lib/report/aggregate.h"

/* At a capture's beginning, from its metrics. */
void aggregate_choose_work(struct aggregate *a, const struct trace *t);
/* At its end. Nobody asked before: the blocks themselves tell. Sums saturate here. */
void aggregate_settle_live(struct aggregate *a);

#endif
