/* SPDX-License-Identifier: MIT
 *
 * Internal to frames.h: numbers over all frames of one metric. Percentiles are of the nearest
 * rank: the value of a frame that there is, and of equal ones the first.
 */
#ifndef TM_REPORT_FRAMES_STATS_H
#define TM_REPORT_FRAMES_STATS_H

#include "lib/report/frames/frames.h"

struct frames_order { /* the frames that have the metric, and steps of time without events */
	struct frames_rank {
		decimal v;
		uint64_t times; /* more than 1: steps without events that have the value, too */
		size_t row;     /* SIZE_MAX: such steps alone, which are 0 */
	} * items; /* ascending by value, then as they came; the steps come before those of 0 */
	size_t n;
	uint64_t all; /* times of all */
};

struct frames_order frames_order_new(const struct frames *f, int metric);
void frames_order_release(struct frames_order *o);
/* The smallest value such that percent of the frames are at most it; *row is the first that has
 * it, or SIZE_MAX for a step without events. False: no frame has the metric. */
bool frames_percentile(const struct frames_order *o, unsigned percent, decimal *v, size_t *row);
decimal frames_mean(const struct frames_order *o); /* of some */

/* The limit above which a frame breaks the rule; false: the rule decides nothing (a median or a MAD
 * of 0, or no frame that has the metric). */
bool spike_limit(const struct frames *f, const struct spike *s, decimal *limit);
/* Of SPIKE_SHARE, in a frame that takes so long. */
decimal spike_share(decimal duration, decimal percent);

/* How a level grows for good, over the frames or steps of time after the first quarter, which is the start of the
 * program, but for a last one that the capture ends in. What is less again later was not for good. Of what came since
 * the last swing (allocated and freed again, as by a collector) as much as a swing may go, too, and does not count. It
 * grows if the least of the last tenth is above the least of all by more than a 200th of the end, and a quarter of a
 * swing. It falls if all of the last tenth is below all of the first by more than a 200th of the start. Otherwise all
 * is 0.
 * False: fewer than GROWTH_FRAMES have the metric. */
enum { GROWTH_FRAMES = 8, GROWTH_STEPS = 3, GROWTH_PART = 20, GROWTH_LEAST = 200 };
struct frames_growth {
	decimal all;     /* below 0: falls */
	size_t from, to; /* not 0: rows between which it does, but for a twentieth at both ends */
	double slope;    /* between them, in units per frame (or per step of time) */
	/* The frames, GROWTH_STEPS at most, that have together four fifths of a growth, the largest first; or the one in which it
	 * falls. */
	size_t n; /* 0: it does so in more */
	struct frames_growth_step {
		decimal by;
		size_t row;
	} steps[GROWTH_STEPS];
	decimal sum; /* of these steps */
};
bool frames_growth(const struct frames *f, int metric, struct frames_growth *to);

#endif
