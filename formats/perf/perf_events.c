/* SPDX-License-Identifier: MIT */
#include "formats/perf/perf_events.h"

#include "lib/base/buf.h"

#include <string.h>

/* With modifiers or without. */
static bool is_clock(const char *name)
{
	return !strncmp(name, "cpu-clock", 9) || !strncmp(name, "task-clock", 10);
}

struct perf_event_kind *perf_event_kind(struct perf_events *x, struct trace *t, const char *name,
					size_t n)
{
	uint32_t id = trace_string(t, name, n);
	struct perf_event_kind *kind;

	for (size_t i = 0; i < x->n; i++)
		if (x->kinds[i].name == id)
			return &x->kinds[i];
	if (x->n == PERF_EVENTS_MOST) {
		x->others++;
		return NULL;
	}
	kind = &x->kinds[x->n++];
	*kind = (struct perf_event_kind){.name = id, .clock = is_clock(trace_text(t, id))};
	kind->marker = trace_marker(t, &(struct marker){id, trace_strz(t, "perf event")});
	return kind;
}

enum status perf_events_push(const struct perf_events *x, struct import *im, struct err *e)
{
	struct trace *t = im->t;
	enum status st = ST_OK;
	struct buf b = BUF_INIT;

	for (size_t i = 0; !st && i < x->n; i++) {
		const struct perf_event_kind *kind = &x->kinds[i];
		struct event ev = {
		    .kind = EV_COUNTER, .has = EV_HAS_TYPE | EV_HAS_VALUE, .count = 1};

		if (!kind->periods || kind->periods > INT64_MAX)
			continue;
		b.len = 0;
		buf_addf(&b, "perf.%s", trace_text(t, kind->name));
		ev.type =
		    trace_counter(t, &(struct counter){trace_string(t, b.data, b.len),
						       trace_strz(t, kind->clock ? "ns" : "")});
		ev.value = (int64_t)kind->periods;
		st = import_event(im, &ev, e);
	}
	buf_release(&b);
	return st;
}

void perf_events_note(const struct perf_events *x, struct trace *t)
{
	if (x->n > 1)
		trace_note(t, NOTE_INFO, x->n,
			   "kinds of events, whose samples add up in totals: their markers tell "
			   "them apart");
	if (x->others)
		trace_note(t, NOTE_LOSS, x->others, "samples of more than %d kinds of events",
			   PERF_EVENTS_MOST);
}
