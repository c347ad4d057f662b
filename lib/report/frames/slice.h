/* SPDX-License-Identifier: MIT
 *
 * The sums of a slice as every report on frames has them: of what the filters keep, in the domain that
 * counts.
 */
#ifndef TM_REPORT_FRAMES_SLICE_H
#define TM_REPORT_FRAMES_SLICE_H

#include "lib/report/frames/groups.h"

/* The slice's sums; live: after it. *known gets the SUM_BITs of the sums that what is selected can have. With
 * filters by name, g is filled by p's first grouping; every slice of a capture has to come by then. */
struct tally_sums frame_slice_sums(struct frame_groups *g, struct grouped_profile *p,
				   const struct trace *t, const struct tally_slice *s,
				   unsigned *known);

#endif
