/* SPDX-License-Identifier: MIT
 *
 * Where captures go: readers push into a sink, and the stream writer, tm-dump and every report
 * are sinks. One capture is begin, any number of events, end; a file may hold several.
 * The trace passed in lives from begin until end returns. Any call may fail (a full disk, a
 * closed pipe); the reader then stops and returns that status.
 */
#ifndef TM_TRACE_SINK_H
#define TM_TRACE_SINK_H

#include "lib/base/err.h"
#include "lib/trace/model.h"

struct sink {
	enum status (*begin)(struct sink *s, struct trace *t, struct err *e);
	enum status (*event)(struct sink *s, struct trace *t, const struct event *ev,
			     struct err *e);
	enum status (*end)(struct sink *s, struct trace *t, struct err *e);
};

/* Counts the event in t->events and hands it on. */
static inline enum status sink_event(struct sink *s, struct trace *t, const struct event *ev,
				     struct err *e)
{
	t->events[ev->kind]++;
	return s->event(s, t, ev, e);
}

#endif
