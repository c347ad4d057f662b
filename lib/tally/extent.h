/* SPDX-License-Identifier: MIT
 *
 * The extent of the selected part of a capture: its duration and its number of frames, by which rates divide.
 * Ranges of frames and of times decide; sizes and threads do not, since a rate of them is one of the same time.
 *
 * Without ranges it is the time from the first event to the last. A frame lasts until the next begins,
 * the last one until the last event. A range of times counts as it was given, whether events are at its ends or
 * not, as far as the capture goes: from the recording's start to its end where the trace has them (TRACE_BEGIN,
 * TRACE_END; a recorder's times begin with its start), else from the first event, and to the last. Where both
 * kinds of ranges are given counts what is in both. A frame counts that begins in them
 * (tally_frames: that has a part in them).
 *
 * A capture's last mark, if it has a time, and nothing is behind it, only ends the frame before it, and is no frame: behind
 * it is what has a later time, and what follows it and has its time or none. What threads write down after it and lies
 * before it in time is not. It is a frame where the capture tells how long it lasted, and where it alone is selected.
 */
#ifndef TM_TALLY_EXTENT_H
#define TM_TALLY_EXTENT_H

#include "lib/select/marks.h"
#include "lib/select/selection.h"

/* The attribute of a part of a capture whose last mark is a frame, though what was behind it was left out. */
#define TRACE_LAST_FRAME "filtered.last_frame"

struct tally_extent {
	bool any;              /* an event has a time */
	int64_t first, last;   /* of all events that have one, selected or not */
	uint64_t marks;        /* of frames that are selected */
	struct {               /* the newest mark */
		bool ends;     /* the selected frame before it, as far as is known */
		bool selected; /* it counts in marks */
		bool followed; /* something is behind it */
		int64_t since; /* what comes now with this time or a later one is */
	} newest;

	bool open; /* a selected frame has begun at start, and has not ended */
	int64_t start;
	uint64_t framed;    /* ns of the selected frames that have ended */
	bool timed;         /* one of them has a time */
	int64_t begin, end; /* timed: of the first of them; of the last that has ended */
};

static inline void extent_reach(struct tally_extent *x, int64_t time)
{
	if (!x->any || time < x->first)
		x->first = time;
	if (!x->any || time > x->last)
		x->last = time;
	x->any = true;
	x->newest.followed |= time >= x->newest.since;
}
/* An event has no time. */
static inline void extent_follow(struct tally_extent *x)
{
	x->newest.followed = true;
}

/* s: NULL: everything. A frame begins, whose mark's own time was reached; timed: at a time that is known. */
void extent_frame(struct tally_extent *x, const struct tally_selection *s,
		  const struct frame_mark *mark, bool timed, int64_t time);
/* Some marks come that are not selected. */
void extent_skip(struct tally_extent *x);
/* At the capture's end. */
uint64_t extent_frames(const struct tally_extent *x, const struct trace *t);
/* The capture's last mark is no frame. */
bool extent_closes(const struct tally_extent *x, const struct trace *t);
/* At the capture's end. False: it is not known. A part of a capture says itself how long it took
 * (TRACE_DURATION). */
bool extent_duration(const struct tally_extent *x, const struct trace *t,
		     const struct tally_selection *s, uint64_t *ns);

/* Where that lies, as --time has it. False: in several pieces, or not known. */
bool extent_span(const struct tally_extent *x, const struct trace *t,
		 const struct tally_selection *s, int64_t *from, int64_t *to);

/* Writes into the part of the trace that is in the ranges where this part begins and ends. */
void extent_mark(const struct tally_extent *x, struct trace *t, const struct tally_selection *s);

#endif
