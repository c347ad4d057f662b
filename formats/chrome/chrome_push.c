/* SPDX-License-Identifier: MIT
 *
 * Chrome's trace events in the order of time, matched to calls and pushed into the sink.
 */
#include "formats/chrome/chrome.h"

#include "formats/emit.h"
#include "lib/base/mem.h"
#include "lib/base/pages.h"
#include "lib/base/sort.h"

#include <stdlib.h>
#include <string.h>

enum { CALLS_INSIDE = 1024 }; /* an end is looked for in so many open calls */

struct push {
	struct chrome *x;
	uint32_t *threads; /* by index: of the trace */
	uint32_t *stacks;  /* by marker: the function alone */
	size_t *open;      /* indexes of calls */
	size_t n_open, cap_open;
};

/* By thread and time; a call that comes first in the file is the outer one. */
static int chrome_push_by_time(const void *pa, const void *pb)
{
	const struct chrome_call *a = pa, *b = pb;

	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	return a->ts < b->ts ? -1 : a->ts > b->ts;
}

/* The same, and of two that begin together the longer first. */
static int chrome_push_by_length(const void *pa, const void *pb)
{
	const struct chrome_call *a = pa, *b = pb;
	int order = chrome_push_by_time(a, b);

	return order ? order : a->end > b->end ? -1 : a->end < b->end;
}

/* By thread and time. Each thread's are nearly always in the order of time. */
static void chrome_push_sort(struct chrome *x)
{
	size_t *at = mem_zarray(x->n_threads + 1, sizeof *at), first = 0; /* [i + 1]: of thread i */
	struct chrome_call *to = pages_array(x->n_calls, sizeof *to);

	for (size_t i = 0; i < x->n_calls; i++)
		at[x->calls[i].thread + 1]++;
	for (size_t i = 0; i < x->n_threads; i++)
		at[i + 1] += at[i];
	for (size_t i = 0; i < x->n_calls; i++)
		to[at[x->calls[i].thread]++] = x->calls[i];
	for (size_t i = 0; i < x->n_threads; first = at[i++])
		sort_stable(to + first, at[i] - first, sizeof *to, chrome_push_by_time);
	free(x->calls);
	x->calls = to;
	x->cap_calls = x->n_calls;
	free(at);
}

static void open_call(struct push *p, size_t call)
{
	VEC_PUSH(p->open, p->n_open, p->cap_open) = call;
}

/* Of one name, and of one category where both have one. */
static bool is_end_of(const struct trace *t, uint32_t end, uint32_t begin)
{
	const struct marker *e = &t->markers[end], *b = &t->markers[begin];

	return e->name == b->name && (e->category == b->category || !e->category || !b->category);
}

/* The call that an E ends: the innermost of its name, where it has one. */
static void end_call(struct push *p, const struct chrome_call *end)
{
	struct chrome_call *calls = p->x->calls;
	size_t i = p->n_open, least = i > CALLS_INSIDE ? i - CALLS_INSIDE : 0;

	while (i > least && end->marker &&
	       !is_end_of(p->x->im->t, end->marker, calls[p->open[i - 1]].marker))
		i--;
	if (i == least) {
		p->x->unmatched++;
		return;
	}
	calls[p->open[i - 1]].end = end->ts;
	for (p->n_open--; i <= p->n_open; i++)
		p->open[i - 1] = p->open[i];
}

/* Gives every B of a thread its end, and takes out the E. */
static void chrome_push_match(struct push *p)
{
	struct chrome *x = p->x;
	size_t kept = 0, first = 0;

	for (size_t i = 0; i <= x->n_calls; i++) {
		if (i == x->n_calls || (i && x->calls[i].thread != x->calls[i - 1].thread)) {
			int64_t last = i ? x->calls[i - 1].ts : 0;

			for (size_t k = first; k < i; k++)
				if (x->calls[k].ph == 'X' && x->calls[k].end > last)
					last = x->calls[k].end;
			x->unended += p->n_open;
			for (; p->n_open; p->n_open--)
				x->calls[p->open[p->n_open - 1]].end = last;
			first = i;
		}
		if (i < x->n_calls && x->calls[i].ph == 'B')
			open_call(p, i);
		else if (i < x->n_calls && x->calls[i].ph == 'E')
			end_call(p, &x->calls[i]);
	}
	for (size_t i = 0; i < x->n_calls; i++)
		if (x->calls[i].ph != 'E')
			x->calls[kept++] = x->calls[i];
	x->n_calls = kept;
}

uint32_t chrome_marker(struct chrome *x, uint32_t name, uint32_t file, uint64_t line)
{
	struct marker m = {name, file};
	uint32_t marker = trace_marker(x->im->t, &m);

	x->places = mem_grow_zero(x->places, &x->n_places, marker + 1u, sizeof *x->places);
	x->places[marker] = (struct chrome_place){file, line <= UINT32_MAX ? (uint32_t)line : 0};
	return marker;
}

uint32_t chrome_thread(struct chrome *x, const void *key, size_t n, const struct chrome_thread *row)
{
	uint32_t before = intern_count(&x->thread_keys), id = intern_add(&x->thread_keys, key, n);

	if (id > before)
		VEC_PUSH(x->threads, x->n_threads, x->cap_threads) = *row;
	return id - 1;
}

static uint32_t stack_of(struct push *p, uint32_t marker)
{
	struct trace *t = p->x->im->t;
	uint32_t file, *stack = &p->stacks[marker];

	if (!*stack) {
		file = marker < p->x->n_places ? p->x->places[marker].file : 0;
		*stack = trace_stack(t, 0,
				     emit_named(t, t->markers[marker].name, file,
						file ? p->x->places[marker].line : 0));
	}
	return *stack;
}

static struct emit_call call_at(struct push *p, const struct chrome_call *c, int64_t at)
{
	return (struct emit_call){.marker = c->marker,
				  .stack = stack_of(p, c->marker),
				  .thread = p->threads[c->thread],
				  .time = KNOWN(at - p->x->start)};
}

static enum status push_enter(struct push *p, const struct chrome_call *c, struct err *e)
{
	struct emit_call call = call_at(p, c, c->ts);

	call.value = KNOWN_IF(c->pause, c->pause);
	return emit_enter(p->x->im, &call, e);
}

static enum status push_exit(struct push *p, const struct chrome_call *c, struct err *e)
{
	struct emit_call call = call_at(p, c, c->end);

	return emit_exit(p->x->im, &call, e);
}

/* Ends the open calls that are over at a time. */
static enum status push_ends(struct push *p, int64_t at, struct err *e)
{
	enum status st = ST_OK;

	for (; !st && p->n_open && p->x->calls[p->open[p->n_open - 1]].end <= at; p->n_open--) {
		const struct chrome_call *c = &p->x->calls[p->open[p->n_open - 1]];

		st = push_exit(p, c, e);
	}
	return st;
}

static enum status chrome_push_calls(struct push *p, struct err *e)
{
	struct chrome *x = p->x;
	enum status st = ST_OK;

	for (size_t i = 0; !st && i < x->n_calls; i++) {
		struct chrome_call *c = &x->calls[i];

		st = push_ends(p, i && c->thread != x->calls[i - 1].thread ? INT64_MAX : c->ts, e);
		if (st)
			break;
		if (p->n_open && c->end > x->calls[p->open[p->n_open - 1]].end) {
			c->end = x->calls[p->open[p->n_open - 1]].end;
			x->clipped++;
		}
		st = push_enter(p, c, e);
		open_call(p, i);
	}
	return st ? st : push_ends(p, INT64_MAX, e);
}

/* The stack of a frame; of frames that call each other in a ring, what is known of it. */
static uint32_t chrome_push_frame_stack(struct chrome *x, uint32_t index)
{
	uint32_t at = index, n = 0, stack = 0, *path = NULL;
	size_t cap = 0;

	for (; !x->frames[at].stack && !x->frames[at].open; at = x->frames[at].parent - 1) {
		path = mem_grow(path, &cap, n + 1u, sizeof *path);
		path[n++] = at;
		x->frames[at].open = true;
		if (!x->frames[at].parent)
			break;
	}
	if (x->frames[at].stack)
		stack = x->frames[at].stack - 1;
	else if (n && path[n - 1] != at)
		x->loops++;
	while (n--) {
		struct chrome_frame *f = &x->frames[path[n]];

		stack = trace_stack(x->im->t, stack, emit_named(x->im->t, f->name, 0, 0));
		f->stack = stack + 1;
		f->open = false;
	}
	free(path);
	return stack;
}

static enum status chrome_push_point(struct push *p, const struct chrome_point *at, struct err *e)
{
	struct known_number time = KNOWN(at->ts - p->x->start);
	struct emit_sample sample = {.time = time};

	if (at->kind == EV_COUNTER)
		return emit_decimal(p->x->im, at->what, time, decimal_join(at->value, at->fraction),
				    e);
	sample.thread = p->threads[at->thread];
	if (at->of_frames) {
		sample.self = KNOWN_IF(at->dur >= 0, at->dur);
		sample.samples = KNOWN(at->value);
		sample.stack = chrome_push_frame_stack(p->x, at->what - 1);
	} else {
		sample.marker = at->what;
		sample.stack = stack_of(p, at->what);
		sample.total = KNOWN(at->value);
	}
	return emit_sample(p->x->im, &sample, e);
}

static void chrome_push_add_notes(const struct chrome *x)
{
	struct trace *t = x->im->t;
	const struct trace_loss losses[] = {
	    LOSS(NOTE_LOSS, x->unmatched, "ends of calls have no begin"),
	    LOSS(NOTE_GUESS, x->unended,
		 "calls have no end: they end with the last event of their thread"),
	    LOSS(NOTE_GUESS, x->clipped,
		 "calls end after their caller: they end with their caller"),
	    LOSS(NOTE_LOSS, x->unended_asyncs, "asynchronous events have no end: left out"),
	    LOSS(NOTE_LOSS, x->game_frames, "frames of the game were left out"),
	    LOSS(NOTE_LOSS, x->no_time, "events have no time: left out"),
	    LOSS(NOTE_LOSS, x->no_number, "readings of counters are not numbers: left out"),
	    LOSS(NOTE_LOSS, x->loops, "stack frames are their own callers"),
	    LOSS(NOTE_INFO, x->rounded, "readings of counters have more than 18 decimals: rounded"),
	    LOSS(NOTE_INFO, x->asyncs,
		 "asynchronous events are shown as calls of a thread 'async'"),
	    LOSS(NOTE_INFO, x->other, "instants, flows and other events were left out"),
	};

	TRACE_LOSSES(t, losses);
}

enum status chrome_push(struct chrome *x, struct err *e)
{
	struct trace *t = x->im->t;
	struct push p = {.x = x};
	enum status st;

	if (x->n_calls || x->asyncs)
		trace_metric(t, METRIC_TIME, METRIC_EXACT, METRIC_AT_ALL);
	else if (x->n_profiles || x->sampled_time)
		trace_metric(t, METRIC_TIME, METRIC_ESTIMATED, METRIC_AT_ALL);
	p.threads = mem_zarray(x->n_threads + 1, sizeof *p.threads);
	p.stacks = mem_zarray(t->n_markers, sizeof *p.stacks);
	for (size_t i = 0; i < x->n_threads; i++) {
		const struct chrome_thread *th = &x->threads[i];

		struct thread row = {.process = (uint32_t)th->pid,
				     .tid = th->async ? UINT64_MAX : th->tid,
				     .name = th->async ? trace_strz(t, "async") : th->name};

		/* Those without a number are told apart by name. */
		p.threads[i] = row.tid ? trace_thread(t, &row) : trace_thread_named(t, row);
	}
	st = import_begin(x->im, e);
	if (!st && x->n_calls) {
		chrome_push_sort(x);
		chrome_push_match(&p);
		sort_stable(x->calls, x->n_calls, sizeof *x->calls, chrome_push_by_length);
		st = chrome_push_calls(&p, e);
	}
	for (size_t i = 0; !st && i < x->n_points; i++)
		st = chrome_push_point(&p, &x->points[i], e);
	for (size_t i = 0; !st && i < x->n_profiles; i++) {
		v8_join(&x->profiles[i]->v8);
		st = v8_push(&x->profiles[i]->v8, x->im, p.threads[x->profiles[i]->thread],
			     x->start / 1000, e);
	}
	chrome_push_add_notes(x);
	free(p.threads);
	free(p.stacks);
	free(p.open);
	return st;
}

void chrome_release(struct chrome *x)
{
	intern_release(&x->thread_keys);
	intern_release(&x->frame_keys);
	free(x->calls);
	free(x->points);
	free(x->threads);
	free(x->frames);
	free(x->places);
	v8_release(&x->piece);
	for (size_t i = 0; i < x->n_profiles; i++) {
		v8_release(&x->profiles[i]->v8);
		free(x->profiles[i]);
	}
	free(x->profiles);
	map64_release(&x->profile_of);
}
