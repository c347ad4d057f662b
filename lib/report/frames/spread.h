/* SPDX-License-Identifier: MIT
 *
 * The spread of a metric of each group over the frames: mean, least, quartiles, most, and the frames of the
 * least and the most. Of calls the groups by type are markers. A frame where the metric is 0 does not count in
 * the group's numbers; the column of frames says how many do. Memory grows with groups, not with frames:
 * quartiles are within 0.8 % (stats/quantiles.h), all else is exact.
 */
#ifndef TM_REPORT_FRAMES_SPREAD_H
#define TM_REPORT_FRAMES_SPREAD_H

#include "lib/report/frames/frames.h"

struct frames_spread_options {
	struct grouped_profile_options project; /* by[0]: the key */
	int64_t every;                          /* ns; 0: by frames */
	/* FRAMES_AUTO, which is the first that has a value, or an enum sum that spread_measures. */
	int sort;
	uint64_t n; /* rows, those with the largest total first; 0: all */
};

/* What is live is of moments, and what may be below 0 has no quantiles. */
bool spread_measures(int metric);

struct frames_spread;

struct frames_spread *spread_new(const struct frames_spread_options *o);
void spread_free(struct frames_spread *s); /* accepts NULL */
struct grouped_profile *spread_project(struct frames_spread *s);
/* After the last capture. */
const struct table *spread_table(struct frames_spread *s);

#endif
