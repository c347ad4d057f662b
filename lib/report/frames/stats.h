/* SPDX-License-Identifier: MIT
 *
 * Internal to frames.h: numbers over all frames of one metric. Percentiles are of the nearest
 * rank: the value of a frame that there is, and of equal ones the first.
 */
#ifndef TM_REPORT_FRAMES_STATS_H
#define TM_REPORT_FRAMES_STATS_H

#include "lib/report/frames/frames.h"

struct frames_order { /* the frames that have the metric, and steps of time without events */
	uint32_t
	    *rows;     /* ascending by value, then as they came; the steps come before those of 0 */
	size_t n;      /* of rows */
	size_t below;  /* of them: less than 0 */
	uint64_t idle; /* steps of time in which nothing happened: their value is 0 */
	int metric;
};

struct frames_order frames_order_new(const struct frames *f, int metric);
void frames_order_release(struct frames_order *o);
/* The smallest value such that percent of the frames are at most it; *row is the first that has
 * it, or SIZE_MAX for an idle step. False: no frame has the metric. */
bool frames_percentile(const struct frames *f, const struct frames_order *o, unsigned percent,
		       decimal *v, size_t *row);

/* The limit above which a frame breaks the rule; false: the rule decides nothing (a median or a MAD
 * of 0, or no frame that has the metric). */
bool spike_limit(const struct frames *f, const struct spike *s, decimal *limit);
/* Of SPIKE_SHARE, in a frame that takes so long. */
decimal spike_share(decimal duration, decimal percent);

/* Theil and Sen: the median of the slopes between all pairs of frames, in units per frame (or per
 * step of time). Of more than TREND_MAX frames, so many evenly spaced ones. False: fewer than 8
 * frames have the metric. */
enum { TREND_MAX = 512, TREND_MIN = 8 };
bool frames_trend(const struct frames *f, int metric, double *slope);

/* Where a level rose for good: the frames or steps of time, RISES_MOST at most, that have together four fifths of all
 * growth, the largest first. What rises in the first quarter is the start of the program, and what is less later was
 * not for good. False: it does not grow (by a twentieth of its end, and half of what it ever rose by), or it does so in
 * more, or there are fewer than RISES_FRAMES: then frames_trend says how much. */
enum { RISES_MOST = 3, RISES_FRAMES = 12 };
struct frames_rises {
	decimal all, sum; /* of the growth: all, and that of the steps */
	size_t n;
	struct frames_rise {
		decimal by;
		size_t row;
	} steps[RISES_MOST];
};
bool frames_rises(const struct frames *f, int metric, struct frames_rises *to);

#endif
