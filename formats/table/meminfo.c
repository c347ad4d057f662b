/* SPDX-License-Identifier: MIT
 *
 * What Android's "dumpsys meminfo PROCESS" prints, once or again and again into one file:
 *
 *	Applications Memory Usage (in Kilobytes):
 *	Uptime: 277763066 Realtime: 766707569
 *
 *	** MEMINFO in pid 20602 [com.example.game] **
 *	                   Pss  Private  Private  SwapPss      Rss     Heap     Heap     Heap
 *	                 Total    Dirty    Clean    Dirty    Total     Size    Alloc     Free
 *	                ------   ------   ------   ------   ------   ------   ------   ------
 *	  Native Heap    80860    80824        4       25    82336   139028   129931     4490
 *	        TOTAL   337790   293788    18924      162   421296   634109   428404   201098
 *
 *	 Dalvik Details					the same columns, with -d
 *	        .Heap    48404    48404        0        0    48404
 *
 *	 App Summary
 *	                       Pss(KB)                        Rss(KB)
 *	                        ------                         ------
 *	           Java Heap:    69716                          84804
 *	             Unknown:                                   75752
 *	           TOTAL PSS:   337790            TOTAL RSS:   421296       TOTAL SWAP PSS:      162
 *
 *	 Objects
 *	               Views:      779         ViewRootImpl:        1
 *
 * Which columns there are depends on Android's version and on -a; dashes end where a column's numbers and its names end.
 * A row without a heap of its own has fewer numbers. Each process is a capture. Facts: outputs of Android 4.3 to 15 that
 * people have published, and the page "dumpsys" of Android's documentation.
 */
#include "formats/emit.h"
#include "formats/reader.h"
#include "lib/base/intern.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_MOST = 4096, COLUMNS_MOST = 16, HEAD_LINES = 8, READINGS_MOST = 1 << 24 };

/* What the lines of a section are. */
enum section {
	SECTION_OTHER,
	SECTION_TABLE,   /* a name, and numbers in columns */
	SECTION_SUMMARY, /* the same with a colon, or names with a number each */
	SECTION_PAIRS,   /* names with a number each */
};

struct meminfo_reading {
	uint32_t process, name; /* of the interns */
	bool count;             /* it is no size */
	int64_t v;
	struct known_number time;
};

struct meminfo {
	struct import *im;
	struct intern processes, names;
	struct meminfo_reading *items;
	size_t n, cap;
	struct known_number uptime, first; /* ms: of the dump; of the first one */
	uint32_t process;                  /* 0: none yet */
	enum section section;
	struct buf prefix;    /* of the section's counters */
	struct buf titles[2]; /* the last two lines of words: names of columns */
	struct buf columns[COLUMNS_MOST];
	size_t ends[COLUMNS_MOST], n_columns;
	struct buf name;
	uint64_t odd, others, backward;
};

struct word {
	const char *s;
	size_t n, end; /* end: in the line */
};

static bool next_word(const char *s, size_t n, size_t *at, struct word *w)
{
	while (*at < n && text_is_space(s[*at]))
		++*at;
	w->s = s + *at;
	while (*at < n && !text_is_space(s[*at]))
		++*at;
	w->n = (size_t)(s + *at - w->s);
	w->end = *at;
	return w->n > 0;
}

/* "Native Heap" as native-heap, ".so mmap" as so-mmap, "Pss(KB)" as pss. */
static void add_name(struct buf *b, const char *s, size_t n)
{
	size_t from = b->len;

	for (size_t i = 0; i < n && s[i] != '('; i++) {
		unsigned char c = (unsigned char)s[i];
		bool sign = c <= ' ' || (c == '.' && b->len == from) || c == '_';

		if (!sign)
			buf_addc(b, (char)tolower(c));
		else if (b->len > from && b->data[b->len - 1] != '-')
			buf_addc(b, '-');
	}
	while (b->len > from && b->data[b->len - 1] == '-')
		b->len--;
}

/* ---- columns ---- */

static bool is_dashes(const char *s, size_t n)
{
	size_t dashes = 0;

	for (size_t i = 0; i < n; i++) {
		if (s[i] != '-' && !text_is_space(s[i]))
			return false;
		dashes += s[i] == '-';
	}
	return dashes > 3;
}

/* The words of both lines of names that end where a column does: "private-dirty". Pss is what a name alone means. */
static void name_column(struct meminfo *m, size_t column)
{
	struct buf *b = &m->columns[column];
	struct word w;

	b->len = 0;
	for (int line = 0; line < 2; line++)
		for (size_t at = 0;
		     next_word(buf_at(&m->titles[line], 0), m->titles[line].len, &at, &w);)
			if (w.end == m->ends[column]) {
				if (b->len)
					buf_addc(b, '-');
				add_name(b, w.s, w.n);
			}
	if (text_is(buf_at(b, 0), b->len, "pss-total") || text_is(buf_at(b, 0), b->len, "pss"))
		b->len = 0;
	else if (!b->len)
		buf_addf(b, "column-%zu", column + 1);
}

static void read_columns(struct meminfo *m, const char *s, size_t n)
{
	struct word w;

	m->n_columns = 0;
	for (size_t at = 0; m->n_columns < COLUMNS_MOST && next_word(s, n, &at, &w);)
		m->ends[m->n_columns++] = w.end;
	for (size_t i = 0; i < m->n_columns; i++)
		name_column(m, i);
}

/* ---- rows ---- */

static enum status add_reading(struct meminfo *m, const char *s, size_t n, const struct buf *column,
			       uint64_t v, bool count, struct err *e)
{
	if (v > INT64_MAX / 1024) {
		m->odd++;
		return ST_OK;
	}
	if (m->n == READINGS_MOST)
		return err_set(e, ST_LIMIT, "more than %d readings", READINGS_MOST);
	m->name.len = 0;
	buf_addf(&m->name, "meminfo.%s", buf_str(&m->prefix));
	add_name(&m->name, s, n);
	if (column && column->len)
		buf_addf(&m->name, ".%.*s", (int)column->len, column->data);
	VEC_PUSH(m->items, m->n, m->cap) =
	    (struct meminfo_reading){.process = m->process,
				     .name = intern_add(&m->names, m->name.data, m->name.len),
				     .count = count,
				     .v = (int64_t)v * (count ? 1 : 1024),
				     .time = m->uptime};
	return ST_OK;
}

static size_t column_at(const struct meminfo *m, size_t end)
{
	size_t i = 0;

	while (i < m->n_columns && m->ends[i] != end)
		i++;
	return i;
}

/* Numbers behind a name: each of the column in which it ends; where not all do, in their order. */
static enum status read_row(struct meminfo *m, const char *s, size_t n, size_t label, size_t from,
			    struct err *e)
{
	struct {
		uint64_t v;
		size_t end;
	} numbers[COLUMNS_MOST];
	size_t k = 0, at = from;
	bool placed = true;
	enum status st = ST_OK;
	struct word w;

	for (; next_word(s, n, &at, &w); k++) {
		if (k == m->n_columns || !num_dec(w.s, w.n, &numbers[k].v)) {
			m->odd++;
			return ST_OK;
		}
		numbers[k].end = w.end;
		placed = placed && column_at(m, w.end) < m->n_columns;
	}
	for (size_t i = 0; i < k && !st; i++)
		st =
		    add_reading(m, s, label, &m->columns[placed ? column_at(m, numbers[i].end) : i],
				numbers[i].v, false, e);
	return st;
}

/* Where the name of a row ends, and its numbers begin. */
static size_t end_of_label(const char *s, size_t n)
{
	size_t at = 0, label = 0;
	struct word w;

	while (next_word(s, n, &at, &w)) {
		size_t digits = 0;

		while (digits < w.n && isdigit((unsigned char)w.s[digits]))
			digits++;
		if (digits == w.n && label)
			break;
		label = w.end;
	}
	return label;
}

/* "Views:      779         ViewRootImpl:        1" */
static enum status read_pairs(struct meminfo *m, const char *s, size_t n, struct err *e)
{
	const char *end = s + n, *colon;
	enum status st = ST_OK;

	for (; !st && (colon = memchr(s, ':', (size_t)(end - s)));) {
		size_t label = (size_t)(colon - s), at = 0;
		bool size = m->section == SECTION_SUMMARY || memmem(s, label, "memory", 6) ||
			    text_begins(buf_str(&m->prefix), m->prefix.len, "sql");
		struct word w;
		uint64_t v;

		if (next_word(colon + 1, (size_t)(end - colon) - 1, &at, &w) &&
		    num_dec(w.s, w.n, &v))
			st = add_reading(m, s, label, NULL, v, !size, e);
		else
			m->odd++;
		s = colon + 1 + at;
	}
	return st;
}

/* ---- lines ---- */

/* " App Summary": what comes below it. */
static void begin_section(struct meminfo *m, const char *s, const char *end)
{
	static const struct {
		const char *title, *prefix;
		enum section is;
	} known[] = {{"App Summary", "summary.", SECTION_SUMMARY},
		     {"Objects", "objects.", SECTION_PAIRS},
		     {"SQL", "sql.", SECTION_PAIRS}};
	size_t n = (size_t)(end - s);

	m->section = SECTION_OTHER;
	m->prefix.len = 0;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (text_is(s, n, known[i].title)) {
			m->section = known[i].is;
			buf_adds(&m->prefix, known[i].prefix);
		}
	if (text_ends(s, n, " Details")) { /* of the columns of the table above */
		m->section = SECTION_TABLE;
		add_name(&m->prefix, s, n);
		buf_addc(&m->prefix, '.');
	}
}

static bool names_columns(const char *s, size_t n)
{
	static const char *const words[] = {"Pss", "Pss(KB)", "Private", "Dirty"};
	struct word w;

	for (size_t at = 0; next_word(s, n, &at, &w);)
		for (size_t i = 0; i < sizeof words / sizeof *words; i++)
			if (text_is(w.s, w.n, words[i]))
				return true;
	return false;
}

/* "** MEMINFO in pid 20602 [com.example.game] **": the process is what stands behind "pid ". */
static const char mark[] = "** MEMINFO in pid ";

static bool begin_process(struct meminfo *m, const char *s, const char *end)
{
	const char *bracket = memrchr(s, ']', (size_t)(end - s));
	size_t n = (size_t)(end - s);

	if (!text_begins(s, n, mark))
		return false;
	s += sizeof mark - 1;
	m->odd += !bracket || bracket < s;
	m->process =
	    bracket && bracket >= s ? intern_add(&m->processes, s, (size_t)(bracket + 1 - s)) : 0;
	m->titles[0].len = m->titles[1].len = 0;
	m->section = SECTION_TABLE;
	m->prefix.len = m->n_columns = 0;
	return true;
}

static bool read_uptime(struct meminfo *m, const char *s, const char *end)
{
	size_t at = 0;
	struct word w;
	uint64_t v;

	if (!text_begins(s, (size_t)(end - s), "Uptime: "))
		return false;
	s += 8;
	if (next_word(s, (size_t)(end - s), &at, &w) && num_dec(w.s, w.n, &v) &&
	    v < INT64_MAX / 1000000) {
		m->backward += m->uptime.is && v < m->uptime.v;
		m->uptime = KNOWN(v);
		m->first = m->first.is ? m->first : m->uptime;
	} else {
		m->uptime = ABSENT;
		m->odd++;
	}
	return true;
}

static enum status read_section_line(struct meminfo *m, const char *s, size_t n, struct err *e)
{
	const char *colon = memchr(s, ':', n);
	size_t label = end_of_label(s, n);

	switch (m->section) {
	case SECTION_TABLE:
		if (m->n_columns && label && label < n)
			return read_row(m, s, n, label, label, e);
		break;
	case SECTION_SUMMARY:
		if (colon && m->n_columns && !memmem(s, n, "TOTAL", 5))
			return read_row(m, s, n, (size_t)(colon - s), (size_t)(colon - s) + 1, e);
		/* FALLTHROUGH */
	case SECTION_PAIRS:
		if (colon)
			return read_pairs(m, s, n, e);
		break;
	case SECTION_OTHER:
	default: break;
	}
	m->others++;
	return ST_OK;
}

static enum status read_line(struct meminfo *m, const char *s, size_t n, struct err *e)
{
	const char *from = s, *end = s + n;
	struct buf was;

	text_trim(&from, &end);
	n = (size_t)(end - s);
	if (from == end || begin_process(m, from, end) || read_uptime(m, from, end))
		return ST_OK;
	if (text_begins(from, (size_t)(end - from), "Applications Memory Usage")) {
		m->process = 0;
		return ST_OK;
	}
	if (!m->process) {
		m->others++;
		return ST_OK;
	}
	if (is_dashes(s, n)) {
		read_columns(m, s, n);
		return ST_OK;
	}
	for (const char *p = from; p < end; p++)
		if (*p == ':' || (*p >= '0' && *p <= '9'))
			return read_section_line(m, s, n, e);
	if (!names_columns(s, n))
		begin_section(m, from, end);
	was = m->titles[0];
	m->titles[0] = m->titles[1];
	m->titles[1] = was;
	m->titles[1].len = 0;
	if (names_columns(s, n))
		buf_add(&m->titles[1], s, n);
	return ST_OK;
}

/* ---- what is made of it ---- */

static enum status push_process(struct meminfo *m, uint32_t process, uint32_t *counters,
				struct err *e)
{
	uint32_t n_names = intern_count(&m->names);
	struct buf text = BUF_INIT;
	const char *name;
	enum status st;
	size_t len;

	trace_set(m->im->t, "format", "meminfo");
	name = intern_text(&m->processes, process, &len);
	buf_add(&text, name, len);
	trace_set(m->im->t, "meminfo.process", buf_str(&text));
	if (m->first.is) {
		text.len = 0;
		buf_addf(&text, "%llu", (unsigned long long)m->first.v);
		trace_set(m->im->t, "meminfo.uptime_ms", buf_str(&text));
	}
	st = import_begin(m->im, e);
	memset(counters, 0, (n_names + 1) * sizeof *counters);
	for (size_t i = 0; i < m->n && !st; i++) {
		const struct meminfo_reading *r = &m->items[i];
		struct known_number at =
		    KNOWN_IF(r->time.is, ((int64_t)r->time.v - (int64_t)m->first.v) * 1000000);

		if (r->process != process)
			continue;
		if (!counters[r->name]) {
			name = intern_text(&m->names, r->name, &len);
			text.len = 0;
			buf_add(&text, name, len);
			counters[r->name] =
			    emit_counter_id(m->im, buf_str(&text), r->count ? "" : "B");
		}
		st = emit_counter(m->im, counters[r->name], at, r->v, e);
	}
	buf_release(&text);
	return st;
}

static enum status push_all(struct meminfo *m, struct err *e)
{
	uint32_t *counters = mem_alloc((intern_count(&m->names) + 1) * sizeof *counters);
	enum status st = ST_OK;

	for (uint32_t i = 1; i <= intern_count(&m->processes) && !st; i++) {
		if (i > 1)
			st = import_next(m->im, e);
		if (!st)
			st = push_process(m, i, counters, e);
	}
	free(counters);

	const struct trace_loss losses[] = {
	    LOSS(NOTE_LOSS, m->odd, "impossible numbers"),
	    LOSS(NOTE_GUESS, m->backward,
		 "dumps begin before the one above them: the device may have been started anew"),
	    LOSS(NOTE_INFO, m->others, "lines of other sections are left out"),
	};

	TRACE_LOSSES(m->im->t, losses);
	return st;
}

static enum status meminfo_read(struct import *im, struct err *e)
{
	struct meminfo m = {.im = im};
	struct cursor *c = &im->in->cur;
	enum status st = ST_OK;
	const char *s;
	size_t n;

	while (!st && (s = cursor_line(c, &n, LINE_MOST)))
		st = read_line(&m, s, n, e);
	if (!st && cursor_failed(c))
		st = err_failure(e);
	if (!st && !m.n)
		st = err_at(e, ST_BAD, 0, "no table of a process with its memory");
	if (!st)
		st = push_all(&m, e);
	intern_release(&m.processes);
	intern_release(&m.names);
	free(m.items);
	buf_release(&m.prefix);
	buf_release(&m.name);
	for (int i = 0; i < 2; i++)
		buf_release(&m.titles[i]);
	for (size_t i = 0; i < COLUMNS_MOST; i++)
		buf_release(&m.columns[i]);
	return st;
}

/* A line begins so, behind blanks. */
static bool begins_line(const uint8_t *head, const uint8_t *at)
{
	while (at > head && text_is_blank((char)at[-1]))
		at--;
	return at == head || at[-1] == '\n';
}

/* Its title in the first lines: documents and scripts quote it further below. */
static int meminfo_bid(const uint8_t *head, size_t n, bool whole)
{
	static const char title[] = "Applications Memory Usage (";
	const uint8_t *at = memmem(head, n, title, sizeof title - 1), *process;
	int lines = 0;

	(void)whole;
	if (!at || !begins_line(head, at))
		return 0;
	for (const uint8_t *p = head; p < at; p++)
		lines += *p == '\n';
	process = memmem(at, (size_t)(head + n - at), mark, sizeof mark - 1);
	return lines < HEAD_LINES && process && begins_line(head, process) ? 240 : 0;
}

const struct reader reader_meminfo = {
    .name = "meminfo",
    .family = "Tables of frames",
    .page = "table",
    .capabilities = CAPABILITY_TIME | CAPABILITY_COUNTERS,
    .what = "Android's dumpsys meminfo of processes: memory by kind, one dump or many",
    .suffixes = "txt",
    .cut = CUT_NEVER, /* a process whose rows stand apart is one capture */
    .bid = meminfo_bid,
    .read = meminfo_read,
};
