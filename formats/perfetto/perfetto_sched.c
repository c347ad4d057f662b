/* SPDX-License-Identifier: MIT
 *
 * When threads ran, by the kernel's scheduler: its switches, each an event (sched_switch) or one of a list of a
 * processor's (CompactSched), and when a thread that waited was made ready (sched_waking). Numbers and meanings of
 * fields: google/perfetto, protos/perfetto/trace/ftrace; bits of a state: linux/sched.h, which trace_processor's
 * task_state.cc names.
 *
 * Within a call of its thread, a time off the processor is a call that says why, and no time of its caller. The time on
 * it that is in no call is a sample. So what is neither off nor a sample is the calls' own, and a thread's time on the
 * processor is all that is not off. Memory: 16 bytes for each event.
 */
#include "formats/perfetto/perfetto.h"

#include "lib/base/mem.h"
#include "lib/base/sort.h"

#include <stdlib.h>
#include <string.h>

/* After the bits of a state, of an event. */
enum { SCHED_ON = 1 << 30, SCHED_READY = 1 << 29 };
enum { STATE_SLEEPING = 1, STATE_BLOCKED = 2, STATE_GONE = 0x7c };

/* The words that Perfetto shows for states. */
enum { WAIT_RUNNABLE, WAIT_SLEEPING, WAIT_BLOCKED, WAIT_STOPPED, WAITS };
static const char *const wait_words[WAITS] = {"[runnable]", "[sleeping]", "[uninterruptible sleep]",
					      "[stopped]"};

static unsigned wait_of(uint32_t state)
{
	return state & STATE_SLEEPING  ? WAIT_SLEEPING
	       : state & STATE_BLOCKED ? WAIT_BLOCKED
	       : state & STATE_GONE    ? WAIT_STOPPED
				       : WAIT_RUNNABLE;
}

/* --- events --- */

void perfetto_thread_pid(struct perfetto *x, uint32_t tid, uint32_t pid)
{
	uint32_t *at = pid && tid ? map64_put(&x->sched.pids, tid) : NULL;

	if (at)
		*at = pid;
}

void perfetto_comm(struct perfetto *x, uint32_t tid, const void *comm, size_t n)
{
	if (tid && n)
		*map64_put(&x->sched.comms, tid) = perfetto_name(x, comm, n);
}

static void add_event(struct perfetto *x, uint32_t tid, uint32_t what, struct perfetto_time at)
{
	struct perfetto_sched *s = &x->sched;
	struct perfetto_sched_event ev = {.tid = tid, .what = what};

	if (!tid) /* a processor without work */
		return;
	if (x->pass == PERFETTO_SCAN) {
		s->seen = true;
		*map64_put(&s->threads, tid) = 1;
	} else if (perfetto_ns(x, at, &ev.ts)) {
		VEC_PUSH(s->events, s->n_events, s->cap_events) = ev;
	} else {
		x->tracks.no_time++;
	}
}

void perfetto_sched_switch(struct perfetto *x, const struct perfetto_switch *w,
			   struct perfetto_time at)
{
	x->calls = true;
	if (x->pass == PERFETTO_SCAN) {
		perfetto_comm(x, w->prev, w->prev_comm, w->n_prev_comm);
		perfetto_comm(x, w->next, w->next_comm, w->n_next_comm);
	}
	add_event(x, w->prev, w->state & 0xffff, at);
	add_event(x, w->next, SCHED_ON, at);
}

void perfetto_sched_ready(struct perfetto *x, uint32_t tid, struct perfetto_time at)
{
	add_event(x, tid, SCHED_READY, at);
}

void perfetto_event_switch(struct perfetto *x, struct pb b, struct perfetto_time at)
{
	struct perfetto_switch w = {0};
	struct pb_field f;

	while (pb_next(&b, &f))
		switch (f.number) {
		case 1:
			w.prev_comm = f.s;
			w.n_prev_comm = f.n;
			break;
		case 2: w.prev = (uint32_t)f.value; break;
		case 4: w.state = (uint32_t)f.value; break;
		case 5:
			w.next_comm = f.s;
			w.n_next_comm = f.n;
			break;
		case 6: w.next = (uint32_t)f.value; break;
		}
	if (!b.bad)
		perfetto_sched_switch(x, &w, at);
}

void perfetto_event_ready(struct perfetto *x, struct pb b, struct perfetto_time at)
{
	uint32_t tid = 0;
	struct pb_field f;

	while (pb_next(&b, &f))
		if (f.number == 2)
			tid = (uint32_t)f.value;
	if (!b.bad)
		perfetto_sched_ready(x, tid, at);
}

/* --- a processor's list of switches --- */

enum {
	COMPACT_TIME = 1,
	COMPACT_STATE,
	COMPACT_NEXT,
	COMPACT_NAMES = 5,
	COMPACT_NAME,
	COMPACT_READY_TIME,
	COMPACT_READY
};

struct compact {
	struct pb lists[COMPACT_READY + 1];
	struct pb_field *names;
	size_t n_names, cap_names;
};

static void compact_switches(struct perfetto *x, struct compact *c, uint32_t cpu, int64_t to_boot)
{
	struct perfetto_sched *s = &x->sched;
	struct map64 *of_cpu = &s->running[x->pass == PERFETTO_SCAN];
	uint32_t running = map64_get(of_cpu, cpu);
	uint64_t by, state, next, name, ts = 0;

	while (pb_packed(&c->lists[COMPACT_TIME], &by) &&
	       pb_packed(&c->lists[COMPACT_STATE], &state) &&
	       pb_packed(&c->lists[COMPACT_NEXT], &next)) {
		struct perfetto_switch w = {.next = (uint32_t)next, .state = (uint32_t)state};

		ts += by;
		if (ts > INT64_MAX / 2)
			break;
		if (pb_packed(&c->lists[COMPACT_NAME], &name) && name < c->n_names) {
			w.next_comm = c->names[name].s;
			w.n_next_comm = c->names[name].n;
		}
		w.prev = running;
		running = w.next;
		perfetto_sched_switch(
		    x, &w, perfetto_time_at(x, PERFETTO_BOOTTIME, (int64_t)ts + to_boot));
	}
	if (running)
		*map64_put(of_cpu, cpu) = running;
	else
		map64_remove(of_cpu, cpu);
}

static void compact_ready(struct perfetto *x, struct compact *c, int64_t to_boot)
{
	uint64_t by, tid, ts = 0;

	while (pb_packed(&c->lists[COMPACT_READY_TIME], &by) &&
	       pb_packed(&c->lists[COMPACT_READY], &tid)) {
		ts += by;
		if (ts > INT64_MAX / 2)
			return;
		perfetto_sched_ready(x, (uint32_t)tid,
				     perfetto_time_at(x, PERFETTO_BOOTTIME, (int64_t)ts + to_boot));
	}
}

void perfetto_compact_sched(struct perfetto *x, struct pb b, uint32_t cpu, int64_t to_boot)
{
	struct compact c = {.names = NULL};
	struct pb_field f;

	while (pb_next(&b, &f))
		if (f.wire == PB_BYTES && f.number == COMPACT_NAMES)
			VEC_PUSH(c.names, c.n_names, c.cap_names) = f;
		else if (f.wire == PB_BYTES && f.number <= COMPACT_READY)
			c.lists[f.number] = pb_of(&f);
	if (!b.bad) {
		compact_switches(x, &c, cpu, to_boot);
		compact_ready(x, &c, to_boot);
	}
	free(c.names);
}

/* --- threads and their tracks --- */

/* Calls of a thread come by one track, so that its waits lie in them. */
void perfetto_sched_tracks(struct perfetto *x)
{
	struct perfetto_sched *s = &x->sched;
	struct perfetto_tracks *t = &x->tracks;

	for (size_t i = 0; i < t->n; i++) {
		struct perfetto_track *track = &t->list[i];
		uint32_t *at;

		if (!track->has_tid || track->is_counter || !map64_get(&s->threads, track->tid))
			continue;
		track->mixed = true;
		perfetto_thread_pid(x, track->tid, track->pid);
		at = map64_put(&s->track_of, track->tid);
		if (!*at)
			*at = (uint32_t)i + 1;
	}
}

static uint32_t thread_of(struct perfetto *x, uint32_t tid)
{
	return perfetto_thread(x, map64_get(&x->sched.pids, tid), tid);
}

/* --- times on and off --- */

static uint32_t word_marker(struct perfetto *x, const char *word)
{
	struct trace *t = x->im->t;

	return trace_marker(t, &(struct marker){.name = trace_strz(t, word),
						.category = trace_strz(t, "scheduler")});
}

static void keep_wait(struct perfetto *x, uint32_t track, unsigned wait, int64_t from, int64_t to)
{
	struct perfetto_tracks *t = &x->tracks;

	if (to > from)
		VEC_PUSH(t->calls, t->n_calls, t->cap_calls) =
		    (struct perfetto_call){.ts = from,
					   .end = to,
					   .track = track,
					   .marker = word_marker(x, wait_words[wait]),
					   .waits = true};
}

static int sched_order(const void *pa, const void *pb)
{
	const struct perfetto_sched_event *a = pa, *b = pb;

	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	return a->ts < b->ts ? -1 : a->ts > b->ts;
}

/* What a thread does between its events. */
struct stretch {
	int64_t since, ready;
	uint32_t state;
	bool on, off, made_ready;
};

static void keep_off(struct perfetto *x, uint32_t tid, const struct stretch *at, int64_t end)
{
	uint32_t track = map64_get(&x->sched.track_of, tid);
	int64_t ready = at->made_ready ? at->ready : end;

	if (!track)
		return;
	keep_wait(x, track - 1, wait_of(at->state), at->since, ready);
	keep_wait(x, track - 1, WAIT_RUNNABLE, ready, end);
}

static void step_thread(struct perfetto *x, struct stretch *at,
			const struct perfetto_sched_event *ev)
{
	struct perfetto_sched *s = &x->sched;

	if (ev->what == SCHED_READY) {
		if (at->off && !at->made_ready && wait_of(at->state) != WAIT_RUNNABLE) {
			at->made_ready = true;
			at->ready = ev->ts;
		}
		return;
	}
	if (ev->what == SCHED_ON) {
		if (at->off)
			keep_off(x, ev->tid, at, ev->ts);
		*at = (struct stretch){.since = ev->ts, .on = true};
		return;
	}
	if (at->on)
		VEC_PUSH(s->runs, s->n_runs, s->cap_runs) =
		    (struct perfetto_run){at->since, ev->ts, ev->tid};
	*at = (struct stretch){.since = ev->ts, .state = ev->what, .off = true};
}

void perfetto_sched_waits(struct perfetto *x)
{
	struct perfetto_sched *s = &x->sched;
	struct perfetto_tracks *t = &x->tracks;
	struct stretch at = {0};

	for (size_t i = 0; s->seen && i < t->n_calls; i++) {
		const struct perfetto_track *track = &t->list[t->calls[i].track];
		uint32_t to = track->has_tid ? map64_get(&s->track_of, track->tid) : 0;

		if (to)
			t->calls[i].track = to - 1;
	}
	sort_stable(s->events, s->n_events, sizeof *s->events, sched_order);
	for (size_t i = 0; i < s->n_events; i++) {
		if (!i || s->events[i].tid != s->events[i - 1].tid)
			at = (struct stretch){0};
		step_thread(x, &at, &s->events[i]);
		s->open +=
		    at.on && (i + 1 == s->n_events || s->events[i + 1].tid != s->events[i].tid);
	}
}

/* Of a run, what is in no call. */
static enum status push_run(struct perfetto *x, uint32_t stack, const struct perfetto_run *run,
			    size_t *span, struct err *e)
{
	uint32_t at = map64_get(&x->sched.track_of, run->tid);
	const struct perfetto_track *track = at ? &x->tracks.list[at - 1] : NULL;
	struct emit_sample sample = {.stack = stack, .thread = thread_of(x, run->tid)};
	int64_t from = run->from;
	enum status st = ST_OK;

	while (!st && from < run->to) {
		int64_t to = run->to, next;

		while (track && *span < track->n_spans && track->spans[*span].to <= from)
			++*span;
		next = to;
		if (track && *span < track->n_spans && track->spans[*span].from < to) {
			to = track->spans[*span].from;
			next = track->spans[*span].to;
		}
		sample.time = KNOWN(from);
		sample.self = KNOWN(to - from);
		if (to > from)
			st = emit_sample(x->im, &sample, e);
		from = next;
	}
	return st;
}

enum status perfetto_sched_runs(struct perfetto *x, struct err *e)
{
	struct perfetto_sched *s = &x->sched;
	struct trace *t = x->im->t;
	enum status st = ST_OK;
	uint32_t stack;
	size_t span = 0;

	if (!s->seen)
		return ST_OK;
	stack = trace_stack(t, 0, emit_named(t, trace_strz(t, "[running]"), 0, 0));
	for (size_t i = 0; !st && i < s->n_runs; i++) {
		if (!i || s->runs[i].tid != s->runs[i - 1].tid)
			span = 0;
		st = push_run(x, stack, &s->runs[i], &span, e);
	}

	const struct trace_loss losses[] = {
	    LOSS(NOTE_INFO, s->open,
		 "threads still ran when the trace ended: what they had run last was left out"),
	    LOSS(NOTE_LOSS, s->lost, "bundles of the kernel's events follow events that were lost"),
	};

	TRACE_LOSSES(t, losses);
	return st;
}

void perfetto_sched_release(struct perfetto_sched *s)
{
	map64_release(&s->pids);
	map64_release(&s->comms);
	map64_release(&s->threads);
	map64_release(&s->track_of);
	map64_release(&s->running[0]);
	map64_release(&s->running[1]);
	free(s->events);
	free(s->runs);
}
