/* SPDX-License-Identifier: MIT
 *
 * The extent of the selected part of a capture: its duration and its number of frames, by which rates divide.
 * Ranges of frames and of times decide; sizes and threads do not, since a rate of them is one of the same time.
 *
 * Without ranges it is the time from the first event to the last. A frame lasts until the next begins,
 * the last one until the last event. A range of times counts as it was given, whether events are at its ends or
 * not, as far as the capture goes: from the recording's start to its end where the trace has them (TRACE_BEGIN,
 * TRACE_END; a recorder's times begin with its start), else from the first event, and to the last. Where both
 * kinds of ranges are given counts what is in both. A frame counts that begins in them.
 */
#ifndef TM_TALLY_EXTENT_H
#define TM_TALLY_EXTENT_H

#include "lib/select/selection.h"

struct tally_extent {
	bool any;            /* an event has a time */
	int64_t first, last; /* of all events that have one, selected or not */
	uint64_t frames;     /* that are selected */

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
}

/* s: NULL: everything. A frame begins; timed: at a time that is known. */
void extent_frame(struct tally_extent *x, const struct tally_selection *s, int64_t number,
		  bool timed, int64_t time);
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
