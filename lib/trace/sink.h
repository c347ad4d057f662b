/* SPDX-License-Identifier: MIT
 *
 * Sinks, the consumers of captures: readers push into a sink, and the stream writer, tm-dump and
 * every report are sinks. One capture is begin, any number of batches of events, end; a file may hold several.
 * The trace passed in lives from begin until end returns. Any call may fail (a full disk, a
 * closed pipe); the reader then stops and returns that status.
 *
 * A batch has the next events of the capture, in their order, in one of four forms: rows, columns of
 * allocations and frees (allocs.h), moves of kinds of blocks (blocks.h), or a digest. A sink gets rows, unless it
 * asks for more. It may give the same answer with less work by the others; it gives no other answer. It may
 * answer a digest by ST_NONE: then it has taken nothing, and the events come in another form.
 *
 * A batch and all that it points to are the pusher's, and valid during the call. Who pushes an event first
 * counts it in t->events, by the functions below, before the sink sees its batch; who hands a batch on (tap.h)
 * does not count again.
 */
#ifndef TM_TRACE_SINK_H
#define TM_TRACE_SINK_H

#include "lib/base/err.h"
#include "lib/trace/model.h"

struct sink_allocs; /* allocs.h */
struct sink_blocks; /* blocks.h */
struct sink_digest;

struct sink_batch {
	size_t n; /* events */
	/* One of these; the others are NULL. */
	const struct event *rows; /* n of them */
	const struct sink_allocs *columns;
	const struct sink_blocks *moves;
	const struct sink_digest *digest; /* what is known of them */
};

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
	const struct sink_snapshot *made;
};

struct sink_snapshot {
	/* It lives as long as the capture; NULL: not there. It may wait for it. */
	const void *(*take)(void *arg, size_t capture);
	void *arg;
	size_t capture;
	/* Of what it was made, by a sink that was asked for the same: a selection (tally) at its place;
	 * NULL: of all events, by one that was asked for all. */
	const void *selection;
};

/* Of what sink.wants returns, beside EV_HAS_*: moves as they are; digests. */
enum { SINK_WANTS_MOVES = 1 << 30, SINK_WANTS_DIGESTS = 1 << 29 };

struct sink {
	enum status (*begin)(struct sink *s, struct trace *t, struct err *e);
	enum status (*batch)(struct sink *s, struct trace *t, const struct sink_batch *b,
			     struct err *e);
	enum status (*end)(struct sink *s, struct trace *t, struct err *e);
	/* The forms that it takes beside rows; NULL: none. EV_HAS_*: columns; it looks at these fields of any event,
	 * or without EV_HAS_ADDRESS of any but EV_FREE and EV_FREED, of which columns then have only the
	 * numbers. It is asked between begin and end, and may answer differently from chunk to chunk, but for
	 * SINK_WANTS_MOVES and SINK_WANTS_DIGESTS, which are always the same. */
	unsigned (*wants)(struct sink *s, const struct trace *t);
};

static inline unsigned sink_wants(struct sink *s, const struct trace *t)
{
	return s->wants ? s->wants(s, t) : 0;
}

/* Counts n events in t->events and hands them to the sink. */
static inline enum status sink_events(struct sink *s, struct trace *t, const struct event *ev,
				      size_t n, struct err *e)
{
	const struct sink_batch b = {.n = n, .rows = ev};

	for (size_t i = 0; i < n; i++)
		t->events[ev[i].kind]++;
	return s->batch(s, t, &b, e);
}

static inline enum status sink_event(struct sink *s, struct trace *t, const struct event *ev,
				     struct err *e)
{
	return sink_events(s, t, ev, 1, e);
}

/* For a sink that looks at rows one by one: each of the batch, up to the first that fails. */
static inline __attribute__((always_inline)) enum status sink_each(
    struct sink *s, struct trace *t, const struct sink_batch *b, struct err *e,
    enum status (*take)(struct sink *s, struct trace *t, const struct event *ev, struct err *e))
{
	enum status st = ST_OK;

	for (size_t i = 0; !st && i < b->n; i++)
		st = take(s, t, &b->rows[i], e);
	return st;
}

#endif
