/* SPDX-License-Identifier: MIT
 *
 * Sinks, the consumers of captures: readers push into a sink, and the stream writer, tm-dump and
 * every report are sinks. One capture is begin, any number of events, end; a file may hold several.
 * The trace passed in lives from begin until end returns. Any call may fail (a full disk, a
 * closed pipe); the reader then stops and returns that status.
 */
#ifndef TM_TRACE_SINK_H
#define TM_TRACE_SINK_H

#include "lib/base/err.h"
#include "lib/trace/model.h"

struct sink_blocks;       /* blocks.h */
struct sink_takes_allocs; /* allocs.h */

/* The least, the most and the last of some numbers. */
struct sink_span {
	bool any;
	int64_t least, most, last;
};

enum sink_seqs { SINK_SEQS_ALL, SINK_SEQS_NONE, SINK_SEQS_MIXED };

/* What a keeper of captures knows of events that follow each other, so that a sink need not see them. */
struct sink_digest {
	uint64_t n[EV_KINDS];
	uint64_t frees, freed;    /* EV_FREE and EV_FREED with an address that is not 0 */
	struct sink_span frames;  /* numbers of EV_FRAME */
	struct sink_span times;   /* of frames, allocations, totals of types, and of those frees */
	struct sink_span counted; /* of those and of readings of counters */
	struct sink_span all_times;
	uint64_t readings; /* EV_COUNTER with a value */
	/* Of the whole capture: numbers of its allocations and frees; it has calls, samples or growth
	 * of heaps. */
	enum sink_seqs seqs;
	bool measured;
	/* The events are the whole capture, and this is who has what a sink of the same kind made of
	 * them; else NULL. */
	const struct sink_made *made;
};

struct sink_made {
	/* It lives as long as the capture; NULL: not there. It may wait for it. */
	const void *(*take)(void *arg, size_t capture);
	void *arg;
	size_t capture;
	/* Of what it was made, by a sink that was asked for the same: a selection (tally) at its place;
	 * NULL: of all events, by one that was asked for all. */
	const void *selection;
};

struct sink {
	enum status (*begin)(struct sink *s, struct trace *t, struct err *e);
	enum status (*event)(struct sink *s, struct trace *t, const struct event *ev,
			     struct err *e);
	enum status (*end)(struct sink *s, struct trace *t, struct err *e);
	/* Several events at once, for the sinks that gain by it; NULL: event takes each. */
	enum status (*events)(struct sink *s, struct trace *t, const struct event *ev, size_t n,
			      struct err *e);
	/* Blocks of which only the kind is known; NULL: they come as events. They are counted. */
	enum status (*blocks)(struct sink *s, struct trace *t, const struct sink_blocks *b,
			      struct err *e);
	/* Instead of events that have been counted in t->events: true: it took them by what is known of
	 * them, with the same outcome. NULL: it never does. */
	bool (*digest)(struct sink *s, struct trace *t, const struct sink_digest *d);
	/* Allocations without what they are freed by; NULL: they come as events. */
	const struct sink_takes_allocs *allocs;
};

/* Counts the event in t->events and hands it on. */
static inline enum status sink_event(struct sink *s, struct trace *t, const struct event *ev,
				     struct err *e)
{
	t->events[ev->kind]++;
	return s->event(s, t, ev, e);
}

/* The same for n of them. A sink that takes them at once sees them all counted. */
static inline enum status sink_events(struct sink *s, struct trace *t, const struct event *ev,
				      size_t n, struct err *e)
{
	enum status st = ST_OK;

	if (!s->events) {
		for (size_t i = 0; !st && i < n; i++)
			st = sink_event(s, t, &ev[i], e);
		return st;
	}
	for (size_t i = 0; i < n; i++)
		t->events[ev[i].kind]++;
	return s->events(s, t, ev, n, e);
}

/* Hands them on to another sink; they are counted already. */
static inline enum status sink_pass(struct sink *to, struct trace *t, const struct event *ev,
				    size_t n, struct err *e)
{
	enum status st = ST_OK;

	if (to->events)
		return to->events(to, t, ev, n, e);
	for (size_t i = 0; !st && i < n; i++)
		st = to->event(to, t, &ev[i], e);
	return st;
}

#endif
