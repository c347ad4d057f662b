/* SPDX-License-Identifier: MIT
 *
 * Marks of frames. A mark holds for what follows it until the next one, and for an event that follows with a time
 * of its own which lies before the newest mark, the last mark that is not later than its time. Marks without
 * times, or whose times go back (the game started again), are known by their place alone. Where all marks are
 * known from the beginning (trace.marks), an event with a time has the last mark that is not later than its time,
 * wherever the event stands; one without still has that which stands before it.
 */
#ifndef TM_SELECT_MARKS_H
#define TM_SELECT_MARKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct frame_mark {
	int64_t number, start;
	int64_t duration; /* as the capture tells it, ns */
	uint64_t kept; /* ns of selected frames before it, since times went on without going back */
	bool timed, selected, lasting;
};

struct frame_marks { /* zeroed is empty and valid */
	struct frame_mark *items;
	size_t n, cap;
	size_t run; /* the first mark from which on times are there and do not go back */
	size_t at;  /* marks that came */
	bool known; /* all of them, from the beginning */
};

/* The mark that an event is. */
struct event;
struct frame_mark frame_mark_of(const struct event *ev);
/* A mark comes; where all are known, it is the next of them. */
void frame_marks_add(struct frame_marks *m, const struct frame_mark *mark);
/* All marks, before the first event; selection: of frames. */
struct trace_marks;
struct selection_ranges;
void frame_marks_know(struct frame_marks *m, const struct trace_marks *all,
		      const struct selection_ranges *frames);
/* Of an event that comes now: 0: before the first mark; else the mark's index + 1. */
size_t frame_marks_search(const struct frame_marks *m, int64_t time);
static inline size_t frame_marks_of(const struct frame_marks *m, bool timed, int64_t time)
{
	const struct frame_mark *newest = m->n ? &m->items[m->n - 1] : NULL;

	if (!newest || !timed || !newest->timed)
		return m->at;
	return time >= newest->start ? m->n : frame_marks_search(m, time);
}
/* How long the frame of the mark with this index lasted, ns: as the capture tells, or up to the next mark. False: it is
 * not known. */
bool frame_marks_duration(const struct frame_marks *m, size_t index, int64_t *ns);
/* Up to the next mark; below 0: that is not known. */
int64_t frame_marks_span(const struct frame_marks *m, size_t index);
/* The newest mark has a time: */
static inline bool frame_marks_timed(const struct frame_marks *m)
{
	return m->n && m->items[m->n - 1].timed;
}
/* For sinks that look at frames alone: a capture begins; and the mark of an event, which is added where it is
 * one itself. NULL: the event is before the first. */
struct trace;
void frame_marks_begin(struct frame_marks *m, const struct trace *t);
const struct frame_mark *frame_marks_advance(struct frame_marks *m, const struct event *ev);
/* ns from lo up to hi that selected frames have. */
uint64_t frame_marks_selected(const struct frame_marks *m, int64_t lo, int64_t hi);
static inline void frame_marks_reset(struct frame_marks *m)
{
	m->n = m->run = m->at = 0;
	m->known = false;
}
void frame_marks_release(struct frame_marks *m);

#endif
