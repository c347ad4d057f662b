/* SPDX-License-Identifier: MIT */
#include "lib/group/filter_sink.h"

#include "lib/base/mem.h"
#include "lib/group/filter_calls.h"
#include "lib/group/group_pass.h"
#include "lib/group/regex_timeouts.h"
#include "lib/select/selector.h"
#include "lib/tally/live.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OUT_MOST = 64 };

struct filter_sink {
	struct sink sink, *to;
	struct event out[OUT_MOST]; /* of the batch that is read, what is kept of it */
	size_t n_out;
	struct grouped_profile project; /* for what filters say of stacks; adds up nothing */
	struct selector selector;
	struct filter_calls *calls; /* NULL: everything is kept */
	bool totals;                /* type totals stay */
	bool partly;                /* what is known by type totals alone is not any more */
	struct live live; /* kept blocks that are not freed yet, where events are in order */
	uint64_t dropped, displaced, frees, frames, logs;
	/* Frees of kept blocks behind the last range of frames; of them, those before frames of it that came again. */
	uint64_t passed, returned;
	uint64_t measures, counters; /* samples, growth and calls of them; readings */
	/* The trace's own count is that of what was read, until the end: it is checked against the
	 * totals that the input states. */
	uint64_t handed_on[EV_KINDS];
	struct event held;                /* a frame that begins outside of the ranges; 0: none */
	int64_t held_from;                /* INT64_MAX: not known */
	struct tally_extent extent, left; /* of what was read, of what was handed on */
};

/* Removes a block; false: it was not kept. */
static bool filter_sink_pop(struct filter_sink *s, uint32_t space, uint64_t address)
{
	struct live_block gone;

	return live_free(&s->live, space, address, 0, &gone);
}

static bool wanted(struct filter_sink *s, const struct trace *t, const struct event *ev)
{
	struct tally_cell c = {.type = ev->type < t->n_types ? ev->type : 0,
			       .stack = ev->stack < t->n_stacks ? ev->stack : 0};
	uint32_t node;

	return selector_has_place(&s->selector) && selector_has_size(&s->selector, ev) &&
	       selector_has_thread(&s->selector, t, ev->thread) &&
	       pass_place(pass_begin(&s->project, t), &c, &node);
}

/* The same of a sample, or of what a heap grew by: its type is a marker, and it has no size. */
static bool is_measure_wanted(struct filter_sink *s, const struct trace *t, const struct event *ev)
{
	struct tally_cell c = {.stack = ev->stack < t->n_stacks ? ev->stack : 0,
			       .domain = CELL_TIMED};
	uint32_t node;

	if (ev->kind == EV_SAMPLE && ev->type < t->n_markers)
		c.type = ev->type;
	return selector_has_place(&s->selector) && selector_has_size(&s->selector, ev) &&
	       selector_has_thread(&s->selector, t, ev->thread) &&
	       pass_place(pass_begin(&s->project, t), &c, &node);
}

/* They are counted already, as read. */
static enum status filter_sink_flush(struct filter_sink *s, struct trace *t, struct err *e)
{
	const struct sink_batch b = {.n = s->n_out, .rows = s->out};

	s->n_out = 0;
	return b.n ? s->to->batch(s->to, t, &b, e) : ST_OK;
}

/* timed, time: of the newest event that has a time. */
static void see_event(struct tally_extent *x, const struct tally_selection *sel,
		      const struct event *ev, bool timed, int64_t time)
{
	const struct frame_mark mark = frame_mark_of(ev);

	if (ev->has & EV_HAS_TIME)
		extent_reach(x, ev->time);
	else
		extent_follow(x);
	if (ev->kind == EV_FRAME)
		extent_frame(x, sel, &mark, timed, time);
}

static enum status forward(struct filter_sink *s, struct trace *t, const struct event *ev,
			   struct err *e)
{
	s->handed_on[ev->kind]++;
	see_event(&s->left, NULL, ev, ev->has & EV_HAS_TIME, ev->time);
	s->out[s->n_out++] = *ev;
	return s->n_out == OUT_MOST ? filter_sink_flush(s, t, e) : ST_OK;
}

/* A frame stays of which a part is in the ranges: it lasts until now, and a next one begins then. */
static enum status tap_forward_held(struct filter_sink *s, struct trace *t, bool next,
				    struct err *e)
{
	const struct tally_selection *sel = s->selector.selection;
	struct event frame = s->held;

	if (!frame.kind || !s->selector.at.has_time || !selection_in(&sel->frames, frame.value) ||
	    !selection_meets(&sel->times, s->held_from, s->selector.at.time, !next))
		return ST_OK;
	s->held.kind = 0;
	s->frames--;
	return forward(s, t, &frame, e);
}

static enum status put_call(void *arg, struct trace *t, const struct event *ev, struct err *e)
{
	return forward(arg, t, ev, e);
}

static enum status filter_sink_call(struct filter_sink *s, struct trace *t, const struct event *ev,
				    struct err *e)
{
	if (!selector_has_size(&s->selector, ev) ||
	    !selector_has_thread(&s->selector, t, ev->thread)) {
		s->measures += ev->kind == EV_ENTER;
		return ST_OK;
	}
	return filter_calls_event(s->calls, t, ev, selector_has_place(&s->selector), e);
}

static enum status filter_sink_alloc(struct filter_sink *s, struct trace *t, const struct event *ev,
				     uint32_t space, struct err *e)
{
	bool follow = t->metrics[METRIC_LIVE].state != METRIC_ABSENT && ev->address;
	struct live_block old;
	struct event gone;

	if (wanted(s, t, ev)) {
		if (follow && !t->unordered)
			live_alloc(&s->live, space, ev->address, 0, &(struct live_block){0}, &old);
		return forward(s, t, ev, e);
	}
	s->dropped++;
	if (!follow || selector_is_over(&s->selector) ||
	    !(t->unordered || filter_sink_pop(s, space, ev->address)))
		return ST_OK;
	s->displaced += !t->unordered;
	/* Without a time: it is not known when the displaced one was freed. */
	gone = (struct event){.kind = EV_FREE,
			      .domain = ev->domain,
			      .has = ev->has &
				     (EV_HAS_SEQ | EV_HAS_ADDRESS | EV_HAS_THREAD | EV_HAS_DOMAIN),
			      .thread = ev->thread,
			      .seq = ev->seq,
			      .address = ev->address};
	return forward(s, t, &gone, e);
}

static enum status filter_sink_begin(struct sink *sink, struct trace *t, struct err *e)
{
	struct filter_sink *s = (struct filter_sink *)sink;

	s->n_out = 0;
	live_reset(&s->live);
	selector_begin(&s->selector, t);
	s->dropped = s->displaced = s->frees = s->frames = s->logs = 0;
	s->passed = s->returned = 0;
	s->held.kind = 0;
	s->measures = s->counters = 0;
	if (s->calls)
		filter_calls_begin(s->calls);
	s->extent = s->left = (struct tally_extent){.any = false};
	s->partly = false;
	memset(s->handed_on, 0, sizeof s->handed_on);
	for (size_t m = 0; m < METRICS && !s->totals; m++)
		if (t->metrics[m].state != METRIC_ABSENT && t->metrics[m].key == METRIC_AT_TYPE) {
			t->metrics[m].state = METRIC_ABSENT;
			s->partly = true;
		}
	if (s->selector.selection && selection_begins_later(s->selector.selection) &&
	    trace_frees_are_of_kinds(t)) {
		t->metrics[METRIC_LIVE].state = METRIC_ABSENT;
		trace_note(
		    t, NOTE_INFO, 0,
		    "which blocks of the ranges are freed is not known: a free in the capture "
		    "names a size and a stack, not a block");
	}
	return s->to->begin(s->to, t, e);
}

static enum status filter_sink_event(struct sink *sink, struct trace *t, const struct event *ev,
				     struct err *e)
{
	struct filter_sink *s = (struct filter_sink *)sink;
	uint32_t process = ev->thread < t->n_threads ? t->threads[ev->thread].process : 0;
	uint32_t space = process * DOMAINS + ev->domain;
	const struct selection_place *at = &s->selector.at;
	enum status st;

	selector_take(&s->selector, ev);
	see_event(&s->extent, s->selector.selection, ev, at->has_time, at->time);
	st = tap_forward_held(s, t, ev->kind == EV_FRAME, e);
	if (st)
		return st;
	switch (ev->kind) {
	case EV_FRAME:
		s->held.kind = 0;
		if (!selector_is_over(&s->selector)) {
			s->returned += s->passed;
			s->passed = 0;
		}
		if (selector_has_place(&s->selector))
			break;
		s->held = *ev;
		s->held_from = at->has_time ? at->time : INT64_MAX;
		s->frames++;
		return ST_OK;
	case EV_ALLOC: return filter_sink_alloc(s, t, ev, space, e);
	case EV_PROFILE:
		if (wanted(s, t, ev))
			break;
		s->dropped++;
		return ST_OK;
	case EV_FREE:
	case EV_FREED:
		if (t->unordered || filter_sink_pop(s, space, ev->address)) {
			if (!selector_is_over(&s->selector))
				break;
			s->passed += selector_may_return(&s->selector);
		}
		s->frees++;
		return ST_OK;
	case EV_TYPE_TOTAL:
		if (s->totals && selector_has_place(&s->selector) &&
		    pass_type(pass_begin(&s->project, t), ev->type < t->n_types ? ev->type : 0)
			->kept)
			break;
		return ST_OK;
	case EV_LOG:
		if (selector_has_place(&s->selector) &&
		    selector_has_thread(&s->selector, t, ev->thread))
			break;
		s->logs++;
		return ST_OK;
	case EV_ENTER:
	case EV_EXIT:
		if (!s->calls)
			break;
		return filter_sink_call(s, t, ev, e);
	case EV_SAMPLE:
	case EV_DELTA:
		if (!s->calls || is_measure_wanted(s, t, ev))
			break;
		s->measures++;
		return ST_OK;
	case EV_COUNTER:
		if (selector_has_place(&s->selector))
			break;
		s->counters++;
		return ST_OK;
	default: break;
	}
	return forward(s, t, ev, e);
}

static enum status filter_sink_batch(struct sink *sink, struct trace *t, const struct sink_batch *b,
				     struct err *e)
{
	enum status st = sink_each(sink, t, b, e, filter_sink_event);

	return st ? st : filter_sink_flush((struct filter_sink *)sink, t, e);
}

/* A rate of what is left divides by the time that was selected, not by that between its events. */
static void note_duration(const struct filter_sink *s, struct trace *t)
{
	uint64_t all, left;
	char text[24];

	if (!extent_duration(&s->extent, t, s->selector.selection, &all))
		return;
	extent_mark(&s->extent, t, s->selector.selection);
	snprintf(text, sizeof text, "%" PRIu64, all);
	if (!extent_duration(&s->left, t, NULL, &left) || left != all)
		trace_set(t, TRACE_DURATION, text);
}

/* What was behind the last mark is left out, or the mark behind it is. */
static void note_last_frame(const struct filter_sink *s, struct trace *t)
{
	if (extent_closes(&s->left, t) && (s->held.kind || !extent_closes(&s->extent, t)))
		trace_set(t, TRACE_LAST_FRAME, "1");
}

static void note_parts(const struct filter_sink *s, struct trace *t)
{
	char text[24];

	if (!s->calls || !filter_calls_cut(s->calls))
		return;
	snprintf(text, sizeof text, "%" PRIu64, filter_calls_cut(s->calls));
	trace_set(t, TRACE_PARTS, text);
}

static enum status filter_sink_end(struct sink *sink, struct trace *t, struct err *e)
{
	struct filter_sink *s = (struct filter_sink *)sink;

	pass_end(&s->project);
	if (s->calls)
		s->measures += filter_calls_dropped(s->calls);
	if (s->dropped)
		trace_note(t, NOTE_INFO, s->dropped,
			   "allocation records were left out by a filter");
	if (s->returned)
		trace_note(
		    t, NOTE_LOSS, s->returned,
		    "frame numbers go back: frees between frames of the range were left out, "
		    "and their blocks look live");
	if (s->measures)
		trace_note(t, NOTE_INFO, s->measures,
			   "samples and enters of calls were left out by a filter");
	if (s->counters)
		trace_note(t, NOTE_INFO, s->counters,
			   "readings of counters were left out by a filter");
	if (s->frames)
		trace_note(t, NOTE_INFO, s->frames, "frames were left out by a filter");
	if (s->logs)
		trace_note(t, NOTE_INFO, s->logs, "lines of the log were left out by a filter");
	if (s->partly)
		trace_note(t, NOTE_INFO, 0,
			   "a filter on stacks left out values that are known per type only");
	regex_timeouts_note(t);
	note_duration(s, t);
	note_last_frame(s, t);
	note_parts(s, t);
	memcpy(t->events, s->handed_on, sizeof t->events);
	return s->to->end(s->to, t, e);
}

struct filter_sink *filter_sink_new(struct sink *to, const struct grouped_profile_options *o)
{
	struct filter_sink *s = mem_zalloc(sizeof *s);
	const struct tally_selection *sel = o->selection;

	s->sink = (struct sink){
	    .begin = filter_sink_begin, .batch = filter_sink_batch, .end = filter_sink_end};
	s->to = to;
	s->selector.selection = sel;
	s->totals = filters_by_type(o->filters) && (!sel || (!sel->sizes.n && !sel->n_threads));
	grouped_profile_init(&s->project, o);
	if (filters_any(o->filters) || (sel && !selection_all(sel)))
		s->calls = filter_calls_new(&s->project, &s->selector.marks, put_call, s);
	return s;
}

void filter_sink_free(struct filter_sink *s)
{
	if (!s)
		return;
	filter_calls_free(s->calls);
	selector_release(&s->selector);
	grouped_profile_release(&s->project);
	live_release(&s->live);
	free(s);
}

struct sink *filter_sink_in(struct filter_sink *s)
{
	return &s->sink;
}
