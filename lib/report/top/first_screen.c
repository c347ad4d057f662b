/* SPDX-License-Identifier: MIT */
#include "lib/report/top/first_screen.h"

#include "lib/base/arena.h"
#include "lib/base/mem.h"
#include "lib/group/chain.h"
#include "lib/group/metric.h"
#include "lib/group/rank.h"
#include "lib/report/top/callers.h"
#include "lib/rules/leaks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	SITES,       /* the grouping */
	ROWS = 5,    /* of a table */
	LEAST = 100, /* the hundredth part of the whole is the least that a row has */
	CACHES = 3   /* rules that the note names */
};

enum column { VALUE, SHARE, SITE, AT, FILE_NAME, LINE, CALLERS, COLUMNS };

const char *const first_screen_names[FIRST_SCREEN_TABLES + 1] = {"peak", "live", "temporary", NULL};

struct question {
	struct table table;
	struct table_column columns[COLUMNS];
	const struct grouped_profile *p;
	enum sum sum;
	uint32_t groups[ROWS];
	uint64_t values[ROWS], all;
	struct callers *callers;
	struct buf name, at;
	const char *note;
};

struct first_screen {
	struct question questions[FIRST_SCREEN_TABLES];
	struct arena arena;
};

unsigned first_screen_wants(void)
{
	return SUM_BIT(SUM_PEAK_REQUESTED) | SUM_BIT(SUM_PEAK_REAL) | SUM_BIT(SUM_TEMPORARY) |
	       SUMS_LIVE;
}

/* A group's value, without the blocks in caches of libraries. */
static uint64_t value_of(const struct question *q, uint32_t group)
{
	const struct profile_key *g = &q->p->now.keys[SITES];
	uint64_t v = columns_value(&g->self, group, q->sum);
	uint64_t cached = columns_value(&g->cached, group, q->sum);

	return v > cached ? v - cached : 0;
}

static void insert(struct question *q, uint32_t group, uint64_t value)
{
	size_t at = q->table.n_rows < ROWS ? q->table.n_rows++ : ROWS;

	for (; at && value > q->values[at - 1]; at--)
		if (at < ROWS) {
			q->values[at] = q->values[at - 1];
			q->groups[at] = q->groups[at - 1];
		}
	if (at < ROWS) {
		q->values[at] = value;
		q->groups[at] = group;
	}
}

/* Equal values stay in the order of the ranking, which is by name. */
static void choose_rows(struct question *q)
{
	struct ranking by_value = {q->p, &q->p->now, SITES, q->sum, false, false};
	size_t n = 0;
	uint32_t *ranked = rank_groups(&by_value, &n);

	for (size_t i = 0; i < n; i++) {
		uint64_t value = value_of(q, ranked[i]);

		if (value && value >= q->all / LEAST)
			insert(q, ranked[i], value);
	}
	free(ranked);
	q->callers = callers_new(&by_value, q->groups, q->table.n_rows, false);
}

static void first_screen_fill(void *arg, size_t i, struct table_row *r)
{
	struct question *q = arg;
	const char *callers = callers_line(q->callers, i);
	struct group_name n;

	group_name(q->p, SITES, q->groups[i], &n);
	q->name.len = q->at.len = 0;
	buf_add(&q->name, n.name, n.name_len);
	if (q->p->groupings[SITES].groups[q->groups[i]].inside)
		buf_adds(&q->name, " [runtime only]");
	chain_place(&q->at, n.file, n.file_len, n.line);
	r->cells[VALUE] = cell_number(q->values[i]);
	r->cells[SHARE] = cell_share(q->values[i], q->all);
	r->cells[SITE] = cell_text(q->name.data, q->name.len);
	if (q->at.len)
		r->cells[AT] = cell_text(q->at.data, q->at.len);
	if (n.file_len)
		r->cells[FILE_NAME] = cell_text(n.file, n.file_len);
	if (n.line)
		r->cells[LINE] = cell_number(n.line);
	if (callers)
		r->cells[CALLERS] = cell_text(callers, strlen(callers));
}

static const char *kept_text(struct arena *a, const struct buf *b)
{
	return arena_strndup(a, b->data, b->len);
}

static void add_columns(struct first_screen *s, struct question *q)
{
	const struct profile_known *known = &q->p->now.keys[SITES].known;
	struct buf title = BUF_INIT;

	buf_addf(&title, "%s%s", metric_title(q->p, q->sum), metric_title_mark(known, q->sum));
	q->columns[VALUE] = (struct table_column){.key = metric_table[q->sum].key,
						  .title = kept_text(&s->arena, &title),
						  .type = metric_type(q->sum)};
	q->columns[SHARE] =
	    (struct table_column){.key = "share", .title = "share", .type = COLUMN_PERCENT};
	q->columns[SITE] =
	    (struct table_column){.key = "site", .title = "site", .flags = COLUMN_SHORTEN};
	q->columns[AT] = (struct table_column){
	    .title = "at", .flags = COLUMN_NOT_CSV | COLUMN_SHORTEN | COLUMN_PATH};
	q->columns[FILE_NAME] = (struct table_column){.key = "file", .flags = COLUMN_NOT_TEXT};
	q->columns[LINE] =
	    (struct table_column){.key = "line", .type = COLUMN_INT, .flags = COLUMN_NOT_TEXT};
	q->columns[CALLERS] =
	    (struct table_column){.key = "callers", .title = "called", .flags = COLUMN_SHORTEN};
	buf_release(&title);
}

static void add_whole(const struct question *q, const char *what, struct buf *to)
{
	struct table_cell whole = cell_number(q->all);

	buf_addf(to, "%s: ", what);
	if (profile_knows(&q->p->now.keys[SITES].known, q->sum))
		buf_adds(to, metric_mark(&q->p->now.keys[SITES].known, q->sum));
	cell_for_people(to, &q->columns[VALUE], &whole, false);
}

static void ask(struct first_screen *s, size_t at, enum sum sum, const char *what)
{
	const struct profile *r = &s->questions[at].p->now;
	struct question *q = &s->questions[at];
	struct buf title = BUF_INIT;

	q->sum = sum;
	if (!profile_knows(&r->keys[SITES].known, sum))
		return;
	q->all =
	    r->all.v[sum] - (r->cached.v[sum] < r->all.v[sum] ? r->cached.v[sum] : r->all.v[sum]);
	choose_rows(q);
	add_columns(s, q);
	add_whole(q, what, &title);
	q->table = (struct table){.name = first_screen_names[at],
				  .title = kept_text(&s->arena, &title),
				  .flags = TABLE_AHEAD,
				  .columns = q->columns,
				  .n_columns = COLUMNS,
				  .n_rows = q->table.n_rows,
				  .fill = first_screen_fill,
				  .arg = q};
	buf_release(&title);
}

static void describe_caches(struct first_screen *s, struct question *q)
{
	struct leaks_counted c;
	struct buf b = BUF_INIT;

	for (size_t i = 0; i < CACHES && leaks_counted(q->p->options.caches, i, &c); i++) {
		buf_addf(&b, "%s%s", i ? ", " : "library caches, not counted: ",
			 metric_mark(&q->p->now.keys[SITES].known, q->sum));
		size_text(&b, c.bytes);
		buf_addf(&b, " (%s)", c.rule);
	}
	if (b.len) {
		q->note = kept_text(&s->arena, &b);
		q->table.notes = &q->note;
		q->table.n_notes = 1;
	}
	buf_release(&b);
}

struct first_screen *first_screen_new(const struct grouped_profile *p)
{
	const struct profile_totals *t = &p->now.totals;
	bool real = t->bytes == SUM_REAL;
	struct first_screen *s;

	if (!t->captures || t->captures != p->now.captures || !t->peak)
		return NULL;
	s = mem_zalloc(sizeof *s);
	for (size_t i = 0; i < FIRST_SCREEN_TABLES; i++)
		s->questions[i].p = p;
	ask(s, 0, real ? SUM_PEAK_REAL : SUM_PEAK_REQUESTED,
	    p->now.captures > 1 ? "what makes the peaks" : "what makes the peak");
	ask(s, 1, real ? SUM_LIVE_REAL : SUM_LIVE_REQUESTED, "still live at the end");
	if (p->options.caches)
		describe_caches(s, &s->questions[1]);
	ask(s, 2, SUM_TEMPORARY, "temporary blocks");
	return s;
}

void first_screen_free(struct first_screen *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < FIRST_SCREEN_TABLES; i++) {
		callers_free(s->questions[i].callers);
		buf_release(&s->questions[i].name);
		buf_release(&s->questions[i].at);
	}
	arena_release(&s->arena);
	free(s);
}

void first_screen_add(const struct first_screen *s, struct table_document *d)
{
	for (size_t i = 0; s && i < FIRST_SCREEN_TABLES; i++)
		if (s->questions[i].table.n_rows || s->questions[i].table.n_notes)
			document_table(d, &s->questions[i].table);
}
