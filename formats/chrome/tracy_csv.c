/* SPDX-License-Identifier: MIT
 *
 * The output of tracy-csvexport for a trace of Tracy: sums of zones, or with -u each of them, by
 * thread, and plots (-p). Facts: its source, csvexport/src/csvexport.cpp of 0.8 to 0.12. Names are
 * printed as they are, with their commas, so columns are counted from the end.
 */
#include "formats/chrome/chrome.h"

#include "formats/emit.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS_MOST = 32, LINE_MOST = 1 << 20 };
enum column {
	COL_NAME,
	COL_FILE,
	COL_LINE,
	COL_START,
	COL_TIME,
	COL_THREAD,
	COL_VALUE,
	COL_TOTAL,
	COL_COUNTS,
	COLS
};

static const char *const column_names[COLS] = {"name",           "src_file",     "src_line",
					       "ns_since_start", "exec_time_ns", "thread",
					       "value",          "total_ns",     "counts"};

struct field {
	const char *s;
	size_t n;
};

struct tracy {
	struct chrome x; /* first */
	size_t n_columns;
	int at[COLS]; /* column; -1: it has none */
	uint64_t odd;
	bool unended; /* the last line */
};

/* Fields of a line; a comma in quotes separates nothing. More than COLUMNS_MOST: those at the
 * beginning are one. */
static size_t tracy_split(const char *s, size_t n, struct field *f, size_t most)
{
	size_t count = 0, from = 0;
	bool quoted = false;

	if (most < 2) /* two become one */
		return 0;
	for (size_t i = 0; i <= n; i++) {
		if (i < n && s[i] == '"')
			quoted = !quoted;
		if (i < n && (s[i] != ',' || quoted))
			continue;
		if (count == most) { /* the first one has a comma more */
			f[0].n = (size_t)(f[1].s + f[1].n - f[0].s);
			memmove(f + 1, f + 2, (--count - 1) * sizeof *f);
		}
		f[count++] = (struct field){s + from, i - from};
		from = i + 1;
	}
	return count;
}

static bool parse_header(struct tracy *p, const char *s, size_t n)
{
	struct field f[COLUMNS_MOST] = {{NULL, 0}};

	p->n_columns = tracy_split(s, n, f, COLUMNS_MOST);
	for (int c = 0; c < COLS; c++) {
		p->at[c] = -1;
		for (size_t i = 0; i < p->n_columns; i++)
			if (f[i].n == strlen(column_names[c]) &&
			    !memcmp(f[i].s, column_names[c], f[i].n))
				p->at[c] = (int)i;
	}
	return !p->at[COL_NAME] && ((p->at[COL_START] >= 0 && p->at[COL_TIME] >= 0) ||
				    (p->at[COL_TOTAL] >= 0 && p->at[COL_COUNTS] >= 0));
}

static struct field get(const struct tracy *p, const struct field *f, size_t n, enum column c)
{
	return p->at[c] >= 0 && (size_t)p->at[c] < n ? f[p->at[c]] : (struct field){"", 0};
}

static uint32_t place(struct tracy *p, const struct field *f, size_t n)
{
	struct trace *t = p->x.im->t;
	struct field name = f[0], file = get(p, f, n, COL_FILE), line = get(p, f, n, COL_LINE);
	uint64_t number = 0;

	num_dec(line.s, line.n, &number);
	return chrome_marker(&p->x,
			     name.n ? trace_string(t, name.s, name.n) : trace_strz(t, "(unnamed)"),
			     file.n ? trace_string(t, file.s, file.n) : 0, number);
}

static uint32_t thread(struct tracy *p, struct field id)
{
	struct chrome_thread row = {.tid = 0};

	num_dec(id.s, id.n, &row.tid);
	return chrome_thread(&p->x, &row.tid, sizeof row.tid, &row);
}

static bool add_plot(struct tracy *p, const struct field *f, size_t n, int64_t ts)
{
	struct field value = get(p, f, n, COL_VALUE);
	struct trace *t = p->x.im->t;
	struct counter row = {.name = trace_string(t, f[0].s, f[0].n)};
	struct chrome_point at = {.kind = EV_COUNTER, .ts = ts};
	bool rounded;
	decimal v;

	if (!chrome_number(value.s, value.n, &v, &rounded))
		return false;
	at.value = decimal_whole(v);
	at.fraction = decimal_fraction(v);
	p->x.rounded += rounded;
	at.what = trace_counter(t, &row);
	VEC_PUSH(p->x.points, p->x.n_points, p->x.cap_points) = at;
	return true;
}

static bool tracy_add_zone(struct tracy *p, const struct field *f, size_t n)
{
	struct field start = get(p, f, n, COL_START), time = get(p, f, n, COL_TIME);
	struct chrome *x = &p->x;
	struct chrome_call c = {.ph = 'X'};
	int64_t dur;

	if (!num_i64(start.s, start.n, &c.ts) || c.ts < -(INT64_MAX / 2) || c.ts > INT64_MAX / 2)
		return false;
	if (!time.n && get(p, f, n, COL_VALUE).n)
		return add_plot(p, f, n, c.ts);
	if (!num_i64(time.s, time.n, &dur) || dur < 0 || dur > INT64_MAX / 2 - c.ts)
		return false;
	c.end = c.ts + dur;
	c.marker = place(p, f, n);
	c.thread = thread(p, get(p, f, n, COL_THREAD));
	VEC_PUSH(x->calls, x->n_calls, x->cap_calls) = c;
	return true;
}

/* A row of sums: so many calls, with what they called. */
static enum status tracy_push_sum(struct tracy *p, const struct field *f, size_t n, struct err *e)
{
	struct field total = get(p, f, n, COL_TOTAL), counts = get(p, f, n, COL_COUNTS);
	struct trace *t = p->x.im->t;
	uint32_t marker, file, location;
	uint64_t calls;
	int64_t ns;

	if (!num_dec(counts.s, counts.n, &calls) || !num_i64(total.s, total.n, &ns)) {
		p->odd++;
		return ST_OK;
	}
	marker = place(p, f, n);
	file = p->x.places[marker].file;
	location =
	    emit_named(t, t->markers[marker].name, file, file ? p->x.places[marker].line : 0);
	return emit_sample(p->x.im,
			   &(struct emit_sample){.marker = marker,
						 .stack = trace_stack(t, 0, location),
						 .calls = KNOWN(calls),
						 .total = KNOWN(ns)},
			   e);
}

static enum status tracy_read_rows(struct tracy *p, struct err *e)
{
	struct cursor *c = &p->x.im->in->cur;
	struct field f[COLUMNS_MOST] = {{NULL, 0}};
	bool each = p->at[COL_TIME] >= 0;
	enum status st = ST_OK;
	const char *s;
	size_t n;

	while (!st && (s = cursor_line(c, &n, LINE_MOST))) {
		size_t fields = n ? tracy_split(s, n, f, p->n_columns) : 0;

		if (!n)
			continue;
		p->unended = (const char *)c->pos == s + n;
		if (fields < p->n_columns - (p->at[COL_VALUE] >= 0))
			p->odd++;
		else if (!each)
			st = tracy_push_sum(p, f, fields, e);
		else
			p->odd += !tracy_add_zone(p, f, fields);
	}
	return st ? st : cursor_failed(c) ? err_failure(e) : ST_OK;
}

static enum status tracy_read_all(struct tracy *p, struct err *e)
{
	struct trace *t = p->x.im->t;
	size_t n;
	const char *s = cursor_line(&p->x.im->in->cur, &n, LINE_MOST);
	enum status st;

	if (!s || !parse_header(p, s, n))
		return cursor_failed(&p->x.im->in->cur)
			   ? err_failure(e)
			   : err_at(e, ST_BAD, 0, "no heading of tracy-csvexport found");
	if (p->at[COL_TIME] < 0) {
		trace_metric(t, METRIC_TIME, METRIC_EXACT, METRIC_AT_ALL);
		st = import_begin(p->x.im, e);
		if (!st)
			st = tracy_read_rows(p, e);
	} else {
		struct err own = ERR_INIT;

		st = tracy_read_rows(p, e);
		if (chrome_push(&p->x, st ? &own : e) && !st)
			st = err_failure(e);
	}
	if (p->odd)
		trace_note(t, NOTE_LOSS, p->odd,
			   "lines are not rows of the table and were "
			   "left out");
	else if (p->unended)
		trace_note(t, NOTE_GUESS, 0,
			   "the last line has no newline: it is read as it "
			   "is");
	return st;
}

static enum status tracy_read(struct import *im, struct err *e)
{
	struct tracy *p = mem_zalloc(sizeof *p);
	enum status st;

	p->x.im = im;
	st = tracy_read_all(p, e);
	chrome_release(&p->x);
	free(p);
	return st;
}

static int tracy_bid(const uint8_t *head, size_t n, bool whole)
{
	const uint8_t *end = memchr(head, '\n', n);
	size_t line = end ? (size_t)(end - head) : n;

	(void)whole;
	if (line < 24 || memcmp(head, "name,src_file,src_line,", 23) != 0)
		return 0;
	return memmem(head, line, "exec_time_ns", 12) || memmem(head, line, "total_ns,", 9) ? 100
											    : 0;
}

const struct reader reader_tracy_csv = {
    .name = "tracy-csv",
    .family = "Tracy",
    .page = "chrome",
    .capabilities = CAPABILITY_CALLS | CAPABILITY_TIME | CAPABILITY_THREADS | CAPABILITY_COUNTERS,
    .what = "tables of tracy-csvexport: zones, each (-u) or in sum, and plots",
    .suffixes = "csv",
    .cut = CUT_NEVER, /* calls are put in order when all are there */
    .bid = tracy_bid,
    .read = tracy_read,
};
