/* SPDX-License-Identifier: MIT
 *
 * What macOS's vmmap prints: memory by type of region, and by zone of malloc.
 *
 *	                                VIRTUAL RESIDENT    DIRTY  SWAPPED VOLATILE   NONVOL    EMPTY   REGION
 *	REGION TYPE                        SIZE     SIZE     SIZE     SIZE     SIZE     SIZE     SIZE    COUNT (non-coalesced)
 *	===========                     ======= ========    =====  ======= ========   ======    =====  =======
 *	MALLOC_NANO                      512.0M      48K      48K       0K       0K       0K       0K        1    see MALLOC ...
 *	TOTAL                            845.6M    56.6M     368K       0K       0K       0K       0K      183
 *
 *	                                 VIRTUAL   RESIDENT      DIRTY    SWAPPED ALLOCATION      BYTES DIRTY+SWAP          REGION
 *	MALLOC ZONE                         SIZE       SIZE       SIZE       SIZE      COUNT  ALLOCATED  FRAG SIZE  % FRAG   COUNT
 *	DefaultMallocZone_0x108221000     512.0M        48K        48K         0K        166         6K        42K     88%       1
 *
 *	REGION TYPE                    START - END         [ VSIZE  RSDNT  DIRTY   SWAP] PRT/MAX SHRMOD PURGE    REGION DETAIL
 *	Stack                    7ff7b7905000-7ff7b8105000 [ 8192K    20K    20K     0K] rw-/rwx SM=PRV          thread 0
 *
 * The words of a table's first line name its columns. From vmmap(1), and outputs of macOS 10.12 to 14 in public
 * repositories.
 */
#include "formats/apple/head.h"
#include "formats/reader.h"
#include "lib/base/intern.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_MOST = 1 << 16, COLUMNS_MOST = 16, WORDS_MOST = 64, REGION_COLUMNS = 4 };
enum part { PART_OTHER, PART_SUMMARY, PART_ZONES, PART_REGIONS };

struct vmmap {
	struct import *im;
	enum part part;
	bool has_summary;
	struct buf titles, name; /* titles: the line before */
	struct buf columns[COLUMNS_MOST];
	size_t n_columns;
	struct intern types; /* of single regions */
	uint64_t (*sums)[REGION_COLUMNS + 1];
	size_t n_sums;
	uint64_t readings, odd;
};

struct word {
	const char *s;
	size_t n;
};

static size_t split(const char *s, const char *end, struct word *w, size_t most)
{
	size_t n = 0;

	while (n < most) {
		while (s < end && text_is_blank(*s))
			s++;
		if (s == end)
			break;
		w[n].s = s;
		while (s < end && !text_is_blank(*s))
			s++;
		w[n].n = (size_t)(s - w[n].s);
		n++;
	}
	return n;
}

/* REGION and ALLOCATION head numbers, not sizes. */
static bool is_count(const struct buf *column)
{
	return text_is(buf_at(column, 0), column->len, "regions") ||
	       text_is(buf_at(column, 0), column->len, "allocations");
}

static void set_columns(struct vmmap *x)
{
	static const struct {
		const char *word, *name;
	} known[] = {{"REGION", "regions"},
		     {"ALLOCATION", "allocations"},
		     {"BYTES", "allocated"},
		     {"DIRTY+SWAP", "fragmentation"}};
	struct word w[COLUMNS_MOST];
	const char *s = buf_str(&x->titles);

	x->n_columns = split(s, s + x->titles.len, w, COLUMNS_MOST);
	for (size_t i = 0; i < x->n_columns; i++) {
		struct buf *b = &x->columns[i];

		b->len = 0;
		for (size_t k = 0; k < sizeof known / sizeof *known; k++)
			if (text_is(w[i].s, w[i].n, known[k].word))
				buf_adds(b, known[k].name);
		if (b->len)
			continue;
		for (size_t k = 0; k < w[i].n; k++)
			buf_addc(b, (char)tolower((unsigned char)w[i].s[k]));
	}
}

static enum status add_reading(struct vmmap *x, const char *s, size_t n, const char *column,
			       uint64_t v, bool count, struct err *e)
{
	x->name.len = 0;
	buf_adds(&x->name, "vmmap.");
	if (x->part == PART_ZONES)
		buf_adds(&x->name, "zone.");
	buf_add(&x->name, s, n);
	buf_addf(&x->name, ".%s", column);
	x->readings++;
	return emit_counter(x->im, emit_counter_id(x->im, buf_str(&x->name), count ? "" : "B"),
			    ABSENT, (int64_t)v, e);
}

static size_t zone_length(const char *s, size_t n)
{
	const char *at = memmem(s, n, "_0x", 3);

	return at && at > s ? (size_t)(at - s) : n;
}

/* A name, which may have blanks, and a size for each column; a share has no name of its own and is left out. */
static enum status read_row(struct vmmap *x, const char *s, const char *end, struct err *e)
{
	struct word w[WORDS_MOST];
	uint64_t v[COLUMNS_MOST];
	size_t n = split(s, end, w, WORDS_MOST), first, k = 0;
	enum status st = ST_OK;

	for (first = 1; first < n && k < x->n_columns; first++) {
		k = 0;
		for (size_t i = first; i < n && k < x->n_columns; i++) {
			if (w[i].s[w[i].n - 1] == '%')
				continue;
			if (!apple_size(w[i].s, w[i].n, &v[k]) || v[k] > INT64_MAX)
				break;
			k++;
		}
	}
	if (k < x->n_columns || first < 2) {
		x->odd++;
		return ST_OK;
	}
	n = (size_t)(w[first - 2].s + w[first - 2].n - w[0].s);
	if (x->part ==
	    PART_ZONES) /* "DefaultMallocZone_0x108221000" is another address in each run */
		n = zone_length(w[0].s, n);
	for (size_t i = 0; i < k && !st; i++)
		st = add_reading(x, w[0].s, n, buf_str(&x->columns[i]), v[i],
				 is_count(&x->columns[i]), e);
	return st;
}

/* A single region, where there may be no summary: "Stack   7ff7b7905000-7ff7b8105000 [ 8192K    20K    20K     0K] ..." */
static void add_region(struct vmmap *x, const char *s, const char *end)
{
	const char *open = memchr(s, '[', (size_t)(end - s));
	const char *close = open ? memchr(open, ']', (size_t)(end - open)) : NULL;
	struct word w[REGION_COLUMNS], head[WORDS_MOST];
	uint64_t v[REGION_COLUMNS];
	size_t n = open ? split(s, open, head, WORDS_MOST) : 0;
	uint32_t type;

	if (!close || n < 2 || !memchr(head[n - 1].s, '-', head[n - 1].n) ||
	    split(open + 1, close, w, REGION_COLUMNS) != REGION_COLUMNS) {
		x->odd++;
		return;
	}
	for (size_t i = 0; i < REGION_COLUMNS; i++)
		if (!apple_size(w[i].s, w[i].n, &v[i]) || v[i] > (uint64_t)1 << 48) {
			x->odd++;
			return;
		}
	type =
	    intern_add(&x->types, head[0].s, (size_t)(head[n - 2].s + head[n - 2].n - head[0].s));
	x->sums = mem_grow_zero(x->sums, &x->n_sums, type + 1u, sizeof *x->sums);
	for (size_t i = 0; i < REGION_COLUMNS; i++)
		x->sums[type][i] += v[i];
	x->sums[type][REGION_COLUMNS]++;
}

static enum status push_regions(struct vmmap *x, struct err *e)
{
	static const char *const names[REGION_COLUMNS + 1] = {"virtual", "resident", "dirty",
							      "swapped", "regions"};
	uint64_t total[REGION_COLUMNS + 1] = {0};
	uint32_t n = intern_count(&x->types);
	enum status st = ST_OK;

	x->part = PART_REGIONS;
	for (uint32_t type = 1; type <= n && !st; type++) {
		size_t len;
		const char *s = intern_text(&x->types, type, &len);

		for (size_t i = 0; i <= REGION_COLUMNS && !st; i++) {
			total[i] += x->sums[type][i];
			st = add_reading(x, s, len, names[i], x->sums[type][i] & INT64_MAX,
					 i == REGION_COLUMNS, e);
		}
	}
	for (size_t i = 0; i <= REGION_COLUMNS && n && !st; i++)
		st = add_reading(x, "TOTAL", 5, names[i], total[i] & INT64_MAX, i == REGION_COLUMNS,
				 e);
	return st;
}

static enum status read_line(struct vmmap *x, const char *s, size_t n, struct err *e)
{
	const char *from = s, *end = s + n;
	bool taken = false;
	enum status st = ST_OK;

	text_trim(&from, &end);
	n = (size_t)(end - from);
	if (text_begins(from, n, "REGION TYPE") && memchr(from, '[', n)) {
		x->part = PART_REGIONS;
	} else if (text_begins(from, n, "REGION TYPE") || text_begins(from, n, "MALLOC ZONE")) {
		x->part = *from == 'R' ? PART_SUMMARY : PART_ZONES;
		x->has_summary |= x->part == PART_SUMMARY;
		set_columns(x);
	} else if (!n || text_begins(from, n, "====")) {
		x->part = n > 4 && from[4] != '=' ? PART_OTHER : n ? x->part : PART_OTHER;
	} else if (x->part == PART_SUMMARY || x->part == PART_ZONES) {
		st = read_row(x, from, end, e);
	} else if (x->part == PART_REGIONS) {
		add_region(x, from, end);
	} else {
		st = apple_footprint(x->im, from, n, &taken, e);
	}
	x->titles.len = 0;
	buf_add(&x->titles, from, n);
	return st;
}

static enum status vmmap_read(struct import *im, struct err *e)
{
	struct vmmap x = {.im = im};
	struct cursor *c = &im->in->cur;
	const char *s;
	size_t n;
	enum status st = import_begin(im, e);

	while (!st && (s = cursor_line(c, &n, LINE_MOST)))
		st = read_line(&x, s, n, e);
	if (!st && cursor_failed(c))
		st = err_failure(e);
	if (!st && !x.has_summary)
		st = push_regions(&x, e);
	if (!st && !x.readings)
		st = err_set(e, ST_BAD, "no table of regions follows the head");

	const struct trace_loss losses[] = {
	    LOSS(NOTE_LOSS, x.odd, "lines are not rows of the table: left out"),
	    LOSS_IF(NOTE_GUESS, !x.has_summary && x.readings,
		    "there is no summary: rounded sizes of regions are added"),
	};

	TRACE_LOSSES(im->t, losses);
	intern_release(&x.types);
	free(x.sums);
	buf_release(&x.titles);
	buf_release(&x.name);
	for (size_t i = 0; i < COLUMNS_MOST; i++)
		buf_release(&x.columns[i]);
	return st;
}

static int vmmap_bid(const uint8_t *head, size_t n, bool whole)
{
	static const char *const marks[] = {"==== Summary for process ",
					    "==== Non-writable regions for process ",
					    "==== Writable regions for process "};

	(void)whole;
	if (apple_tool_is(head, n, "vmmap"))
		return 200;
	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
		const uint8_t *at = memmem(head, n, marks[i], strlen(marks[i]));

		if (at && (at == head || at[-1] == '\n') &&
		    memmem(at, n - (size_t)(at - head), "REGION TYPE", 11))
			return 160;
	}
	return 0;
}

const struct reader reader_vmmap = {
    .name = "vmmap",
    .family = "macOS and iOS",
    .page = "macos",
    .capabilities = CAPABILITY_COUNTERS,
    .what = "memory by type of region and by zone of malloc, of macOS's vmmap",
    .suffixes = "txt",
    .cut = CUT_NEVER, /* whether there is a summary is known at the end */
    .bid = vmmap_bid,
    .read = vmmap_read,
};
