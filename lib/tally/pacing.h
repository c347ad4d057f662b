/* SPDX-License-Identifier: MIT
 *
 * The pacing of frames, how evenly they came, in the words of the platform's tools and from the frames'
 * durations alone:
 *
 *  - A jank takes more than twice the mean of the three frames before it, and more than two frames of a film,
 *    2000/24 ms; a big jank, more than three, 125 ms; a small jank, more than one. A big jank is a jank, too, and a
 *    jank a small one. Stutter is the time of janks in percent of all time. These are PerfDog's, as Tencent's public
 *    manual has them (WeTest, "PerfDog User's Guide", "Notes for jank and stutter"); it tells of two and three frames,
 *    and one is what other tools take for the small ones.
 *  - 1 % low: the mean rate of the longest 1 % of the frames, rounded up, as CapFrameX's "1 % low average".
 *  - The variance of the rate is that of its values second by second, of the time that frames took; the last, which
 *    is not whole, does not count.
 *  - Frame pacing is the mean of the differences between a frame and the one before it.
 *  - Missed refreshes of a display of 60 Hz: a frame of n intervals, to the nearest, missed n - 1.
 *
 * All but the rate is absent where fewer than four frames came one after the other.
 */
#ifndef TM_TALLY_PACING_H
#define TM_TALLY_PACING_H

#include "lib/base/decimal.h"

enum pacing_metric {
	PACING_RATE,
	PACING_VARIANCE,
	PACING_LOW_1,
	PACING_LOW_01,
	PACING_SMALL_JANK,
	PACING_JANK,
	PACING_BIG_JANK,
	PACING_STUTTER,
	PACING_EVENNESS,
	PACING_MISSED_30,
	PACING_MISSED_60,
	PACING_MISSED_90,
	PACING_MISSED_120,
	PACING_METRICS
};
enum { PACING_DISPLAYS = PACING_METRICS - PACING_MISSED_30 };

struct pacing_word {
	const char *name;  /* as policies have it: "jank per minute" */
	const char *key;   /* of CSV: "janks_per_minute" */
	const char *title; /* of a column */
	const char *unit;
};
extern const struct pacing_word pacing_words[PACING_METRICS];

struct pacing {             /* zeroed is empty and valid */
	int64_t *durations; /* ns, of all frames */
	size_t n, cap;
	unsigned together; /* frames one after the other, at most 4 */
	int64_t last[3];   /* of these */
	uint64_t judged;   /* frames behind three others */
	uint64_t small, janks, big, missed[PACING_DISPLAYS];
	uint64_t follows;          /* frames behind another one */
	unsigned __int128 changes; /* ns */
	unsigned __int128 time, stutter;
	/* Frames that begin in a second of that time: */
	uint64_t second, in_second;
	unsigned __int128 sum, squares;
	bool sorted;
};

/* The next frame; a frame whose duration is not known, or is below 0, breaks the row. */
void pacing_add(struct pacing *p, bool known, int64_t duration);
/* False: it is absent. Sorts the durations. */
bool pacing_value(struct pacing *p, enum pacing_metric m, decimal *v);
/* The selected frames of a capture that has ended, or comes to its end. */
struct tally;
void tally_pacing(const struct tally *a, struct pacing *p);
void pacing_release(struct pacing *p);

#endif
