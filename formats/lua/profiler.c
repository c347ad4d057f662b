/* SPDX-License-Identifier: MIT
 *
 * The log of the Kepler project's luaprofiler: tab separated, one line for each call when it
 * returns, so callees come before their caller. From its src/core_profiler.c and a file of it:
 *
 *	stack_level  file_defined  function_name  line_defined  current_line  local_time  total_time
 *
 * Levels count from 0, times are seconds with six digits (a comma in some locales), current_line is
 * the caller's line and is not kept. Code that is in no file is in "(string)"; a name of more than
 * 20 bytes was cut to 19 and quoted. Tabs in names are not escaped: the fields are found from both
 * ends. The log is opened to append, so the header may be in the middle.
 *
 * The profiler adds its calibrated cost of a call, so local times sum to a little more or less than
 * the totals: both are kept as they are. The lines of a call at level 0 are held until it
 * returns.
 */
#include "formats/emit.h"
#include "formats/lua/text.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"

#include <stdlib.h>
#include <string.h>

static const char header[] = "stack_level\tfile_defined\tfunction_name\tline_defined\t"
			     "current_line\tlocal_time\ttotal_time";

enum { FIELDS = 7 };

struct profiler {
	struct import *im;
	struct lua_line line;
	struct lua_refused refused;
	struct profiler_call {
		uint64_t level;
		uint32_t location, stack;
		int64_t local, total;
	} * calls; /* since the last one of level 0; as in the file */
	size_t n, cap;
	struct profiler_open {
		uint64_t level;
		uint32_t stack;
	} * open; /* callers, outermost first, while the calls are walked back */
	size_t n_open, cap_open;
	uint64_t runs, orphans, cut_names;
};

struct field {
	const char *s;
	size_t n;
};

static bool is_header(const char *s, size_t n)
{
	return n == sizeof header - 1 && !memcmp(s, header, n);
}

/* Two fields from the front and four from the back; the name is what is between. */
static bool lua_profiler_split(const char *s, size_t n, struct field f[FIELDS])
{
	const char *end = s + n;

	for (int i = 0; i < 2; i++) {
		const char *tab = memchr(s, '\t', (size_t)(end - s));

		if (!tab)
			return false;
		f[i] = (struct field){s, (size_t)(tab - s)};
		s = tab + 1;
	}
	for (int i = FIELDS - 1; i > 2; i--) {
		const char *at = end;

		while (at > s && at[-1] != '\t')
			at--;
		if (at == s)
			return false;
		f[i] = (struct field){at, (size_t)(end - at)};
		end = at - 1;
	}
	f[2] = (struct field){s, (size_t)(end - s)};
	return true;
}

static bool lua_profiler_parse(struct profiler *p, struct profiler_call *call)
{
	struct trace *t = p->im->t;
	struct field f[FIELDS];
	int64_t line, current;
	uint32_t file, name;
	bool quoted;

	if (!lua_profiler_split(p->line.s, p->line.n, f) ||
	    !num_dec(f[0].s, f[0].n, &call->level) || !num_i64(f[3].s, f[3].n, &line) ||
	    !num_i64(f[4].s, f[4].n, &current) || !lua_decimal(f[5].s, f[5].n, 9, &call->local) ||
	    !lua_decimal(f[6].s, f[6].n, 9, &call->total))
		return false;
	if (f[1].n && *f[1].s == '@')
		f[1] = (struct field){f[1].s + 1, f[1].n - 1};
	quoted = f[2].n >= 2 && *f[2].s == '"' && f[2].s[f[2].n - 1] == '"';
	if (quoted) {
		f[2] = (struct field){f[2].s + 1, f[2].n - 2};
		p->cut_names++;
	}
	name = trace_string(t, f[2].s, f[2].n);
	file = trace_string(t, f[1].s, f[1].n);
	call->location =
	    emit_named(t, name, file, line > 0 && line <= INT32_MAX ? (uint32_t)line : 0);
	return true;
}

/* From the last call back, a caller comes before what it called. */
static void make_stacks(struct profiler *p)
{
	p->n_open = 0;
	for (size_t i = p->n; i-- > 0;) {
		struct profiler_call *c = &p->calls[i];
		const struct profiler_open *caller;

		while (p->n_open && p->open[p->n_open - 1].level >= c->level)
			p->n_open--;
		caller = p->n_open ? &p->open[p->n_open - 1] : NULL;
		p->orphans += c->level && (!caller || caller->level != c->level - 1);
		c->stack = trace_stack(p->im->t, caller ? caller->stack : 0, c->location);
		VEC_PUSH(p->open, p->n_open, p->cap_open) =
		    (struct profiler_open){c->level, c->stack};
	}
}

static enum status flush(struct profiler *p, struct err *e)
{
	enum status st = ST_OK;

	make_stacks(p);
	for (size_t i = 0; !st && i < p->n; i++)
		st = emit_sample(p->im,
				 &(struct emit_sample){.stack = p->calls[i].stack,
						       .calls = KNOWN(1),
						       .total = KNOWN(p->calls[i].total),
						       .self = KNOWN(p->calls[i].local)},
				 e);
	p->n = 0;
	return st;
}

static enum status parse_line(struct profiler *p, struct err *e)
{
	struct profiler_call call = {0};

	if (!p->line.n)
		return ST_OK;
	if (is_header(p->line.s, p->line.n)) {
		p->runs++;
		return flush(p, e);
	}
	if (!lua_profiler_parse(p, &call)) {
		lua_refuse(&p->refused, &p->line);
		return ST_OK;
	}
	VEC_PUSH(p->calls, p->n, p->cap) = call;
	return call.level ? ST_OK : flush(p, e);
}

static void add_notes(struct profiler *p)
{
	struct trace *t = p->im->t;
	const struct trace_loss losses[] = {
	    LOSS(NOTE_INFO, p->runs > 1 ? p->runs : 0, "runs of the profiler are in this file"),
	    LOSS(NOTE_GUESS, p->orphans,
		 "calls have no recorded caller (a coroutine, or the caller had not returned): the "
		 "nearest recorded call stands for it"),
	    LOSS(NOTE_INFO, p->cut_names, "calls are of functions whose names the profiler cut"),
	};

	TRACE_LOSSES(t, losses);
	lua_refused_note(t, &p->refused, "lines do not have seven valid fields");
	lua_cut_note(t, &p->line, &p->refused);
}

static enum status lua_profiler_read(struct import *im, struct err *e)
{
	struct profiler p = {.im = im};
	struct cursor *c = &im->in->cur;
	enum status st, in;

	trace_metric(im->t, METRIC_TIME, METRIC_ESTIMATED, METRIC_AT_ALL);
	trace_set(im->t, "luaprofiler.resolution", "1 us");
	if (!lua_next_line(c, &p.line) || !is_header(p.line.s, p.line.n))
		return cursor_failed(c) ? err_failure(e)
					: err_at(e, ST_BAD, 0,
						 "the first line is not the header of "
						 "luaprofiler");
	p.runs = 1;
	st = import_begin(im, e);
	while (!st && lua_next_line(c, &p.line))
		st = parse_line(&p, e);
	in = !st && cursor_failed(c) ? err_failure(c->e) : ST_OK;
	if (!st) {
		struct err later = ERR_INIT;

		st = flush(&p, &later);
		if (st)
			*e = later;
	}
	if (!st)
		add_notes(&p);
	free(p.calls);
	free(p.open);
	return st ? st : in;
}

static int lua_profiler_bid(const uint8_t *head, size_t n, bool whole)
{
	struct lua_head h = {head, n, whole, 0};
	const char *s;
	size_t len;

	return lua_head_line(&h, &s, &len) && is_header(s, len) ? 64 : 0;
}

const struct reader reader_luaprofiler = {
    .name = "luaprofiler",
    .family = "Lua",
    .page = "lua",
    .capabilities = CAPABILITY_CALLS | CAPABILITY_TIME,
    .what = "luaprofiler's log: calls with their times (tab separated)",
    .suffixes = "out,tsv,txt",
    .cut = CUT_NEVER, /* callees come before their caller, which may be cut off */
    .bid = lua_profiler_bid,
    .read = lua_profiler_read,
};
