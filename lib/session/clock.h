/* SPDX-License-Identifier: MIT
 *
 * The clock of a capture against that of another one of the same run, by what both have: frames, sync markers, or the
 * dates at which they began. What these do not say for sure stays unknown: no clock is taken to be another one.
 *
 * Frames: the lengths of both captures' frames are laid against each other in every way in which at least a tenth of the
 * shorter one overlaps; the changes from frame to frame, as logarithms, have to agree. One way is sure if chance makes so
 * good a match once in 10000 times at most, and no other way matches nearly as well. So frames that are all
 * of one length, or repeat, say nothing.
 *
 * Markers: the median of the differences, where two thirds of them lie within MARKS_NEAR of it.
 *
 * The error: the differences of the shared frames or markers lie within so much of each other, but for one of a hundred, and
 * the resolutions of both captures' times. It is not half of that: all that a clock is off by may be on one side, where
 * one of the two marks its frames late.
 */
#ifndef TM_SESSION_CLOCK_H
#define TM_SESSION_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum clock_by { CLOCK_UNKNOWN, CLOCK_ITSELF, CLOCK_FRAMES, CLOCK_MARKERS, CLOCK_DATES };

enum {
	CLOCK_FRAMES_MOST = 1 << 21, /* those behind are not looked at */
	MARKS_NEAR = 100000000,      /* ns */
	DATES_ERROR = 1000000000,    /* ns: clocks that were set alike */
};

/* Why a clock is not known. */
enum clock_why {
	CLOCK_NOTHING_SHARED, /* neither frames nor markers nor dates are in both */
	CLOCK_NO_TIMES,
	CLOCK_NO_MATCH,  /* frames of both differ */
	CLOCK_EVEN,      /* frames are too even to be told apart */
	CLOCK_AMBIGUOUS, /* frames match in more than one way */
	CLOCK_DISAGREE,  /* markers are of different moments */
};

struct clock_frame {
	int64_t start, duration; /* ns; duration below 0: not known */
};

struct clock_frames { /* borrowed */
	const struct clock_frame *items;
	size_t n;
	int64_t resolution; /* ns, of their times */
};

/* The other capture's time = time + offset + drift * (time - at). */
struct session_clock {
	enum clock_by by;
	enum clock_why why; /* CLOCK_UNKNOWN */
	int64_t offset, at; /* ns */
	double drift;
	int64_t error;   /* ns, either way */
	uint64_t shared; /* frames or markers */
	int64_t lag;     /* CLOCK_FRAMES: frame i is the other capture's frame i + lag */
	int64_t
	    dates; /* ns by which the offset is above that of the dates, beyond the errors of both; else 0 */
};

/* Finds how b's clock is to be read as a's. The times of starts ascend. *c is always set. */
bool clock_by_frames(const struct clock_frames *a, const struct clock_frames *b,
		     struct session_clock *c);

struct clock_pair { /* ns: when one marker was written */
	int64_t a, b;
};
/* Sorts the pairs. resolution: of a's times and of b's together. */
bool clock_by_markers(struct clock_pair *pairs, size_t n, int64_t resolution,
		      struct session_clock *c);

/* A time of the capture on the other one's clock, and back. Saturated. */
int64_t clock_there(const struct session_clock *c, int64_t time);
int64_t clock_back(const struct session_clock *c, int64_t time);
/* c, of b on a's clock, becomes that of b on the clock that a is read by. */
void clock_chain(struct session_clock *c, const struct session_clock *a);

#endif
