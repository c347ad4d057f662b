/* SPDX-License-Identifier: MIT
 *
 * Counters as CSV, for whatever else was recorded during a run (temperature, PSS, power):
 *
 *	time_ms,frame,pss (B),temperature,fps (fps)
 *	0,1,104857600,41,60
 *	16.7,2,,41,58
 *
 * The first line names the columns. The first column is time_s, time_ms, time_us, time_ns or
 * frame; the other of the two may come anywhere behind it. All other columns are counters, with
 * the unit in parentheses. A blank field was not read. Values have as many decimals as they are written with,
 * up to 18. A line with more fields than columns ("33,4" for 33.4) is left out: no field of it has a
 * column for sure. A frame begins where its number changes. This is our own format.
 */
#include "formats/emit.h"
#include "formats/reader.h"

#include "lib/base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { LINE_MAX_LEN = 64 << 10, COLUMNS_MAX = 4096 };

enum column_kind { COLUMN_COUNTER, COLUMN_TIME, COLUMN_FRAME };

struct column {
	enum column_kind kind;
	uint32_t counter;
	int64_t ns; /* of a unit of time */
};

struct table {
	struct import *im;
	struct column *columns;
	size_t n, cap;
	struct reading {
		uint32_t counter;
		decimal value;
	} * readings; /* of a line */
	size_t n_readings, cap_readings;
	uint64_t refused, rounded, short_lines, long_lines;
	bool in_frame;
	int64_t frame;
};

static const struct {
	const char *word;
	int64_t ns;
} times[] = {{"time_s", 1000000000}, {"time_ms", 1000000}, {"time_us", 1000}, {"time_ns", 1}};

static bool is_word(const char *s, size_t n, const char *word)
{
	return n == strlen(word) && !memcmp(s, word, n);
}

/* The next field of a line, without blanks and quotes around it; a comma in quotes is part of it. False: the
 * line is over. */
static bool next_field(const char **at, const char *end, const char **s, size_t *n)
{
	const char *comma, *to;

	if (!*at)
		return false;
	for (comma = *at; comma < end && *comma == ' '; comma++)
		;
	if (comma < end && *comma == '"') {
		const char *quote = memchr(comma + 1, '"', (size_t)(end - comma - 1));

		comma = quote ? quote : comma;
	}
	comma = memchr(comma, ',', (size_t)(end - comma));
	to = comma ? comma : end;
	*s = *at;
	*at = comma ? comma + 1 : NULL;
	while (*s < to && (**s == ' ' || **s == '"'))
		++*s;
	while (to > *s && (to[-1] == ' ' || to[-1] == '"' || to[-1] == '\r'))
		to--;
	*n = (size_t)(to - *s);
	return true;
}

static void counters_csv_add_column(struct table *t, const char *s, size_t n)
{
	struct column c = {.kind = COLUMN_COUNTER};
	struct counter row = {0};
	const char *unit = memchr(s, '(', n);

	if (is_word(s, n, "frame"))
		c.kind = COLUMN_FRAME;
	for (size_t i = 0; i < sizeof times / sizeof *times; i++)
		if (is_word(s, n, times[i].word)) {
			c.kind = COLUMN_TIME;
			c.ns = times[i].ns;
		}
	for (size_t i = 0; i < t->n && c.kind != COLUMN_COUNTER; i++)
		if (t->columns[i].kind == c.kind)
			c.kind = COLUMN_COUNTER; /* the second of its kind is one */
	if (c.kind == COLUMN_COUNTER) {
		size_t len = n;

		if (unit && s[n - 1] == ')') {
			row.unit = trace_string(t->im->t, unit + 1, (size_t)(s + n - unit) - 2);
			len = (size_t)(unit - s);
			while (len && s[len - 1] == ' ')
				len--;
		}
		row.name = trace_string(t->im->t, s, len);
		c.counter = trace_counter(t->im->t, &row);
	}
	VEC_PUSH(t->columns, t->n, t->cap) = c;
}

static enum status counters_csv_read_header(struct table *t, struct err *e)
{
	struct cursor *in = &t->im->in->cur;
	const char *s, *field, *at;
	size_t n, len;

	s = cursor_line(in, &n, LINE_MAX_LEN);
	if (!s)
		return cursor_failed(in) ? err_failure(e)
					 : err_at(e, ST_BAD, 0, "the file is empty");
	for (at = s; next_field(&at, s + n, &field, &len);) {
		if (t->n == COLUMNS_MAX)
			return err_at(e, ST_LIMIT, 0, "the limit is %d columns", COLUMNS_MAX);
		counters_csv_add_column(t, field, len);
	}
	if (!t->n || t->columns[0].kind == COLUMN_COUNTER)
		return err_at(e, ST_BAD, 0,
			      "the first column must be time_s, time_ms, time_us, time_ns or "
			      "frame");
	if (t->n == 1)
		return err_at(e, ST_BAD, 0, "the file has no counters");
	return ST_OK;
}

/* A time or the number of a frame: a decimal number times so much, the nearest whole one. */
static bool counters_csv_place(const char *s, size_t n, int64_t scale, int64_t *v)
{
	decimal d;

	if (decimal_parse(s, n, &d) > DECIMAL_ROUNDED || __builtin_mul_overflow(d, scale, &d))
		return false;
	d = decimal_round(d, 0);
	if (d >= (decimal)DECIMAL_UNIT << 63 || -d > (decimal)DECIMAL_UNIT << 63)
		return false;
	*v = decimal_whole(d);
	return true;
}

static enum status counters_csv_push_line(struct table *t, bool has_frame, int64_t frame,
					  bool has_time, int64_t time, struct err *e)
{
	struct known_number at = KNOWN_IF(has_time, time);
	enum status st = ST_OK;

	if (has_frame && (!t->in_frame || frame != t->frame))
		st = emit_frame(t->im, KNOWN(frame), at, e);
	t->in_frame |= has_frame;
	t->frame = has_frame ? frame : t->frame;
	for (size_t i = 0; !st && i < t->n_readings; i++)
		st = emit_decimal(t->im, t->readings[i].counter, at, t->readings[i].value, e);
	return st;
}

static void counters_csv_reading(struct table *t, const struct column *c, const char *s, size_t n)
{
	decimal v;
	enum decimal_read read = decimal_parse(s, n, &v);

	if (read > DECIMAL_ROUNDED) {
		t->refused++;
		return;
	}
	t->rounded += read == DECIMAL_ROUNDED;
	VEC_PUSH(t->readings, t->n_readings, t->cap_readings) = (struct reading){c->counter, v};
}

static enum status counters_csv_read_line(struct table *t, const char *s, size_t n, struct err *e)
{
	bool has_frame = false, has_time = false;
	int64_t frame = 0, time = 0, v;
	const char *field, *at = s;
	size_t i = 0, len;

	t->n_readings = 0;
	for (; next_field(&at, s + n, &field, &len); i++) {
		const struct column *c = &t->columns[i < t->n ? i : 0];

		if (!len)
			continue;
		if (i >= t->n) {
			t->long_lines++;
			return ST_OK;
		}
		if (c->kind == COLUMN_COUNTER) {
			counters_csv_reading(t, c, field, len);
			continue;
		}
		if (!counters_csv_place(field, len, c->kind == COLUMN_TIME ? c->ns : 1, &v)) {
			t->refused++;
			continue;
		}
		if (c->kind == COLUMN_FRAME) {
			has_frame = true;
			frame = v;
		} else {
			has_time = true;
			time = v;
		}
	}
	t->short_lines += i < t->n;
	return counters_csv_push_line(t, has_frame, frame, has_time, time, e);
}

static enum status counters_csv_read(struct import *im, struct err *e)
{
	struct table t = {.im = im};
	struct cursor *in = &im->in->cur;
	enum status st;
	const char *s;
	size_t n;

	trace_set(im->t, "format", "counters");
	st = counters_csv_read_header(&t, e);
	if (!st)
		st = import_begin(im, e);
	while (!st && (s = cursor_line(in, &n, LINE_MAX_LEN)))
		if (n)
			st = counters_csv_read_line(&t, s, n, e);
	if (!st && cursor_failed(in))
		st = err_failure(e);

	const struct trace_loss losses[] = {
	    LOSS(NOTE_LOSS, t.refused, "fields are not numbers or too large"),
	    LOSS(NOTE_LOSS, t.long_lines, "lines have more fields than columns: left out"),
	    LOSS(NOTE_LOSS, t.short_lines, "lines have fewer fields than columns"),
	    LOSS(NOTE_INFO, t.rounded, "values have more than 18 decimals: they are rounded"),
	};

	TRACE_LOSSES(im->t, losses);
	free(t.columns);
	free(t.readings);
	return st;
}

static int counters_csv_bid(const uint8_t *head, size_t n, bool whole)
{
	const char *s = (const char *)head;
	const uint8_t *comma = n ? memchr(head, ',', n) : NULL;
	size_t len = comma ? (size_t)(comma - head) : 0;

	(void)whole;
	for (size_t i = 0; i < sizeof times / sizeof *times; i++)
		if (is_word(s, len, times[i].word))
			return 32;
	return comma && is_word(s, len, "frame") ? 16 : 0;
}

const struct reader reader_counters = {
    .name = "counters",
    .family = "Of tracemill",
    .capabilities = CAPABILITY_TIME | CAPABILITY_FRAMES | CAPABILITY_COUNTERS,
    .what = "counters as CSV: time_ms,frame,NAME (UNIT),...",
    .suffixes = "csv",
    .cut = CUT_AT_LINE,
    .bid = counters_csv_bid,
    .read = counters_csv_read,
};
