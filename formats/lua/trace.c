/* SPDX-License-Identifier: MIT
 *
 * luatrace's trace-out.txt. From the comments and the code of its lua/luatrace/trace_file.lua and
 * files of it; one line each:
 *
 *	> FILE FIRST LAST    a call of the function defined at FILE:FIRST-LAST
 *	T FILE FIRST LAST    a tail call, which replaces the caller
 *	S FILE FIRST LAST    the trace starts inside of it
 *	<                    a return
 *	R ID                 a coroutine is resumed
 *	Y                    it yields, or has returned
 *	P                    the next call is protected
 *	E                    an error: unwinds to the last protected call, across coroutines
 *	LINE MICROSECONDS    time spent in a line of the innermost function (%g)
 *
 * FILE may hold blanks: FIRST and LAST are found from the end. A trace begins somewhere inside, so
 * lines and returns of functions that it has not entered are normal.
 *
 * A line's time is one sample, its value and its self time alike. Its stack has the lines that
 * the calls are in; its count is 1 for the first line of a call and 0 for the others, so that
 * counts are calls. A call without lines is a sample of no time.
 */
#include "formats/emit.h"
#include "formats/lua/text.h"
#include "lib/base/buf.h"
#include "lib/base/hash.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"

#include <stdlib.h>
#include <string.h>

enum { PLACES = 16384 };

struct luatrace_frame {
	uint32_t parent;     /* stack of the caller, with its line */
	uint32_t name, file; /* string ids; 0: not known */
	uint32_t first, line;
	uint32_t stack; /* with its line; 0: not asked for */
	bool counted, protects;
};

struct luatrace_frames {
	struct luatrace_frame *rows;
	size_t n, cap;
};

struct luatrace {
	struct import *im;
	struct lua_line line;
	struct lua_refused refused;
	struct luatrace_frames *threads; /* [0]: the main one */
	size_t n_threads, cap_threads;
	struct map64 by_id;
	struct intern functions; /* "FILE FIRST LAST" */
	struct luatrace_function {
		uint32_t name, file, first;
		uint64_t cut; /* 1: FILE is too long for a string */
	} * functions_of;     /* by their ids; [0]: the last one that was too long to keep */
	size_t cap_functions_of;
	struct luatrace_place { /* what was looked for last, by the place that it has here */
		uint32_t name, file, line, location;
	} * places;
	uint32_t *resumed; /* the threads that wait for the running one; indexes */
	size_t n_resumed, cap_resumed;
	uint32_t running;
	uint32_t unknown; /* string */
	int64_t now;
	uint64_t unentered, errors, tails;
};

static struct luatrace_frames *frames(struct luatrace *l)
{
	return &l->threads[l->running];
}

/* The innermost one; the first use of a thread that has none makes one that is not known. */
static struct luatrace_frame *top(struct luatrace *l)
{
	struct luatrace_frames *f = frames(l);

	if (!f->n)
		VEC_PUSH(f->rows, f->n, f->cap) =
		    (struct luatrace_frame){.name = l->unknown, .counted = true};
	return &f->rows[f->n - 1];
}

static uint32_t luatrace_location(struct luatrace *l, uint32_t name, uint32_t file, uint32_t line)
{
	uint64_t hash = hash_u64((uint64_t)name << 32 | line);
	struct luatrace_place *p = &l->places[hash % PLACES];

	if (!p->location || p->name != name || p->file != file || p->line != line)
		*p = (struct luatrace_place){name, file, line,
					     emit_named(l->im->t, name, file, line)};
	return p->location;
}

static uint32_t stack_of(struct luatrace *l, struct luatrace_frame *f)
{
	if (!f->stack)
		f->stack = trace_stack(
		    l->im->t, f->parent,
		    luatrace_location(l, f->name, f->file, f->line ? f->line : f->first));
	return f->stack;
}

static enum status push(struct luatrace *l, struct luatrace_frame *f, int64_t ns, struct err *e)
{
	const struct emit_sample sample = {.stack = stack_of(l, f),
					   .calls = KNOWN(!f->counted),
					   .self = KNOWN(ns),
					   .time = KNOWN(l->now)};

	f->counted = true;
	l->now = ns > INT64_MAX - l->now ? INT64_MAX : l->now + ns;
	return emit_sample(l->im, &sample, e);
}

/* A call that ends without a line has not been counted. */
static enum status leave(struct luatrace *l, struct err *e)
{
	struct luatrace_frames *f = frames(l);
	struct luatrace_frame *last = &f->rows[f->n - 1];
	enum status st = last->counted ? ST_OK : push(l, last, 0, e);

	f->n--;
	return st;
}

/* "FILE FIRST LAST" */
static bool parse_function(const char *s, size_t n, size_t *file, uint64_t *first)
{
	uint64_t last;
	size_t at;

	return lua_last_number(s, n, &at, &last) && lua_last_number(s, at, file, first) &&
	       *first <= INT32_MAX;
}

/* The parts of "FILE FIRST LAST" are looked at once for each such text; NULL: others. */
static const struct luatrace_function *luatrace_function_of(struct luatrace *l, const char *s,
							    size_t n)
{
	bool kept = n <= TRACE_STRING_MAX;
	uint32_t id = kept ? intern_find(&l->functions, s, n) : 0;
	struct luatrace_function *f;
	struct buf b = BUF_INIT;
	uint64_t first;
	size_t file;

	if (id) {
		l->im->t->cut_strings += l->functions_of[id].cut;
		return &l->functions_of[id];
	}
	if (!parse_function(s, n, &file, &first))
		return NULL;
	id = kept ? intern_add(&l->functions, s, n) : 0;
	l->functions_of =
	    mem_grow_zero(l->functions_of, &l->cap_functions_of, id + 1u, sizeof *l->functions_of);
	f = &l->functions_of[id];
	f->cut = l->im->t->cut_strings;
	f->file = trace_string(l->im->t, s, file);
	f->cut = l->im->t->cut_strings - f->cut;
	f->first = (uint32_t)first;
	buf_add(&b, s, file);
	buf_addc(&b, ':');
	buf_add_u64(&b, first);
	f->name = trace_string(l->im->t, b.data, b.len);
	buf_release(&b);
	return f;
}

static enum status lua_trace_enter(struct luatrace *l, char kind, const char *s, size_t n,
				   struct err *e)
{
	struct luatrace_frames *f = frames(l);
	const struct luatrace_function *function = luatrace_function_of(l, s, n);
	struct luatrace_frame row = {.counted = kind == 'S'};
	enum status st = ST_OK;

	if (!function) {
		lua_refuse(&l->refused, &l->line);
		return ST_OK;
	}
	row.file = function->file;
	row.first = function->first;
	row.name = function->name;
	if (f->n && kind == 'T') {
		l->tails++;
		row.parent = f->rows[f->n - 1].parent;
		st = leave(l, e);
	} else if (f->n) {
		row.parent = stack_of(l, &f->rows[f->n - 1]);
	} else if (l->n_resumed && l->threads[l->resumed[l->n_resumed - 1]].n) {
		struct luatrace_frames *by = &l->threads[l->resumed[l->n_resumed - 1]];

		row.parent = stack_of(l, &by->rows[by->n - 1]);
	}
	VEC_PUSH(f->rows, f->n, f->cap) = row;
	return st;
}

static void end_protection(struct luatrace *l)
{
	struct luatrace_frames *f = frames(l);

	if (f->n)
		f->rows[f->n - 1].protects = false;
}

static void yield(struct luatrace *l)
{
	if (l->n_resumed)
		l->running = l->resumed[--l->n_resumed];
	end_protection(l); /* of the resumption */
}

static enum status leave_function(struct luatrace *l, struct err *e)
{
	struct luatrace_frames *f = frames(l);
	enum status st = ST_OK;

	l->unentered += !f->n || f->rows[f->n - 1].name == l->unknown;
	if (f->n)
		st = leave(l, e);
	end_protection(l);
	return st; /* behind a coroutine's last return there is a Y */
}

/* Unwinds to the function whose call was protected, also to that which resumed a coroutine. */
static enum status unwind(struct luatrace *l, struct err *e)
{
	struct luatrace_frames *f = frames(l);
	enum status st = ST_OK;

	l->errors++;
	for (;;) {
		while (!st && f->n && !f->rows[f->n - 1].protects)
			st = leave(l, e);
		if (st || f->n || !l->n_resumed)
			break;
		l->running = l->resumed[--l->n_resumed];
		f = frames(l);
	}
	end_protection(l);
	return st;
}

static void resume(struct luatrace *l, uint64_t id)
{
	uint32_t *at = map64_put(&l->by_id, id);

	if (!*at) {
		VEC_PUSH(l->threads, l->n_threads, l->cap_threads) = (struct luatrace_frames){0};
		*at = (uint32_t)l->n_threads; /* index + 1 */
	}
	VEC_PUSH(l->resumed, l->n_resumed, l->cap_resumed) = l->running;
	l->running = *at - 1;
}

static bool parse_id(const char *s, size_t n, uint64_t *id)
{
	if (n < 3 || s[1] != ' ')
		return false;
	*id = hash_bytes(s + 2, n - 2); /* a number, or the text of a thread */
	return true;
}

static bool parse_time(const char *s, size_t n, uint32_t *line, int64_t *ns)
{
	const char *blank = memchr(s, ' ', n);
	size_t at = blank ? (size_t)(blank - s) : 0;
	uint64_t v;

	if (!blank || !num_dec(s, at, &v) || v > INT32_MAX ||
	    !lua_decimal(blank + 1, n - at - 1, 3, ns))
		return false;
	*line = (uint32_t)v;
	return true;
}

static enum status lua_trace_parse_line(struct luatrace *l, struct err *e)
{
	const char *s = l->line.s;
	size_t n = l->line.n;
	uint32_t line;
	uint64_t id;
	int64_t ns;

	if (!n)
		return ST_OK;
	if (n > 2 && s[1] == ' ' && (*s == '>' || *s == 'T' || *s == 'S'))
		return lua_trace_enter(l, *s, s + 2, n - 2, e);
	if (n == 1 && *s == '<')
		return leave_function(l, e);
	if (n == 1 && *s == 'E')
		return unwind(l, e);
	if (n == 1 && *s == 'P') {
		top(l)->protects = true;
	} else if (n == 1 && *s == 'Y') {
		yield(l);
	} else if (*s == 'R' && parse_id(s, n, &id)) {
		resume(l, id);
	} else if (parse_time(s, n, &line, &ns)) {
		struct luatrace_frame *f = top(l);

		if (f->line != line)
			f->stack = 0;
		f->line = line;
		return push(l, f, ns, e);
	} else {
		lua_refuse(&l->refused, &l->line);
	}
	return ST_OK;
}

static void add_notes(struct luatrace *l)
{
	struct trace *t = l->im->t;
	const struct trace_loss losses[] = {
	    LOSS(NOTE_INFO, l->unentered,
		 "returns are from functions that were entered before the trace"),
	    LOSS(NOTE_INFO, l->errors, "errors unwound the stack"),
	    LOSS(NOTE_INFO, l->tails, "tail calls replaced their caller"),
	};

	TRACE_LOSSES(t, losses);
	lua_refused_note(t, &l->refused, "lines are not luatrace records");
	lua_cut_note(t, &l->line, &l->refused);
}

/* Calls that had not returned. */
static enum status end_calls(struct luatrace *l, struct err *e)
{
	enum status st = ST_OK;

	for (uint32_t i = 0; i < l->n_threads; i++) {
		l->running = i;
		while (!st && frames(l)->n)
			st = leave(l, e);
	}
	return st;
}

static enum status lua_trace_read(struct import *im, struct err *e)
{
	struct luatrace l = {.im = im, .unknown = trace_strz(im->t, "(entered before the trace)")};
	struct cursor *c = &im->in->cur;
	enum status st, in;

	l.places = mem_zarray(PLACES, sizeof *l.places);
	VEC_PUSH(l.threads, l.n_threads, l.cap_threads) = (struct luatrace_frames){0};
	trace_metric(im->t, METRIC_TIME, METRIC_EXACT, METRIC_AT_ALL);
	trace_stacks_near(im->t);
	st = import_begin(im, e);
	while (!st && lua_next_line(c, &l.line))
		st = lua_trace_parse_line(&l, e);
	in = !st && cursor_failed(c) ? err_failure(c->e) : ST_OK;
	if (!st) {
		struct err later = ERR_INIT;

		st = end_calls(&l, &later);
		if (st)
			*e = later;
	}
	if (!st)
		add_notes(&l);
	for (size_t i = 0; i < l.n_threads; i++)
		free(l.threads[i].rows);
	free(l.threads);
	free(l.resumed);
	map64_release(&l.by_id);
	intern_release(&l.functions);
	free(l.functions_of);
	free(l.places);
	return st ? st : in;
}

/* The lines of the head are luatrace's; calls and times are among them. */
static int lua_trace_bid(const uint8_t *head, size_t n, bool whole)
{
	struct lua_head h = {head, n, whole, 0};
	size_t len, file, calls = 0, times = 0, others = 0, bad = 0;
	uint64_t first, id;
	uint32_t line;
	const char *s;
	int64_t ns;

	while (lua_head_line(&h, &s, &len)) {
		if (len == 1 && *s && strchr("<YPE", *s))
			others++;
		else if (len > 2 && s[1] == ' ' && *s && strchr(">TS", *s) &&
			 parse_function(s + 2, len - 2, &file, &first))
			calls++;
		else if (len > 2 && parse_time(s, len, &line, &ns))
			times++;
		else if (len > 2 && *s == 'R' && parse_id(s, len, &id))
			others++;
		else
			bad++;
	}
	return calls && times && lua_head_is(calls + times + others, bad) ? 16 : 0;
}

const struct reader reader_luatrace = {
    .name = "luatrace",
    .family = "Lua",
    .page = "lua",
    .capabilities = CAPABILITY_STACKS | CAPABILITY_CALLS | CAPABILITY_TIME,
    .what = "luatrace: calls, returns and the time of each line",
    .suffixes = "txt",
    .guesses = true,
    .cut = CUT_NEVER, /* calls that are open at the end are pushed there */
    .bid = lua_trace_bid,
    .read = lua_trace_read,
};
