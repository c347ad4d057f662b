/* SPDX-License-Identifier: MIT
 *
 * What mimalloc's mi_stats_print prints, once or again and again (MIMALLOC_SHOW_STATS=1: when the program ends):
 *
 *	heap stats:     peak       total       freed     current        unit       count
 *	normal   6:   294.1 KiB   990.7 KiB   924.2 KiB    66.4 KiB    48   B      21.0 K    not all freed
 *	heap stats:     peak       total       freed     current        unit       count
 *	malloc req:     7.8 MiB    14.9 MiB    14.7 MiB   192.4 KiB                          not all freed
 *	 committed:     1.0 GiB     1.0 GiB    55.5 MiB  1002.6 MiB
 *	    purged:    55.5 MiB
 *	  segments:     2           2           1           1                                not all freed!
 *	-abandoned:     0           0           0           0                                ok
 *	   elapsed:     6.178 s
 *	   process: user: 7.505 s, system: 0.524 s, faults: 0, rss: 416.8 MiB, commit: 1.0 GiB
 *
 * Size classes are there in builds that count them. A number has one decimal, and those behind it are cut; its unit is of
 * 1024 (KiB; kb and k of versions before 1.7), but for the count of blocks. "process" is the last line; its rss and commit
 * are peaks. From src/stats.c of mimalloc, outputs of Debian's libmimalloc2.0, and of 1.0 to 2.2 that people published.
 */
#include "formats/emit.h"
#include "formats/reader.h"
#include "lib/base/intern.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/text.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_MOST = 4096, CELLS_MOST = 6, CLASSES_MOST = 128, READINGS_MOST = 1 << 20 };
enum column { COLUMN_PEAK, COLUMN_TOTAL, COLUMN_FREED, COLUMN_CURRENT, COLUMN_UNIT, COLUMN_COUNT };

struct mimalloc_reading {
	uint32_t name;
	bool bytes;
	int64_t v;
	struct known_number time;
};

struct mimalloc_class {
	int64_t live, gone, unit;
};

struct mimalloc {
	struct import *im;
	struct intern names;
	struct mimalloc_reading *items;
	size_t n, cap, first;        /* first: of the printout that is read */
	bool old;                    /* without a column "current" */
	struct buf parent;           /* the last row, to which rows with "-" belong */
	struct known_number elapsed; /* ns: of the printout */
	struct known_number last;    /* ns: of the one before */
	struct mimalloc_classes {
		struct mimalloc_class items[CLASSES_MOST];
		size_t n;
	} last_classes, classes; /* of the last printout, of this one */
	uint64_t odd, later, rows;
};

static bool next_word(const char **at, const char *end, const char **word, size_t *n)
{
	while (*at < end && text_is_space(**at))
		++*at;
	*word = *at;
	while (*at < end && !text_is_space(**at))
		++*at;
	*n = (size_t)(*at - *word);
	return *n > 0;
}

/* "KiB", "Ki", "K", "B", "kb", "k", "b". thousands: K is 1000. 0: it is no unit. */
static int64_t factor_of(const char *s, size_t n, bool thousands)
{
	static const char letters[] = "kmgt";
	const int64_t base = thousands ? 1000 : 1024;
	const char *letter = n ? strchr(letters, tolower((unsigned char)*s)) : NULL;
	int64_t factor = 1;

	if (n && (*s == 'B' || *s == 'b'))
		return n == 1;
	if (!letter || n > 3 || (n > 1 && !strchr("iBb", s[1])) || (n > 2 && s[2] != 'B'))
		return 0;
	for (const char *p = letters; p <= letter; p++)
		factor *= base;
	return factor;
}

/* "-635.0", "12": tenths. */
static bool parse_tenths(const char *s, size_t n, int64_t *tenths)
{
	bool minus = n && *s == '-';
	const char *dot;
	uint64_t whole, part = 0;
	size_t n_whole;

	s += minus;
	n -= minus;
	dot = memchr(s, '.', n);
	n_whole = dot ? (size_t)(dot - s) : n;
	if (!num_dec(s, n_whole, &whole) || whole > INT64_MAX / 100 ||
	    (dot && (n - n_whole != 2 || !num_dec(dot + 1, 1, &part))))
		return false;
	*tenths = (int64_t)(whole * 10 + part) * (minus ? -1 : 1);
	return true;
}

/* The numbers of a row, until a word that is none. */
static size_t parse_cells(const struct mimalloc *m, const char *s, const char *end,
			  int64_t cells[CELLS_MOST])
{
	const char *at = s, *word;
	size_t n = 0, len;
	int64_t tenths = 0;

	while (n < CELLS_MOST && next_word(&at, end, &word, &len) &&
	       parse_tenths(word, len, &tenths)) {
		const char *unit_at = at;
		int64_t factor = 1;
		bool count = n == (m->old ? COLUMN_CURRENT + 1 : COLUMN_COUNT);

		if (next_word(&unit_at, end, &word, &len)) {
			factor = factor_of(word, len, count);
			if (factor)
				at = unit_at;
			else
				factor = 1;
		}
		if (llabs(tenths) > INT64_MAX / factor)
			break;
		cells[n++] = tenths * factor / 10;
	}
	return n;
}

/* --- readings --- */

static void add_reading(struct mimalloc *m, const char *row, size_t n_row, const char *column,
			bool bytes, int64_t v)
{
	struct buf name = BUF_INIT;

	if (m->n >= READINGS_MOST) {
		m->odd++;
		return;
	}
	buf_adds(&name, "mimalloc.");
	buf_add(&name, row, n_row);
	if (*column)
		buf_addf(&name, ".%s", column);
	for (size_t i = 0; i < name.len; i++)
		name.data[i] = name.data[i] == ' ' ? '-' : name.data[i];
	VEC_PUSH(m->items, m->n, m->cap) = (struct mimalloc_reading){
	    .name = intern_add(&m->names, name.data, name.len), .bytes = bytes, .v = v};
	buf_release(&name);
}

/* Of a printout that is over. Times of a process rise; one that began later has a smaller one. */
static void end_printout(struct mimalloc *m)
{
	if (m->elapsed.is && m->last.is && m->elapsed.v < m->last.v) {
		m->later++;
		m->n = m->first;
	} else if (m->classes.n) {
		m->last_classes = m->classes;
	}
	m->classes.n = 0;
	for (size_t i = m->first; i < m->n; i++)
		m->items[i].time = m->elapsed;
	m->last = m->n > m->first && m->elapsed.is ? m->elapsed : m->last;
	m->first = m->n;
	m->elapsed = ABSENT;
}

/* "0.524 s" as ns. */
static bool parse_seconds(const char *s, const char *end, int64_t *ns)
{
	const char *dot = memchr(s, '.', (size_t)(end - s)), *to;
	uint64_t whole, ms;

	to = dot ? memmem(dot, (size_t)(end - dot), " s", 2) : NULL;
	if (!to || to - dot != 4 || !num_dec(s, (size_t)(dot - s), &whole) ||
	    !num_dec(dot + 1, 3, &ms) || whole > INT64_MAX / 2000000000)
		return false;
	*ns = (int64_t)(whole * 1000 + ms) * 1000000;
	return true;
}

/* "user: 7.505 s, system: 0.524 s, faults: 0, rss: 416.8 MiB, commit: 1.0 GiB" */
static void read_process(struct mimalloc *m, const char *s, const char *end)
{
	static const struct {
		const char *key, *row, *column;
		bool bytes;
	} known[] = {{"faults: ", "process.faults", "", false},
		     {"rss: ", "process.rss", "peak", true},
		     {"commit: ", "process.commit", "peak", true}};

	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		const char *at = memmem(s, (size_t)(end - s), known[i].key, strlen(known[i].key));
		const char *to;
		int64_t cells[CELLS_MOST];

		if (!at)
			continue;
		at += strlen(known[i].key);
		to = memchr(at, ',', (size_t)(end - at));
		if (parse_cells(m, at, to ? to : end, cells))
			add_reading(m, known[i].row, strlen(known[i].row), known[i].column,
				    known[i].bytes, cells[0]);
		else
			m->odd++;
	}
	end_printout(m);
}

static bool is_of_bytes(const char *s, size_t n)
{
	static const char *const rows[] = {"reserved",   "committed", "reset", "purged",
					   "touched",    "normal",    "large", "huge",
					   "malloc req", "total"};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (text_is(s, n, rows[i]))
			return true;
	return false;
}

/* "normal   6" */
static void read_class(struct mimalloc *m, const int64_t *cells, size_t n)
{
	const size_t unit = m->old ? COLUMN_CURRENT : COLUMN_UNIT;
	struct mimalloc_class c;

	if (n <= unit || m->classes.n == CLASSES_MOST) {
		m->odd++;
		return;
	}
	c = (struct mimalloc_class){.live = m->old ? cells[COLUMN_TOTAL] - cells[COLUMN_FREED]
						   : cells[COLUMN_CURRENT],
				    .gone = cells[COLUMN_FREED],
				    .unit = cells[unit]};
	c.live = c.live > 0 ? c.live : 0;
	if (c.gone < 0 || c.unit <= 0)
		m->odd++;
	else
		m->classes.items[m->classes.n++] = c;
}

static void read_row(struct mimalloc *m, const char *label, size_t n_label, const char *s,
		     const char *end)
{
	static const char *const columns[] = {"peak", "total", "freed", "current"};
	const size_t most = m->old ? COLUMN_CURRENT : COLUMN_UNIT;
	bool below = n_label > 1 && *label == '-', bytes = is_of_bytes(label, n_label);
	int64_t cells[CELLS_MOST];
	size_t n = parse_cells(m, s, end, cells);

	m->odd += !n;
	m->rows += n > 0;
	if (text_begins(label, n_label, "normal ")) {
		read_class(m, cells, n);
		return;
	}
	if (!below) {
		m->parent.len = 0;
		buf_add(&m->parent, label, n_label);
	} else {
		size_t len = m->parent.len;

		buf_addc(&m->parent, '.');
		buf_add(&m->parent, label + 1, n_label - 1);
		for (size_t i = 0; i < n && i < most; i++)
			add_reading(m, m->parent.data, m->parent.len, n > 1 ? columns[i] : "",
				    false, cells[i]);
		m->parent.len = len;
		return;
	}
	for (size_t i = 0; i < n && i < most; i++)
		add_reading(m, label, n_label, n > 1 ? columns[i] : "", bytes, cells[i]);
}

static const char heading[] = "heap stats:";

/* False: the line is none of the statistics. */
static bool read_line(struct mimalloc *m, const char *s, size_t n)
{
	static const char *const others[] = {"searches", "numa nodes"};
	const char *end = s + n, *colon;
	size_t n_label;
	int64_t ns;

	text_trim(&s, &end);
	n = (size_t)(end - s);
	if (text_begins(s, n, heading)) {
		m->old = !memmem(s, n, "current", 7);
		return true;
	}
	colon = memchr(s, ':', n);
	if (!colon || colon == s || text_begins(s, n, "mimalloc:"))
		return !n || text_begins(s, n, "mimalloc:");
	n_label = (size_t)(colon - s);
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (text_is(s, n_label, others[i]))
			return true;
	colon++;
	text_trim(&colon, &end);
	if (text_is(s, n_label, "elapsed")) {
		if (parse_seconds(colon, end, &ns))
			m->elapsed = KNOWN(ns);
		else
			m->odd++;
	} else if (text_is(s, n_label, "process")) {
		read_process(m, colon, end);
	} else {
		read_row(m, s, n_label, colon, end);
	}
	return true;
}

/* --- what is made of it --- */

static enum status push_classes(struct mimalloc *m, struct emit_blocks *blocks, struct err *e)
{
	struct trace *t = m->im->t;
	struct buf name = BUF_INIT;
	enum status st = ST_OK;

	for (size_t i = 0; i < m->last_classes.n && !st; i++) {
		const struct mimalloc_class *c = &m->last_classes.items[i];
		struct emit_profile row = {.domain = KNOWN(DOMAIN_MALLOC),
					   .known = 1 << BLOCKS_REAL};
		int64_t v[BLOCKS_AMOUNTS] = {0};

		name.len = 0;
		buf_addf(&name, "%" PRId64 " B", c->unit);
		row.type = trace_type(t, name.data, name.len);
		v[BLOCKS_REAL] = c->live;
		if (c->live)
			st = emit_blocks(blocks, &row, v, PROFILE_LIVE, e);
		v[BLOCKS_REAL] = c->gone;
		if (!st && c->gone)
			st = emit_blocks(blocks, &row, v, PROFILE_FREED, e);
	}
	buf_release(&name);
	return st;
}

static enum status push_all(struct mimalloc *m, struct err *e)
{
	uint32_t *ids = mem_zarray(intern_count(&m->names) + 1, sizeof *ids);
	struct emit_blocks blocks = {.im = m->im};
	enum status st;

	if (m->last_classes.n) {
		trace_metric(m->im->t, METRIC_REAL, METRIC_ESTIMATED, METRIC_AT_ALL);
		emit_blocks_live(&blocks, METRIC_ESTIMATED);
	}
	st = import_begin(m->im, e);
	for (size_t i = 0; i < m->n && !st; i++) {
		const struct mimalloc_reading *r = &m->items[i];

		if (!ids[r->name])
			ids[r->name] = emit_counter_id(m->im, intern_text(&m->names, r->name, NULL),
						       r->bytes ? "B" : "");
		st = emit_counter(m->im, ids[r->name], r->time, r->v, e);
	}
	if (!st)
		st = push_classes(m, &blocks, e);
	free(ids);
	return st;
}

static enum status mimalloc_read(struct import *im, struct err *e)
{
	struct mimalloc m = {.im = im};
	struct cursor *c = &im->in->cur;
	uint64_t others = 0;
	enum status st;
	const char *s;
	size_t n;

	while ((s = cursor_line(c, &n, LINE_MOST)))
		others += !read_line(&m, s, n);
	st = cursor_failed(c) ? err_failure(e) : ST_OK;
	end_printout(&m);
	if (!st && !m.rows)
		st = err_at(e, ST_BAD, 0, "no statistics of mimalloc follow the head");
	if (!st)
		st = push_all(&m, e);

	const struct trace_loss losses[] = {
	    LOSS(NOTE_LOSS, others, "lines are not of the statistics: left out"),
	    LOSS(NOTE_LOSS, m.odd, "rows of the statistics are not as they should be: left out"),
	    LOSS(NOTE_LOSS, m.later, "printouts are of a process that began later: left out"),
	    LOSS(NOTE_GUESS, m.rows, "rows have numbers of one decimal: sizes are as rough"),
	};

	TRACE_LOSSES(im->t, losses);
	free(m.items);
	intern_release(&m.names);
	buf_release(&m.parent);
	return st;
}

static int mimalloc_bid(const uint8_t *head, size_t n, bool whole)
{
	const char *s = (const char *)head, *at = memmem(s, n, heading, sizeof heading - 1), *end;

	(void)whole;
	end = at ? memchr(at, '\n', n - (size_t)(at - s)) : NULL;
	if (!end || !memmem(at, (size_t)(end - at), " peak ", 6) ||
	    !memmem(at, (size_t)(end - at), " freed ", 7) || (at > s && at[-1] != '\n'))
		return 0;
	return at == s || text_begins(s, n, "mimalloc: ") ? 96 : 64;
}

const struct reader reader_mimalloc_stats = {
    .name = "mimalloc-stats",
    .family = "pprof",
    .page = "pprof",
    .capabilities = CAPABILITY_ALLOCATIONS | CAPABILITY_LIVE | CAPABILITY_TYPES | CAPABILITY_TIME |
		    CAPABILITY_COUNTERS,
    .what = "statistics of mimalloc (mi_stats_print): memory over time, blocks by size",
    .suffixes = "txt",
    .cut = CUT_NEVER, /* size classes are those of the last printout */
    .bid = mimalloc_bid,
    .read = mimalloc_read,
};
