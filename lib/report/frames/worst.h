/* SPDX-License-Identifier: MIT
 *
 * The worst frames of a run that is ranked by site: the longest ones, or, if no frame has a time, those with most time
 * in calls or most allocated bytes. Each has the site with the largest part: of self time, if the capture has calls
 * with times, else of bytes. The sums are those of the rows of frames.h. Memory is that of tally/slices.h: a handful of
 * frames keep their stacks.
 *
 * A site of self time may be of any thread, and a thread that waits has most. So a frame of a capture of calls also has
 * its cause: the innermost call of own code (own_code.h) on the main thread in which two thirds of the frame passed. There
 * is at most one. Without such a call, and where paths of calls are not kept, a frame has no cause.
 */
#ifndef TM_REPORT_FRAMES_WORST_H
#define TM_REPORT_FRAMES_WORST_H

#include "lib/group/grouped_profile.h"
#include "lib/table/document.h"

#define FRAMES_WORST_TABLE "worst-frames" /* the table's name */

struct frames_worst;

/* p is by site, with its grouping number `stacks` by stack within that. budget: ns, 0: none. o gets what a
 * project needs for it, but for o->captured and o->sliced, which the caller hands on. */
struct frames_worst *frames_worst_new(struct grouped_profile_options *o, size_t stacks,
				      int64_t budget);
void frames_worst_free(struct frames_worst *w); /* accepts NULL */
/* grouped_profile_options.sliced and .captured */
void frames_worst_sliced(struct frames_worst *w, struct grouped_profile *p, const struct trace *t,
			 const struct tally_slice *s);
void frames_worst_captured(struct frames_worst *w, const struct grouped_profile *p);
/* After the last capture, when sites are what they stay. NULL: no frame was marked, or marks came behind
 * events of their time, which are not in their frames then. */
const struct table *frames_worst_table(struct frames_worst *w, struct grouped_profile *p);
/* The numbers of frames and, with a budget, of those above it; after the table. */
void frames_worst_numbers(const struct frames_worst *w, struct table_document *d);

#endif
