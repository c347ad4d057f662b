/* SPDX-License-Identifier: MIT */
#include "lib/session/axis.h"

#include "lib/base/mem.h"

#include <stdlib.h>
#include <string.h>

bool session_frames_shared(const struct session_clock *c)
{
	return c->by == CLOCK_ITSELF || c->by == CLOCK_FRAMES;
}

static void add_mark(struct axis_tap *a, int64_t number, int64_t time, int64_t duration)
{
	struct trace_marks *m = &a->marks;

	VEC_PUSH(m->items, m->n, m->cap) = (struct trace_mark){
	    .number = number, .time = time, .duration = duration, .lasting = duration >= 0};
}

static void mark_own(struct axis_tap *a)
{
	const struct survey *s = a->survey;

	for (size_t i = 0; i < s->n; i++)
		add_mark(a, (int64_t)i + a->clock->lag, s->frames[i].start, s->frames[i].duration);
}

static void mark_all(struct axis_tap *a)
{
	const struct clock_frame *f = a->axis->frames;
	size_t n = a->axis->n;

	for (size_t i = 0; i < n; i++)
		add_mark(a, (int64_t)i, clock_back(a->clock, f[i].start), f[i].duration);
	if (f[n - 1].duration >= 0)
		add_mark(a, (int64_t)n, clock_back(a->clock, f[n - 1].start + f[n - 1].duration),
			 -1);
}

static struct event event_of_mark(const struct trace_mark *m)
{
	struct event ev = {.kind = EV_FRAME,
			   .count = 1,
			   .has = EV_HAS_VALUE | EV_HAS_TIME,
			   .value = m->number,
			   .time = m->time};

	if (m->lasting) {
		ev.has |= EV_HAS_TARGET;
		ev.target = (uint64_t)m->duration;
	}
	return ev;
}

static enum status axis_begin(struct sink *sink, struct trace *t, struct err *e)
{
	struct axis_tap *a = (struct axis_tap *)sink;
	enum status st;

	a->marks.n = 0;
	/* The survey is of the first capture of the file. */
	if (a->axis->n && a->captures++ == 0) {
		if (session_frames_shared(a->clock))
			mark_own(a);
		else
			mark_all(a);
	}
	t->marks = a->marks.n ? &a->marks : NULL;
	st = a->tap.to->begin(a->tap.to, t, e);
	for (size_t i = 0; !st && !session_frames_shared(a->clock) && i < a->marks.n; i++) {
		const struct event ev = event_of_mark(&a->marks.items[i]);

		st = sink_event(a->tap.to, t, &ev, e);
	}
	return st;
}

/* Runs of events that are no frames go on as they are. */
static enum status axis_rows(struct axis_tap *a, struct trace *t, const struct sink_batch *b,
			     struct err *e)
{
	enum status st = ST_OK;
	size_t from = 0;

	for (size_t i = 0; !st && i <= b->n; i++) {
		struct sink_batch part = {.n = i - from, .rows = b->rows + from};

		if (i < b->n && b->rows[i].kind != EV_FRAME)
			continue;
		if (part.n)
			st = a->tap.to->batch(a->tap.to, t, &part, e);
		from = i + 1;
		if (i < b->n && session_frames_shared(a->clock) && a->at < a->marks.n && !st) {
			const struct event ev = event_of_mark(&a->marks.items[a->at++]);

			part = (struct sink_batch){.n = 1, .rows = &ev};
			st = a->tap.to->batch(a->tap.to, t, &part, e);
		}
	}
	return st;
}

static enum status axis_batch(struct sink *sink, struct trace *t, const struct sink_batch *b,
			      struct err *e)
{
	struct axis_tap *a = (struct axis_tap *)sink;

	return b->rows && a->axis->n && a->captures == 1 ? axis_rows(a, t, b, e)
							 : a->tap.to->batch(a->tap.to, t, b, e);
}

static void axis_ended(struct sink_tap *tap, struct trace *t)
{
	(void)tap;
	t->marks = NULL;
}

static const struct tap_hooks axis_hooks = {.ended = axis_ended};

void axis_tap_init(struct axis_tap *a, struct sink *to, const struct session_axis *axis,
		   const struct survey *s, const struct session_clock *c)
{
	*a = (struct axis_tap){.axis = axis, .survey = s, .clock = c};
	sink_tap_init(&a->tap, to, &axis_hooks, false);
	a->tap.sink.begin = axis_begin;
	a->tap.sink.batch = axis_batch;
}

void axis_tap_release(struct axis_tap *a)
{
	free(a->marks.items);
	a->marks = (struct trace_marks){.n = 0};
}
