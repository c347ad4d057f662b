/* SPDX-License-Identifier: MIT
 *
 * The output of LuaJIT's profiler (-jp), but for its collapsed form, which is
 * formats/lua/folded.c's. From LuaJIT's jit/p.lua and files that it wrote:
 *
 *	61%  sortit              percent of the samples; "   14  sortit": samples (r)
 *	  <- 80%  frame          a caller (s); "  -> " a callee (depth below 0); "  -- " the
 *	                         function or line in a VM state, or the line in a function
 *	61%  sortit < frame      a stack (depth 2 or more), innermost first; with " > " outermost
 *
 *	====== work.lua ======   annotated source (a, A)
 *	@@ 12 @@                 the number of the next line
 *	  61% | source text      "   14 | source text" with r; no number: below the least
 *
 * Lines below 3 % (m changes that) are not there, so sums are lower bounds. Percentages are taken
 * as counts, and said to be: the number of samples is not in the file, nor is their interval.
 * A second level has percent of its first; what it leaves over stays with the first level alone.
 */
#include "formats/emit.h"
#include "formats/lua/text.h"
#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/text.h"

#include <stdlib.h>
#include <string.h>

/* A line of the list, taken apart. */
struct jp_row {
	char relation; /* '<', '>', '-'; 0: the first level */
	bool percent;
	uint64_t count;
	const char *key;
	size_t n;
};

struct jp {
	struct import *im;
	struct lua_line line;
	struct lua_refused refused, unreadable;
	bool any, percent, raw, empty, listed, annotated;

	struct jp_row top; /* the first level in force: key borrowed from key_text */
	char *key_text;
	size_t cap;
	bool has_top;
	uint64_t left; /* of top, that no second level has had yet */
	uint64_t over;

	uint32_t file; /* of annotated source */
	uint32_t number;
};

static size_t blanks(const char *s, size_t n)
{
	size_t i = 0;

	while (i < n && s[i] == ' ')
		i++;
	return i;
}

/* The number at the start of s, and whether % follows; how many bytes, 0: none. */
static size_t number(const char *s, size_t n, uint64_t *v, bool *percent)
{
	size_t i = 0;

	while (i < n && s[i] >= '0' && s[i] <= '9')
		i++;
	if (!i || !num_dec(s, i, v))
		return 0;
	*percent = i < n && s[i] == '%';
	return i + *percent;
}

static bool jp_parse_row(const char *s, size_t n, struct jp_row *r)
{
	size_t i;

	r->relation = 0;
	if (text_begins(s, n, "  <- ") || text_begins(s, n, "  -> ") ||
	    text_begins(s, n, "  -- ")) {
		r->relation = s[2] == '<' ? '<' : s[3];
		s += 5;
		n -= 5;
	}
	i = blanks(s, n);
	s += i;
	n -= i;
	i = number(s, n, &r->count, &r->percent);
	if (!i || n < i + 3 || s[i] != ' ' || s[i + 1] != ' ' || (r->percent && r->count > 100))
		return false;
	r->key = s + i + 2;
	r->n = n - i - 2;
	return true;
}

/* As "%5d  " and "%2d%%  " print it, behind the mark of a second level. */
static bool jp_is_printed(const char *s, const struct jp_row *r)
{
	const char *from = r->relation ? s + 5 : s, *end = r->key - 2 - r->percent, *p = from;

	while (*p == ' ')
		p++;
	return *p != '0' && *r->key != ' ' &&
	       end - from == (end - p > (r->percent ? 2 : 5) ? end - p
			      : r->percent                   ? 2
							     : 5);
}

/* "  61% | text", "      | text": the count is absent in the second. */
static bool parse_source(const char *s, size_t n, uint64_t *count, bool *has, bool *percent)
{
	size_t i = blanks(s, n), k;

	*has = false;
	k = number(s + i, n - i, count, percent);
	*has = k > 0;
	i = k ? i + k : i ? i - 1 : 0; /* at the blank before | */
	return i >= 5 && n >= i + 2 && s[i] == ' ' && s[i + 1] == '|';
}

static bool parse_header(const char *s, size_t n, size_t *len)
{
	if (!text_begins(s, n, "====== ") || n < 15 || memcmp(s + n - 7, " ======", 7) != 0)
		return false;
	*len = n - 14;
	return true;
}

static bool parse_snippet(const char *s, size_t n, uint32_t *line)
{
	uint64_t v;

	if (!text_begins(s, n, "@@ ") || n < 7 || memcmp(s + n - 3, " @@", 3) != 0 ||
	    !num_dec(s + 3, n - 6, &v) || v > INT32_MAX)
		return false;
	*line = (uint32_t)v;
	return true;
}

/* Adds the entries of "a < b" or "a > b" to a stack. */
static uint32_t jp_add_key(struct trace *t, uint32_t stack, const char *s, size_t n)
{
	uint32_t *ids = NULL;
	size_t count = 0, cap = 0;
	bool outermost_first = false;

	for (size_t from = 0, i = 0; i <= n; i++) {
		bool edge = i + 3 <= n && s[i] == ' ' && (s[i + 1] == '<' || s[i + 1] == '>') &&
			    s[i + 2] == ' ';

		if (!edge && i < n)
			continue;
		outermost_first |= edge && s[i + 1] == '>';
		if (i > from)
			VEC_PUSH(ids, count, cap) = lua_entry(t, s + from, i - from);
		from = i + 3;
		i += edge ? 2 : 0;
	}
	for (size_t i = 0; i < count; i++)
		stack = trace_stack(t, stack, ids[outermost_first ? i : count - 1 - i]);
	free(ids);
	return stack;
}

static bool is_none(const char *s, size_t n)
{
	return n == 6 && !memcmp(s, "(none)", n);
}

/* A sample of the first level with what a second one adds; sub NULL: the first alone. */
static enum status jp_push(struct jp *j, const struct jp_row *sub, uint64_t count, struct err *e)
{
	struct trace *t = j->im->t;
	const struct jp_row *top = &j->top, *state = NULL;
	uint32_t stack = 0, marker = 0, line;
	size_t file;

	if (lua_is_vm_state(top->key, top->n))
		state = top;
	else if (sub && lua_is_vm_state(sub->key, sub->n))
		state = sub;
	if (state) {
		struct marker m = {.name = trace_string(t, state->key, state->n),
				   .category = trace_strz(t, "vm state")};

		marker = trace_marker(t, &m);
	}
	if (sub && (sub == state || is_none(sub->key, sub->n)))
		sub = NULL;
	if (state == top || is_none(top->key, top->n)) {
		stack = sub ? jp_add_key(t, 0, sub->key, sub->n) : 0;
	} else if (!sub) {
		stack = jp_add_key(t, 0, top->key, top->n);
	} else if (sub->relation == '>') {
		stack = jp_add_key(t, jp_add_key(t, 0, top->key, top->n), sub->key, sub->n);
	} else if (sub->relation == '<') {
		stack = jp_add_key(t, jp_add_key(t, 0, sub->key, sub->n), top->key, top->n);
	} else {
		file = lua_place(sub->key, sub->n, &line);
		if (file)
			stack = trace_stack(t, 0,
					    emit_named(t, trace_string(t, top->key, top->n),
						       trace_string(t, sub->key, file), line));
		else
			stack = jp_add_key(t, jp_add_key(t, 0, top->key, top->n), sub->key, sub->n);
	}
	return emit_samples(j->im, stack, marker, count, e);
}

static enum status begin(struct jp *j, struct err *e)
{
	struct trace *t = j->im->t;
	const char *unit = j->percent ? "percent of the samples" : "samples, interval not captured";

	if (j->any)
		return ST_OK;
	j->any = true;
	trace_set(t, "luajit-jp.unit", unit);
	return import_begin(j->im, e);
}

static enum status end_top(struct jp *j, struct err *e)
{
	enum status st = ST_OK;

	if (j->has_top && j->left)
		st = jp_push(j, NULL, j->left, e);
	j->has_top = false;
	return st;
}

static enum status add_top(struct jp *j, const struct jp_row *r, struct err *e)
{
	enum status st = end_top(j, e);

	j->percent |= r->percent;
	j->raw |= !r->percent;
	j->listed = true;
	if (!st)
		st = begin(j, e);
	j->key_text = mem_grow(j->key_text, &j->cap, r->n + 1, 1);
	memcpy(j->key_text, r->key, r->n);
	j->top = *r;
	j->top.key = j->key_text;
	j->left = r->count;
	j->has_top = true;
	return st;
}

static enum status add_sub(struct jp *j, const struct jp_row *r, struct err *e)
{
	uint64_t count = r->count;

	if (!j->has_top || r->percent != j->top.percent) {
		lua_refuse(&j->refused, &j->line);
		return ST_OK;
	}
	if (r->percent) /* rounded, as the profiler rounds */
		count = count > 100 ? j->top.count : (j->top.count * count + 50) / 100;
	if (count > j->left) {
		j->over += !r->percent;
		count = j->left;
	}
	j->left -= count;
	return count ? jp_push(j, r, count, e) : ST_OK;
}

static enum status add_source(struct jp *j, uint64_t count, bool percent, struct err *e)
{
	struct trace *t = j->im->t;
	struct buf name = BUF_INIT;
	uint32_t location;
	enum status st;

	buf_adds(&name, trace_text(t, j->file));
	buf_addc(&name, ':');
	buf_add_u64(&name, j->number);
	location = emit_named(t, trace_string(t, name.data, name.len), j->file, j->number);
	buf_release(&name);
	j->percent |= percent;
	j->raw |= !percent;
	st = begin(j, e);
	return st ? st : emit_samples(j->im, trace_stack(t, 0, location), 0, count, e);
}

static enum status jp_parse_line(struct jp *j, struct err *e)
{
	const char *s = j->line.s;
	size_t n = j->line.n, len;
	bool has, percent;
	uint64_t count;
	struct jp_row r;

	if (!n)
		return ST_OK;
	if (j->file && parse_source(s, n, &count, &has, &percent)) {
		enum status st = has ? add_source(j, count, percent, e) : ST_OK;

		j->number++;
		return st;
	}
	if (parse_header(s, n, &len)) {
		j->file = trace_string(j->im->t, s + 7, len);
		j->number = 1;
		j->annotated = true;
	} else if (parse_snippet(s, n, &j->number)) {
		return ST_OK;
	} else if (text_begins(s, n, "====== ERROR: ") || text_begins(s, n, "[Cannot annotate ")) {
		lua_refuse(&j->unreadable, &j->line);
	} else if (text_begins(s, n, "[No samples collected]")) {
		j->empty = true;
	} else if (jp_parse_row(s, n, &r)) {
		return r.relation ? add_sub(j, &r, e) : add_top(j, &r, e);
	} else {
		lua_refuse(&j->refused, &j->line);
	}
	return ST_OK;
}

static void jp_add_notes(struct jp *j)
{
	struct trace *t = j->im->t;
	const struct trace_loss losses[] = {
	    LOSS_IF(NOTE_LOSS, j->percent && j->raw,
		    "the file mixes percentages and samples: the counts of this capture cannot be "
		    "compared"),
	    LOSS_IF(NOTE_GUESS, j->percent && !j->raw,
		    "counts are rounded percentages: the file does not have the number of samples"),
	    LOSS_IF(NOTE_INFO, j->any,
		    "the profiler leaves out rows below 3 % (its option m): sums are lower bounds"),
	    LOSS_IF(NOTE_INFO, j->empty, "the profiler collected no samples"),
	    LOSS(NOTE_LOSS, j->over, "second levels have more samples than the first"),
	};

	TRACE_LOSSES(t, losses);
	lua_refused_note(t, &j->unreadable,
			 "files have a source that the profiler could not "
			 "show");
	lua_refused_note(t, &j->refused, "lines are not from the profiler");
	lua_cut_note(t, &j->line, &j->refused);
}

static enum status jp_read(struct import *im, struct err *e)
{
	struct jp j = {.im = im};
	struct cursor *c = &im->in->cur;
	enum status st = ST_OK, in = ST_OK;

	while (!st && lua_next_line(c, &j.line))
		st = jp_parse_line(&j, e);
	if (!st && cursor_failed(c))
		in = err_failure(c->e);
	if (!st) {
		struct err later = ERR_INIT;

		st = end_top(&j, &later);
		if (st)
			*e = later;
	}
	if (!st && !in && !j.listed && !j.annotated && !j.empty)
		st = err_at(e, ST_BAD, 0, "no line is from LuaJIT's profiler");
	if (!st)
		jp_add_notes(&j);
	free(j.key_text);
	return st ? st : in;
}

/* The first level is printed with what has most first. */
static int jp_bid(const uint8_t *head, size_t n, bool whole)
{
	struct lua_head h = {head, n, whole, 0};
	bool source = false, has, percent, any_percent = false;
	size_t len, name, rows = 0, bad = 0;
	uint64_t count, before = UINT64_MAX;
	struct jp_row r;
	uint32_t line;
	const char *s;

	while (lua_head_line(&h, &s, &len)) {
		if (!len || parse_snippet(s, len, &line) || text_begins(s, len, "====== ERROR: ") ||
		    text_begins(s, len, "[Cannot annotate "))
			continue;
		if (text_begins(s, len, "[No samples collected]")) {
			return rows || bad ? 0 : 40;
		} else if (parse_header(s, len, &name)) {
			source = true;
		} else if (source && parse_source(s, len, &count, &has, &percent)) {
			rows++;
		} else if (!source && jp_parse_row(s, len, &r) && (rows || !r.relation) &&
			   jp_is_printed(s, &r) && (r.relation || r.count <= before) &&
			   !memchr(s, '\0', len)) {
			before = r.relation ? before : r.count;
			rows++;
			any_percent |= r.percent;
		} else {
			bad++;
		}
	}
	if (!rows && !bad && source)
		return 12;
	if (!lua_head_is(rows, bad))
		return 0;
	return source ? 32 : any_percent ? 20 : 9;
}

const struct reader reader_luajit_jp = {
    .name = "luajit-jp",
    .family = "Lua",
    .page = "lua",
    .capabilities = CAPABILITY_STACKS | CAPABILITY_SAMPLES,
    .what = "LuaJIT -jp: lists of samples, and annotated source",
    .suffixes = "txt",
    .guesses = true,
    .cut = CUT_NEVER, /* one level or two: all lines say; shares are of all that there is */
    .bid = jp_bid,
    .read = jp_read,
};
