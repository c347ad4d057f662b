/* SPDX-License-Identifier: MIT */
#include "cmd/tm-session/session.h"
#include "cmd/tm-session/sheet.h"

#include "lib/base/mem.h"
#include "lib/base/sort.h"
#include "lib/base/text.h"
#include "lib/group/chain.h"
#include "lib/group/rank.h"
#include "lib/tally/pacing.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

enum { LINES_SHOWN = 4, BUILD_SHOWN = 12, GROWTHS = FRAMES_LINES_MOST + 1 };

enum {
	FILE_NAME,
	FILE_KIND,
	FILE_PROGRAM,
	FILE_BUILD,
	FILE_DATE,
	FILE_TIME,
	FILE_FRAMES,
	FILE_OFFSET,
	FILE_ERROR,
	FILE_DRIFT,
	FILE_CLOCK,
	FILE_COLUMNS
};
static struct table_column file_columns[] = {
    {"file", "file", COLUMN_TEXT, COLUMN_SHORTEN | COLUMN_PATH, 0},
    {"kind", "kind", COLUMN_TEXT, COLUMN_PROSE | COLUMN_SHORTEN, 0},
    {"program", "program", COLUMN_TEXT, COLUMN_SPARE, 0},
    {"build", "build", COLUMN_TEXT, COLUMN_SPARE | COLUMN_FIRST_SPARE, 0},
    {"began", "began (UTC)", COLUMN_TEXT, COLUMN_SPARE | COLUMN_FIRST_SPARE, 0},
    {"duration_ns", "duration", COLUMN_TIME, 0, 0},
    {"frames", "frames", COLUMN_INT, 0, 0},
    {"offset_ns", "offset", COLUMN_TIME, COLUMN_SIGNED, 0},
    {"error_ns", "give or take", COLUMN_TIME, 0, 0},
    {"drift_ppb", NULL, COLUMN_INT, COLUMN_NOT_TEXT, 0},
    {"clock", "clock", COLUMN_TEXT, COLUMN_PROSE, 0},
};

enum { WORST_FRAME, WORST_AT, WORST_TIME, WORST_WHY, WORST_COLUMNS };
static struct table_column worst_columns[] = {
    {"frame", "frame", COLUMN_INT, 0, 0},
    {"at_ns", "at", COLUMN_TIME, 0, 0},
    {"duration_ns", "duration", COLUMN_TIME, 0, 0},
    {"why", "worst by", COLUMN_TEXT, COLUMN_PROSE, 0},
};

enum {
	DID_FRAME,
	DID_FILE,
	DID_PART,
	DID_COUNT,
	DID_BYTES,
	DID_TIME,
	DID_MEDIAN_BYTES,
	DID_MEDIAN_TIME,
	DID_SITE,
	DID_SITE_BYTES,
	DID_SITE_TIME,
	DID_ESTIMATED,
	DID_COLUMNS
};
static struct table_column did_columns[] = {
    {"frame", "frame", COLUMN_INT, 0, 0},
    {"file", "file", COLUMN_TEXT, COLUMN_SHORTEN | COLUMN_PATH, 0},
    {"domain", "domain", COLUMN_TEXT, COLUMN_PROSE, 0},
    {"count", "count", COLUMN_INT, 0, 0},
    {"bytes", "bytes", COLUMN_BYTES, 0, 0},
    {"time_ns", "time", COLUMN_TIME, 0, 0},
    {"median_bytes", "median", COLUMN_BYTES, 0, 0},
    {"median_ns", "median time", COLUMN_TIME, 0, 0},
    {"site", "most by", COLUMN_TEXT, COLUMN_SHORTEN, 0},
    {"site_bytes", "its bytes", COLUMN_BYTES, 0, 0},
    {"site_ns", "its time", COLUMN_TIME, 0, 0},
    {"estimated", "estimated", COLUMN_TEXT, COLUMN_PROSE | COLUMN_SPARE, 0},
};

/* The site comes last: the sums of a file have none. */
enum {
	GROWN_FILE,
	GROWN_PART,
	GROWN_BEFORE,
	GROWN_AFTER,
	GROWN_GROWTH,
	GROWN_MINUTE,
	GROWN_RISES,
	GROWN_ESTIMATED,
	GROWN_SITE,
	GROWN_COLUMNS
};
static struct table_column grown_columns[] = {
    {"file", "file", COLUMN_TEXT, COLUMN_SHORTEN | COLUMN_PATH, 0},
    {"domain", "domain", COLUMN_TEXT, COLUMN_PROSE, 0},
    {"live_before", "live, at a quarter", COLUMN_BYTES, 0, 0},
    {"live_after", "at the end", COLUMN_BYTES, 0, 0},
    {"growth", "growth", COLUMN_BYTES, COLUMN_SIGNED, 0},
    {"growth_per_minute", "a minute", COLUMN_BYTES, COLUMN_SIGNED, 0},
    {"rises", "steps that rose", COLUMN_INT, 0, 0},
    {"estimated", "estimated", COLUMN_TEXT, COLUMN_PROSE | COLUMN_SPARE, 0},
    {"site", "site", COLUMN_TEXT, COLUMN_SHORTEN, 0},
};

static struct table_column pace_columns[PACING_METRICS];

enum { LOG_FRAME, LOG_TIME, LOG_ERROR, LOG_FILE, LOG_LEVEL, LOG_TEXT, LOG_COLUMNS };
static struct table_column log_columns[] = {
    {"frame", "frame", COLUMN_INT, 0, 0},
    {"at_ns", "at", COLUMN_TIME, 0, 0},
    {"error_ns", "give or take", COLUMN_TIME, 0, 0},
    {"file", "file", COLUMN_TEXT, COLUMN_SHORTEN | COLUMN_PATH, 0},
    {"level", "level", COLUMN_TEXT, 0, 0},
    {"text", "log", COLUMN_TEXT, COLUMN_SHORTEN, 0},
};

enum { FILES, WORST, DID, LOG, PACE, GROWN, LEAKS, SHEETS };

struct session_report {
	struct session *s;
	struct sheet sheets[SHEETS];
	char titles[SHEETS][160];
	bool left_out;                    /* lines that the table of logs does not have */
	const struct session_file *leaks; /* the first that has some; NULL: none */
	const char *holders;              /* the command that says what holds them */
	const char *passed[PASSED_REASONS];
};

/* --- files --- */

static void date_text(const struct survey *v, struct buf *b)
{
	int64_t at = v->date + v->extent.first;
	time_t seconds = (time_t)(at / 1000000000);
	struct tm tm;

	if (!gmtime_r(&seconds, &tm))
		return;
	buf_addf(b, "%04d-%02d-%02d %02d:%02d:%02d%s", tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday,
		 tm.tm_hour, tm.tm_min, tm.tm_sec, v->zoned ? "" : " (zone unknown)");
}

static void fill_file(struct session_report *r, const struct session_file *f)
{
	struct sheet *to = &r->sheets[FILES];
	struct table_cell *c = sheet_row(to);
	const struct survey *v = &f->survey;
	struct buf b = BUF_INIT;

	c[FILE_NAME] = sheet_text(to, f->name);
	c[FILE_KIND] = sheet_text(to, session_kind(f));
	if (!f->surveyed) {
		if (f->reading_failed)
			c[FILE_CLOCK] = sheet_text(to, "could not be read");
		else if (f->capture)
			c[FILE_CLOCK] = sheet_text(to, "no capture is in it");
		return;
	}
	if (v->program)
		c[FILE_PROGRAM] = sheet_text(to, v->program);
	if (v->build)
		c[FILE_BUILD] = sheet_text(to, v->build);
	if (v->dated) {
		date_text(v, &b);
		c[FILE_DATE] = sheet_text(to, buf_str(&b));
	}
	if (v->extent.any)
		c[FILE_TIME] = cell_number((uint64_t)v->extent.last - (uint64_t)v->extent.first);
	if (v->n)
		c[FILE_FRAMES] = cell_number(v->n_frames);
	if (f->clock.by) {
		c[FILE_OFFSET] = cell_signed(f->clock.offset);
		if (f->clock.by != CLOCK_ITSELF)
			c[FILE_ERROR] = cell_signed(f->clock.error);
		if (f->clock.drift != 0.0)
			c[FILE_DRIFT] = cell_rounded(session_clock_runs(f) * 1e9);
	}
	b.len = 0;
	session_clock_text(r->s, f, &b);
	c[FILE_CLOCK] = sheet_text(to, buf_str(&b));
	buf_release(&b);
}

/* --- frames --- */

static void add_amount(struct buf *b, const struct session_part *p, uint64_t v)
{
	if (part_estimated(p))
		buf_addc(b, '~');
	if (p->what == PART_CALLS)
		time_text(b, v);
	else
		size_text(b, v);
}

static void fill_did(struct session_report *r, const struct session_file *f,
		     const struct session_part *p, size_t frame, uint64_t v)
{
	struct sheet *to = &r->sheets[DID];
	struct table_cell *c = sheet_row(to);
	const struct frame *row = &p->frames.rows[p->rows[frame] - 1];
	bool calls = p->what == PART_CALLS;
	struct buf b = BUF_INIT;
	uint64_t count;

	c[DID_FRAME] = cell_signed(r->s->axis.numbers[frame]);
	c[DID_FILE] = sheet_text(to, f->name);
	c[DID_PART] = sheet_text(to, part_word(p));
	if (part_value(p, frame, calls ? SUM_CALLS : SUM_COUNT, &count))
		c[DID_COUNT] = cell_number(count);
	c[calls ? DID_TIME : DID_BYTES] = cell_number(v);
	c[calls ? DID_MEDIAN_TIME : DID_MEDIAN_BYTES] = cell_number(p->median);
	if (part_estimated(p))
		c[DID_ESTIMATED] = sheet_text(to, "~");
	if (row->n_tops) {
		const struct frame_top *t = &p->frames.tops[row->first_top];

		chain_group(&b, &p->frames.project, 0, t->group);
		c[DID_SITE] = sheet_text(to, buf_str(&b));
		c[calls ? DID_SITE_TIME : DID_SITE_BYTES] = cell_number(t->value);
	}
	buf_release(&b);
}

/* "Lua, game.lua.tmt: 1.2 MiB in 300 (median 3.0 KiB): 1.1 MiB spawn  a.lua:10; ..." */
static void say_did(struct session_report *r, const struct session_file *f,
		    const struct session_part *p, size_t frame)
{
	const struct frame *row;
	struct buf b = BUF_INIT;
	uint64_t v, count;

	if (!part_value(p, frame, p->bytes, &v) || !v)
		return;
	row = &p->frames.rows[p->rows[frame] - 1];
	buf_addf(&b, "%s, %s: ", part_word(p), f->name);
	add_amount(&b, p, v);
	if (part_value(p, frame, p->what == PART_CALLS ? SUM_CALLS : SUM_COUNT, &count))
		buf_addf(&b, " in %s%" PRIu64, part_estimated(p) ? "~" : "", count);
	buf_adds(&b, " (median ");
	add_amount(&b, p, p->median);
	buf_adds(&b, ")");
	for (unsigned i = 0; i < row->n_tops; i++) {
		const struct frame_top *t = &p->frames.tops[row->first_top + i];

		buf_adds(&b, i ? "; " : ": ");
		add_amount(&b, p, t->value);
		buf_addc(&b, ' ');
		chain_group(&b, &p->frames.project, 0, t->group);
	}
	sheet_detail(&r->sheets[WORST], &b);
	buf_release(&b);
	fill_did(r, f, p, frame, v);
}

static void say_counters(struct session_report *r, const struct session_file *f,
			 const struct session_part *p, size_t frame)
{
	const struct frames_counters *c = &p->frames.counters;
	struct buf b = BUF_INIT;
	unsigned n = 0;
	decimal v;

	for (size_t i = 0; p->rows && p->rows[frame] && i < c->n && n < SESSION_COUNTERS; i++) {
		const char *unit = frames_counters_unit(c, i);
		const struct table_column column = {.type = counter_column(unit), .decimals = 2};
		struct table_cell cell;

		if (c->items[i].domain ||
		    !frames_counters_value(c, p->rows[frame] - 1,
					   FRAME_METRICS + (int)i * COUNTER_STATS + COUNTER_LAST,
					   &v))
			continue;
		cell = cell_decimal(v);
		if (n++)
			buf_adds(&b, ", ");
		else
			buf_addf(&b, "counters, %s: ", f->name);
		buf_addf(&b, "%s ", frames_counters_name(c, i));
		cell_for_people(&b, &column, &cell, false);
		if (column.type == COLUMN_DECIMAL && *unit)
			buf_addf(&b, " %s", unit);
	}
	if (n)
		sheet_detail(&r->sheets[WORST], &b);
	buf_release(&b);
}

static int compare_lines(const void *a, const void *b)
{
	const struct session_line *x = a, *y = b;

	return x->time != y->time ? (x->time > y->time) - (x->time < y->time)
				  : (x->nth > y->nth) - (x->nth < y->nth);
}

static void fill_log(struct session_report *r, const struct session_file *f, size_t frame,
		     const struct session_line *l)
{
	struct sheet *to = &r->sheets[LOG];
	struct table_cell *c = sheet_row(to);

	c[LOG_FRAME] = cell_signed(r->s->axis.numbers[frame]);
	c[LOG_TIME] = cell_signed(l->time);
	c[LOG_ERROR] = cell_signed(f->clock.error);
	c[LOG_FILE] = sheet_text(to, f->name);
	if (*l->level)
		c[LOG_LEVEL] = sheet_text(to, l->level);
	c[LOG_TEXT] = sheet_text(to, l->text);
}

static void say_line(struct session_report *r, const struct session_file *f, size_t frame,
		     const struct session_line *l)
{
	/* The text begins with its level, or has none. */
	bool has_level = !strncasecmp(l->text, l->level, strlen(l->level));
	struct buf b = BUF_INIT;

	buf_addf(&b, "log, %s", f->name);
	if (f->clock.error > r->s->axis.frames[frame].duration) {
		buf_adds(&b, " (+/- ");
		time_text(&b, (uint64_t)f->clock.error);
		buf_adds(&b, ")");
	}
	buf_addf(&b, ": %s%s%s", has_level ? "" : l->level, has_level ? "" : ": ", l->text);
	sheet_detail(&r->sheets[WORST], &b);
	buf_release(&b);
}

/* The lines that are nearest to the frame, by time: a few beneath it, all that are kept in a table. */
static void say_log(struct session_report *r, const struct session_file *f,
		    const struct session_lines *lines, size_t frame)
{
	struct session_line by_time[SESSION_LINES];
	size_t shown = lines->n < LINES_SHOWN ? lines->n : LINES_SHOWN;
	struct buf b = BUF_INIT;

	memcpy(by_time, lines->items, lines->n * sizeof *by_time);
	sort_array(by_time, shown, sizeof *by_time, compare_lines);
	for (size_t i = 0; i < shown; i++)
		say_line(r, f, frame, &by_time[i]);
	if (lines->all > shown) {
		buf_addf(&b, "log, %s: %" PRIu64 " other line%s may be of this frame", f->name,
			 lines->all - shown, plural_s(lines->all - shown));
		sheet_detail(&r->sheets[WORST], &b);
	}
	buf_release(&b);
	sort_array(by_time, lines->n, sizeof *by_time, compare_lines);
	for (size_t i = 0; i < lines->n; i++)
		fill_log(r, f, frame, &by_time[i]);
	r->left_out |= lines->all > lines->n;
}

static void fill_frame(struct session_report *r, size_t worst)
{
	struct session *s = r->s;
	const struct session_worst *w = &s->worst[worst];
	const struct clock_frame *at = &s->axis.frames[w->frame];
	struct table_cell *c = sheet_row(&r->sheets[WORST]);

	c[WORST_FRAME] = cell_signed(s->axis.numbers[w->frame]);
	c[WORST_AT] = cell_signed(at->start);
	if (at->duration >= 0)
		c[WORST_TIME] = cell_signed(at->duration);
	c[WORST_WHY] = cell_text(w->why.data, w->why.len);
	for (size_t i = 0; i < s->n; i++) {
		const struct session_file *f = &s->files[i];

		for (size_t k = 0; k < f->n_parts; k++) {
			const struct session_part *p = &f->parts[k];

			if (p->what == PART_COUNTERS)
				say_counters(r, f, p, w->frame);
			else
				say_did(r, f, p, w->frame);
		}
		if (f->lines)
			say_log(r, f, &f->lines[worst], w->frame);
	}
}

static void fill_pacing(struct session_report *r)
{
	const struct session_axis *a = &r->s->axis;
	struct pacing p = {.n = 0};
	struct table_cell *c;
	decimal v;

	for (size_t i = 0; i < a->n; i++)
		pacing_add(&p, a->frames[i].duration >= 0, a->frames[i].duration);
	c = a->n ? sheet_row(&r->sheets[PACE]) : NULL;
	for (unsigned m = 0; c && m < PACING_METRICS; m++)
		if (pacing_value(&p, (enum pacing_metric)m, &v))
			c[m] = cell_decimal(v);
	pacing_release(&p);
}

/* --- growth --- */

static void fill_growth(struct session_report *r, unsigned sheet, const struct session_file *f,
			const struct session_part *p, const struct session_growth *g)
{
	struct sheet *to = &r->sheets[sheet];
	struct table_cell *c = sheet_row(to);
	double minutes = (double)(g->until - g->from) / 60e9;

	c[GROWN_FILE] = sheet_text(to, f->name);
	c[GROWN_PART] = sheet_text(to, part_word(p));
	if (!g->whole)
		c[GROWN_SITE] = sheet_text(to, g->site);
	c[GROWN_BEFORE] = cell_number(g->before);
	c[GROWN_AFTER] = cell_number(g->after);
	c[GROWN_GROWTH] = cell_difference(g->before, g->after);
	if (minutes > 0)
		c[GROWN_MINUTE] = cell_rounded(((double)g->after - (double)g->before) / minutes);
	c[GROWN_RISES] = cell_number(g->rises);
	if (part_estimated(p))
		c[GROWN_ESTIMATED] = sheet_text(to, "~");
}

static int compare_growths(const void *a, const void *b)
{
	const struct session_growth *x = a, *y = b;
	uint64_t p = x->after - x->before, q = y->after - y->before;

	return p < q ? 1 : p > q ? -1 : strcmp(x->site, y->site);
}

static void fill_growths(struct session_report *r, const struct session_file *f,
			 struct session_part *p)
{
	struct session_growth g[GROWTHS], leaks[GROWTHS];
	size_t n = session_growths(p, g, GROWTHS), n_leaks = 0;

	for (size_t i = 0; i < n; i++)
		if (g[i].whole)
			fill_growth(r, GROWN, f, p, &g[i]);
		else if (session_leaks(&g[i]))
			leaks[n_leaks++] = g[i];
	sort_array(leaks, n_leaks, sizeof *leaks, compare_growths);
	for (size_t i = 0; i < n_leaks && i < SESSION_LEAKS; i++)
		fill_growth(r, LEAKS, f, p, &leaks[i]);
	if (n_leaks && !r->leaks)
		r->leaks = f;
}

/* Where the folder has a snapshot of a heap, too. */
static void note_holders(struct session_report *r)
{
	struct table *t = &r->sheets[LEAKS].table;
	const struct session_file *snapshot = session_snapshot(r->s);
	struct buf b = BUF_INIT;

	if (!r->leaks || !snapshot)
		return;
	buf_addf(&b, "what holds them: tm-heap --dominators --with %s %s", r->leaks->path,
		 snapshot->path);
	r->holders = arena_strndup(&r->sheets[LEAKS].texts, b.data, b.len);
	t->notes = &r->holders;
	t->n_notes = 1;
	buf_release(&b);
}

/* --- the whole --- */

static void title(struct session_report *r, unsigned sheet, const char *text)
{
	snprintf(r->titles[sheet], sizeof r->titles[sheet], "%s", text);
	r->sheets[sheet].table.title = r->titles[sheet];
}

static void add_titles(struct session_report *r)
{
	const struct session *s = r->s;
	static const char *nearest[] = {
	    "of each log and frame, the 32 nearest lines are listed; there are more"};
	size_t captures = 0;
	struct buf b = BUF_INIT;

	for (size_t i = 0; i < s->n; i++)
		captures += s->files[i].surveyed;
	if (s->n == 1)
		buf_addf(&b, "1 file, %s", captures ? "a capture" : "no capture");
	else
		buf_addf(&b, "%zu files, %zu of them captures", s->n, captures);
	title(r, FILES, buf_str(&b));
	for (enum session_passed why = 0; why < PASSED_REASONS; why++) {
		b.len = 0;
		if (session_passed_over(s, why, &b))
			r->passed[r->sheets[FILES].table.n_notes++] =
			    arena_strndup(&r->sheets[FILES].texts, b.data, b.len);
	}
	r->sheets[FILES].table.notes = r->passed;
	b.len = 0;
	buf_adds(&b, "worst frames");
	if (s->axis.n)
		buf_addf(&b, ": %zu of %zu", s->n_worst, s->frames);
	if (s->median >= 0) {
		buf_adds(&b, ", of which the median takes ");
		time_text(&b, (uint64_t)s->median);
	}
	title(r, WORST, buf_str(&b));
	buf_release(&b);
	r->sheets[WORST].table.empty = "no file has frames with times";
	r->sheets[WORST].table.flags = TABLE_AHEAD;
	r->sheets[GROWN].table.empty = "no file has allocations that can be followed over time";
	r->sheets[LEAKS].table.empty = "no site rose so";
	_Static_assert(SESSION_LINES == 32, "as the note says");
	r->sheets[LOG].table.notes = nearest;
	r->sheets[LOG].table.n_notes = r->left_out;
}

struct session_report *session_report_new(struct session *s)
{
	static const struct {
		const char *name, *title;
		struct table_column *columns;
		size_t n;
	} of[SHEETS] = {
	    [FILES] = {"files", NULL, file_columns, FILE_COLUMNS},
	    [WORST] = {"worst-frames", NULL, worst_columns, WORST_COLUMNS},
	    [DID] = {"in-frames", "what each domain did in these frames", did_columns, DID_COLUMNS},
	    [LOG] = {"log", "lines of logs in these frames", log_columns, LOG_COLUMNS},
	    [PACE] = {"pacing", "how evenly frames came", pace_columns, PACING_METRICS},
	    [GROWN] = {"growth", "live bytes, after a quarter of the run and at the end",
		       grown_columns, GROWN_COLUMNS - 1},
	    [LEAKS] = {"leaks",
		       "sites whose live bytes rose in 5 or 6 of the last 6 steps, and never fell",
		       grown_columns, GROWN_COLUMNS},
	};
	struct session_report *r = mem_zalloc(sizeof *r);

	r->s = s;
	frames_pacing_columns(pace_columns);
	for (unsigned i = 0; i < SHEETS; i++)
		sheet_init(&r->sheets[i], of[i].name, of[i].title, of[i].columns, of[i].n);
	for (size_t i = 0; i < s->n; i++)
		fill_file(r, &s->files[i]);
	for (size_t i = 0; i < s->n_worst; i++)
		fill_frame(r, i);
	fill_pacing(r);
	for (size_t i = 0; i < s->n; i++)
		for (size_t k = 0; k < s->files[i].n_parts; k++)
			fill_growths(r, &s->files[i], &s->files[i].parts[k]);
	add_titles(r);
	note_holders(r);
	return r;
}

void session_report_add(struct session_report *r, struct table_document *d, bool brief)
{
	for (size_t i = 0; i < r->s->n; i++)
		document_input(d, r->s->files[i].path, r->s->files[i].what);
	document_number(d, "frames", COLUMN_INT, 0, cell_number(r->s->frames));
	document_number(d, "leaks", COLUMN_INT, 0, cell_number(r->sheets[LEAKS].n));
	for (unsigned i = 0; i < SHEETS; i++)
		if (!(brief && (i == DID || i == LOG)) &&
		    (r->sheets[i].n || i == FILES || i == WORST || i == GROWN || i == LEAKS))
			document_table(d, &r->sheets[i].table);
}

const struct session_file *session_report_leaks(const struct session_report *r)
{
	return r->leaks;
}

const char *session_report_leak(const struct session_report *r, size_t i)
{
	const struct sheet *leaks = &r->sheets[LEAKS];

	return i < leaks->n ? leaks->rows[i].cells[GROWN_SITE].text : NULL;
}

void session_report_free(struct session_report *r)
{
	if (!r)
		return;
	for (unsigned i = 0; i < SHEETS; i++)
		sheet_release(&r->sheets[i]);
	free(r);
}
