/* SPDX-License-Identifier: MIT
 *
 * Tables that Unreal Insights exports, as CSV or TSV, in UTF-8 or UTF-16; several may stand one behind the other:
 *
 *	Id,Name,Group				the threads
 *	Id,Type,Name,File,Line			the timers
 *	ThreadId,TimerId,StartTime,EndTime,Depth	calls; also with ThreadName, TimerName, Duration
 *	Name,Count,Incl,I.Min,...,Excl,E.Min,...	a row for each timer, with all its calls
 *
 * Times are seconds. A call that had not ended has the end "inf". Facts: Epic's public page "Automated Trace Analysis and
 * CSV export", and rows of UE 5.1 to 5.8 in public repositories.
 */
#include "formats/chrome/chrome.h"
#include "formats/emit.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/text.h"
#include "lib/input/csv.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { LINE_MOST = 1 << 20, SECOND = 1000000000 };

enum column {
	COL_ID,
	COL_NAME,
	COL_GROUP,
	COL_TYPE,
	COL_FILE,
	COL_LINE,
	COL_THREAD_ID,
	COL_THREAD,
	COL_TIMER_ID,
	COL_TIMER,
	COL_START,
	COL_END,
	COL_DURATION,
	COL_COUNT,
	COL_TOTAL,
	COL_SELF,
	COLS
};

static const char *const column_names[COLS] = {
    "Id",      "Name",      "Group",     "Type",    "File",     "Line",  "ThreadId", "ThreadName",
    "TimerId", "TimerName", "StartTime", "EndTime", "Duration", "Count", "Incl",     "Excl"};

enum part { PART_NONE, PART_THREADS, PART_TIMERS, PART_COUNTERS, PART_CALLS, PART_SUMS };

/* By which columns a table is known; the first that fits. */
static const struct {
	enum part part;
	uint32_t columns;
} parts[] = {
    {PART_CALLS, 1 << COL_TIMER | 1 << COL_START},
    {PART_CALLS, 1 << COL_TIMER_ID | 1 << COL_START},
    {PART_SUMS, 1 << COL_NAME | 1 << COL_COUNT | 1 << COL_TOTAL},
    {PART_SUMS, 1 << COL_NAME | 1 << COL_COUNT | 1 << COL_SELF},
    {PART_TIMERS, 1 << COL_ID | 1 << COL_TYPE | 1 << COL_NAME | 1 << COL_FILE | 1 << COL_LINE},
    {PART_THREADS, 1 << COL_ID | 1 << COL_NAME | 1 << COL_GROUP},
    {PART_COUNTERS, 1 << COL_ID | 1 << COL_TYPE | 1 << COL_NAME},
};

struct insights_timer {
	uint32_t name, file;
	uint64_t line;
};

struct insights {
	struct chrome x; /* first */
	struct csv csv;
	enum part part;
	int at[COLS]; /* column; -1: it has none */
	struct map64 thread_names, timer_of;
	struct insights_timer *timers;
	size_t n_timers, cap_timers;
	bool begun, summed;
	uint64_t rows, odd, first_odd, line, nameless;
};

static enum part part_of(const struct csv *c, int at[COLS])
{
	uint32_t has = 0;

	for (int k = 0; k < COLS; k++) {
		at[k] = -1;
		for (size_t i = 0; i < c->n && at[k] < 0; i++)
			if (text_is(c->fields[i].s, c->fields[i].n, column_names[k]))
				at[k] = (int)i;
		has |= (uint32_t)(at[k] >= 0) << k;
	}
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		if ((has & parts[i].columns) == parts[i].columns)
			return parts[i].part;
	return PART_NONE;
}

static struct csv_field field(const struct insights *p, enum column k)
{
	return p->at[k] >= 0 && (size_t)p->at[k] < p->csv.n ? p->csv.fields[p->at[k]]
							    : (struct csv_field){"", 0};
}

static uint32_t text_of(const struct insights *p, enum column k)
{
	struct csv_field f = field(p, k);

	return f.n ? trace_string(p->x.im->t, f.s, f.n) : 0;
}

static bool number_of(const struct insights *p, enum column k, uint64_t *v)
{
	struct csv_field f = field(p, k);

	return num_dec(f.s, f.n, v);
}

/* Seconds as ns, rounded. */
static bool time_of(const struct insights *p, enum column k, int64_t *ns)
{
	struct csv_field f = field(p, k);
	decimal v;

	if (decimal_parse(f.s, f.n, &v) > DECIMAL_ROUNDED ||
	    v > decimal_of(INT64_MAX / 4 / SECOND) || v < -decimal_of(INT64_MAX / 4 / SECOND))
		return false;
	*ns = decimal_whole(decimal_round(v * SECOND, 0));
	return true;
}

static bool is_infinite(struct csv_field f)
{
	return f.n >= 3 && f.n <= 9 && !strncasecmp(f.s, "infinity", f.n < 8 ? f.n : 8);
}

/* ---- rows ---- */

static bool add_timer(struct insights *p)
{
	struct insights_timer timer = {.name = text_of(p, COL_NAME), .file = text_of(p, COL_FILE)};
	uint64_t id;

	if (!number_of(p, COL_ID, &id) || !timer.name)
		return false;
	number_of(p, COL_LINE, &timer.line);
	VEC_PUSH(p->timers, p->n_timers, p->cap_timers) = timer;
	*map64_put(&p->timer_of, id + 1) = (uint32_t)p->n_timers;
	return true;
}

static bool add_thread(struct insights *p)
{
	uint64_t id;

	if (!number_of(p, COL_ID, &id))
		return false;
	*map64_put(&p->thread_names, id + 1) = text_of(p, COL_NAME);
	return true;
}

/* The names of a row count before those of the lists. */
static bool find_marker(struct insights *p, uint32_t *marker)
{
	struct insights_timer timer = {.name = text_of(p, COL_TIMER)};
	struct buf b = BUF_INIT;
	uint64_t id = 0;
	uint32_t known;
	bool has = number_of(p, COL_TIMER_ID, &id);

	if (!has && !timer.name)
		return false;
	known = has ? map64_get(&p->timer_of, id + 1) : 0;
	if (known && (!timer.name || timer.name == p->timers[known - 1].name))
		timer = p->timers[known - 1];
	if (!timer.name) {
		buf_addf(&b, "timer %llu", (unsigned long long)id);
		timer.name = trace_string(p->x.im->t, b.data, b.len);
		p->nameless++;
	}
	*marker = chrome_marker(&p->x, timer.name, timer.file, timer.line);
	buf_release(&b);
	return true;
}

/* A thread without a number is known by its name. */
static uint32_t find_thread(struct insights *p)
{
	struct chrome_thread row = {.name = text_of(p, COL_THREAD)};
	struct {
		uint64_t tid;
		uint32_t name, has;
	} key = {.has = number_of(p, COL_THREAD_ID, &row.tid)};

	if (!key.has)
		key.name = row.name;
	else if (!row.name)
		row.name = map64_get(&p->thread_names, row.tid + 1);
	key.tid = row.tid;
	return chrome_thread(&p->x, &key, sizeof key, &row);
}

static bool add_call(struct insights *p)
{
	struct chrome_call c = {.ph = 'X'};
	int64_t duration;

	if (!time_of(p, COL_START, &c.ts))
		return false;
	if (is_infinite(field(p, COL_END)) || is_infinite(field(p, COL_DURATION)))
		c.ph = 'B';
	else if (!time_of(p, COL_END, &c.end)) {
		if (!time_of(p, COL_DURATION, &duration))
			return false;
		c.end = c.ts + duration;
	}
	if ((c.ph == 'X' && c.end < c.ts) || !find_marker(p, &c.marker))
		return false;
	c.thread = find_thread(p);
	p->x.start = p->x.any && p->x.start < c.ts ? p->x.start : c.ts;
	p->x.any = true;
	VEC_PUSH(p->x.calls, p->x.n_calls, p->x.cap_calls) = c;
	return true;
}

/* All calls of a timer: so often, so long with what they called, and without. */
static bool push_sum(struct insights *p, enum status *st, struct err *e)
{
	struct trace *t = p->x.im->t;
	uint32_t name = text_of(p, COL_NAME);
	int64_t total = 0, self = 0;
	bool has_total = time_of(p, COL_TOTAL, &total), has_self = time_of(p, COL_SELF, &self);
	struct emit_sample s = {.total = KNOWN_IF(has_total, total),
				.self = KNOWN_IF(has_self, self)};
	uint64_t calls;

	if (!name || !number_of(p, COL_COUNT, &calls) || (!has_total && !has_self) ||
	    (p->at[COL_TOTAL] >= 0 && !has_total) || (p->at[COL_SELF] >= 0 && !has_self))
		return false;
	if (!p->begun) {
		trace_metric(t, METRIC_TIME, METRIC_EXACT, METRIC_AT_ALL);
		*st = import_begin(p->x.im, e);
		p->begun = true;
	}
	s.calls = KNOWN(calls);
	s.marker = trace_marker(t, &(struct marker){name, 0});
	s.stack = trace_stack(t, 0, emit_named(t, name, 0, 0));
	if (!*st)
		*st = emit_sample(p->x.im, &s, e);
	return true;
}

static bool read_row(struct insights *p, enum status *st, struct err *e)
{
	switch (p->part) {
	case PART_THREADS: return add_thread(p);
	case PART_TIMERS: return add_timer(p);
	case PART_CALLS: return add_call(p);
	case PART_SUMS: return push_sum(p, st, e);
	case PART_NONE:
	case PART_COUNTERS:
	default: return true;
	}
}

/* A table of calls and one of their sums would count each call twice. */
static enum status begin_part(struct insights *p, enum part part, struct err *e)
{
	if ((part == PART_SUMS && p->x.n_calls) || (part == PART_CALLS && p->summed))
		return err_set(
		    e, ST_BAD,
		    "line %llu: a table of calls and one of timers' sums stand in one file",
		    (unsigned long long)p->line);
	if (part == PART_CALLS && p->at[COL_END] < 0 && p->at[COL_DURATION] < 0)
		return err_set(e, ST_BAD, "the table of calls has no column EndTime or Duration");
	p->part = part;
	p->summed |= part == PART_SUMS;
	return ST_OK;
}

static enum status insights_read_line(struct insights *p, const char *s, size_t n, struct err *e)
{
	enum status st = ST_OK;
	enum part part;
	int at[COLS];

	p->line++;
	if (!n)
		return ST_OK;
	if (!p->csv.separator)
		p->csv.separator = csv_separator(s, n);
	csv_split(&p->csv, s, n);
	part = part_of(&p->csv, at);
	if (part) {
		memcpy(p->at, at, sizeof p->at);
		return begin_part(p, part, e);
	}
	if (!p->part)
		return err_set(e, ST_BAD, "the first line is no header of a table of Insights");
	if (read_row(p, &st, e)) {
		p->rows += p->part == PART_CALLS || p->part == PART_SUMS;
	} else {
		p->first_odd = p->odd++ ? p->first_odd : p->line;
	}
	return st;
}

static enum status finish(struct insights *p, struct err *e)
{
	if (p->rows)
		return p->summed ? ST_OK : chrome_push(&p->x, e);
	if (p->odd)
		return err_set(e, ST_BAD, "no row of the table can be read; the first is line %llu",
			       (unsigned long long)p->first_odd);
	if (p->part == PART_THREADS || p->part == PART_TIMERS)
		return err_set(e, ST_BAD,
			       "names of %s without calls: they belong before the table of "
			       "ExportTimingEvents",
			       p->part == PART_THREADS ? "threads" : "timers");
	if (p->part == PART_COUNTERS)
		return err_set(e, ST_BAD,
			       "names of counters, without values: ExportCounterValues has them");
	return err_set(e, ST_BAD, "the table has no rows");
}

static enum status insights_read(struct import *im, struct err *e)
{
	struct insights *p = mem_zalloc(sizeof *p);
	struct cursor *c = &im->in->cur;
	enum status st = ST_OK;
	const char *s;
	size_t n;

	p->x.im = im;
	while (!st && (s = cursor_line(c, &n, LINE_MOST)))
		st = insights_read_line(p, s, n, e);
	if (!st && cursor_failed(c) && !p->rows)
		st = err_failure(e);
	if (!st) {
		struct err own = ERR_INIT;
		bool cut = cursor_failed(c);

		st = finish(p, cut ? &own : e);
		if (cut && !st)
			st = err_failure(e);
	}

	const struct trace_loss losses[] = {
	    LOSS_WITH(NOTE_LOSS, p->odd,
		      "lines are not rows of the table: left out; the first is line {}",
		      p->first_odd),
	    LOSS(NOTE_INFO, p->nameless,
		 "calls have the number of their timer alone: put the table of ExportTimers before "
		 "theirs"),
	};

	TRACE_LOSSES(im->t, losses);
	chrome_release(&p->x);
	map64_release(&p->thread_names);
	map64_release(&p->timer_of);
	csv_release(&p->csv);
	free(p->timers);
	free(p);
	return st;
}

/* Columns that are Insights' own; of a list of names, only where such a table follows. */
static int insights_bid(const uint8_t *head, size_t n, bool whole)
{
	static const char *const lists[] = {"Id,Type,Name,File,Line", "Id,Name,Group",
					    "Id\tType\tName\tFile\tLine", "Id\tName\tGroup"};
	const char *s = (const char *)head, *end = s + n, *to = memchr(s, '\n', n);
	struct csv csv = {.separator = 0};
	enum part part;
	int at[COLS];

	if (!to && !whole)
		return 0;
	to = to ? to : end;
	to -= to > s && to[-1] == '\r';
	csv.separator = csv_separator(s, (size_t)(to - s));
	csv_split(&csv, s, (size_t)(to - s));
	part = csv.n < 32 ? part_of(&csv, at) : PART_NONE;
	csv_release(&csv);
	if (part == PART_CALLS)
		return 100;
	if (part == PART_SUMS && text_begins(s, (size_t)(to - s), "Name"))
		return 80;
	if (part == PART_TIMERS)
		return text_is(s, (size_t)(to - s), lists[0]) ||
			       text_is(s, (size_t)(to - s), lists[2])
			   ? 80
			   : 0;
	if (part != PART_THREADS ||
	    !(text_is(s, (size_t)(to - s), lists[1]) || text_is(s, (size_t)(to - s), lists[3])))
		return 0;
	return memmem(to, (size_t)(end - to), lists[0], strlen(lists[0])) ||
		       memmem(to, (size_t)(end - to), lists[2], strlen(lists[2])) ||
		       memmem(to, (size_t)(end - to), "StartTime", 9)
		   ? 80
		   : 0;
}

const struct reader reader_insights = {
    .name = "insights",
    .family = "Unreal Engine",
    .page = "table",
    .capabilities = CAPABILITY_CALLS | CAPABILITY_TIME | CAPABILITY_THREADS,
    .what = "tables that Unreal Insights exports: timing events, timer statistics",
    .suffixes = "csv,tsv",
    .cut = CUT_NEVER, /* calls are put in order when all are there */
    .bid = insights_bid,
    .read = insights_read,
};
