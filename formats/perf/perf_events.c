/* SPDX-License-Identifier: MIT */
#include "formats/perf/perf_events.h"

#include "lib/base/buf.h"

#include <string.h>

/* With modifiers or without. */
bool perf_event_is_clock(const char *name, size_t n)
{
	return (n >= 9 && !memcmp(name, "cpu-clock", 9)) ||
	       (n >= 10 && !memcmp(name, "task-clock", 10));
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
	*kind = (struct perf_event_kind){.name = id, .clock = perf_event_is_clock(name, n)};
	kind->marker = trace_period_marker(t, id, "perf event", kind->clock ? "ns" : "");
	return kind;
}

void perf_events_sample(struct perf_events *x, const struct trace *t, struct perf_event_kind *kind,
			uint64_t period, struct emit_sample *sample)
{
	bool timed = t->metrics[METRIC_TIME].state != METRIC_ABSENT;

	kind->samples++;
	kind->periods += period;
	if (kind->clock && timed && period && !x->time)
		x->time = kind;
	sample->marker = kind->marker;
	sample->samples = KNOWN(1);
	if (period && kind == x->time)
		sample->self = KNOWN(period);
	else if (period && (!kind->clock || timed))
		sample->period = KNOWN(period);
}

enum status perf_events_push(const struct perf_events *x, struct import *im, struct err *e)
{
	struct trace *t = im->t;
	enum status st = ST_OK;
	struct buf b = BUF_INIT;

	if (x->time)
		trace_set(t, TRACE_CLOCK,
			  *trace_text(t, x->time->name) == 'c' ? "cpu-clock" : "task-clock");
	for (size_t i = 0; !st && i < x->n; i++) {
		const struct perf_event_kind *kind = &x->kinds[i];

		if (!kind->periods || kind->periods > INT64_MAX)
			continue;
		b.len = 0;
		buf_addf(&b, "perf.%s", trace_text(t, kind->name));
		st = emit_counter(im, emit_counter_id(im, buf_str(&b), kind->clock ? "ns" : ""),
				  ABSENT, (int64_t)kind->periods, e);
	}
	buf_release(&b);
	return st;
}

void perf_events_note(const struct perf_events *x, struct trace *t)
{
	if (x->n > 1)
		trace_note(t, NOTE_INFO, x->n,
			   "kinds of events are in the file: totals add up their samples, "
			   "markers separate them");
	for (size_t i = 0; x->time && i < x->n; i++)
		if (x->kinds[i].clock && &x->kinds[i] != x->time)
			trace_note(
			    t, NOTE_GUESS, x->kinds[i].samples,
			    "samples of '%s' do not count as times, because times of two "
			    "clocks do not add up: their ns are periods, and times are those "
			    "of '%s'",
			    trace_text(t, x->kinds[i].name), trace_text(t, x->time->name));
	if (x->others)
		trace_note(t, NOTE_LOSS, x->others,
			   "samples are of more than %d kinds of "
			   "events",
			   PERF_EVENTS_MOST);
}
