/* SPDX-License-Identifier: MIT */
#include "lib/report/frames/bars.h"

#include "lib/base/mem.h"
#include "lib/tally/open_calls.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	BAR_CAPTURE,
	BAR_THREAD,
	BAR_TID,
	BAR_LEVEL,
	BAR_START,
	BAR_DURATION,
	BAR_CALLS,
	BAR_FUNCTION,
	BAR_FILE,
	BAR_LINE,
	BAR_MODULE,
	BAR_COLUMNS
};

struct bar {
	int64_t start, end, longest; /* longest: ns of the call that it is named by */
	uint64_t calls;
	uint64_t tid;
	uint32_t capture, thread; /* thread: string id of its name */
	uint32_t level, location; /* location: of names */
};

struct bars_thread {
	int64_t *starts;     /* of the open calls */
	struct bar *pending; /* by level: short calls of one step; calls 0: none */
	size_t cap_starts, n_pending, cap_pending;
	uint32_t title; /* 0: not asked yet */
	uint64_t tid;
};

struct frames_bars {
	struct sink sink;
	struct frames_bars_options options;
	struct open_calls open; /* user: location of the capture */
	struct group_names names;
	size_t n_modules; /* that names knows */
	struct bars_thread *threads;
	size_t n_threads, cap_threads;
	struct bar *bars;
	size_t n, cap;
	uint64_t untimed, more; /* more: rows that there was no room for */
	uint32_t captures;

	struct table table;
	struct table_column columns[BAR_COLUMNS];
	char title[160], lost[2][160];
	const char *notes[2];
};

static struct frames_bars *bars_of(struct sink *s)
{
	return (struct frames_bars *)((char *)s - offsetof(struct frames_bars, sink));
}

static enum status bars_begin(struct sink *s, struct trace *t, struct err *e)
{
	struct frames_bars *b = bars_of(s);

	(void)e;
	open_calls_reset(&b->open);
	names_capture(&b->names, t);
	b->n_modules = t->n_modules;
	for (size_t i = 0; i < b->n_threads; i++)
		b->threads[i].title = 0;
	b->captures++;
	return ST_OK;
}

static struct bars_thread *bars_thread(struct frames_bars *b, uint32_t thread)
{
	b->threads =
	    mem_grow_zero(b->threads, &b->cap_threads, (size_t)thread + 1, sizeof *b->threads);
	if (thread >= b->n_threads)
		b->n_threads = (size_t)thread + 1;
	return &b->threads[thread];
}

static void add_bar(struct frames_bars *b, const struct bar *bar)
{
	if (b->n < BARS_MOST)
		VEC_PUSH(b->bars, b->n, b->cap) = *bar;
	else
		b->more++;
}

static void flush_bar(struct frames_bars *b, struct bar *pending)
{
	if (pending->calls)
		add_bar(b, pending);
	pending->calls = 0;
}

/* A call that has ended. */
static void take_bar(struct frames_bars *b, struct bars_thread *th, const struct bar *bar)
{
	int64_t every = b->options.every;
	struct bar *pending;

	if (b->options.levels && bar->level >= b->options.levels)
		return;
	if (!selection_meets(&b->options.selection->times, bar->start, bar->end, true))
		return;
	th->pending = mem_grow_zero(th->pending, &th->cap_pending, (size_t)bar->level + 1,
				    sizeof *th->pending);
	if (bar->level >= th->n_pending)
		th->n_pending = (size_t)bar->level + 1;
	pending = &th->pending[bar->level];
	if (!every || bar->longest >= every) {
		flush_bar(b, pending);
		add_bar(b, bar);
		return;
	}
	if (pending->calls && pending->start / every == bar->start / every) {
		pending->calls += bar->calls;
		pending->end = bar->end;
		if (bar->longest > pending->longest) {
			pending->longest = bar->longest;
			pending->location = bar->location;
		}
		return;
	}
	flush_bar(b, pending);
	*pending = *bar;
}

static uint32_t thread_name(struct frames_bars *b, const struct trace *t, struct bars_thread *th,
			    uint32_t thread)
{
	const struct thread *of = &t->threads[thread < t->n_threads ? thread : 0];
	const char *name;
	char number[40];
	size_t n;

	if (th->title)
		return th->title;
	name = intern_text(&t->strings, of->name, &n);
	if (!n) {
		/* As in a ranking by thread: it is looked for there. */
		n = of == t->threads
			? (size_t)snprintf(number, sizeof number, "[no thread]")
			: (size_t)snprintf(number, sizeof number, "[thread %" PRIu64 "]", of->tid);
		name = number;
	}
	th->tid = of->tid;
	th->title = intern_add(&b->names.strings, name, n);
	return th->title;
}

static void end_call(struct frames_bars *b, const struct trace *t, uint32_t thread,
		     struct open_thread *open, int64_t at)
{
	struct bars_thread *th = bars_thread(b, thread);
	const struct open_call call = open_calls_pop(open);
	struct bar bar = {.start = th->starts[open->n],
			  .end = at,
			  .calls = 1,
			  .capture = b->captures,
			  .level = (uint32_t)open->n};

	if (call.pause)
		return;
	bar.longest = bar.end > bar.start ? bar.end - bar.start : 0;
	bar.thread = thread_name(b, t, th, thread);
	bar.tid = th->tid;
	if (b->n_modules != t->n_modules)
		names_capture(&b->names, t);
	b->n_modules = t->n_modules;
	bar.location = names_location(&b->names, t, call.user);
	take_bar(b, th, &bar);
}

static enum status bars_event(struct sink *s, struct trace *t, const struct event *ev,
			      struct err *e)
{
	struct frames_bars *b = bars_of(s);
	struct open_call call = {.type = ev->type < t->n_markers ? ev->type : 0,
				 .stack = ev->stack < t->n_stacks ? ev->stack : 0};
	struct open_thread *open;
	struct bars_thread *th;
	int64_t at;

	(void)e;
	if (ev->kind != EV_ENTER && ev->kind != EV_EXIT)
		return ST_OK;
	if (b->options.selection->n_threads &&
	    !selection_has_thread(b->options.selection, t, ev->thread))
		return ST_OK;
	if (!(ev->has & EV_HAS_TIME)) {
		b->untimed++;
		return ST_OK;
	}
	open = open_calls_thread(&b->open, ev->thread);
	at = open->has_last && open->last > ev->time ? open->last : ev->time;
	open_calls_elapsed(&b->open, open, at);
	if (ev->kind == EV_EXIT) {
		for (size_t n = open_calls_exit(&b->open, open, t, call.type, call.stack); n; n--)
			end_call(b, t, ev->thread, open, at);
		return ST_OK;
	}
	call.pause = open_calls_pause(ev);
	call.user = open_calls_location(&b->open, t, call.type, call.stack);
	if (!open_calls_enter(&b->open, open, &call))
		return ST_OK;
	th = bars_thread(b, ev->thread);
	th->starts = mem_grow(th->starts, &th->cap_starts, open->n, sizeof *th->starts);
	th->starts[open->n - 1] = at;
	return ST_OK;
}

static enum status bars_batch(struct sink *s, struct trace *t, const struct sink_batch *batch,
			      struct err *e)
{
	return sink_each(s, t, batch, e, bars_event);
}

static enum status bars_end(struct sink *s, struct trace *t, struct err *e)
{
	struct frames_bars *b = bars_of(s);

	(void)e;
	for (uint32_t i = 0; i < b->open.n; i++)
		while (b->open.threads[i].n)
			end_call(b, t, i, &b->open.threads[i], b->open.threads[i].last);
	for (size_t i = 0; i < b->n_threads; i++)
		for (size_t k = 0; k < b->threads[i].n_pending; k++)
			flush_bar(b, &b->threads[i].pending[k]);
	return ST_OK;
}

struct frames_bars *frames_bars_new(const struct frames_bars_options *o)
{
	struct frames_bars *b = mem_zalloc(sizeof *b);

	b->options = *o;
	b->sink = (struct sink){.begin = bars_begin, .batch = bars_batch, .end = bars_end};
	names_init(&b->names);
	b->names.mangled = o->mangled;
	return b;
}

void frames_bars_free(struct frames_bars *b)
{
	if (!b)
		return;
	for (size_t i = 0; i < b->n_threads; i++) {
		free(b->threads[i].starts);
		free(b->threads[i].pending);
	}
	free(b->threads);
	free(b->bars);
	open_calls_release(&b->open);
	names_release(&b->names);
	free(b);
}

struct sink *frames_bars_sink(struct frames_bars *b)
{
	return &b->sink;
}

static int longest_first(const void *a, const void *b)
{
	const struct bar *p = a, *q = b;

	if (p->longest != q->longest)
		return p->longest < q->longest ? 1 : -1;
	return p->start < q->start ? -1 : p->start > q->start;
}

static int in_place(const void *a, const void *b)
{
	const struct bar *p = a, *q = b;

	if (p->capture != q->capture)
		return p->capture < q->capture ? -1 : 1;
	if (p->tid != q->tid)
		return p->tid < q->tid ? -1 : 1;
	if (p->thread != q->thread)
		return p->thread < q->thread ? -1 : 1;
	if (p->level != q->level)
		return p->level < q->level ? -1 : 1;
	return p->start < q->start ? -1 : p->start > q->start;
}

static void frames_bars_fill(void *arg, size_t i, struct table_row *r)
{
	const struct frames_bars *b = arg;
	const struct bar *bar = &b->bars[i];
	const struct names_location *l = &b->names.locations[bar->location];
	const struct names_call *c = &b->names.calls[l->first + l->n_calls - 1];
	const char *s;
	size_t n;

	r->cells[BAR_CAPTURE] = cell_number(bar->capture);
	s = names_text(&b->names, bar->thread, &n);
	r->cells[BAR_THREAD] = cell_text(s, n);
	r->cells[BAR_TID] = cell_number(bar->tid);
	r->cells[BAR_LEVEL] = cell_number(bar->level);
	r->cells[BAR_START] = cell_signed(bar->start);
	r->cells[BAR_DURATION] =
	    cell_number(bar->end > bar->start ? (uint64_t)bar->end - (uint64_t)bar->start : 0);
	r->cells[BAR_CALLS] = cell_number(bar->calls);
	s = names_text(&b->names, b->names.functions[c->function].display, &n);
	r->cells[BAR_FUNCTION] = cell_text(s, n);
	s = names_text(&b->names, c->file, &n);
	if (n)
		r->cells[BAR_FILE] = cell_text(s, n);
	if (c->line)
		r->cells[BAR_LINE] = cell_number(c->line);
	s = names_text(&b->names, l->module, &n);
	if (n)
		r->cells[BAR_MODULE] = cell_text(s, n);
}

const struct table *frames_bars_table(struct frames_bars *b)
{
	static const struct table_column columns[BAR_COLUMNS] = {
	    {"capture", "capture", COLUMN_INT, COLUMN_NOT_TEXT, 0},
	    {"thread", "thread", COLUMN_TEXT, COLUMN_SHORTEN, 0},
	    {"tid", "tid", COLUMN_INT, COLUMN_NOT_TEXT, 0},
	    {"level", "level", COLUMN_INT, 0, 0},
	    {"start_ns", "start", COLUMN_TIME, 0, 0},
	    {"duration_ns", "duration", COLUMN_TIME, 0, 0},
	    {"calls", "calls", COLUMN_INT, 0, 0},
	    {"function", "function", COLUMN_TEXT, COLUMN_SHORTEN, 0},
	    {"file", "file", COLUMN_TEXT, COLUMN_SHORTEN | COLUMN_PATH | COLUMN_SPARE, 0},
	    {"line", "line", COLUMN_INT, COLUMN_SPARE, 0},
	    {"module", "module", COLUMN_TEXT, COLUMN_SPARE, 0}};
	size_t all = b->n, most = b->options.n && b->options.n < all ? (size_t)b->options.n : all;

	names_disambiguate(&b->names);
	if (most < all) {
		qsort(b->bars, all, sizeof *b->bars, longest_first);
		b->n = most;
	}
	qsort(b->bars, b->n, sizeof *b->bars, in_place);
	memcpy(b->columns, columns, sizeof columns);
	if (most < all)
		snprintf(b->title, sizeof b->title, "the %zu longest of %zu rows of calls", most,
			 all);
	else
		snprintf(b->title, sizeof b->title, "calls by thread");
	b->table = (struct table){.name = "calls",
				  .title = b->title,
				  .columns = b->columns,
				  .n_columns = BAR_COLUMNS,
				  .n_rows = b->n,
				  .fill = frames_bars_fill,
				  .arg = b,
				  .empty = "no calls with times",
				  .notes = b->notes};
	if (b->untimed) {
		snprintf(b->lost[0], sizeof b->lost[0],
			 "enters and exits without a time were left out: %" PRIu64, b->untimed);
		b->notes[b->table.n_notes++] = b->lost[0];
	}
	if (b->more) {
		snprintf(b->lost[1], sizeof b->lost[1], "rows that there was no room for: %" PRIu64,
			 b->more);
		b->notes[b->table.n_notes++] = b->lost[1];
	}
	return &b->table;
}
