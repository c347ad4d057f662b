/* SPDX-License-Identifier: MIT
 *
 * Frames in detail: each type with the stacks that allocated it, largest first. The profile's
 * first grouping is by type, its second by stack within the first.
 */
#ifndef TM_REPORT_FRAMES_DETAIL_H
#define TM_REPORT_FRAMES_DETAIL_H

#include "lib/report/frames/frames.h"

struct frames_detail;

/* by[0] and by[1] of a profile that frames_detail_new can show. */
void frames_detail_groupings(struct grouped_profile_options *o);
/* sort: FRAMES_AUTO or an enum sum; n: types, 0: all; stacks: of each type, 0: all. p must outlive
 * it and not change. NULL: the metric is not known. */
struct frames_detail *frames_detail_new(const struct grouped_profile *p, int sort, uint64_t n,
					uint64_t stacks, const char *title, struct err *e);
void frames_detail_free(struct frames_detail *d); /* accepts NULL */
const struct table *frames_detail_table(const struct frames_detail *d);

#endif
