/* SPDX-License-Identifier: MIT */
#include "lib/group/filter_calls.h"

#include "lib/base/mem.h"
#include "lib/base/sort.h"
#include "lib/tally/open_calls.h"

#include <stdlib.h>

struct thread_calls {   /* of the open calls of a thread, by index */
	size_t kept;    /* from here on filters keep them; NONE: none */
	size_t entered; /* behind the last that was handed on and has not ended */
};

#define NONE SIZE_MAX

struct filter_calls {
	struct grouped_profile *project;
	const struct tally_selection *selection;
	const struct frame_marks *marks;
	enum status (*put)(void *arg, struct trace *t, const struct event *ev, struct err *e);
	void *arg;
	struct open_calls open; /* user: the stack that the call has as it is handed on */
	struct thread_calls *threads;
	size_t cap_threads;
	uint64_t dropped, cut;
};

struct filter_calls *filter_calls_new(struct grouped_profile *p, const struct frame_marks *marks,
				      enum status (*put)(void *arg, struct trace *t,
							 const struct event *ev, struct err *e),
				      void *arg)
{
	struct filter_calls *c = mem_zalloc(sizeof *c);

	c->project = p;
	c->selection = p->options.selection;
	c->marks = marks;
	c->put = put;
	c->arg = arg;
	return c;
}

void filter_calls_free(struct filter_calls *c)
{
	if (!c)
		return;
	open_calls_release(&c->open);
	free(c->threads);
	free(c);
}

void filter_calls_begin(struct filter_calls *c)
{
	open_calls_reset(&c->open);
	for (size_t i = 0; i < c->cap_threads; i++)
		c->threads[i] = (struct thread_calls){.kept = 0};
	c->dropped = c->cut = 0;
}

uint64_t filter_calls_dropped(const struct filter_calls *c)
{
	return c->dropped;
}

uint64_t filter_calls_cut(const struct filter_calls *c)
{
	return c->cut;
}

struct place { /* of an event that is handed on */
	uint32_t thread;
	bool has_thread, has_time;
	int64_t time;
};

static struct event event_of(const struct open_call *call, const struct place *at, unsigned kind)
{
	struct event ev = {.kind = (uint8_t)kind, .type = call->type, .stack = call->user};

	ev.has |= call->type ? EV_HAS_TYPE : 0;
	ev.has |= call->user ? EV_HAS_STACK : 0;
	if (at->has_thread) {
		ev.has |= EV_HAS_THREAD;
		ev.thread = at->thread;
	}
	if (at->has_time) {
		ev.has |= EV_HAS_TIME;
		ev.time = at->time;
	}
	if (kind == EV_ENTER && call->pause) {
		ev.has |= EV_HAS_VALUE;
		ev.value = call->pause;
	}
	return ev;
}

/* Calls that are kept and not entered yet; their own enters do not count. */
static enum status enter_all(struct filter_calls *c, struct trace *t, const struct open_thread *th,
			     struct thread_calls *x, const struct place *at, struct err *e)
{
	enum status st = ST_OK;

	if (x->kept == NONE)
		return ST_OK;
	if (x->entered < x->kept)
		x->entered = x->kept;
	for (; x->entered < th->n && !st; x->entered++) {
		struct event ev = event_of(&th->calls[x->entered], at, EV_ENTER);

		ev.has |= EV_HAS_COUNT;
		st = c->put(c->arg, t, &ev, e);
	}
	return st;
}

/* From an index on. */
static enum status exit_to(struct filter_calls *c, struct trace *t, const struct open_thread *th,
			   struct thread_calls *x, size_t index, const struct place *at,
			   struct err *e)
{
	enum status st = ST_OK;

	while (x->kept != NONE && x->entered > index && x->entered > x->kept && !st) {
		struct event ev = event_of(&th->calls[--x->entered], at, EV_EXIT);

		st = c->put(c->arg, t, &ev, e);
	}
	return st;
}

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* Whether ranges of times have what begins at a time; *until: to where that holds. */
static bool in_times(const struct selection_ranges *r, int64_t from, int64_t *until)
{
	for (size_t i = 0; r->n && i < r->n_apart; i++) {
		if (from < r->apart[i].lo) {
			*until = least(*until, r->apart[i].lo);
			return false;
		}
		if (from < r->apart[i].hi) {
			*until = least(*until, r->apart[i].hi);
			return true;
		}
	}
	return !r->n;
}

/* The same of frames, whose marks have times. */
static bool in_frames(const struct filter_calls *c, int64_t from, int64_t *until)
{
	const struct frame_marks *m = c->marks;
	size_t at = BISECT(i, m->run, m->n, m->items[i].start <= from);

	if (at < m->n)
		*until = least(*until, m->items[at].start);
	return at > m->run && selection_in(&c->selection->frames, m->items[at - 1].number);
}

/* What passed since the thread's last event, cut where ranges begin and end. */
static enum status filter_calls_pass(struct filter_calls *c, struct trace *t,
				     const struct open_thread *th, struct thread_calls *x,
				     int64_t from, bool selected, struct place *at, struct err *e)
{
	const struct tally_selection *s = c->selection;
	const bool marked = s && s->frames.n && frame_marks_timed(c->marks);
	int64_t now = at->time, until;
	enum status st = ST_OK;

	for (at->time = from; at->time < now && !st; at->time = until) {
		size_t entered = x->entered;
		bool in = true;

		until = now;
		if (s)
			in = in_times(&s->times, at->time, &until);
		if (s && s->frames.n)
			in &= marked ? in_frames(c, at->time, &until) : selected;
		st = in ? enter_all(c, t, th, x, at, e) : exit_to(c, t, th, x, 0, at, e);
		c->cut += x->entered != entered;
	}
	at->time = now;
	return st;
}

/* Whether filters keep a call on this path: with its callers they keep it, too. */
static bool keeps(struct filter_calls *c, const struct trace *t, uint32_t type, uint32_t path)
{
	struct tally_cell cell = {.type = type, .stack = path, .domain = CELL_PATH};
	uint32_t node;

	return pass_place(pass_begin(c->project, t), &cell, &node);
}

static enum status filter_calls_enter(struct filter_calls *c, struct trace *t,
				      const struct event *ev, struct open_thread *th,
				      struct thread_calls *x, const struct place *at, bool selected,
				      struct err *e)
{
	struct open_call call = {.type = ev->has & EV_HAS_TYPE ? ev->type : 0,
				 .stack = ev->has & EV_HAS_STACK ? ev->stack : 0,
				 .pause = open_calls_pause(ev)};
	struct event own = *ev;
	enum status st;

	call.user = call.stack;
	if (filters_any(c->project->options.filters)) {
		call.path = open_calls_path(&c->open, th, t, call.type, call.stack);
		if (x->kept == NONE && keeps(c, t, call.type, call.path)) {
			x->kept = th->n;
			if (th->n)
				call.user = call.path;
		}
	} else if (x->kept == NONE) {
		x->kept = th->n;
	}
	if (x->kept == NONE || !selected) {
		c->dropped++;
		open_calls_enter(&c->open, th, &call);
		return ST_OK;
	}
	st = enter_all(c, t, th, x, at, e);
	if (st || !open_calls_enter(&c->open, th, &call))
		return st;
	own.stack = call.user;
	own.has |= call.user ? EV_HAS_STACK : 0;
	x->entered = th->n;
	return c->put(c->arg, t, &own, e);
}

static enum status filter_calls_exit(struct filter_calls *c, struct trace *t,
				     const struct event *ev, struct open_thread *th,
				     struct thread_calls *x, const struct place *at, struct err *e)
{
	size_t n = open_calls_exit(&c->open, th, t, ev->has & EV_HAS_TYPE ? ev->type : 0,
				   ev->has & EV_HAS_STACK ? ev->stack : 0);
	enum status st = exit_to(c, t, th, x, th->n - n, at, e);

	while (n--)
		open_calls_pop(th);
	if (x->kept != NONE && th->n <= x->kept)
		*x = (struct thread_calls){.kept = NONE};
	return st;
}

/* What is left of a call has to be a call. */
static enum status refuse(const struct filters *f, struct err *e)
{
	static const struct {
		enum filter_kind kind;
		const char *option;
	} kinds[] = {{FILTER_IGNORE, "ignore"}, {FILTER_TYPE, "type"}, {FILTER_OWNER, "owner"}};

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (f && filters_has(f, kinds[i].kind))
			return err_set(e, ST_UNSUPPORTED,
				       "--%s: a trace cannot hold calls without their callees; use "
				       "this option with tm-top",
				       kinds[i].option);
	return ST_OK;
}

enum status filter_calls_event(struct filter_calls *c, struct trace *t, const struct event *ev,
			       bool selected, struct err *e)
{
	uint32_t thread = ev->thread < t->n_threads ? ev->thread : 0;
	struct open_thread *th = open_calls_thread(&c->open, thread);
	struct place at = {.thread = ev->thread,
			   .has_thread = ev->has & EV_HAS_THREAD,
			   .has_time = ev->has & EV_HAS_TIME,
			   .time = ev->time};
	struct thread_calls *x;
	enum status st = refuse(c->project->options.filters, e);

	c->threads =
	    mem_grow_zero(c->threads, &c->cap_threads, (size_t)thread + 1, sizeof *c->threads);
	x = &c->threads[thread];
	if (!th->n)
		*x = (struct thread_calls){.kept = NONE};
	if (!st && at.has_time) {
		int64_t ns = open_calls_elapsed(&c->open, th, at.time);

		if (th->n && ns)
			st = filter_calls_pass(c, t, th, x, at.time - ns, selected, &at, e);
	}
	if (st)
		return st;
	return ev->kind == EV_ENTER ? filter_calls_enter(c, t, ev, th, x, &at, selected, e)
				    : filter_calls_exit(c, t, ev, th, x, &at, e);
}
