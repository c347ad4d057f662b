/* SPDX-License-Identifier: MIT
 *
 * The one place that decides which events count: by a selection, and by the frame, time, size and thread of an
 * event. The tally, the filter of tm-filter, spikes and the log of frames all ask here; what they do with events
 * that do not count is their own: the tally needs some of them for what is open, live or covered.
 *
 * It is no sink that hands on what counts. Behind such a sink the tally would not know how long the capture was, which
 * calls were open when a range began, and which address a dropped allocation took; tm-filter, which has to write these
 * down, pays for each by an event of its own.
 */
#ifndef TM_SELECT_SELECTOR_H
#define TM_SELECT_SELECTOR_H

#include "lib/select/marks.h"
#include "lib/select/selection.h"

/* Of an event, or of one end of several: without in_frame it is before the first frame, without has_time no event
 * had a time yet. */
struct selection_place {
	int64_t frame, time;
	bool in_frame, has_time;
};

/* In the ranges of frames and times. */
static inline bool selection_has_place(const struct tally_selection *s,
				       const struct selection_place *p)
{
	return (!s->frames.n || (p->in_frame && selection_in(&s->frames, p->frame))) &&
	       (!s->times.n || (p->has_time && selection_in(&s->times, p->time)));
}

/* Behind the last range: nothing is freed any more. */
static inline bool selection_is_over(const struct tally_selection *s,
				     const struct selection_place *p)
{
	return (p->in_frame && p->frame > s->frames.end) || (p->has_time && p->time > s->times.end);
}

/* Behind the last range of frames alone: where numbers go back, frames of it may come again. */
static inline bool selection_may_return(const struct tally_selection *s,
					const struct selection_place *p)
{
	return p->in_frame && p->frame > s->frames.end && !(p->has_time && p->time > s->times.end);
}

/* Allocations have sizes; others are in no range of sizes. */
static inline bool selection_has_size(const struct tally_selection *s, const struct event *ev)
{
	uint64_t size = ev->has & EV_HAS_REQUESTED ? ev->requested : ev->real;

	return !s->sizes.n ||
	       (ev->has & (EV_HAS_REQUESTED | EV_HAS_REAL) && event_allocates(ev->kind) &&
		selection_in(&s->sizes, size > INT64_MAX ? INT64_MAX : (int64_t)size));
}

struct selector {                                /* zeroed: everything is selected */
	const struct tally_selection *selection; /* borrowed; NULL: all */
	uint8_t *threads;                        /* verdict + 1; 0: not asked yet */
	size_t cap_threads;
	/* Of those who call selector_take: */
	struct frame_marks marks;
	const struct frame_mark *mark; /* of the present event; NULL: it is before the first */
	struct selection_place at;
};

/* A capture begins. */
void selector_begin(struct selector *s, const struct trace *t);
/* The next event: now it is the present one. */
void selector_take(struct selector *s, const struct event *ev);
static inline bool selector_has_place(const struct selector *s)
{
	return !s->selection || selection_has_place(s->selection, &s->at);
}
static inline bool selector_is_over(const struct selector *s)
{
	return s->selection && selection_is_over(s->selection, &s->at);
}
static inline bool selector_may_return(const struct selector *s)
{
	return s->selection && selection_may_return(s->selection, &s->at);
}
static inline bool selector_has_size(const struct selector *s, const struct event *ev)
{
	return !s->selection || selection_has_size(s->selection, ev);
}
bool selector_has_thread(struct selector *s, const struct trace *t, uint32_t thread);
void selector_release(struct selector *s);

#endif
