/* SPDX-License-Identifier: MIT */
#include "cmd/tm-session/session.h"
#include "cmd/tm-session/sheet.h"

#include "lib/base/mem.h"
#include "lib/base/sort.h"
#include "lib/tally/pacing.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RATE_DECIMALS = 2 };
/* Less than one byte, block or ns a frame is no growth. */
static const double LEAST = 1, MINUTE = 60e9;

static struct session_number *add_number(struct session_numbers *n, const char *title,
					 enum column_type type, double value)
{
	struct session_number *to = &VEC_PUSH(n->items, n->n, n->cap);
	size_t k = 0;

	*to = (struct session_number){.title = arena_strndup(&n->texts, title, strlen(title)),
				      .type = type,
				      .decimals = type == COLUMN_NUMBER ? RATE_DECIMALS : 0,
				      .value = value};
	for (const char *s = title; *s && k + 1 < sizeof to->key; s++)
		if (isalnum((unsigned char)*s))
			to->key[k++] = (char)tolower((unsigned char)*s);
		else if (k && to->key[k - 1] != '_')
			to->key[k++] = '_';
	while (k && to->key[k - 1] == '_')
		to->key[--k] = 0;
	return to;
}

/* Of a file: whether it is whole. */
static const char *loss_of(struct session_numbers *n, const struct session_file *f)
{
	struct buf b = BUF_INIT;
	const char *s;

	if (!f->survey.loss)
		return NULL;
	buf_addf(&b, "%s has lost something: %s", f->name, f->survey.loss);
	s = arena_strndup(&n->texts, buf_str(&b), b.len);
	buf_release(&b);
	return s;
}

static void add_by_clock(struct session_numbers *n, const char *title, enum column_type type,
			 double value)
{
	add_number(n, title, type, value)->by_clock = true;
}

static int compare_i64(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static void number_frames(const struct session *s, struct session_numbers *to)
{
	static const struct {
		const char *title;
		unsigned percent;
	} ranks[] = {{"frame, median", 50},
		     {"frame, 95 %", 95},
		     {"frame, 99 %", 99},
		     {"frame, longest", 100}};
	static const enum pacing_metric paces[] = {PACING_JANK, PACING_BIG_JANK, PACING_STUTTER};
	int64_t *all = mem_array(s->axis.n + 1, sizeof *all);
	struct pacing p = {.n = 0};
	size_t n = 0;
	decimal v;

	for (size_t i = 0; i < s->axis.n; i++) {
		int64_t d = s->axis.frames[i].duration;

		pacing_add(&p, d >= 0, d);
		if (d >= 0)
			all[n++] = d;
	}
	sort_array(all, n, sizeof *all, compare_i64);
	/* The nearest rank. */
	for (size_t i = 0; n && i < sizeof ranks / sizeof *ranks; i++) {
		const size_t rank = (n * ranks[i].percent + 99) / 100;

		add_by_clock(to, ranks[i].title, COLUMN_TIME, (double)all[rank - 1]);
	}
	for (size_t i = 0; i < sizeof paces / sizeof *paces; i++)
		if (pacing_value(&p, paces[i], &v))
			add_by_clock(to, pacing_words[paces[i]].name, COLUMN_NUMBER,
				     (double)v / (double)DECIMAL_UNIT * 100);
	pacing_release(&p);
	free(all);
}

/* Titles of two files alike are told apart by their number. */
static const char *part_title(struct session_numbers *to, const char *what,
			      const struct session_part *p, const struct session_file *f)
{
	const char *format = f->survey.format ? f->survey.format : "of no format";
	struct buf b = BUF_INIT;
	unsigned same = 1;
	const char *t;

	buf_addf(&b, "%s %s (%s)", part_word(p), what,
		 !strcmp(format, TRACE_OF_RECORDER)       ? "tm-record"
		 : !strcmp(format, TRACE_OF_LUA_RECORDER) ? "Lua module"
							  : format);
	for (size_t i = 0; i < to->n; i++)
		if (!strncmp(to->items[i].title, buf_str(&b), b.len))
			same++;
	if (same > 1)
		buf_addf(&b, " %u", same);
	t = arena_strndup(&to->texts, buf_str(&b), b.len);
	buf_release(&b);
	return t;
}

static bool mean_of(const struct session *s, const struct session_part *p, enum sum sum, double *to)
{
	double all = 0;
	size_t n = 0;
	uint64_t v;

	for (size_t i = 0; i < s->axis.n; i++)
		if (part_value(p, i, sum, &v)) {
			all += (double)v;
			n++;
		}
	*to = n ? all / (double)n : 0;
	return n;
}

/* Frames of the axis that begin between two times of the file. */
static size_t frames_between(const struct session *s, const struct session_file *f, int64_t from,
			     int64_t until)
{
	const struct clock_frame *all = s->axis.frames;
	int64_t first = clock_there(&f->clock, from), last = clock_there(&f->clock, until);
	size_t begin = BISECT(i, (size_t)0, s->axis.n, all[i].start < first);

	return f->clock.by ? BISECT(i, begin, s->axis.n, all[i].start <= last) - begin : 0;
}

static void number_part(const struct session *s, const struct session_file *f,
			struct session_part *p, struct session_numbers *to)
{
	struct session_growth g[FRAMES_LINES_MOST + 1];
	size_t n, frames;
	uint64_t leaked = 0, leaks = 0;
	double v;

	if (p->what == PART_COUNTERS)
		return;
	if (p->what == PART_CALLS) {
		if (mean_of(s, p, p->bytes, &v))
			add_by_clock(to, part_title(to, "time a frame", p, f), COLUMN_TIME, v);
		return;
	}
	if (mean_of(s, p, p->bytes, &v))
		add_number(to, part_title(to, "bytes a frame", p, f), COLUMN_BYTES, v);
	if (mean_of(s, p, SUM_COUNT, &v))
		add_number(to, part_title(to, "allocations a frame", p, f), COLUMN_NUMBER, v * 100);
	n = session_growths(p, g, FRAMES_LINES_MOST + 1);
	for (size_t i = 0; i < n; i++)
		if (session_leaks(&g[i])) {
			leaks++;
			leaked += g[i].after - g[i].before;
		}
	if (!n)
		return;
	add_number(to, part_title(to, "sites that leak", p, f), COLUMN_INT, (double)leaks);
	frames = frames_between(s, f, g[0].from, g[0].until);
	if (frames)
		add_number(to, part_title(to, "bytes leaked a frame", p, f), COLUMN_BYTES,
			   (double)leaked / (double)frames);
	else if (!s->axis.n && g[0].until > g[0].from)
		add_number(to, part_title(to, "bytes leaked a minute", p, f), COLUMN_BYTES,
			   (double)leaked / ((double)(g[0].until - g[0].from) / MINUTE));
}

void session_numbers(const struct session *s, struct session_numbers *to)
{
	const char *failed = NULL;
	struct buf b = BUF_INIT;

	*to = (struct session_numbers){.n = 0};
	number_frames(s, to);
	for (size_t j = 0; j < to->n; j++)
		to->items[j].doubt = loss_of(to, &s->files[s->reference]);
	for (size_t i = 0; i < s->n; i++) {
		const struct session_file *f = &s->files[i];

		if (f->reading_failed && !failed)
			failed = f->name;
		for (size_t k = 0; k < f->n_parts; k++) {
			const size_t from = to->n;

			number_part(s, f, &f->parts[k], to);
			for (size_t j = from; j < to->n; j++) {
				to->items[j].doubt = loss_of(to, f);
				to->items[j].estimated = part_estimated(&f->parts[k]);
			}
		}
	}
	if (!failed)
		return;
	/* What it has is missing: of nothing it is known that it did not grow. */
	buf_addf(&b, "%s could not be read", failed);
	for (size_t i = 0; i < to->n; i++)
		if (!to->items[i].doubt)
			to->items[i].doubt = arena_strndup(&to->texts, buf_str(&b), b.len);
	buf_release(&b);
}

void session_numbers_release(struct session_numbers *n)
{
	free(n->items);
	arena_release(&n->texts);
}

/* --- the gate --- */

enum {
	NUMBER_TITLE,
	NUMBER_KEY,
	NUMBER_BASE,
	NUMBER_NOW,
	NUMBER_UNIT,
	NUMBER_BASE_TEXT,
	NUMBER_NOW_TEXT,
	NUMBER_CHANGE,
	NUMBER_VERDICT,
	NUMBER_COLUMNS
};
static struct table_column number_columns[] = {
    {"title", "number", COLUMN_TEXT, COLUMN_PROSE, 0},
    {"number", NULL, COLUMN_TEXT, COLUMN_NOT_TEXT, 0},
    {"base", NULL, COLUMN_DECIMAL, COLUMN_NOT_TEXT, 2},
    {"new", NULL, COLUMN_DECIMAL, COLUMN_NOT_TEXT, 2},
    {"unit", NULL, COLUMN_TEXT, COLUMN_NOT_TEXT, 0},
    {"base_text", "base", COLUMN_TEXT, COLUMN_NOT_CSV, 0},
    {"new_text", "new", COLUMN_TEXT, COLUMN_NOT_CSV, 0},
    {"change_percent", "change", COLUMN_PERCENT, COLUMN_SIGNED, 0},
    {"verdict", "verdict", COLUMN_TEXT, COLUMN_PROSE, 0},
};

struct session_gate {
	struct sheet sheet;
	struct arena texts;
	struct table_check *items;
	size_t n, cap;
	struct table_checks checks;
	bool failed, open;
};

static const char *kept(struct session_gate *g, struct buf *b)
{
	const char *s = arena_strndup(&g->texts, buf_str(b), b->len);

	b->len = 0;
	return s;
}

static const char *number_text(struct session_gate *g, const struct session_number *n)
{
	const struct table_column c = {.type = n->type, .decimals = n->decimals};
	const struct table_cell cell = cell_rounded(n->value);
	struct buf b = BUF_INIT;
	const char *s;

	if (n->estimated)
		buf_addc(&b, '~');
	cell_for_people(&b, &c, &cell, false);
	s = kept(g, &b);
	buf_release(&b);
	return s;
}

static const struct session_number *find_number(const struct session_numbers *n, const char *key)
{
	for (size_t i = 0; i < n->n; i++)
		if (!strcmp(n->items[i].key, key))
			return &n->items[i];
	return NULL;
}

/* Why the two cannot be judged; NULL: they can. */
static const char *doubt_of(struct session_gate *g, const struct session_number *base,
			    const struct session_number *now, const struct session_limits *l)
{
	const char *why = base->doubt;
	struct buf b = BUF_INIT;
	const char *s;

	if (!now)
		return "is not known any more";
	if (base->estimated || now->estimated)
		return "cannot be judged: one sampled run is an estimate";
	if (!why)
		why = now->doubt;
	if (l->allow_loss || !why)
		return NULL;
	buf_addf(&b, "cannot be judged: %s%s", why, why == base->doubt ? " (the base)" : "");
	s = kept(g, &b);
	buf_release(&b);
	return s;
}

static enum verdict judge(const struct session_number *base, const struct session_number *now,
			  const struct session_limits *l, const char *doubt)
{
	double limit = base->value * (1 + (base->by_clock ? l->slower : l->growth) / 1e4);

	if (base->by_clock && !l->has_slower)
		return VERDICT_SKIPPED;
	if (doubt)
		return VERDICT_INCONCLUSIVE;
	if (now->value > limit && now->value - base->value >= LEAST)
		return VERDICT_FAIL;
	return now->value < base->value ? VERDICT_IMPROVED : VERDICT_PASS;
}

static void add_check(struct session_gate *g, const struct session_number *base,
		      const struct session_number *now, const struct session_limits *l,
		      enum verdict v, const char *doubt)
{
	unsigned percent = base->by_clock ? l->slower : l->growth;
	struct buf b = BUF_INIT;
	struct table_check c = {
	    .name = base->key, .category = base->by_clock ? "time" : "growth", .verdict = v};
	struct breach *breach;

	buf_addf(&b, "at most %s + %u.%02u %%", number_text(g, base), percent / 100, percent % 100);
	c.limit = kept(g, &b);
	if (now)
		c.measured = number_text(g, now);
	buf_addf(&b, "%s: %s, was %s", base->title, now ? c.measured : "not known",
		 number_text(g, base));
	c.message = kept(g, &b);
	buf_release(&b);
	if (!verdict_holds(v)) {
		breach = mem_zalloc(sizeof *breach);
		*breach = (struct breach){.verdict = v,
					  .subject = base->title,
					  .message = doubt ? doubt : "grew",
					  .measured = c.measured,
					  .limit = c.limit};
		c.breaches = breach;
		c.n_breaches = 1;
	}
	VEC_PUSH(g->items, g->n, g->cap) = c;
}

/* With two decimals, where it has some. */
static struct table_cell number_cell(const struct session_number *n)
{
	double v = n->value * (n->type == COLUMN_NUMBER ? 1 : 100);

	return cell_decimal((decimal)llround(v) * (DECIMAL_UNIT / 100));
}

/* any: that of either session. */
static void add_row(struct session_gate *g, const struct session_number *any,
		    const struct session_number *base, const struct session_number *now,
		    enum verdict v, bool judged)
{
	struct table_cell *c = sheet_row(&g->sheet);

	c[NUMBER_TITLE] = sheet_text(&g->sheet, any->title);
	c[NUMBER_KEY] = sheet_text(&g->sheet, any->key);
	c[NUMBER_UNIT] = sheet_text(&g->sheet, any->type == COLUMN_TIME    ? "ns"
					       : any->type == COLUMN_BYTES ? "B"
									   : "");
	if (base) {
		c[NUMBER_BASE] = number_cell(base);
		c[NUMBER_BASE_TEXT] = sheet_text(&g->sheet, number_text(g, base));
	}
	if (now) {
		c[NUMBER_NOW] = number_cell(now);
		c[NUMBER_NOW_TEXT] = sheet_text(&g->sheet, number_text(g, now));
	}
	if (base && now && base->value > 0)
		c[NUMBER_CHANGE] = cell_percent((now->value - base->value) * 100 / base->value);
	if (judged)
		c[NUMBER_VERDICT] = cell_text(verdict_words[v], strlen(verdict_words[v]));
}

struct session_gate *session_gate_new(const struct session_numbers *base,
				      const struct session_numbers *now,
				      const struct session_limits *l)
{
	struct session_gate *g = mem_zalloc(sizeof *g);

	sheet_init(&g->sheet, "compared", "this session and the base", number_columns,
		   NUMBER_COLUMNS);
	g->sheet.table.empty = "no number is known of either";
	for (size_t i = 0; i < base->n; i++) {
		const struct session_number *b = &base->items[i], *n = find_number(now, b->key);
		const char *doubt = doubt_of(g, b, n, l);
		enum verdict v = judge(b, n, l, doubt);

		add_row(g, b, b, n, v, v != VERDICT_SKIPPED);
		if (v != VERDICT_SKIPPED)
			add_check(g, b, n, l, v, doubt);
		g->failed |= v == VERDICT_FAIL;
		g->open |= v == VERDICT_INCONCLUSIVE;
	}
	for (size_t i = 0; i < now->n; i++)
		if (!find_number(base, now->items[i].key))
			add_row(g, &now->items[i], NULL, &now->items[i], VERDICT_SKIPPED, false);
	/* A gate that looked at nothing has decided nothing. */
	g->open |= !g->n;
	g->checks =
	    (struct table_checks){.name = "checks",
				  .title = g->failed ? "this session is worse than the base"
					   : g->open ? "it cannot be decided whether this "
						       "session is worse than the base"
						     : "this session is no worse than the base",
				  .items = g->items,
				  .n_items = g->n};
	return g;
}

void session_gate_add(struct session_gate *g, struct table_document *d)
{
	document_table(d, &g->sheet.table);
	document_checks(d, &g->checks);
}

enum exit_status session_gate_status(const struct session_gate *g)
{
	return g->failed ? EXIT_GATE : g->open ? EXIT_INCONCLUSIVE : EXIT_FINE;
}

void session_gate_free(struct session_gate *g)
{
	if (!g)
		return;
	for (size_t i = 0; i < g->n; i++)
		free((void *)(uintptr_t)g->items[i].breaches);
	free(g->items);
	arena_release(&g->texts);
	sheet_release(&g->sheet);
	free(g);
}
