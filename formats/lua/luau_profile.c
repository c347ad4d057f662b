/* SPDX-License-Identifier: MIT
 *
 * profile.out of Luau's command line program (its CLI/src/Profiler.cpp, profilerDump): a line for
 * each stack,
 *
 *	1234 source,name,line;source,name,line
 *
 * the time in microseconds, then the stack, innermost first. line is where the function is defined;
 * it is empty for C functions, as name is for anonymous ones. "GC,GC," is the innermost
 * entry when the collector was running. source may hold commas: name and line are found from the
 * end. Times are of samples (10 kHz by default), and how many there were is not in the file.
 */
#include "formats/lua/text.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"

#include <stdlib.h>
#include <string.h>

struct luau_frame {
	const char *source, *name;
	size_t source_n, name_n;
	uint32_t line;
};

static bool luau_profile_parse_frame(const char *s, size_t n, struct luau_frame *f)
{
	const char *line = s + n, *name;
	uint64_t v = 0;

	while (line > s && line[-1] != ',')
		line--;
	if (line == s || (line < s + n && !num_dec(line, (size_t)(s + n - line), &v)) ||
	    v > INT32_MAX)
		return false;
	name = line - 1;
	while (name > s && name[-1] != ',')
		name--;
	if (name == s)
		return false;
	*f = (struct luau_frame){s, name, (size_t)(name - 1 - s), (size_t)(line - 1 - name),
				 (uint32_t)v};
	return true;
}

/* The time and the text of the stack. */
static bool parse_line(const char *s, size_t n, uint64_t *us, const char **stack, size_t *len)
{
	const char *blank = memchr(s, ' ', n);

	if (!blank || !num_dec(s, (size_t)(blank - s), us) || *us > INT64_MAX / 1000)
		return false;
	*stack = blank + 1;
	*len = n - (size_t)(blank - s) - 1;
	return true;
}

static bool next_entry(const char **s, const char *end, struct luau_frame *f, bool *sound)
{
	const char *semicolon;

	if (!*s)
		return false;
	semicolon = memchr(*s, ';', (size_t)(end - *s));
	*sound = luau_profile_parse_frame(*s, (size_t)((semicolon ? semicolon : end) - *s), f);
	*s = semicolon ? semicolon + 1 : NULL;
	return true;
}

static uint32_t location(struct trace *t, const struct luau_frame *f)
{
	uint32_t source = trace_string(t, f->source, f->source_n);

	if (f->source_n == 2 && !memcmp(f->source, "GC", 2) && f->name_n == 2 && !f->line)
		return emit_named(t, trace_strz(t, "GC"), 0, 0);
	return emit_named(
	    t, f->name_n ? trace_string(t, f->name, f->name_n) : trace_strz(t, "(anonymous)"),
	    source, f->line);
}

struct luau {
	struct import *im;
	struct lua_line line;
	struct lua_refused refused;
	uint32_t *ids;
	size_t n, cap;
	uint64_t stacks;
};

static enum status luau_profile_parse_line(struct luau *l, struct err *e)
{
	struct luau_frame f;
	struct emit_sample sample = {.stack = 0};
	const char *s, *end;
	bool sound = true;
	uint64_t us;
	size_t len;

	if (!l->line.n)
		return ST_OK;
	l->n = 0;
	if (!parse_line(l->line.s, l->line.n, &us, &s, &len))
		sound = false;
	end = sound ? s + len : NULL;
	while (sound && next_entry(&s, end, &f, &sound))
		if (sound)
			VEC_PUSH(l->ids, l->n, l->cap) = location(l->im->t, &f);
	if (!sound) {
		lua_refuse(&l->refused, &l->line);
		return ST_OK;
	}
	l->stacks++;
	sample.stack = trace_stack_of(l->im->t, l->ids, l->n);
	sample.self = KNOWN(us * 1000);
	return emit_sample(l->im, &sample, e);
}

static enum status luau_profile_read(struct import *im, struct err *e)
{
	struct luau l = {.im = im};
	struct cursor *c = &im->in->cur;
	enum status st;

	trace_metric(im->t, METRIC_TIME, METRIC_ESTIMATED, METRIC_AT_ALL);
	trace_set(im->t, "luau-profile.resolution", "1 us, sampled, interval not captured");
	st = import_begin(im, e);
	while (!st && lua_next_line(c, &l.line))
		st = luau_profile_parse_line(&l, e);
	if (!st && cursor_failed(c))
		st = err_failure(c->e);
	else if (!st && !l.stacks)
		st = err_at(e, ST_BAD, 0, "no line is a time and a Luau stack");
	lua_refused_note(im->t, &l.refused, "lines are not a time and a stack");
	lua_cut_note(im->t, &l.line, &l.refused);
	free(l.ids);
	return st;
}

static int luau_profile_bid(const uint8_t *head, size_t n, bool whole)
{
	struct lua_head h = {head, n, whole, 0};
	size_t len, stack_n, good = 0, bad = 0;
	const char *s, *stack;
	struct luau_frame f;
	uint64_t us;

	while (lua_head_line(&h, &s, &len)) {
		bool sound = len > 0 && parse_line(s, len, &us, &stack, &stack_n);
		const char *end = sound ? stack + stack_n : NULL;

		while (sound && next_entry(&stack, end, &f, &sound))
			;
		good += sound;
		bad += len && !sound;
	}
	return lua_head_is(good, bad) ? 16 : 0;
}

const struct reader reader_luau_profile = {
    .name = "luau-profile",
    .family = "Lua",
    .page = "lua",
    .capabilities = CAPABILITY_STACKS | CAPABILITY_SAMPLES | CAPABILITY_TIME,
    .what = "Luau's profile.out: sampled stacks with their time",
    .suffixes = "out",
    .guesses = true,
    .cut = CUT_AT_LINE,
    .bid = luau_profile_bid,
    .read = luau_profile_read,
};
