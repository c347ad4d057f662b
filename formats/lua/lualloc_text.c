/* SPDX-License-Identifier: MIT
 *
 * lua_Alloc logs as text: tracemill-lualloc(5) is the definition. A first line that begins with
 * "lualloc 1", then a line for each call, with blanks, tabs or commas between the fields:
 *
 *	lualloc 1 lua=5.4 clock=ns
 *	# ud ptr osize nsize kind time frame result
 *	0x1f0 0 5 56 - 1200 1 0x55d0
 *	0x1f0 0x55d0 56 0 - 1900 1 0
 *	frame 2 16666666
 *	end 2
 */
#include "formats/lua/lualloc.h"

#include "formats/emit.h"
#include "lib/base/num.h"
#include "lib/base/text.h"

#include <inttypes.h>

enum { LINE_LIMIT = 64 << 10 };
enum column { C_UD, C_PTR, C_OSIZE, C_NSIZE, C_KIND, C_TIME, C_FRAME, C_RESULT, COLUMNS, C_OTHER };

static const char *const column_names[] = {"ud",   "ptr",  "osize", "nsize",
					   "kind", "time", "frame", "result"};

struct word {
	const char *s;
	size_t n;
};

struct reading {
	struct lualloc l;
	uint8_t columns[COLUMNS]; /* enum column, by place */
	size_t n_columns;
	bool has[COLUMNS];
	int64_t tick; /* ns */
	bool has_heap, has_end;
	uint64_t heap, end, refused, first_refused, cut;
};

static bool is(struct word w, const char *text)
{
	return text_is(w.s, w.n, text);
}

/* n: what is left of the line. */
static struct word next_word(const char **s, size_t *n)
{
	struct word w = {.n = 0};

	while (*n && strchr(" \t,", **s)) {
		++*s;
		--*n;
	}
	w.s = *s;
	while (*n && !(**s && strchr(" \t,", **s))) {
		++*s;
		--*n;
		w.n++;
	}
	return w;
}

/* As %p has it, in several C libraries. */
static bool address(struct word w, uint64_t *v)
{
	if (is(w, "(nil)") || is(w, "NULL") || is(w, "nil")) {
		*v = 0;
		return true;
	}
	if (w.n > 2 && w.s[0] == '0' && (w.s[1] | 0x20) == 'x')
		return num_hex(w.s + 2, w.n - 2, v);
	return num_hex(w.s, w.n, v);
}

static enum status lualloc_text_set_columns(struct reading *r, struct word list, struct err *e)
{
	r->n_columns = 0;
	memset(r->has, 0, sizeof r->has);
	while (list.n) {
		const char *bar = memchr(list.s, '|', list.n);
		struct word name = {list.s, bar ? (size_t)(bar - list.s) : list.n};
		unsigned c = 0;

		while (c < COLUMNS && !is(name, column_names[c]))
			c++;
		if (c == COLUMNS || r->has[c] || r->n_columns == COLUMNS)
			return err_at(e, ST_BAD, 0,
				      "lualloc: column '%.*s' is unknown or a repetition",
				      (int)(name.n < 40 ? name.n : 40), name.s);
		r->columns[r->n_columns++] = (uint8_t)c;
		r->has[c] = true;
		list.s += name.n + (bar != NULL);
		list.n -= name.n + (bar != NULL);
	}
	if (!r->has[C_PTR] || !r->has[C_OSIZE] || !r->has[C_NSIZE])
		return err_at(e, ST_BAD, 0,
			      "lualloc: the columns must include ptr, osize and "
			      "nsize");
	return ST_OK;
}

static bool clock_of(struct word w, int64_t *tick)
{
	static const char *const units[] = {"ns", "us", "ms", "s"};

	*tick = 1;
	for (int i = 0; i < 4; i++, *tick *= 1000)
		if (is(w, units[i]))
			return true;
	return false;
}

static bool version_of(struct word w, unsigned *lua)
{
	if (is(w, "jit") || is(w, "luajit")) {
		*lua = 51;
		return true;
	}
	if (w.n != 3 || w.s[0] != '5' || w.s[1] != '.' || w.s[2] < '0' || w.s[2] > '9')
		return false;
	*lua = 50 + (unsigned)(w.s[2] - '0');
	return true;
}

static enum status lualloc_text_option(struct reading *r, struct word w, struct err *e)
{
	const char *sign = memchr(w.s, '=', w.n);
	struct word key = {w.s, sign ? (size_t)(sign - w.s) : w.n};
	struct word value = {key.s + key.n + (sign != NULL), w.n - key.n - (sign != NULL)};
	bool good = true;

	if (is(key, "lua"))
		good = version_of(value, &r->l.lua);
	else if (is(key, "clock"))
		good = clock_of(value, &r->tick);
	else if (is(key, "heap"))
		good = r->has_heap = num_dec(value.s, value.n, &r->heap) && r->heap <= INT64_MAX;
	else if (is(key, "columns"))
		return lualloc_text_set_columns(r, value, e);
	if (!good)
		return err_at(e, ST_BAD, 0, "lualloc: unknown setting '%.*s' in the first line",
			      (int)(w.n < 60 ? w.n : 60), w.s);
	return ST_OK;
}

static enum status lualloc_text_read_header(struct reading *r, struct cursor *c, struct err *e)
{
	size_t n;
	const char *s = cursor_line(c, &n, LINE_LIMIT);
	enum status st = ST_OK;
	struct word w;

	if (!s)
		return cursor_failed(c) ? err_failure(e)
					: err_at(e, ST_BAD, 0,
						 "lualloc: the first line is "
						 "missing");
	w = next_word(&s, &n);
	if (!is(w, "lualloc"))
		return err_at(e, ST_BAD, 0, "the first line does not begin with lualloc");
	w = next_word(&s, &n);
	if (!is(w, "1"))
		return err_at(e, ST_UNSUPPORTED, 0,
			      "unknown lua_Alloc log version '%.*s': "
			      "tracemill reads version 1",
			      (int)(w.n < 20 ? w.n : 20), w.s);
	while (!st && (w = next_word(&s, &n), w.n))
		st = lualloc_text_option(r, w, e);
	return st;
}

static bool time_of(const struct reading *r, struct word w, int64_t *ns)
{
	return num_i64(w.s, w.n, ns) && !__builtin_mul_overflow(*ns, r->tick, ns);
}

static bool kind_of(struct reading *r, struct word w, uint32_t *kind)
{
	uint64_t number;

	if (num_dec(w.s, w.n, &number))
		*kind = lualloc_kind_number(&r->l, number);
	else
		*kind = lualloc_kind_name(&r->l, w.s, w.n);
	return true;
}

static bool lualloc_text_field(struct reading *r, enum column c, struct word w,
			       struct lualloc_record *to)
{
	bool absent = is(w, "-");

	switch (c) {
	case C_UD: to->has |= absent ? 0 : LUALLOC_UD; return absent || address(w, &to->ud);
	case C_PTR: return address(w, &to->ptr);
	case C_OSIZE: return num_dec(w.s, w.n, &to->osize);
	case C_NSIZE: return num_dec(w.s, w.n, &to->nsize);
	case C_KIND: return absent || kind_of(r, w, &to->kind);
	case C_TIME:
		to->has |= absent ? 0 : LUALLOC_TIME;
		return absent || time_of(r, w, &to->time);
	case C_FRAME:
		to->has |= absent ? 0 : LUALLOC_FRAME;
		return absent || (num_dec(w.s, w.n, &to->frame) && to->frame <= INT64_MAX);
	case C_RESULT:
		to->has |= absent ? 0 : LUALLOC_RESULT;
		return absent || address(w, &to->result);
	default: return false;
	}
}

/* Fields that are missing at the end are absent. */
static bool record(struct reading *r, struct word w, const char *s, size_t n,
		   struct lualloc_record *to)
{
	size_t i = 0;

	for (; w.n; w = next_word(&s, &n), i++)
		if (i == r->n_columns || !lualloc_text_field(r, r->columns[i], w, to))
			return false;
	while (i < r->n_columns) {
		uint8_t c = r->columns[i++];

		if (c == C_PTR || c == C_OSIZE || c == C_NSIZE)
			return false;
	}
	/* a free has no result, and one that is written is ignored */
	if (to->nsize && r->has[C_RESULT] && !(to->has & LUALLOC_RESULT))
		return false;
	return true;
}

static enum status lualloc_text_parse_line(struct reading *r, const char *s, size_t n,
					   uint64_t offset, struct err *e)
{
	struct lualloc_record rec = {.has = 0};
	struct word w = next_word(&s, &n), number, time;
	int64_t ns = 0;

	if (!w.n || *w.s == '#')
		return ST_OK;
	if (is(w, "frame")) {
		number = next_word(&s, &n);
		time = next_word(&s, &n);
		if (num_dec(number.s, number.n, &rec.frame) && rec.frame <= INT64_MAX &&
		    (!time.n || time_of(r, time, &ns)))
			return lualloc_frame(&r->l, rec.frame, time.n > 0, ns, e);
	} else if (is(w, "end")) {
		number = next_word(&s, &n);
		r->has_end = num_dec(number.s, number.n, &r->end);
		if (r->has_end)
			return ST_OK;
	} else if (record(r, w, s, n, &rec)) {
		return lualloc_record(&r->l, &rec, e);
	}
	if (!r->refused++)
		r->first_refused = offset;
	return ST_OK;
}

static enum status lualloc_text_read_lines(struct reading *r, struct cursor *c, struct err *e)
{
	enum status st = ST_OK;

	while (!st && !r->has_end) {
		uint64_t offset = cursor_offset(c);
		size_t n;
		const char *s = cursor_line(c, &n, LINE_LIMIT);

		if (!s)
			return cursor_failed(c) ? err_failure(e) : ST_OK;
		if ((const char *)c->pos == s + n) { /* no line end: a number may be cut */
			r->cut += n > 0;
			return ST_OK;
		}
		st = lualloc_text_parse_line(r, s, n, offset, e);
	}
	return st;
}

static enum status lualloc_text_read(struct import *im, struct err *e)
{
	struct reading r = {.l = {.im = im}, .n_columns = COLUMNS, .tick = 1};
	struct err later = ERR_INIT;
	enum status st, out;

	for (unsigned i = 0; i < COLUMNS; i++) {
		r.columns[i] = (uint8_t)i;
		r.has[i] = true;
	}
	st = lualloc_text_read_header(&r, &im->in->cur, e);
	r.l.no_addresses = !r.has[C_RESULT];
	if (!st)
		st = lualloc_begin(&r.l, r.has_heap ? &r.heap : NULL, e);
	if (!st)
		st = lualloc_text_read_lines(&r, &im->in->cur, e);
	if (im->begun && im->t) {
		out = lualloc_end(&r.l, r.has_end ? &r.end : NULL, &later);
		if (out && !st) {
			st = out;
			*e = later;
		}

		const struct trace_loss losses[] = {
		    LOSS_WITH(NOTE_LOSS, r.refused, "lines are not records, the first at byte {}",
			      r.first_refused),
		    LOSS_IF(NOTE_LOSS, r.cut, "the last line has no newline: it was left out"),
		};

		TRACE_LOSSES(im->t, losses);
	}
	lualloc_release(&r.l);
	return st;
}

static int lualloc_text_bid(const uint8_t *head, size_t n, bool whole)
{
	(void)whole;
	return n > 9 && !memcmp(head, "lualloc ", 8) && head[8] >= '0' && head[8] <= '9' ? 64 : 0;
}

const struct reader reader_lualloc = {
    .name = "lualloc",
    .family = "Lua",
    .page = "lualloc",
    .capabilities = CAPABILITY_ALLOCATIONS | CAPABILITY_LIVE | CAPABILITY_TYPES | CAPABILITY_FRAMES,
    .what = "lua_Alloc log, text: one line for each call of Lua's allocator",
    .suffixes = "lualloc,txt",
    .cut = CUT_NEVER, /* a call before its result is pushed when that is known */
    .bid = lualloc_text_bid,
    .read = lualloc_text_read,
};
