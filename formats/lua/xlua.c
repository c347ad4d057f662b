/* SPDX-License-Identifier: MIT
 *
 * The text reports of xLua, as saved by the user:
 *
 *	perf/profiler.lua	|FUNCTION: SOURCE: TOTAL(MS): AVERAGE(MS): RELATIVE: CALLED|, then
 *				a row for each function, columns of 40, 50 and 12 characters, a
 *				name cut at 40 bytes and a source at 50
 *	perf/memory.lua		NAME: SIZE: TYPE: ID: INFO, a row for each table (until 2018-09)
 *	LuaMemoryLeakChecker	"total memroy: N", then "potential leak(SIZE) in {path,path}" for
 *				each table that grew: N is KiB in use
 *
 * SIZE is a table's slots (array and hash), not bytes: it becomes the value of the OBJECT.
 * Time is from os.clock: processor time, with all that was called; a recursive call begins
 * the time again. Rows of equal function and source are different functions.
 *
 * Facts: Assets/XLua/Resources/perf/profiler.lua.txt, memory.lua.txt (4eb59f8),
 * General/LuaMemoryLeakChecker and build/memory_leak_checker.c of Tencent/xLua.
 */
#include "formats/lua/objects.h"

#include "formats/emit.h"
#include "lib/base/num.h"

#include <inttypes.h>
#include <stdio.h>

enum { LINE_LIMIT = 16 << 20, NAME_WIDTH = 40, SOURCE_WIDTH = 50, FIGURES = 4 };
enum form { FORM_NONE, FORM_TIMES, FORM_TABLES, FORM_LEAKS };

struct xlua {
	struct lua_objects o;
	enum form form;
	uint64_t refused, cut_names;
	bool cut;
};

static struct lua_text trimmed(struct lua_text t)
{
	while (t.n && t.s[t.n - 1] == ' ')
		t.n--;
	while (t.n && *t.s == ' ') {
		t.s++;
		t.n--;
	}
	return t;
}

static enum form xlua_form_of(struct lua_text line)
{
	static const char *const words[] = {"FUNCTION",    "SOURCE",   "TOTAL(MS)",
					    "AVERAGE(MS)", "RELATIVE", "CALLED"};
	const char *s = line.s, *end = line.s + line.n;

	if (lua_text_begins(line, "total memroy: "))
		return FORM_LEAKS;
	if (lua_text_begins(line, "NAME ") && memmem(s, line.n, ": SIZE ", 7) &&
	    memmem(s, line.n, ": TYPE ", 7) && memmem(s, line.n, ": ID ", 5))
		return FORM_TABLES;
	if (!line.n || *s != '|')
		return FORM_NONE;
	for (int i = 0; i < 6; i++) {
		s = memmem(s, (size_t)(end - s), words[i], strlen(words[i]));
		if (!s)
			return FORM_NONE;
	}
	return FORM_TIMES;
}

/* The next field from the right, before ": ". */
static bool last_field(struct lua_text *line, struct lua_text *field)
{
	for (size_t i = line->n; i-- > 1;) {
		if (line->s[i] != ' ' || line->s[i - 1] != ':')
			continue;
		*field = trimmed((struct lua_text){line->s + i + 1, line->n - i - 1});
		line->n = i - 1;
		return true;
	}
	return false;
}

/* "12.345" ms -> ns; C's locale is not asked. */
static bool milliseconds(struct lua_text t, int64_t *ns)
{
	char text[48];

	if (!t.n || t.n > sizeof text - 3)
		return false;
	memcpy(text, t.s, t.n);
	text[t.n] = 'm';
	text[t.n + 1] = 's';
	return num_time(text, t.n + 2, ns);
}

/* "main.lua:12" */
static uint32_t location_at(struct trace *t, uint32_t name, struct lua_text source)
{
	const char *colon = memrchr(source.s, ':', source.n);
	size_t n = colon ? (size_t)(colon - source.s) : source.n;
	uint64_t line;

	if (!colon || !num_dec(colon + 1, source.n - n - 1, &line) || line > UINT32_MAX) {
		line = 0;
		n = source.n;
	}
	return emit_named(t, name, trace_string(t, source.s, n), (uint32_t)line);
}

static enum status xlua_parse_times(struct xlua *x, struct lua_text line, struct err *e)
{
	struct trace *t = x->o.im->t;
	struct emit_sample sample;
	struct lua_text figures[FIGURES], name, source;
	uint32_t location;
	uint64_t calls;
	int64_t ns;
	bool good =
	    line.n > NAME_WIDTH + SOURCE_WIDTH && *line.s == '|' && line.s[line.n - 1] == '|';

	line.s++;
	line.n -= good ? 2 : 1;
	for (int i = 0; good && i < FIGURES; i++)
		good = last_field(&line, &figures[i]);
	/* called, relative, average, total: from the right; names hold colons, so by width */
	if (!good || line.n < NAME_WIDTH + 2 || memcmp(line.s + NAME_WIDTH, ": ", 2) != 0 ||
	    !num_dec(figures[0].s, figures[0].n, &calls) || !milliseconds(figures[3], &ns)) {
		x->refused++;
		return ST_OK;
	}
	name = trimmed((struct lua_text){line.s, NAME_WIDTH});
	source = trimmed((struct lua_text){line.s + NAME_WIDTH + 2, line.n - NAME_WIDTH - 2});
	x->cut_names += name.n == NAME_WIDTH || source.n == SOURCE_WIDTH;
	location = location_at(t, trace_string(t, name.s, name.n), source);
	sample = (struct emit_sample){
	    .stack = trace_stack(t, 0, location), .calls = KNOWN(calls), .total = KNOWN(ns)};
	return emit_sample(x->o.im, &sample, e);
}

/* NAME: SIZE: TYPE: ID: INFO, INFO being where an upvalue or a local is */
static enum status xlua_parse_table(struct xlua *x, struct lua_text line, struct err *e)
{
	struct lua_text rest, field[3], name;
	uint64_t size;
	uint32_t id;
	enum status st;

	if (line.n < NAME_WIDTH + 2 || memcmp(line.s + NAME_WIDTH, ": ", 2) != 0) {
		x->refused++;
		return ST_OK;
	}
	name = trimmed((struct lua_text){line.s, NAME_WIDTH});
	rest = (struct lua_text){line.s + NAME_WIDTH + 2, line.n - NAME_WIDTH - 2};
	for (int i = 0; i < 3; i++) {
		const char *at = memmem(rest.s, rest.n, ": ", 2);

		if (!at) {
			x->refused++;
			return ST_OK;
		}
		field[i] = trimmed((struct lua_text){rest.s, (size_t)(at - rest.s)});
		rest.n -= (size_t)(at + 2 - rest.s);
		rest.s = at + 2;
	}
	if (!num_dec(field[0].s, field[0].n, &size)) {
		x->refused++;
		return ST_OK;
	}
	x->cut_names += name.n == NAME_WIDTH;
	id = lua_objects_new(&x->o);
	rest = trimmed(rest);
	st = lua_objects_define(&x->o, id, (struct lua_text){"table", 5},
				rest.n ? rest : (struct lua_text){.s = NULL}, &size, e);
	return st ? st : lua_objects_refer(&x->o, 0, id, name, 0, e);
}

/* potential leak(SIZE) in {path,path} */
static enum status xlua_parse_leak(struct xlua *x, struct lua_text line, struct err *e)
{
	static const char first[] = "potential leak(", in[] = ") in {";
	const char *close, *s, *end;
	uint64_t size;
	uint32_t id;
	enum status st;

	close = lua_text_begins(line, first) ? memmem(line.s, line.n, in, sizeof in - 1) : NULL;
	s = line.s + sizeof first - 1;
	if (!close || line.s[line.n - 1] != '}' || !num_dec(s, (size_t)(close - s), &size)) {
		x->refused++;
		return ST_OK;
	}
	id = lua_objects_new(&x->o);
	st = lua_objects_define(&x->o, id, (struct lua_text){"table", 5},
				(struct lua_text){.s = NULL}, &size, e);
	end = line.s + line.n - 1;
	for (s = close + sizeof in - 1; !st && s < end;) {
		const char *comma = memchr(s, ',', (size_t)(end - s));
		size_t n = comma ? (size_t)(comma - s) : (size_t)(end - s);

		st = lua_objects_refer(&x->o, 0, id, (struct lua_text){s, n}, 0, e);
		s += n + (comma != NULL);
	}
	return st;
}

static enum status xlua_begin(struct xlua *x, enum form form, struct lua_text line, struct err *e)
{
	static const char *const names[] = {"", "times", "tables", "leaks"};
	struct trace *t;
	uint64_t total;
	enum status st = ST_OK;

	if (x->form != FORM_NONE) { /* reports of one run, one behind the other */
		st = import_next(x->o.im, e);
		if (st)
			return st;
		lua_objects_release(&x->o);
		x->o = (struct lua_objects){.im = x->o.im};
	}
	x->form = form;
	t = x->o.im->t;
	trace_set(t, "xlua.report", names[form]);
	if (form == FORM_TIMES) {
		trace_metric(t, METRIC_TIME, METRIC_EXACT, METRIC_AT_ALL);
	} else if (form == FORM_LEAKS) {
		struct lua_text number = trimmed((struct lua_text){line.s + 14, line.n - 14});

		if (num_dec(number.s, number.n, &total)) {
			char text[24];

			snprintf(text, sizeof text, "%" PRIu64, total);
			trace_set(t, "xlua.heap.KiB", text);
		}
	}
	return import_begin(x->o.im, e);
}

static void xlua_add_notes(struct xlua *x)
{
	struct trace *t = x->o.im->t;
	const struct trace_loss losses[] = {
	    LOSS(NOTE_LOSS, x->refused, "lines are not rows of the report"),
	    LOSS(NOTE_LOSS, x->cut_names,
		 "names or sources fill their whole column: xLua may have cut them"),
	    LOSS_IF(NOTE_LOSS, x->cut, "the last line has no newline: it was left out"),
	    LOSS_IF(NOTE_INFO, true,
		    x->form == FORM_TIMES
			? "times are total (inclusive): the report has no self times"
			: "the value of an object is the number of slots in its table: the report "
			  "has no bytes"),
	};

	TRACE_LOSSES(t, losses);
	x->refused = x->cut_names = 0;
}

static enum status xlua_parse(struct xlua *x, struct lua_text line, struct err *e)
{
	enum form form = xlua_form_of(line);

	if (form) {
		if (x->form)
			xlua_add_notes(x);
		return xlua_begin(x, form, line, e);
	}
	if (!trimmed(line).n)
		return ST_OK;
	switch (x->form) {
	case FORM_TIMES: return xlua_parse_times(x, line, e);
	case FORM_TABLES: return xlua_parse_table(x, line, e);
	case FORM_LEAKS: return xlua_parse_leak(x, line, e);
	case FORM_NONE: break;
	}
	x->refused++;
	return ST_OK;
}

static enum status xlua_read(struct import *im, struct err *e)
{
	struct xlua x = {.o.im = im};
	struct cursor *c = &im->in->cur;
	enum status st = ST_OK;

	while (!st) {
		struct lua_text line;

		line.s = cursor_line(c, &line.n, LINE_LIMIT);
		if (!line.s)
			break;
		if ((const char *)c->pos == line.s + line.n) {
			x.cut = line.n > 0;
			break;
		}
		st = xlua_parse(&x, line, e);
	}
	if (!st && cursor_failed(c))
		st = err_failure(e);
	if (!st && x.form == FORM_NONE)
		st = err_at(e, ST_BAD, 0, "no header of an xLua report found");
	if (im->t && x.form)
		xlua_add_notes(&x);
	lua_objects_release(&x.o);
	return st;
}

static int xlua_bid(const uint8_t *head, size_t n, bool whole)
{
	const char *s = (const char *)head, *newline = n ? memchr(s, '\n', n) : NULL;
	struct lua_text line = {s, newline ? (size_t)(newline - s) : n};
	uint64_t total;

	(void)whole;
	if (!newline)
		return 0;
	line.n -= line.n && line.s[line.n - 1] == '\r';
	switch (xlua_form_of(line)) {
	case FORM_TIMES: return 100;
	case FORM_TABLES: return 60;
	case FORM_LEAKS: return num_dec(line.s + 14, line.n - 14, &total) ? 80 : 0;
	case FORM_NONE: break;
	}
	return 0;
}

const struct reader reader_xlua = {
    .name = "xlua",
    .family = "Lua",
    .page = "elua",
    .capabilities = CAPABILITY_CALLS | CAPABILITY_TIME | CAPABILITY_OBJECTS,
    .what = "xLua reports: perf.profiler, perf.memory, LuaMemoryLeakChecker",
    .suffixes = "txt",
    .cut = CUT_AT_LINE,
    .bid = xlua_bid,
    .read = xlua_read,
};
