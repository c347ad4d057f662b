/* SPDX-License-Identifier: MIT
 *
 * Chrome trace events (the JSON of chrome://tracing; Perfetto and others read it too), as its
 * public "Trace Event Format" document has them: M metadata, X complete, B and E begin and end,
 * C counters; ts and dur are microseconds. Written as captures are read: of each thread the last sample
 * waits, and the stacks of samples until the end.
 *
 * A sample of a profiler is an X event of the category "sample": its name is the function that ran, sf its
 * stack in the table stackFrames, and dur its own time: what the capture says, or
 * what passes until the next sample of its thread.
 *
 * A pause, and a fiber's time without a thread, are of the categories "tracemill.pause" and "tracemill.away", by which
 * our reader tells them from calls; frames of the game are of "tracemill.frame".
 *
 * A capture is a process, numbered from 1; its frames are X events of thread 0, allocations are
 * counters at the start of each frame, by domain. Captures without frames are cut into at most
 * SLICES slices of equal length. Where frames have no times, each takes a millisecond; that is
 * said in the name of their track.
 */
#include "lib/export/events.h"
#include "lib/export/export.h"
#include "lib/export/text.h"
#include "lib/names/names.h"
#include "lib/tally/open_calls.h"
#include "lib/trace/reading.h"

#include "lib/base/mem.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { FRAME_NS = 1000000, SLICES = 4096, SUMS_PER_SLICE = 3 };

static const char *const sum_names[SUMS_PER_SLICE] = {"allocations", "requested bytes",
						      "real bytes"};

/* The last sample of a thread, whose length the next one may tell. */
struct chrome_sample {
	bool there;
	int64_t at, dur; /* dur below 0: not known */
	int64_t usual;   /* ns between samples; 0: not known */
	uint64_t n;      /* samples that it stands for */
	uint32_t marker, stack;
};

struct sums_of { /* count, requested, real */
	uint64_t v[SUMS_PER_SLICE];
};

struct chrome {
	struct export export; /* first */
	struct sink sink;
	const struct export_options *options;
	FILE *out;
	struct buf json;
	bool any;    /* an event was written, */
	bool placed; /* and one that is no metadata */
	/* of the capture */
	uint32_t run;
	bool in_frame, frames_timed, frames_untimed, has_time;
	struct event frame;
	int64_t frame_at, last;
	struct sums_of sums[DOMAINS];
	bool used[DOMAINS];
	uint16_t from_allocs, from_types; /* enum event_field */
	uint8_t has_sum;                  /* bit per sum */
	struct sums_of *slices;           /* SLICES for each domain; NULL: not cut into slices */
	int64_t slice_ns;
	size_t n_slices;
	uint8_t *threads; /* whose names are written */
	size_t cap_threads;
	uint64_t untimed, unclosed, lengths; /* lengths: of samples, that are guessed */
	struct chrome_sample *samples;       /* by thread */
	size_t cap_samples;
	uint8_t *sampled; /* stacks of samples */
	size_t cap_sampled;
	uint64_t first_frame; /* id in stackFrames of the capture's stack 0 */
	struct buf stack_frames;
	struct open_calls open; /* user: location of the capture */
	struct group_names names;
	size_t n_modules; /* that names knows */
};

static struct chrome *of_sink(struct sink *s)
{
	return (struct chrome *)((char *)s - offsetof(struct chrome, sink));
}

/* {"ph":"X","pid":1,"tid":0,"ts":1.000 and what the caller adds, up to close_event. */
static void open_event(struct chrome *c, char phase, uint64_t tid, int64_t at)
{
	uint64_t ns = at < 0 ? 0 - (uint64_t)at : (uint64_t)at;

	buf_addf(&c->json, "%s{\"ph\":\"%c\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu64,
		 c->any ? ",\n" : "", phase, c->run, tid);
	c->placed |= phase != 'M';
	if (phase != 'M')
		buf_addf(&c->json, ",\"ts\":%s%" PRIu64 ".%03u", at < 0 ? "-" : "", ns / 1000,
			 (unsigned)(ns % 1000));
	c->any = true;
}

static void close_event(struct chrome *c)
{
	buf_addc(&c->json, '}');
	fwrite(c->json.data, 1, c->json.len, c->out);
	c->json.len = 0;
}

static void add_name(struct chrome *c, const char *s, size_t n)
{
	buf_adds(&c->json, ",\"name\":");
	text_add_json(&c->json, s, n);
}

static void metadata(struct chrome *c, const char *what, uint64_t tid, const char *value)
{
	open_event(c, 'M', tid, 0);
	add_name(c, what, strlen(what));
	buf_adds(&c->json, ",\"args\":{\"name\":");
	text_add_json(&c->json, value, strlen(value));
	buf_addc(&c->json, '}');
	close_event(c);
}

static void put_counter(struct chrome *c, const char *name, size_t n, const char *unit, int64_t at,
			decimal v)
{
	open_event(c, 'C', 0, at);
	add_name(c, name, n);
	buf_addf(&c->json, ",\"args\":{");
	text_add_json(&c->json, unit, strlen(unit));
	buf_addc(&c->json, ':');
	decimal_text(&c->json, v);
	buf_addc(&c->json, '}');
	close_event(c);
}

static bool wanted(const struct chrome *c, int domain)
{
	return c->used[domain] &&
	       (c->options->domain < 0 || c->options->domain == EXPORT_DOMAIN_ALL ||
		c->options->domain == domain);
}

static void put_sums(struct chrome *c, int64_t at, const struct sums_of *sums, int domain)
{
	for (size_t i = 0; i < SUMS_PER_SLICE; i++) {
		char name[64];
		int n = snprintf(name, sizeof name, "%s (%s)", sum_names[i],
				 domain_name((unsigned)domain));

		if (c->has_sum >> i & 1)
			put_counter(c, name, (size_t)n, i ? "bytes" : "count", at,
				    decimal_of_unsigned(sums->v[i]));
	}
}

/* Where a frame without a time begins, behind the present one. */
static int64_t frame_after(const struct chrome *c)
{
	return c->frame_at < INT64_MAX - FRAME_NS ? c->frame_at + FRAME_NS : INT64_MAX;
}

/* What is known of the frame now that something ends it. */
static void export_chrome_end_frame(struct chrome *c, struct trace *t, int64_t at)
{
	uint64_t dur = at > c->frame_at ? (uint64_t)at - (uint64_t)c->frame_at : 0;
	const char *label;
	size_t n;
	char text[32];

	if (!c->in_frame)
		return;
	open_event(c, 'X', 0, c->frame_at);
	buf_addf(&c->json, ",\"dur\":%" PRIu64 ".%03u", dur / 1000, (unsigned)(dur % 1000));
	label = intern_text(&t->strings, c->frame.has & EV_HAS_NAME ? c->frame.name : 0, &n);
	if (!n) {
		n = (size_t)snprintf(text, sizeof text,
				     c->frame.has & EV_HAS_VALUE ? "frame %" PRId64 : "frame",
				     c->frame.value);
		label = text;
	}
	add_name(c, label, n);
	buf_adds(&c->json, ",\"cat\":\"tracemill.frame\"");
	if (c->frame.has & EV_HAS_VALUE)
		buf_addf(&c->json, ",\"args\":{\"number\":%" PRId64 "}", c->frame.value);
	close_event(c);
	for (int d = 0; d < DOMAINS; d++)
		if (wanted(c, d))
			put_sums(c, c->frame_at, &c->sums[d], d);
	memset(c->sums, 0, sizeof c->sums);
	c->in_frame = false;
}

static void start_frame(struct chrome *c, struct trace *t, const struct event *ev)
{
	bool timed = ev->has & EV_HAS_TIME;
	int64_t at = timed ? ev->time : c->in_frame ? frame_after(c) : c->has_time ? c->last : 0;

	if (c->in_frame && at < c->frame_at)
		at = c->frame_at;
	export_chrome_end_frame(c, t, at);
	*(timed ? &c->frames_timed : &c->frames_untimed) = true;
	c->in_frame = true;
	c->frame = *ev;
	c->frame_at = at;
}

/* Its time, or its frame's. False: it has none. */
static bool time_of(struct chrome *c, const struct event *ev, int64_t *at)
{
	if (ev->has & EV_HAS_TIME) {
		*at = ev->time;
		if (!c->has_time || ev->time > c->last)
			c->last = ev->time;
		c->has_time = true;
		return true;
	}
	*at = c->frame_at;
	return c->in_frame;
}

static void add_sums(struct sums_of *to, const struct event *ev, uint16_t has)
{
	uint64_t v[SUMS_PER_SLICE] = {ev->count, ev->requested, ev->real};
	static const uint16_t fields[] = {EV_HAS_COUNT, EV_HAS_REQUESTED, EV_HAS_REAL};

	for (size_t i = 0; i < SUMS_PER_SLICE; i++)
		if (has & fields[i] && __builtin_add_overflow(to->v[i], v[i], &to->v[i]))
			to->v[i] = UINT64_MAX;
}

/* Twice the length: each pair becomes one. */
static void merge_slices(struct chrome *c)
{
	for (size_t d = 0; d < DOMAINS; d++) {
		struct sums_of *s = c->slices + d * SLICES;

		for (size_t i = 0; i < SLICES; i++) {
			struct sums_of old = s[i];

			s[i] = (struct sums_of){{0}};
			for (size_t k = 0; k < SUMS_PER_SLICE; k++)
				if (__builtin_add_overflow(s[i / 2].v[k], old.v[k], &s[i / 2].v[k]))
					s[i / 2].v[k] = UINT64_MAX;
		}
	}
	c->slice_ns *= 2;
	c->n_slices = (c->n_slices + 1) / 2;
}

static void add_to_slice(struct chrome *c, const struct event *ev, uint16_t has, int64_t at)
{
	size_t slice;

	if (at < 0)
		at = 0;
	if (!c->slices) {
		c->slices = mem_zarray((size_t)DOMAINS * SLICES, sizeof *c->slices);
		c->slice_ns = FRAME_NS;
		c->n_slices = 0;
	}
	while (at / c->slice_ns >= SLICES)
		merge_slices(c);
	slice = (size_t)(at / c->slice_ns);
	if (slice >= c->n_slices)
		c->n_slices = slice + 1;
	add_sums(&c->slices[ev->domain * SLICES + slice], ev, has);
}

static void export_chrome_see_allocation(struct chrome *c, const struct event *from)
{
	struct event ev = *from;
	uint16_t has = event_allocates(ev.kind) ? c->from_allocs : c->from_types;
	int64_t at;

	has &= ev.has | (event_allocates(ev.kind) ? EV_HAS_COUNT : 0);
	if (!(ev.has & EV_HAS_COUNT))
		ev.count = 1;
	if (ev.domain >= DOMAINS)
		ev.domain = DOMAIN_MALLOC;
	c->used[ev.domain] = true;
	if (!time_of(c, &ev, &at))
		c->untimed++;
	else if (c->in_frame)
		add_sums(&c->sums[ev.domain], &ev, has);
	else
		add_to_slice(c, &ev, has, at);
}

static uint64_t thread_number(struct chrome *c, const struct trace *t, uint32_t thread)
{
	uint32_t id = thread < t->n_threads ? thread : 0;

	c->threads = mem_grow_zero(c->threads, &c->cap_threads, id + 1u, 1);
	if (!c->threads[id]) {
		char *title = thread_title(t, id);

		c->threads[id] = 1;
		metadata(c, "thread_name", id + 1u, title);
		free(title);
	}
	return id + 1u;
}

/* What is called, and the marker's category. The function itself, not what is inlined at its entry.
 */
static void export_chrome_add_call(struct chrome *c, const struct trace *t, uint32_t location,
				   uint32_t marker, uint8_t pause)
{
	const struct names_location *l;
	const char *s;
	uint32_t at;
	size_t n;

	if (c->n_modules != t->n_modules)
		names_capture(&c->names, t);
	c->n_modules = t->n_modules;
	at = names_location(&c->names, t, location);
	l = &c->names.locations[at];
	s = names_text(
	    &c->names,
	    c->names.functions[c->names.calls[l->first + l->n_calls - 1].function].display, &n);
	add_name(c, s, n);
	if (pause) {
		buf_addf(&c->json, ",\"cat\":\"%s\"",
			 pause == ENTER_AWAY ? "tracemill.away" : "tracemill.pause");
	} else if (t->markers[marker].category) {
		s = intern_text(&t->strings, t->markers[marker].category, &n);
		buf_adds(&c->json, ",\"cat\":");
		text_add_json(&c->json, s, n);
	}
}

static void put_call(struct chrome *c, const struct trace *t, const struct open_call *call,
		     char phase, uint32_t thread, int64_t at)
{
	uint64_t tid = thread_number(c, t, thread);

	open_event(c, phase, tid, at);
	export_chrome_add_call(c, t, call->user, call->type, call->pause);
	close_event(c);
}

static void export_chrome_see_call(struct chrome *c, struct trace *t, const struct event *ev)
{
	struct open_call call = {.type = ev->type < t->n_markers ? ev->type : 0,
				 .stack = ev->stack < t->n_stacks ? ev->stack : 0};
	struct open_thread *th = open_calls_thread(&c->open, ev->thread);
	const int64_t last = th->has_last ? th->last : INT64_MIN;
	int64_t at;

	if (!time_of(c, ev, &at)) {
		c->untimed++;
		return;
	}
	open_calls_elapsed(&c->open, th, at);
	if (at < last)
		at = th->last = last;
	if (ev->kind == EV_EXIT) {
		for (size_t n = open_calls_exit(&c->open, th, t, call.type, call.stack); n; n--) {
			call = open_calls_pop(th);
			put_call(c, t, &call, 'E', ev->thread, at);
		}
		return;
	}
	call.pause = open_calls_pause(ev);
	call.user = open_calls_location(&c->open, t, call.type, call.stack);
	if (open_calls_enter(&c->open, th, &call))
		put_call(c, t, &call, 'B', ev->thread, at);
}

/* What is open ends at the last event of its thread. */
static void export_chrome_close_calls(struct chrome *c, struct trace *t)
{
	for (uint32_t i = 0; i < c->open.n; i++) {
		struct open_thread *th = &c->open.threads[i];

		for (c->unclosed += th->n; th->n;) {
			struct open_call call = open_calls_pop(th);

			put_call(c, t, &call, 'E', i, th->last);
		}
	}
	if (c->open.orphans)
		trace_note(t, NOTE_LOSS, c->open.orphans, "exits without an enter left out");
	if (c->open.too_deep)
		trace_note(t, NOTE_LOSS, c->open.too_deep, "enters nested too deep left out");
	if (c->open.unclosed)
		trace_note(t, NOTE_GUESS, c->open.unclosed,
			   "calls ended by the exit of an outer call");
	if (c->unclosed)
		trace_note(t, NOTE_GUESS, c->unclosed,
			   "calls still open at the end: they end there");
	if (c->open.backward)
		trace_note(
		    t, NOTE_GUESS, c->open.backward,
		    "events earlier than the event before them in their thread: moved to its time");
}

/* The innermost call of a location, inlined ones too. */
static const char *innermost(struct chrome *c, const struct trace *t, uint32_t location, size_t *n)
{
	const struct names_location *l;
	uint32_t at;

	if (c->n_modules != t->n_modules)
		names_capture(&c->names, t);
	c->n_modules = t->n_modules;
	at = names_location(&c->names, t, location);
	l = &c->names.locations[at];
	return names_text(&c->names, c->names.functions[c->names.calls[l->first].function].display,
			  n);
}

static void put_sample(struct chrome *c, const struct trace *t, uint32_t thread,
		       struct chrome_sample *s)
{
	uint64_t tid = thread_number(c, t, thread), dur = s->dur > 0 ? (uint64_t)s->dur : 0;
	const char *text;
	size_t n;

	open_event(c, 'X', tid, s->at);
	buf_addf(&c->json, ",\"dur\":%" PRIu64 ".%03u", dur / 1000, (unsigned)(dur % 1000));
	text = s->stack ? innermost(c, t, t->stacks[s->stack].location, &n)
			: intern_text(&t->strings, t->markers[s->marker].name, &n);
	add_name(c, text, n);
	buf_adds(&c->json, ",\"cat\":\"sample\"");
	if (s->n != 1)
		buf_addf(&c->json, ",\"weight\":%" PRIu64, s->n);
	if (s->stack) {
		buf_addf(&c->json, ",\"sf\":%" PRIu64, c->first_frame + s->stack);
		c->sampled = mem_grow_zero(c->sampled, &c->cap_sampled, s->stack + 1u, 1);
		c->sampled[s->stack] = 1;
	}
	close_event(c);
	s->there = false;
}

/* An idle thread has no samples: the function does not last through a longer pause than usual. */
static void end_sample(struct chrome *c, const struct trace *t, uint32_t thread,
		       struct chrome_sample *s, int64_t at)
{
	int64_t gap;

	if (s->there && s->dur < 0) {
		if (__builtin_sub_overflow(at, s->at, &gap) || gap < 0)
			gap = 0;
		if (!s->usual || gap - s->usual <= s->usual) { /* twice may be too large */
			s->dur = gap;
			s->usual += s->usual ? (gap - s->usual) / 8 : gap;
		} else {
			s->dur = s->usual;
			s->usual += s->usual / 8; /* it may have become rarer */
		}
		c->lengths++;
	}
	if (s->there)
		put_sample(c, t, thread, s);
}

static void see_sampled(struct chrome *c, const struct trace *t, const struct event *ev, uint64_t n,
			int64_t at)
{
	struct chrome_sample *s;
	uint32_t thread = ev->thread < t->n_threads ? ev->thread : 0;

	c->samples = mem_grow_zero(c->samples, &c->cap_samples, thread + 1u, sizeof *c->samples);
	s = &c->samples[thread];
	end_sample(c, t, thread, s, at);
	s->there = true;
	s->at = at;
	s->n = n;
	s->marker = ev->type < t->n_markers ? ev->type : 0;
	s->stack = ev->has & EV_HAS_STACK && ev->stack < t->n_stacks ? ev->stack : 0;
	s->dur = -1;
	if (ev->has & EV_HAS_TARGET)
		s->dur = ev->target < INT64_MAX ? (int64_t)ev->target : INT64_MAX;
	if (s->dur >= 0)
		put_sample(c, t, thread, s);
}

/* The last one of each thread is as long as they usually are. */
static void export_chrome_end_samples(struct chrome *c, struct trace *t)
{
	for (size_t i = 0; i < c->cap_samples; i++) {
		struct chrome_sample *s = &c->samples[i];
		int64_t end;

		if (s->there && __builtin_add_overflow(s->at, s->usual, &end))
			end = s->at;
		if (s->there)
			end_sample(c, t, (uint32_t)i, s, end);
	}
	if (c->cap_samples)
		memset(c->samples, 0, c->cap_samples * sizeof *c->samples);
	if (c->lengths)
		trace_note(
		    t, NOTE_GUESS, c->lengths,
		    "samples do not say how long they are: each lasts until the next one of its "
		    "thread, where that is not later than usual");
}

static void add_stack_frame(struct chrome *c, uint64_t id, const struct names_call *call,
			    uint64_t parent)
{
	const struct names_function *f = &c->names.functions[call->function];
	size_t n;
	const char *s = names_text(&c->names, f->display, &n);

	buf_addf(&c->stack_frames, "%s\"%" PRIu64 "\":{\"name\":", c->stack_frames.len ? ",\n" : "",
		 id);
	text_add_json(&c->stack_frames, s, n);
	if (parent)
		buf_addf(&c->stack_frames, ",\"parent\":\"%" PRIu64 "\"", parent);
	buf_addc(&c->stack_frames, '}');
}

/* Of the stacks that samples had. Inlined calls have ids behind those of the stacks. */
static void export_chrome_add_stack_frames(struct chrome *c, const struct trace *t)
{
	size_t n = c->cap_sampled < t->n_stacks ? c->cap_sampled : t->n_stacks;
	uint64_t more = c->first_frame + t->n_stacks;

	for (size_t i = n; i-- > 1;)
		if (c->sampled[i] && t->stacks[i].parent)
			c->sampled[t->stacks[i].parent] = 1;
	for (size_t i = 1; i < n; i++) {
		const struct names_location *l;
		uint64_t parent = t->stacks[i].parent ? c->first_frame + t->stacks[i].parent : 0;
		uint32_t at;

		if (!c->sampled[i])
			continue;
		at = names_location(&c->names, t, t->stacks[i].location); /* moves the locations */
		l = &c->names.locations[at];
		for (uint32_t k = l->n_calls; k-- > 0;) {
			uint64_t id = k ? ++more : c->first_frame + i;

			add_stack_frame(c, id, &c->names.calls[l->first + k], parent);
			parent = id;
		}
	}
	if (n)
		memset(c->sampled, 0, c->cap_sampled);
	c->first_frame = more;
}

static void see_sample(struct chrome *c, struct trace *t, const struct event *ev)
{
	uint32_t marker = ev->type < t->n_markers ? ev->type : 0;
	uint32_t stack = ev->stack < t->n_stacks ? ev->stack : 0;
	uint64_t dur = ev->has & EV_HAS_VALUE && ev->value > 0 ? (uint64_t)ev->value : 0;
	uint64_t tid, n;
	int64_t at;

	if (!time_of(c, ev, &at)) {
		c->untimed++;
		return;
	}
	if (event_samples(ev, &n) || ev->has & EV_HAS_TARGET) {
		see_sampled(c, t, ev, n, at);
		return;
	}
	tid = thread_number(c, t, ev->thread);
	open_event(c, 'X', tid, at);
	buf_addf(&c->json, ",\"dur\":%" PRIu64 ".%03u", dur / 1000, (unsigned)(dur % 1000));
	export_chrome_add_call(c, t, open_calls_location(&c->open, t, marker, stack), marker,
			       ENTER_CALL);
	close_event(c);
}

/* A line of the log: an instant of its thread, or of the whole process. */
static void see_log(struct chrome *c, const struct trace *t, const struct event *ev)
{
	const struct marker *m = &t->markers[ev->type < t->n_markers ? ev->type : 0];
	bool thread = ev->has & EV_HAS_THREAD;
	const char *s;
	int64_t at;
	size_t n;

	if (!time_of(c, ev, &at)) {
		c->untimed++;
		return;
	}
	open_event(c, 'i', thread ? thread_number(c, t, ev->thread) : 0, at);
	s = intern_text(&t->strings, ev->has & EV_HAS_NAME ? ev->name : 0, &n);
	add_name(c, s, n);
	buf_addf(&c->json, ",\"s\":\"%c\",\"cat\":\"log\"", thread ? 't' : 'p');
	s = intern_text(&t->strings, m->name, &n);
	if (n) {
		buf_adds(&c->json, ",\"args\":{\"level\":");
		text_add_json(&c->json, s, n);
		buf_addc(&c->json, '}');
	}
	close_event(c);
}

static void see_counter(struct chrome *c, const struct trace *t, const struct event *ev)
{
	uint32_t id = ev->type < t->n_counters ? ev->type : 0;
	const char *name;
	const char *unit = trace_text(t, t->counters[id].unit);
	int64_t at;
	size_t n;

	if (!time_of(c, ev, &at)) {
		c->untimed++;
		return;
	}
	name = intern_text(&t->strings, t->counters[id].name, &n);
	put_counter(c, n ? name : "?", n ? n : 1, *unit ? unit : "value", at, reading_of(ev));
}

static void export_chrome_put_head(struct chrome *c, const struct trace *t)
{
	const char *filtered = trace_get(t, TRACE_FILTERED);
	struct buf b = BUF_INIT;

	if (filtered) {
		buf_adds(&b, ",\"" TRACE_FILTERED "\":");
		text_add_json(&b, filtered, strlen(filtered));
	}
	fprintf(c->out,
		"{\"displayTimeUnit\":\"ms\",\"otherData\":{\"exporter\":\"tm-export %s\"%s},"
		"\"traceEvents\":[\n",
		TM_VERSION, buf_str(&b));
	buf_release(&b);
}

static enum status export_chrome_begin(struct sink *s, struct trace *t, struct err *e)
{
	static const uint16_t fields[] = {EV_HAS_COUNT, EV_HAS_REQUESTED, EV_HAS_REAL};
	struct chrome *c = of_sink(s);
	const char *file = *c->options->file;

	if (!c->run++)
		export_chrome_put_head(c, t);
	c->in_frame = c->frames_timed = c->frames_untimed = c->has_time = false;
	c->last = 0;
	c->untimed = c->unclosed = c->lengths = 0;
	open_calls_reset(&c->open);
	names_capture(&c->names, t);
	c->n_modules = t->n_modules;
	c->from_allocs = c->from_types = c->has_sum = 0;
	memset(c->used, 0, sizeof c->used);
	memset(c->sums, 0, sizeof c->sums);
	if (c->cap_threads)
		memset(c->threads, 0, c->cap_threads);
	for (size_t m = METRIC_COUNT; m <= METRIC_REAL; m++) {
		if (t->metrics[m].state == METRIC_ABSENT)
			continue;
		c->has_sum |= (uint8_t)(1u << m);
		*(t->metrics[m].key == METRIC_AT_TYPE ? &c->from_types : &c->from_allocs) |=
		    fields[m];
	}
	metadata(c, "process_name", 0, file ? file : "capture");
	return export_written(c->out, e);
}

static enum status export_chrome_event(struct sink *s, struct trace *t, const struct event *ev,
				       struct err *e)
{
	struct chrome *c = of_sink(s);
	int64_t at;

	switch (ev->kind) {
	case EV_FRAME:
		start_frame(c, t, ev);
		if (ev->has & EV_HAS_TIME)
			time_of(c, ev, &at);
		break;
	case EV_ALLOC:
	case EV_PROFILE:
	case EV_TYPE_TOTAL: export_chrome_see_allocation(c, ev); return ST_OK;
	case EV_ENTER:
	case EV_EXIT: export_chrome_see_call(c, t, ev); break;
	case EV_SAMPLE: see_sample(c, t, ev); break;
	case EV_COUNTER: see_counter(c, t, ev); break;
	case EV_LOG: see_log(c, t, ev); break;
	default: return ST_OK;
	}
	return export_written(c->out, e);
}

static enum status export_chrome_batch(struct sink *s, struct trace *t, const struct sink_batch *b,
				       struct err *e)
{
	return sink_each(s, t, b, e, export_chrome_event);
}

static enum status export_chrome_end(struct sink *s, struct trace *t, struct err *e)
{
	struct chrome *c = of_sink(s);
	bool untimed = c->frames_untimed && !c->frames_timed;
	bool timed_end = c->has_time && c->last > c->frame_at;

	export_chrome_end_samples(c, t);
	export_chrome_add_stack_frames(c, t);
	export_chrome_close_calls(c, t);
	export_chrome_end_frame(c, t,
				timed_end           ? c->last
				: c->frames_untimed ? frame_after(c)
						    : c->frame_at);
	for (int d = 0; d < DOMAINS && c->slices; d++)
		for (size_t i = 0; i < c->n_slices && wanted(c, d); i++)
			put_sums(c, (int64_t)i * c->slice_ns, &c->slices[(size_t)d * SLICES + i],
				 d);
	free(c->slices);
	c->slices = NULL;
	if (c->frames_timed || c->frames_untimed)
		metadata(c, "thread_name", 0, untimed ? "frames (no times: 1 ms each)" : "frames");
	if (untimed)
		trace_note(t, NOTE_GUESS, 0,
			   "frames have no times: each is shown as a millisecond");
	if (c->untimed)
		trace_note(t, NOTE_LOSS, c->untimed,
			   "events have neither a time nor a frame: left out");
	return export_written(c->out, e);
}

static enum status export_chrome_finish(struct export *x, struct err *e)
{
	struct chrome *c = (struct chrome *)x;

	fputs("\n]", c->out);
	if (c->stack_frames.len) {
		fputs(",\"stackFrames\":{\n", c->out);
		fwrite(c->stack_frames.data, 1, c->stack_frames.len, c->out);
		fputc('}', c->out);
	}
	fputs("}\n", c->out);
	x->lacks = c->placed ? NULL : "has a time or a frame";
	return export_written(c->out, e);
}

static void export_chrome_release(struct export *x)
{
	struct chrome *c = (struct chrome *)x;

	buf_release(&c->json);
	buf_release(&c->stack_frames);
	free(c->samples);
	free(c->sampled);
	free(c->slices);
	free(c->threads);
	open_calls_release(&c->open);
	names_release(&c->names);
	free(c);
}

static struct export *export_chrome_open(const struct export_options *o, FILE *out, struct err *e)
{
	struct chrome *c = mem_zalloc(sizeof *c);

	(void)e;
	c->sink = (struct sink){
	    .begin = export_chrome_begin, .batch = export_chrome_batch, .end = export_chrome_end};
	c->export = (struct export){
	    .sink = &c->sink, .finish = export_chrome_finish, .free = export_chrome_release};
	names_init(&c->names);
	c->names.mangled = o->mangled;
	c->options = o;
	c->out = out;
	return &c->export;
}

const struct exporter exporter_chrome = {
    .name = "chrome",
    .what = "Chrome trace events: frames, counters, enter and exit by thread",
    .flags = EXPORT_FRAMES | EXPORT_FILTERED,
    .open = export_chrome_open,
};
