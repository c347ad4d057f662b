/* SPDX-License-Identifier: MIT
 *
 * One metric of the largest groups of one key along frames or steps of time, as a series: a line for each of them, and
 * one for all others together. What is live stays from one frame to the next; what was live before the first
 * frame counts from there on. Memory is O(frames x groups that they touch).
 */
#ifndef TM_REPORT_FRAMES_LINES_H
#define TM_REPORT_FRAMES_LINES_H

#include "lib/report/frames/frames.h"

enum { FRAMES_LINES_SHOWN = 6, FRAMES_LINES_MOST = 64 };

struct frames_lines_options {
	struct grouped_profile_options project; /* by[0]: the key */
	int64_t every;                          /* ns; 0: by frames */
	enum sum metric;
	uint64_t n;  /* lines besides that of the others; 0: FRAMES_LINES_SHOWN */
	bool places; /* titles are those of chain_group */
};

struct frames_lines;

struct frames_lines *frames_lines_new(const struct frames_lines_options *o);
void frames_lines_free(struct frames_lines *l); /* accepts NULL */
struct grouped_profile *frames_lines_project(struct frames_lines *l);
/* After the last capture; of the first one, more of which captures it has none. NULL: no capture knows the metric. No lines: it is
 * always 0. Valid until the next call. */
const struct table_series *frames_lines_series(struct frames_lines *l);

#endif
