/* SPDX-License-Identifier: MIT
 *
 * What jemalloc's malloc_stats_print prints, as text and as JSON (stats_print_opts:J):
 *
 *	___ Begin jemalloc statistics ___
 *	Allocated: 5087008, active: 5431296, metadata: 4888448 (n_thp 0), resident: 14172160, mapped: 21950464, retained: 0
 *	Merged arenas stats:                     or arenas[0]:, where there is one
 *	bins:           size ind    allocated      nmalloc (#/sec)      ndalloc (#/sec) .. curregs ..
 *	                 112   7          224          100       0           98       0 .. 2 ..
 *	large:          size ind    allocated      nmalloc .. curlextents
 *
 *	{"jemalloc":{"arenas":{"bin":[{"size":N,..}..],"lextent":[{"size":N}..]},"stats":{"allocated":N,..},
 *	 "stats.arenas":{"merged":{"bins":[{"nmalloc":N,"curregs":N,..}..],"lextents":[{"nmalloc":N,"curlextents":N}..]}}}}
 *
 * A table has a row for each size class: how often a block of it was allocated, and how many there are. The heading
 * says where a column is, since versions have others. From jemalloc's src/stats.c, and outputs of 5.3.
 */
#include "formats/emit.h"
#include "formats/reader.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/text.h"
#include "lib/input/json_path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_MOST = 1 << 16, COLUMNS_MOST = 64, CLASSES_MOST = 4096 };
enum table { TABLE_SMALL, TABLE_LARGE, TABLES, TABLE_NONE };
enum amount {
	AMOUNT_ALLOCATED,
	AMOUNT_ACTIVE,
	AMOUNT_METADATA,
	AMOUNT_RESIDENT,
	AMOUNT_MAPPED,
	AMOUNT_RETAINED,
	AMOUNTS
};

static const char *const amounts[AMOUNTS] = {"allocated", "active", "metadata",
					     "resident",  "mapped", "retained"};

struct size_class {
	uint64_t size, made, live; /* made: blocks that were allocated */
};

struct classes {
	struct size_class *items;
	size_t n, cap;
};

struct jemalloc {
	struct import *im;
	struct known_number amounts[AMOUNTS];
	struct classes tables[TABLES];
	bool merged; /* the table of all arenas was there: those of each do not count */
	uint64_t odd, huge;
	/* of the text: */
	enum table table;
	int size, made, live; /* columns */
	bool skipped;         /* the table is of one arena, and that of all was there */
	/* of JSON: */
	size_t at; /* which element */
	struct size_class item;
	bool in_merged;
};

static struct size_class *class_at(struct classes *c, size_t i)
{
	while (c->n <= i)
		VEC_PUSH(c->items, c->n, c->cap) = (struct size_class){0};
	return &c->items[i];
}

static void add_text_row(struct jemalloc *j, uint64_t size, uint64_t made, uint64_t live)
{
	struct classes *c = &j->tables[j->table];
	struct size_class *x;
	size_t i = 0;

	while (i < c->n && c->items[i].size != size)
		i++;
	if (i == CLASSES_MOST) { /* jemalloc has fewer than 300 */
		j->odd++;
		return;
	}
	x = class_at(c, i);
	x->size = size;
	x->made += made;
	x->live += live;
}

static bool next_word(const char **s, const char *end, const char **word, size_t *n)
{
	while (*s < end && text_is_blank(**s))
		++*s;
	*word = *s;
	while (*s < end && !text_is_blank(**s))
		++*s;
	*n = (size_t)(*s - *word);
	return *n > 0;
}

/* "bins:           size ind    allocated      nmalloc (#/sec) .. curregs": false, it is no such heading. */
static bool read_heading(struct jemalloc *j, const char *s, size_t n)
{
	const char *end = s + n, *word;
	size_t len;
	int column = 0;
	enum table table = text_begins(s, n, "bins:")    ? TABLE_SMALL
			   : text_begins(s, n, "large:") ? TABLE_LARGE
							 : TABLE_NONE;

	if (table == TABLE_NONE)
		return false;
	j->size = j->made = j->live = -1;
	next_word(&s, end, &word, &len);
	for (; next_word(&s, end, &word, &len); column++) {
		if (text_is(word, len, "size"))
			j->size = column;
		else if (text_is(word, len, "nmalloc"))
			j->made = column;
		else if (text_is(word, len, table == TABLE_SMALL ? "curregs" : "curlextents"))
			j->live = column;
	}
	if (j->size < 0 || j->made < 0 || j->live < 0)
		return false;
	j->table = table;
	return true;
}

static void read_row(struct jemalloc *j, const char *s, size_t n)
{
	const char *end = s + n, *word;
	uint64_t size = 0, made = 0, live = 0;
	size_t len;
	int column = 0, found = 0;

	for (; column < COLUMNS_MOST && next_word(&s, end, &word, &len); column++) {
		if (!column && text_is(word, len, "---"))
			return; /* classes without blocks */
		if (column == j->size)
			found += num_dec(word, len, &size);
		else if (column == j->made)
			found += num_dec(word, len, &made);
		else if (column == j->live)
			found += num_dec(word, len, &live);
	}
	if (!column)
		return;
	if (found == 3)
		add_text_row(j, size, made, live);
	else
		j->odd++;
}

/* "Allocated: 5087008, active: 5431296, metadata: 4888448 (n_thp 0), .." */
static void read_amounts(struct jemalloc *j, const char *s, size_t n)
{
	const char *end = s + n;

	for (int i = 0; i < AMOUNTS; i++) {
		struct buf b = {0};
		const char *at, *to;
		uint64_t v;

		buf_addf(&b, "%s: ", amounts[i] + !i); /* "Allocated" */
		at = memmem(s, n, b.data, b.len);
		to = at ? at + b.len : NULL;
		buf_release(&b);
		if (!at)
			continue;
		at = to;
		while (to < end && *to >= '0' && *to <= '9')
			to++;
		if (num_dec(at, (size_t)(to - at), &v) && v <= INT64_MAX)
			j->amounts[i] = KNOWN(v);
	}
}

static void read_line(struct jemalloc *j, const char *s, size_t n)
{
	bool merged = text_begins(s, n, "Merged arenas stats");

	if (text_begins(s, n, "Allocated: "))
		read_amounts(j, s, n);
	if (merged || (text_begins(s, n, "arenas[") && n && s[n - 1] == ':') ||
	    text_begins(s, n, "Destroyed arenas stats")) {
		j->skipped = j->merged;
		j->merged |= merged;
		j->table = TABLE_NONE;
	} else if (n && !text_is_blank(*s)) {
		j->table = TABLE_NONE;
		if (!j->skipped)
			read_heading(j, s, n);
	} else if (j->table != TABLE_NONE) {
		read_row(j, s, n);
	}
}

enum jemalloc_place {
	FILE_ = JSON_PLACES,
	TOP,
	SIZES,
	SIZES_SMALL,
	SIZES_LARGE,
	SIZE_SMALL,
	SIZE_LARGE,
	SIZE,
	STATS,
	AMOUNT_PLACE,
	ARENAS = AMOUNT_PLACE + AMOUNTS,
	ARENA,
	MERGED,
	SMALL,
	LARGE,
	CLASS_SMALL,
	CLASS_LARGE,
	MADE,
	LIVE
};

static const struct json_row jemalloc_rows[] = {
    {JSON_TOP, "{", FILE_},
    {FILE_, "jemalloc{", TOP},
    {TOP, "arenas{", SIZES},
    {SIZES, "bin[", SIZES_SMALL},
    {SIZES_SMALL, "{", SIZE_SMALL},
    {SIZE_SMALL, "size", SIZE},
    {SIZES, "lextent[", SIZES_LARGE},
    {SIZES_LARGE, "{", SIZE_LARGE},
    {SIZE_LARGE, "size", SIZE},
    {TOP, "stats{", STATS},
    {STATS, "allocated", AMOUNT_PLACE + AMOUNT_ALLOCATED},
    {STATS, "active", AMOUNT_PLACE + AMOUNT_ACTIVE},
    {STATS, "metadata", AMOUNT_PLACE + AMOUNT_METADATA},
    {STATS, "resident", AMOUNT_PLACE + AMOUNT_RESIDENT},
    {STATS, "mapped", AMOUNT_PLACE + AMOUNT_MAPPED},
    {STATS, "retained", AMOUNT_PLACE + AMOUNT_RETAINED},
    {TOP, "stats.arenas{", ARENAS},
    {ARENAS, "merged{", MERGED},
    {MERGED, "bins[", SMALL},
    {MERGED, "lextents[", LARGE},
    {ARENAS, "*{", ARENA},
    {ARENA, "bins[", SMALL},
    {ARENA, "lextents[", LARGE},
    {SMALL, "{", CLASS_SMALL},
    {LARGE, "{", CLASS_LARGE},
    {CLASS_SMALL, "nmalloc", MADE},
    {CLASS_SMALL, "curregs", LIVE},
    {CLASS_LARGE, "nmalloc", MADE},
    {CLASS_LARGE, "curlextents", LIVE},
    {0},
};

static enum status jemalloc_begin(void *arg, unsigned place, struct err *e)
{
	struct jemalloc *j = arg;

	(void)e;
	switch (place) {
	case MERGED: /* those of single arenas that came before do not count */
		j->merged = j->in_merged = true;
		for (int i = 0; i < TABLES; i++)
			for (size_t k = 0; k < j->tables[i].n; k++)
				j->tables[i].items[k].made = j->tables[i].items[k].live = 0;
		break;
	case ARENA: j->in_merged = false; break;
	case SIZES_SMALL:
	case SIZES_LARGE:
	case SMALL:
	case LARGE: j->at = 0; break;
	case SIZE_SMALL:
	case SIZE_LARGE:
	case CLASS_SMALL:
	case CLASS_LARGE: j->item = (struct size_class){0}; break;
	default: break;
	}
	return ST_OK;
}

static enum status jemalloc_end(void *arg, unsigned place, struct err *e)
{
	struct jemalloc *j = arg;
	bool small = place == SIZE_SMALL || place == CLASS_SMALL;

	(void)e;
	if (place == SIZE_SMALL || place == SIZE_LARGE) {
		class_at(&j->tables[small ? TABLE_SMALL : TABLE_LARGE], j->at++)->size =
		    j->item.size;
	} else if (place == CLASS_SMALL || place == CLASS_LARGE) {
		struct size_class *x =
		    class_at(&j->tables[small ? TABLE_SMALL : TABLE_LARGE], j->at++);

		if (!j->merged || j->in_merged) {
			x->made += j->item.made;
			x->live += j->item.live;
		}
	}
	return ST_OK;
}

static enum status jemalloc_value(void *arg, unsigned place, struct json_value v, struct err *e)
{
	struct jemalloc *j = arg;
	uint64_t n = 0;

	(void)e;
	if (!num_dec(v.s, v.n, &n) || n > INT64_MAX) {
		j->odd++;
		return ST_OK;
	}
	switch (place) {
	case SIZE: j->item.size = n; break;
	case MADE: j->item.made = n; break;
	case LIVE: j->item.live = n; break;
	default: j->amounts[place - AMOUNT_PLACE] = KNOWN(n); break;
	}
	return ST_OK;
}

static enum status push_class(struct jemalloc *j, struct emit_blocks *blocks,
			      const struct size_class *c, struct err *e)
{
	struct trace *t = j->im->t;
	int64_t live[BLOCKS_AMOUNTS] = {0}, gone[BLOCKS_AMOUNTS] = {0};
	struct emit_profile row = {.domain = KNOWN(DOMAIN_MALLOC),
				   .known = 1 << BLOCKS_COUNT | 1 << BLOCKS_REAL};
	uint64_t made = c->made > c->live ? c->made : c->live;
	char name[32];
	int n;
	enum status st = ST_OK;

	if (!made)
		return ST_OK;
	if (made > BLOCKS_MOST || !c->size || c->size > INT64_MAX / made) {
		j->huge++;
		return ST_OK;
	}
	n = snprintf(name, sizeof name, "%llu B", (unsigned long long)c->size);
	row.type = trace_type(t, name, (size_t)n);
	live[BLOCKS_COUNT] = (int64_t)c->live;
	live[BLOCKS_REAL] = (int64_t)(c->live * c->size);
	gone[BLOCKS_COUNT] = (int64_t)(made - c->live);
	gone[BLOCKS_REAL] = (int64_t)((made - c->live) * c->size);
	if (c->live)
		st = emit_blocks(blocks, &row, live, PROFILE_LIVE, e);
	if (!st && made > c->live)
		st = emit_blocks(blocks, &row, gone, PROFILE_FREED, e);
	return st;
}

static enum status push_all(struct jemalloc *j, struct err *e)
{
	static const enum metric metrics[] = {METRIC_COUNT, METRIC_REAL};
	struct emit_blocks blocks = {.im = j->im};
	enum status st;

	for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++)
		trace_metric(j->im->t, metrics[i], METRIC_EXACT, METRIC_AT_ALL);
	emit_blocks_live(&blocks, METRIC_EXACT);
	st = import_begin(j->im, e);
	for (int i = 0; i < AMOUNTS && !st; i++) {
		char name[32];

		if (!j->amounts[i].is)
			continue;
		snprintf(name, sizeof name, "jemalloc.%s", amounts[i]);
		st = emit_counter(j->im, emit_counter_id(j->im, name, "B"), ABSENT,
				  (int64_t)j->amounts[i].v, e);
	}
	for (int i = 0; i < TABLES; i++)
		for (size_t k = 0; k < j->tables[i].n && !st; k++)
			st = push_class(j, &blocks, &j->tables[i].items[k], e);

	const struct trace_loss losses[] = {
	    LOSS(NOTE_LOSS, j->odd, "impossible numbers"),
	    LOSS(NOTE_LOSS, j->huge, "numbers of a heap profile are impossible"),
	};

	TRACE_LOSSES(j->im->t, losses);
	return st;
}

static enum status read_text(struct jemalloc *j, struct err *e)
{
	struct cursor *c = &j->im->in->cur;
	const char *s;
	size_t n;

	while ((s = cursor_line(c, &n, LINE_MOST)))
		read_line(j, s, n);
	return cursor_failed(c) ? err_failure(e) : ST_OK;
}

static enum status jemalloc_stats_read(struct import *im, struct err *e)
{
	static const struct json_walker walker = {.rows = jemalloc_rows,
						  .begin = jemalloc_begin,
						  .end = jemalloc_end,
						  .value = jemalloc_value};
	static const struct json_options options = {.repair_utf8 = true};
	struct jemalloc j = {.im = im, .table = TABLE_NONE};
	struct json_result at;
	const uint8_t *head;
	size_t n;
	enum status st = input_head(im->in, &head, &n);

	if (st)
		return err_failure(e);
	st = n && *head == '{' ? json_walk(&im->in->cur, &walker, &j, &options, &at, NULL, e)
			       : read_text(&j, e);
	if (!st && !j.amounts[AMOUNT_ALLOCATED].is && !j.tables[TABLE_SMALL].n)
		st = err_at(e, ST_BAD, 0, "no statistics of jemalloc follow the head");
	if (!st)
		st = push_all(&j, e);
	for (int i = 0; i < TABLES; i++)
		free(j.tables[i].items);
	return st;
}

static int jemalloc_stats_bid(const uint8_t *head, size_t n, bool whole)
{
	static const char text[] = "___ Begin jemalloc statistics ___", json[] = "\"jemalloc\"";
	const uint8_t *at = memmem(head, n, text, sizeof text - 1);

	(void)whole;
	if (at && (at == head || at[-1] == '\n'))
		return 240;
	at = memmem(head, n < 64 ? n : 64, json, sizeof json - 1);
	return at && *head == '{' && memmem(at, n - (size_t)(at - head), "\"version\"", 9) ? 120
											   : 0;
}

const struct reader reader_jemalloc_stats = {
    .name = "jemalloc-stats",
    .family = "Heap profiles",
    .page = "pprof",
    .capabilities =
	CAPABILITY_ALLOCATIONS | CAPABILITY_LIVE | CAPABILITY_TYPES | CAPABILITY_COUNTERS,
    .what = "statistics of jemalloc (malloc_stats_print), text or JSON: blocks by size",
    .suffixes = "txt,json",
    .cut = CUT_NEVER, /* of several tables, one counts */
    .bid = jemalloc_stats_bid,
    .read = jemalloc_stats_read,
};
