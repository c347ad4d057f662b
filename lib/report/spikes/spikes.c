/* SPDX-License-Identifier: MIT */
#include "lib/report/spikes/spikes.h"

#include "lib/base/mem.h"
#include "lib/group/regex_timeouts.h"
#include "lib/report/spikes/judge.h"
#include "lib/report/spikes/samples.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Descriptions of callers that a spike has, the innermost ones. */
enum { DESCRIBED = 64 };

static uint32_t innermost(const struct trace *t, const struct event *ev)
{
	return ev->has & EV_HAS_STACK ? t->stacks[ev->stack].location : 0;
}

static void see_time(struct spikes *s, struct open_thread *open, const struct event *ev)
{
	struct spikes_reading *r = s->reading;

	if (ev->has & EV_HAS_TIME)
		open_calls_elapsed(&r->calls_open, open, ev->time);
	else
		r->odd[ODD_UNTIMED]++;
}

static void push(const struct spikes *s, struct spike_thread *th, uint32_t function,
		 struct spike_open call)
{
	const struct spike_function *f = &s->functions.items[function];
	const struct spike_open *parent = th->n ? &th->open[th->n - 1] : NULL;

	call.kept = f->kept | (parent ? parent->kept : 0);
	call.owner = parent && parent->owner < f->owner ? parent->owner : f->owner;
	if (call.text || call.state.describe)
		VEC_PUSH(th->described, th->n_described, th->cap_described) = (uint32_t)th->n;
	th->path = mem_grow(th->path, &th->cap_path, th->n + 1, sizeof *th->path);
	th->path[th->n] = function;
	th->nodes = mem_grow(th->nodes, &th->cap_nodes, th->n + 1, sizeof *th->nodes);
	th->nodes[th->n] = 0;
	VEC_PUSH(th->open, th->n, th->cap) = call;
}

static void pop(struct spike_thread *th, struct open_thread *open)
{
	th->n--;
	open_calls_pop(open);
	if (th->n_described && th->described[th->n_described - 1] == th->n)
		th->n_described--;
	if (th->listed > th->n)
		th->listed = th->n;
}

static void spikes_on_enter(struct spikes *s, const struct trace *t, const struct event *ev)
{
	struct spikes_reading *r = s->reading;
	struct spike_thread *th = spikes_thread(s, t, ev->thread);
	struct open_thread *open = open_calls_thread(&r->calls_open, ev->thread);
	struct open_call opens = {.type = ev->has & EV_HAS_TYPE ? ev->type : 0,
				  .stack = ev->has & EV_HAS_STACK ? ev->stack : 0};
	struct spike_open call;
	struct spike_place place = {.t = t,
				    .thread = ev->thread,
				    .at = {.in_frame = r->in_frame,
					   .frame = r->frame,
					   .has_time = ev->has & EV_HAS_TIME,
					   .time = ev->time},
				    .callers = th->path,
				    .n_callers = th->n};
	uint32_t function;

	if (th->inactive)
		return;
	see_time(s, open, ev);
	if (!open_calls_enter(&r->calls_open, open, &opens)) {
		th->open[th->n - 1].below++;
		if (th->n + open->deep > r->deepest)
			r->deepest = th->n + open->deep;
		return;
	}
	call = (struct spike_open){.time = ev->time,
				   .text = ev->has & EV_HAS_NAME ? ev->name : 0,
				   .marker = opens.type,
				   .has_time = ev->has & EV_HAS_TIME};
	function = spike_function_of(&s->functions, t, innermost(t, ev), call.marker);
	r->odd[ODD_UNKNOWN] += !function;
	spikes_judge(s, function, th->limit, th->n ? &th->open[th->n - 1].state : NULL, &place,
		     &call.state);
	for (size_t i = 0; call.state.has_parents && i < th->n; i++) {
		struct spike_state *caller = &th->open[i].state;

		if (!caller->by_call || call.state.parents > caller->limit)
			caller->limit = call.state.parents;
		caller->by_call = caller->by_rule = true;
	}
	call.state.by_rule |= th->by_rule;
	call.waits = open_calls_waits(ev);
	s->waits |= call.waits;
	call.pause = open_calls_pause(ev) || (th->n && th->open[th->n - 1].pause);
	call.state.paused |= call.pause;
	push(s, th, function, call);
}

/* It is a call of the program, by which its hooks are counted. */
static bool is_judged(const struct spike_open *o)
{
	return !o->pause && !o->waits;
}

/* What is open ends without a time of its own: what it called is its caller's then. */
static void drop(struct spike_thread *th, struct open_thread *open)
{
	const struct spike_open *o = &th->open[th->n - 1];
	struct spike_open *parent = th->n > 1 ? &th->open[th->n - 2] : NULL;

	if (parent) {
		parent->children += o->children;
		parent->paused += o->paused;
		parent->waited += o->waited;
		parent->below += o->below + is_judged(o);
	}
	pop(th, open);
}

static void spikes_add_texts(struct spikes *s, const struct trace *t, const struct spike_thread *th,
			     const struct event *ev, const struct spike_seen *spike)
{
	struct spikes_reading *r = s->reading;
	const struct spike_rules *rules = s->options.rules;
	const struct spike_state *leaf = &th->open[th->n - 1].state;
	const char *text;
	size_t n;

	r->n_texts = 0;
	r->text.len = 0;
	for (size_t k = th->n_described > DESCRIBED ? th->n_described - DESCRIBED : 0;
	     k < th->n_described; k++) {
		uint32_t i = th->described[k];
		const struct spike_open *o = &th->open[i];

		text = intern_text(&t->strings, o->text, &n);
		spikes_add_text(s, i, text, o->text ? n : 0);
		if (o->state.describe)
			spikes_add_rule_text(s, spike, i,
					     rules->items[o->state.describe - 1].describe);
	}
	if (ev->has & EV_HAS_NAME) {
		text = intern_text(&t->strings, ev->name, &n);
		spikes_add_text(s, spike->depth, text, n);
	}
	if (leaf->message)
		spikes_add_rule_text(s, spike, spike->depth,
				     rules->items[leaf->message - 1].message);
}

static enum status spikes_report_call(struct spikes *s, const struct trace *t,
				      struct spike_thread *th, const struct event *ev,
				      uint64_t total, uint64_t self, struct err *e)
{
	struct spikes_reading *r = s->reading;
	const struct spike_open *o = &th->open[th->n - 1];
	struct spike_seen spike = {.t = t,
				   .thread = ev->thread,
				   .path = th->path,
				   .nodes = th->nodes,
				   .depth = th->n,
				   .owner = o->owner,
				   .total = total,
				   .self = self,
				   .waited = o->waited,
				   .limit = o->state.limit,
				   .calls = 1,
				   .has_self = true,
				   .has_time = true,
				   .has_frame = r->in_frame,
				   .time = o->time,
				   .frame = r->frame,
				   .listed = th->n <= th->listed};
	enum status st;
	bool reported;

	spikes_add_texts(s, t, th, ev, &spike);
	st = spikes_report(s, &spike, o->marker, o->kept, &reported, e);
	if (reported)
		th->listed = th->n;
	return st;
}

static uint64_t hook_time(const struct spikes *s, uint64_t calls)
{
	uint64_t ns;

	return __builtin_mul_overflow(calls, s->options.hook_cost, &ns) ? UINT64_MAX : ns;
}

static enum status spikes_close_call(struct spikes *s, const struct trace *t,
				     struct spike_thread *th, struct open_thread *open,
				     const struct event *ev, struct err *e)
{
	struct spikes_reading *r = s->reading;
	struct spike_open *o = &th->open[th->n - 1], *parent = th->n > 1 ? o - 1 : NULL;
	uint64_t total, judged, hooks = hook_time(s, o->below);
	enum status st = ST_OK;

	if (!o->has_time || !(ev->has & EV_HAS_TIME) || ev->time < o->time) {
		r->odd[ODD_NEGATIVE] += o->has_time && (ev->has & EV_HAS_TIME);
		drop(th, open);
		return ST_OK;
	}
	if (ev->has & EV_HAS_VALUE && ev->value >= 0 && !o->state.by_rule && !s->options.strict)
		o->state.limit = (uint64_t)ev->value;
	total = (uint64_t)ev->time - (uint64_t)o->time;
	r->odd[ODD_OVERCORRECTED] += hooks > total;
	total = hooks > total ? 0 : total - hooks;
	judged = o->paused > total ? 0 : total - o->paused;
	s->calls += is_judged(o);
	s->functions.items[th->path[th->n - 1]].calls += is_judged(o);
	if (is_judged(o) && !o->state.paused && !o->state.ignored && judged > o->state.limit &&
	    th->selected)
		st = spikes_report_call(s, t, th, ev, judged,
					o->children > total ? 0 : total - o->children, e);
	if (parent) {
		parent->children += total;
		parent->paused += o->state.paused ? total : o->paused;
		parent->waited += o->waits ? total : o->waited;
		parent->below += o->below + is_judged(o);
	}
	pop(th, open);
	return st;
}

static enum status spikes_on_exit(struct spikes *s, const struct trace *t, const struct event *ev,
				  struct err *e)
{
	struct spikes_reading *r = s->reading;
	struct spike_thread *th = spikes_thread(s, t, ev->thread);
	struct open_thread *open = open_calls_thread(&r->calls_open, ev->thread);
	size_t n;

	if (th->inactive)
		return ST_OK;
	see_time(s, open, ev);
	n = open_calls_exit(&r->calls_open, open, t, ev->has & EV_HAS_TYPE ? ev->type : 0,
			    ev->has & EV_HAS_STACK ? ev->stack : 0);
	for (; n > 1; n--)
		drop(th, open);
	return n ? spikes_close_call(s, t, th, open, ev, e) : ST_OK;
}

static enum status spikes_begin(struct sink *sink, struct trace *t, struct err *e)
{
	struct spikes *s = (struct spikes *)sink;
	struct spikes_reading *r = s->reading;

	(void)e;
	s->captures++;
	frame_marks_begin(&r->marks, t);
	r->logged = trace_get(t, "spikes") != NULL;
	spike_functions_capture(&s->functions, t);
	memset(r->odd, 0, sizeof r->odd);
	r->deepest = r->longest_open = 0;
	open_calls_reset(&r->calls_open);
	r->calls_open.depth = s->options.depth;
	return ST_OK;
}

static enum status spikes_event(struct sink *sink, struct trace *t, const struct event *ev,
				struct err *e)
{
	struct spikes *s = (struct spikes *)sink;
	struct spikes_reading *r = s->reading;
	const struct frame_mark *mark = frame_marks_advance(&r->marks, ev);

	r->in_frame = mark != NULL;
	r->frame = mark ? mark->number : 0;
	switch (ev->kind) {
	case EV_FRAME: s->frames++; return ST_OK;
	case EV_ENTER: spikes_on_enter(s, t, ev); return ST_OK;
	case EV_EXIT: return spikes_on_exit(s, t, ev, e);
	case EV_SAMPLE: return spikes_sample(s, t, ev, e);
	default: return ST_OK;
	}
}

static enum status spikes_batch(struct sink *sink, struct trace *t, const struct sink_batch *b,
				struct err *e)
{
	return sink_each(sink, t, b, e, spikes_event);
}

static void spikes_close_threads(struct spikes *s)
{
	struct spikes_reading *r = s->reading;

	for (size_t i = 0; i < r->n_threads; i++) {
		struct spike_thread *th = &r->threads[i];
		struct open_thread *open = open_calls_thread(&r->calls_open, (uint32_t)i);

		r->odd[ODD_OPEN] += th->n + open->deep;
		for (size_t k = 0; k < th->n && open->has_last; k++)
			if (th->open[k].has_time && th->open[k].time <= open->last) {
				uint64_t so_far = (uint64_t)open->last - (uint64_t)th->open[k].time;

				if (so_far > r->longest_open)
					r->longest_open = so_far;
			}
		free(th->open);
		free(th->path);
		free(th->nodes);
		free(th->described);
		*th = (struct spike_thread){.n = 0};
	}
	r->odd[ODD_BACK] = r->calls_open.backward;
	r->odd[ODD_NO_ENTER] = r->calls_open.orphans;
	r->odd[ODD_UNCLOSED] = r->calls_open.unclosed;
	r->odd[ODD_DEEPER] = r->calls_open.too_deep;
	map64_release(&r->parents);
	r->n_parent_limits = 0;
}

static void spikes_add_notes(const struct spikes *s, struct trace *t)
{
	const struct spikes_reading *r = s->reading;
	static const struct {
		enum severity severity;
		const char *text;
	} notes[ODDS] = {
	    [ODD_UNTIMED] = {NOTE_LOSS, "calls without a time are not judged"},
	    [ODD_STACKS] = {NOTE_GUESS,
			    "samples are of stacks or lines, not of calls: they are not judged"},
	    [ODD_NEGATIVE] = {NOTE_LOSS, "calls end before they begin and are not judged"},
	    [ODD_NO_ENTER] = {NOTE_LOSS, "exits of calls that were not entered are left out"},
	    [ODD_UNCLOSED] = {NOTE_LOSS, "calls have no exit and are not judged"},
	    [ODD_MERGED] = {NOTE_GUESS, "samples are of several calls, judged by their mean"},
	    [ODD_VALUE] = {NOTE_LOSS, "samples have a negative time and are left out"},
	    [ODD_OVERCORRECTED] = {NOTE_GUESS,
				   "calls are shorter than the cost of the hooks below them: 0"},
	    [ODD_UNCORRECTED] = {NOTE_INFO, "samples are as captured: --hook-cost is not for them"},
	    [ODD_UNKNOWN] = {NOTE_INFO, "enters do not say of what function"},
	};

	for (size_t i = 0; i < ODDS; i++)
		if (r->odd[i] && notes[i].text)
			trace_note(t, notes[i].severity, r->odd[i], "%s", notes[i].text);
	if (r->odd[ODD_BACK])
		trace_note(t, NOTE_LOSS, r->odd[ODD_BACK],
			   "times go back on their thread, by %" PRIu64
			   " ns at most: calls around them seem too short",
			   r->calls_open.back_most);
	if (r->odd[ODD_OPEN])
		trace_note(t, NOTE_GUESS, r->odd[ODD_OPEN],
			   "calls are still open at the end and not judged (the longest: %" PRIu64
			   " ns so far)",
			   r->longest_open);
	if (r->odd[ODD_DEEPER])
		trace_note(t, NOTE_LOSS, r->odd[ODD_DEEPER],
			   "calls deeper than %zu (up to %" PRIu64
			   ") are not judged: --nesting; their time is their caller's self time",
			   s->options.depth, r->deepest);
}

static enum status spikes_end(struct sink *sink, struct trace *t, struct err *e)
{
	struct spikes *s = (struct spikes *)sink;

	(void)e;
	spikes_close_threads(s);
	spikes_add_notes(s, t);
	regex_timeouts_note(t);
	if (s->options.captured)
		s->options.captured(s->options.arg, t);
	return ST_OK;
}

void spikes_init(struct spikes *s, const struct spikes_options *o)
{
	*s = (struct spikes){
	    .sink = {.begin = spikes_begin, .batch = spikes_batch, .end = spikes_end},
	    .options = *o,
	    .reading = mem_zalloc(sizeof *s->reading)};
	s->reading->least = o->threshold < o->rules->least ? o->threshold : o->rules->least;
	spike_functions_init(&s->functions, o->rules, o->filters, o->owners);
	s->functions.names.mangled = o->mangled;
}

void spikes_release(struct spikes *s)
{
	struct spikes_reading *r = s->reading;

	if (r) {
		spikes_close_threads(s);
		open_calls_release(&r->calls_open);
		frame_marks_release(&r->marks);
		free(r->threads);
		free(r->parent_limits);
		free(r->path);
		free(r->texts);
		buf_release(&r->text);
	}
	free(r);
	spike_functions_release(&s->functions);
	*s = (struct spikes){.captures = 0};
}
