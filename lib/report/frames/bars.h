/* SPDX-License-Identifier: MIT
 *
 * The calls of each thread as bars over time: a row for each call, with its thread, how many calls are open around it,
 * its begin and its duration. With a step, calls of one level that are shorter than it and begin in the same step
 * are one row, from the first one's begin to the last one's end, under the name of the longest of them. So the rows
 * that a picture of N pixels needs are at most N for each level of each thread, whatever the number of calls.
 *
 * A call reaches into a range of times with all of its duration. Calls without times are counted and left out;
 * pauses are no calls. Calls that are open at the end, end at their thread's last event.
 */
#ifndef TM_REPORT_FRAMES_BARS_H
#define TM_REPORT_FRAMES_BARS_H

#include "lib/names/names.h"
#include "lib/select/selection.h"
#include "lib/table/table.h"
#include "lib/trace/sink.h"

enum { BARS_MOST = 1 << 20 };

struct frames_bars_options {
	const struct tally_selection *selection; /* of times and threads; borrowed */
	int64_t every;                           /* ns; 0: every call is a row */
	uint64_t levels;                         /* the outermost; 0: all */
	uint64_t n;                              /* rows, the longest; 0: BARS_MOST */
	bool mangled;
};

struct frames_bars;

struct frames_bars *frames_bars_new(const struct frames_bars_options *o);
void frames_bars_free(struct frames_bars *b); /* accepts NULL */
struct sink *frames_bars_sink(struct frames_bars *b);
/* After the last capture: by capture, thread, level and begin. */
const struct table *frames_bars_table(struct frames_bars *b);

#endif
