/* SPDX-License-Identifier: MIT */
#include "lib/history/blame.h"

#include "lib/base/mem.h"
#include "lib/base/sort.h"
#include "lib/group/metric.h"
#include "lib/profile/read.h"
#include "lib/report/compare/judge.h"
#include "lib/report/compare/view.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CALLS_SHOWN = 30, COLUMNS_OF_BLAME = 6, SHOWN_DECIMALS = 3, BLAME_PART_MOST = 2 };

struct blamed {
	size_t row;
	__int128 by;
	bool noise;  /* no more than the runs differ anyway */
	double sure; /* how far above that */
};

struct history_blame {
	struct history_blame_options o;
	struct profile_entities entities;
	struct compare compare;
	struct compare_rows rows;
	struct blamed *items; /* that differ, the largest first */
	size_t n, shown;
	struct compare_number base, new, rest_base,
	    rest_new; /* of everything; of what is not shown */
	__int128 all; /* the difference of everything */
	struct table table;
	struct table_column columns[COLUMNS_OF_BLAME];
	struct table_cell totals[2 * COLUMNS_OF_BLAME];
	struct buf name, text;
	const char **details;
	size_t cap_details;
	struct arena lines, labels;
	const char *notes[5];
	size_t n_notes;
	struct flame flame;
	bool has_flame;
};

static enum status history_blame_read_run(struct history_blame *b, struct history *h,
					  struct compare_group *g, const struct history_run *run,
					  struct err *e)
{
	struct buf bytes = BUF_INIT, name = BUF_INIT;
	struct profile *s = mem_zalloc(sizeof *s);
	enum status st = history_aggregate(h, run->id, &bytes, e);
	struct cursor c;
	char number[24];

	if (!st) {
		cursor_init(&c, bytes.data, bytes.len, 0, e);
		st = profile_read(&c, &b->entities, s, e);
		snprintf(number, sizeof number, "#%lld", (long long)run->id);
		if (st)
			err_of_file(e, "damaged: the aggregate of run", number);
	}
	buf_release(&bytes);
	if (st) {
		free(s);
		return st;
	}
	buf_addf(&name, "#%lld", (long long)run->id);
	g->names[g->n] = arena_strndup(&b->labels, name.data, name.len);
	g->runs[g->n++] = s;
	buf_release(&name);
	return ST_OK;
}

void history_sides_of(const struct history_runs *runs, const struct history_line *l,
		      const struct stats_step *s, struct history_sides *to)
{
	size_t n = 0;

	for (size_t i = s->at; i-- > s->first && n < BLAME_RUNS;)
		if (!isnan(l->v[i]))
			n++, to->items[0][BLAME_RUNS - n] = &runs->items[i];
	to->base = (struct history_side){to->items[0] + BLAME_RUNS - n, n};
	n = 0;
	for (size_t i = s->at; i < s->last && n < BLAME_RUNS; i++)
		if (!isnan(l->v[i]))
			to->items[1][n++] = &runs->items[i];
	to->new = (struct history_side){to->items[1], n};
}

/* "build-117" or "build-113 to build-117". */
static const char *label(struct history_blame *b, const struct history_side *s)
{
	const char *first = s->runs[0]->build, *last = s->runs[s->n - 1]->build;
	struct buf text = BUF_INIT;
	const char *to;

	buf_addf(&text, "%s%s%s", first, strcmp(first, last) ? " to " : "",
		 strcmp(first, last) ? last : "");
	to = arena_strndup(&b->labels, text.data, text.len);
	buf_release(&text);
	return to;
}

static enum status read_side(struct history_blame *b, struct history *h,
			     const struct history_side *from, struct err *e)
{
	struct compare_group *g = &b->compare.groups[b->compare.n_groups++];

	g->label = label(b, from);
	g->runs = mem_zarray(from->n + 1, sizeof *g->runs);
	g->names = mem_zarray(from->n + 1, sizeof *g->names);
	for (size_t i = 0; i < from->n; i++)
		if (history_blame_read_run(b, h, g, from->runs[i], e))
			return err_failure(e);
	return ST_OK;
}

static int history_blame_surest_first(const void *x, const void *y, void *arg)
{
	const struct blamed *a = x, *c = y;
	const struct history_blame *b = arg;
	__int128 m = a->by < 0 ? -a->by : a->by, n = c->by < 0 ? -c->by : c->by;
	const struct profile_entity *items = b->entities.keys[b->o.by].items;

	if (a->noise != c->noise)
		return a->noise ? 1 : -1;
	if (a->sure != c->sure)
		return a->sure > c->sure ? -1 : 1;
	if (m != n)
		return m > n ? -1 : 1;
	return entities_order(&b->entities, b->o.by, &items[b->rows.rows[a->row].entity],
			      &items[b->rows.rows[c->row].entity]);
}

/* A row's values, run by run. */
static struct stats_sample sample(const struct history_blame *b, size_t row, size_t group)
{
	const struct compare_group *g = &b->compare.groups[group];
	double *v = mem_array(g->n, sizeof *v);

	for (size_t i = 0; i < g->n; i++) {
		double by = sum_is_mean(b->o.sum) ? 1 : compare_divisor(g->runs[i], b->compare.per);
		__int128 x;

		compare_raw(&b->rows, row, g->runs[i], b->o.sum, false, &x);
		v[i] = by > 0 ? (double)x / by : (double)x;
	}
	return (struct stats_sample){v, g->n};
}

static void note_noise(struct history_blame *b)
{
	struct judge_rule rule = {.subjects = mem_zarray(b->n + 1, sizeof *rule.subjects),
				  .n = b->n};

	for (size_t i = 0; i < b->n; i++)
		rule.subjects[i] = (struct judge_subject){.base = sample(b, b->items[i].row, 0),
							  .new = sample(b, b->items[i].row, 1)};
	judge_rules(&rule, 1, &(struct judge_options){.alpha = 0.05, .decrease = true});
	for (size_t i = 0; i < b->n; i++) {
		const struct judge_subject *s = &rule.subjects[i];

		b->items[i].noise = s->change != CHANGE_REGRESSED && s->change != CHANGE_IMPROVED;
		b->items[i].sure = fabs(s->t);
		free((void *)(uintptr_t)s->base.v);
		free((void *)(uintptr_t)s->new.v);
	}
	judge_release(&rule, 1);
	free(rule.subjects);
}

static bool about(const struct history_blame *b, size_t row)
{
	const struct profile_entity *t = &b->entities.keys[b->o.by].items[b->rows.rows[row].entity];
	struct name_suffix_name s;

	s.name = entities_text(&b->entities, t->name, &s.n);
	s.raw = entities_text(&b->entities, t->raw, &s.n_raw);
	return !b->o.about || policy_about(b->o.about, &s);
}

static void choose_rows(struct history_blame *b)
{
	b->items = mem_array(b->rows.n + 1, sizeof *b->items);
	for (size_t i = 0; i < b->rows.n; i++) {
		struct compare_number d =
		    compare_difference(compare_value(&b->rows, i, 0, b->o.sum, false),
				       compare_value(&b->rows, i, 1, b->o.sum, false));

		if (d.present && d.v && about(b, i))
			b->items[b->n++] = (struct blamed){.row = i, .by = d.v};
	}
	note_noise(b);
	sort_array_by(b->items, b->n, sizeof *b->items, history_blame_surest_first, b);
	b->shown = b->o.top && b->o.top < b->n ? b->o.top : b->n;
}

/* What the shown rows leave of everything. */
static void add_up(struct history_blame *b)
{
	b->rest_base = b->base = compare_total(&b->compare, 0, b->o.sum);
	b->rest_new = b->new = compare_total(&b->compare, 1, b->o.sum);
	b->all = compare_difference(b->base, b->new).v;
	for (size_t i = 0; i < b->shown; i++) {
		size_t row = b->items[i].row;

		b->rest_base.v -= compare_value(&b->rows, row, 0, b->o.sum, false).v;
		b->rest_new.v -= compare_value(&b->rows, row, 1, b->o.sum, false).v;
	}
}

/* What goes the other way is no part of the step, nor is what is far more than all of it, beside which others went back. */
static bool is_part(const struct history_blame *b, __int128 by)
{
	__int128 all = b->all;

	return all < 0 ? by <= 0 && by / BLAME_PART_MOST >= all
		       : all > 0 && by >= 0 && by / BLAME_PART_MOST <= all;
}

/* The difference of everything is that of the step. */
static bool is_all_the_step(const struct history_blame *b)
{
	return !b->o.up || b->all > 0;
}

static struct table_cell share_of(const struct history_blame *b, __int128 by)
{
	__int128 share;

	if (!is_all_the_step(b) || !is_part(b, by))
		return (struct table_cell){.present = false};
	share = by * 20000 / b->all;
	share = (share + (share < 0 ? -1 : 1)) / 2;
	if (share > INT64_MAX || share < -INT64_MAX)
		return (struct table_cell){.present = false};
	return cell_signed((int64_t)share);
}

static void numbers(const struct history_blame *b, struct table_cell *c, struct compare_number base,
		    struct compare_number new)
{
	struct compare_number d = compare_difference(base, new);

	c[0] = compare_cell(d);
	c[0].mark = d.v > 0 ? MARK_BAD : d.v < 0 ? MARK_GOOD : MARK_NONE;
	c[1] = d.present ? share_of(b, d.v) : (struct table_cell){.present = false};
	c[2] = compare_cell(base);
	c[3] = compare_cell(new);
}

static void add_detail(struct history_blame *b, struct table_row *r, const char *s, size_t n)
{
	b->details = mem_grow(b->details, &b->cap_details, r->n_details + 1, sizeof *b->details);
	b->details[r->n_details++] = arena_strndup(&b->lines, s, n);
	r->details = b->details;
}

static void calls(struct history_blame *b, const struct profile_entity *stack, struct table_row *r)
{
	arena_release(&b->lines);
	for (uint32_t node = stack->node; node; node = b->entities.stacks.rows[node].parent) {
		const struct profile_entity *f =
		    &b->entities.keys[KEY_FUNCTION].items[b->entities.stacks.rows[node].location];
		size_t n;
		const char *s = entities_text(&b->entities, f->name, &n);

		if (r->n_details == CALLS_SHOWN) {
			add_detail(b, r, "...", 3);
			break;
		}
		add_detail(b, r, s, n);
	}
}

static void history_blame_fill(void *arg, size_t i, struct table_row *r)
{
	struct history_blame *b = arg;
	const struct compare_row *row = &b->rows.rows[b->items[i].row];
	const struct profile_entity *t = &b->entities.keys[b->o.by].items[row->entity];

	numbers(b, r->cells, compare_value(&b->rows, b->items[i].row, 0, b->o.sum, false),
		compare_value(&b->rows, b->items[i].row, 1, b->o.sum, false));
	r->cells[4] = row->in == 1        ? cell_text("gone", 4)
		      : row->in == 2      ? cell_text("new", 3)
		      : b->items[i].noise ? cell_text("noise", 5)
					  : (struct table_cell){.present = false};
	b->name.len = 0;
	compare_entity_text(&b->entities, t, &b->name);
	r->cells[5] = cell_text(b->name.len ? b->name.data : "", b->name.len);
	if (b->o.by == KEY_STACK)
		calls(b, t, r);
}

static void set_totals(struct history_blame *b)
{
	static const char rest[] = "all others";
	const char *all = is_all_the_step(b) ? "the step" : "everything";

	numbers(b, b->totals, b->rest_base, b->rest_new);
	b->totals[5] = cell_text(rest, sizeof rest - 1);
	numbers(b, b->totals + COLUMNS_OF_BLAME, b->base, b->new);
	b->totals[COLUMNS_OF_BLAME + 5] = cell_text(all, strlen(all));
}

static void history_blame_set_table(struct history_blame *b)
{
	enum column_type type = metric_type(b->o.sum);
	struct table_column columns[COLUMNS_OF_BLAME] = {
	    {"change", "change", type, COLUMN_SIGNED, 0},
	    {"share_percent", "of the step", COLUMN_PERCENT, 0, 0},
	    {"before", "before", type, 0, 0},
	    {"after", "after", type, 0, 0},
	    {"presence", "", COLUMN_TEXT, COLUMN_PROSE, 0},
	    {"name", key_words[b->o.by], COLUMN_TEXT, COLUMN_SHORTEN, 0},
	};

	for (size_t i = 0; i < 4; i++)
		if (i != 1 && type == COLUMN_INT && compare_decimals(&b->compare)) {
			columns[i].type = COLUMN_DECIMAL;
			columns[i].decimals = SHOWN_DECIMALS;
		}
	memcpy(b->columns, columns, sizeof columns);
	set_totals(b);
	b->text.len = 0;
	buf_addf(&b->text, "blame: %s by %s, %s against %s", compare_title(&b->compare, b->o.sum),
		 key_words[b->o.by], b->compare.groups[1].label, b->compare.groups[0].label);
	b->table = (struct table){.name = "blame",
				  .title = buf_str(&b->text),
				  .columns = b->columns,
				  .n_columns = COLUMNS_OF_BLAME,
				  .n_rows = b->shown,
				  .fill = history_blame_fill,
				  .arg = b,
				  .totals = b->totals,
				  .n_totals = 2,
				  .notes = b->notes,
				  .n_notes = b->n_notes};
}

static void note(struct history_blame *b, const char *before, uint64_t n, const char *behind)
{
	struct buf text = BUF_INIT;

	buf_addf(&text, "%s%" PRIu64 "%s", before, n, behind);
	b->notes[b->n_notes++] = arena_strndup(&b->labels, text.data, text.len);
	buf_release(&text);
}

static void history_blame_set_notes(struct history_blame *b)
{
	static const char *const means[] = {
	    [PER_RUN] = "values are means of the runs of a side",
	    [PER_FRAME] = "values are means of the runs of a side, per frame",
	    [PER_SECOND] = "values are means of the runs of a side, per second",
	    [PER_CAPTURE] = "values are means of the runs of a side, per capture",
	};
	const struct compare_group *g = b->compare.groups;
	uint64_t cut = 0;

	for (size_t k = 0; k < 2; k++)
		for (size_t i = 0; i < g[k].n; i++)
			cut += g[k].runs[i]->keys[b->o.by].cut;
	if (g[0].n > 1 || g[1].n > 1)
		b->notes[b->n_notes++] = means[b->compare.per];
	if (b->shown == b->n && !cut && !(b->o.about && b->o.about->n_match) &&
	    (g[0].n > 1 || g[1].n > 1))
		b->notes[b->n_notes++] = "all others: the rest from rounding the means";
	if (b->o.about && b->o.about->n_match)
		b->notes[b->n_notes++] = "all others: also the rows that --name does not "
					 "select";
	if (b->shown < b->n)
		note(b, "all others: ", b->n - b->shown, " smaller differences");
	if (cut)
		note(b, "aggregates were pruned of ", cut, " things: these count in all others");
}

static bool several_captures(const struct compare *c)
{
	for (size_t g = 0; g < c->n_groups; g++)
		for (size_t i = 0; i < c->groups[g].n; i++)
			if (c->groups[g].runs[i]->captures > 1)
				return true;
	return false;
}

struct history_blame *history_blame_new(struct history *h, const struct history_side *base,
					const struct history_side *new,
					const struct history_blame_options *o, struct err *e)
{
	struct history_blame *b = mem_zalloc(sizeof *b);

	b->o = *o;
	b->flame = (struct flame)FLAME_INIT;
	entities_init(&b->entities, NULL);
	b->compare.entities = &b->entities;
	b->compare.identity = h->maps;
	if (read_side(b, h, base, e) || read_side(b, h, new, e)) {
		history_blame_free(b);
		return NULL;
	}
	compare_disambiguate(&b->compare, &b->entities);
	b->compare.per = o->per >= 0                     ? (enum run_per)o->per
			 : several_captures(&b->compare) ? PER_CAPTURE
							 : PER_RUN;
	if (!compare_holds(&b->compare, o->by) || !compare_knows(&b->compare, o->by, o->sum) ||
	    !compare_knows_total(&b->compare, o->sum)) {
		err_set(e, ST_UNSUPPORTED, "a run has no '%s' per %s",
			compare_title(&b->compare, o->sum), key_words[o->by]);
		history_blame_free(b);
		return NULL;
	}
	compare_rows_init(&b->rows, &b->compare, o->by);
	choose_rows(b);
	add_up(b);
	history_blame_set_notes(b);
	history_blame_set_table(b);
	b->o.about = NULL; /* the caller's until here */
	b->has_flame = o->flame && compare_holds(&b->compare, KEY_STACK) &&
		       compare_knows(&b->compare, KEY_STACK, o->sum);
	if (b->has_flame) {
		b->flame.title = "stacks: before and after the step";
		compare_flame(&b->compare, o->sum, &b->flame);
	}
	return b;
}

void history_blame_free(struct history_blame *b)
{
	if (!b)
		return;
	if (b->rows.rows)
		compare_rows_release(&b->rows);
	for (size_t g = 0; g < b->compare.n_groups; g++) {
		for (size_t i = 0; i < b->compare.groups[g].n; i++) {
			profile_release(b->compare.groups[g].runs[i]);
			free(b->compare.groups[g].runs[i]);
		}
		free(b->compare.groups[g].runs);
		free(b->compare.groups[g].names);
	}
	entities_release(&b->entities);
	flame_release(&b->flame);
	free(b->items);
	free(b->details);
	buf_release(&b->name);
	buf_release(&b->text);
	arena_release(&b->lines);
	arena_release(&b->labels);
	free(b);
}

void history_blame_add(struct history_blame *b, struct table_document *d)
{
	document_table(d, &b->table);
	if (b->has_flame)
		document_flame(d, &b->flame);
}

/* The largest part of the step that is no noise, or else the surest growth; n: none. */
static size_t most_of_it(const struct history_blame *b)
{
	__int128 most = 0;
	size_t best = b->n;

	for (size_t i = 0; i < b->n && b->all > 0; i++)
		if (!b->items[i].noise && b->items[i].by > most && is_part(b, b->items[i].by)) {
			most = b->items[i].by;
			best = i;
		}
	for (size_t i = 0; i < b->n && best == b->n; i++)
		if (b->items[i].by > 0)
			best = i;
	return best;
}

const char *history_blame_text(struct history_blame *b)
{
	struct table_cell cells[COLUMNS_OF_BLAME] = {{0}};
	struct table_row r = {.cells = cells};
	struct buf text = BUF_INIT;
	size_t i = most_of_it(b);
	const char *to;

	if (i == b->n)
		return NULL;
	history_blame_fill(b, i, &r);
	buf_add(&text, cells[5].text, cells[5].len);
	buf_adds(&text, ": ");
	cell_for_people(&text, &b->columns[0], &cells[0], false);
	if (is_part(b, b->items[i].by)) {
		buf_adds(&text, " of ");
		cell_for_people(&text, &b->columns[0], &b->totals[COLUMNS_OF_BLAME], false);
	}
	to = arena_strndup(&b->labels, text.data, text.len);
	buf_release(&text);
	return to;
}
