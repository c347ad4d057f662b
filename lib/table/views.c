/* SPDX-License-Identifier: MIT */
#include "lib/table/views.h"

#include "lib/base/mem.h"

#include <stdlib.h>
#include <string.h>

struct view_own {
	struct table_column *columns;
	const struct table_series *series;
	const struct table_checks *checks;
	struct place {
		size_t check, breach; /* breach: SIZE_MAX for none */
	} * places;
	struct buf text;
	size_t *offsets, offsets_cap;
	const char **details;
	size_t details_cap;
};

static struct table_cell text_cell(const char *s)
{
	return s ? cell_text(s, strlen(s)) : (struct table_cell){.present = false};
}

static struct table_view make(const char *name, const char *title,
			      const struct table_column *columns, size_t n,
			      void (*fill)(void *, size_t, struct table_row *))
{
	struct table_view v = {.own = mem_zalloc(sizeof *v.own)};

	v.own->columns = mem_array(n, sizeof *columns);
	memcpy(v.own->columns, columns, n * sizeof *columns);
	v.table = (struct table){.name = name,
				 .title = title,
				 .columns = v.own->columns,
				 .n_columns = n,
				 .fill = fill,
				 .arg = v.own};
	return v;
}

enum { X_COLUMNS = 3 };

static void views_fill_point(void *arg, size_t i, struct table_row *r)
{
	const struct table_series *s = ((struct view_own *)arg)->series;

	r->cells[0] = cell_signed(s->x[i]);
	if (s->labels)
		r->cells[1] = text_cell(s->labels[i]);
	if (s->time)
		r->cells[2] = cell_signed(s->time[i]);
	for (size_t k = 0; k < s->n_lines; k++)
		if (s->lines[k].y[i] != SERIES_ABSENT)
			r->cells[X_COLUMNS + k] = cell_decimal(s->lines[k].y[i]);
}

struct table_view view_series(const struct table_series *s)
{
	size_t n = X_COLUMNS + s->n_lines;
	struct table_column *c = mem_zarray(n, sizeof *c);
	struct table_view v;

	c[0] = (struct table_column){.key = s->x_type == COLUMN_TIME ? "x_ns" : "x",
				     .title = s->x_title ? s->x_title : "x",
				     .type = s->x_type};
	c[1] = (struct table_column){.key = "label", .title = "name", .flags = COLUMN_SHORTEN};
	c[2] = (struct table_column){.key = "time_ns",
				     .title = "time",
				     .type = COLUMN_TIME,
				     .flags = s->time ? 0 : COLUMN_NOT_TEXT};
	for (size_t k = 0; k < s->n_lines; k++)
		c[X_COLUMNS + k] = (struct table_column){.key = s->lines[k].key,
							 .title = s->lines[k].title,
							 .type = s->lines[k].type,
							 .decimals = s->lines[k].decimals};
	v = make(s->name, s->title, c, n, views_fill_point);
	v.own->series = s;
	v.table.n_rows = s->n_points;
	free(c);
	return v;
}

enum check_column {
	CHECK_VERDICT,
	CHECK_RULE,
	CHECK_CATEGORY,
	CHECK_MEASURED,
	CHECK_LIMIT,
	CHECK_MESSAGE,
	CHECK_WAIVER,
	CHECK_SUBJECT, /* from here on of the breach */
	CHECK_TOLD,
	CHECK_FILE,
	CHECK_LINE,
	CHECK_COLUMNS,
};

static const struct table_column check_columns[CHECK_COLUMNS] = {
    [CHECK_VERDICT] = {.key = "verdict", .title = "verdict", .flags = COLUMN_PROSE},
    [CHECK_RULE] = {.key = "rule", .title = "rule", .flags = COLUMN_SHORTEN},
    [CHECK_CATEGORY] = {.key = "category", .title = "kind", .flags = COLUMN_PROSE | COLUMN_SPARE},
    [CHECK_MEASURED] = {.key = "measured", .title = "measured", .flags = COLUMN_PROSE},
    [CHECK_LIMIT] = {.key = "limit", .title = "limit", .flags = COLUMN_PROSE},
    [CHECK_MESSAGE] = {.key = "message",
		       .title = "message",
		       .flags = COLUMN_SHORTEN | COLUMN_PROSE},
    [CHECK_WAIVER] = {.key = "waiver", .title = "waived", .flags = COLUMN_SHORTEN | COLUMN_PROSE},
    [CHECK_SUBJECT] = {.key = "subject", .flags = COLUMN_NOT_TEXT},
    [CHECK_TOLD] = {.key = "told", .flags = COLUMN_NOT_TEXT},
    [CHECK_FILE] = {.key = "file", .flags = COLUMN_NOT_TEXT},
    [CHECK_LINE] = {.key = "line", .type = COLUMN_INT, .flags = COLUMN_NOT_TEXT},
};

static const uint8_t verdict_marks[VERDICTS] = {[VERDICT_PASS] = MARK_GOOD,
						[VERDICT_IMPROVED] = MARK_GOOD,
						[VERDICT_WAIVED] = MARK_WARN,
						[VERDICT_INCONCLUSIVE] = MARK_WARN,
						[VERDICT_FAIL] = MARK_BAD};

static void check_cells(const struct table_check *c, struct table_cell *cells)
{
	cells[CHECK_VERDICT] = text_cell(verdict_words[c->verdict]);
	cells[CHECK_VERDICT].mark = verdict_marks[c->verdict];
	cells[CHECK_RULE] = text_cell(c->name);
	cells[CHECK_CATEGORY] = text_cell(c->category);
	cells[CHECK_MEASURED] = text_cell(c->measured);
	cells[CHECK_LIMIT] = text_cell(c->limit);
	cells[CHECK_MESSAGE] = text_cell(c->message);
	cells[CHECK_WAIVER] = text_cell(c->waiver);
}

static void views_fill_breach(void *arg, size_t i, struct table_row *r)
{
	const struct view_own *own = arg;
	const struct table_check *c = &own->checks->items[own->places[i].check];
	const struct breach *b;

	check_cells(c, r->cells);
	if (own->places[i].breach == SIZE_MAX)
		return;
	b = &c->breaches[own->places[i].breach];
	r->cells[CHECK_VERDICT] = text_cell(verdict_words[b->verdict]);
	r->cells[CHECK_VERDICT].mark = verdict_marks[b->verdict];
	r->cells[CHECK_WAIVER] = text_cell(b->waiver);
	r->cells[CHECK_TOLD] = text_cell(b->told);
	if (b->measured)
		r->cells[CHECK_MEASURED] = text_cell(b->measured);
	if (b->limit)
		r->cells[CHECK_LIMIT] = text_cell(b->limit);
	if (b->message)
		r->cells[CHECK_MESSAGE] = text_cell(b->message);
	r->cells[CHECK_SUBJECT] = text_cell(b->subject);
	r->cells[CHECK_FILE] = text_cell(b->file);
	if (b->line)
		r->cells[CHECK_LINE] = cell_number(b->line);
}

void breach_text(struct buf *out, const struct breach *b)
{
	buf_adds(out, b->subject);
	if (b->message)
		buf_addf(out, ": %s", b->message);
	if (b->measured)
		buf_addf(out, "%s %s", b->message ? "," : ":", b->measured);
	if (b->limit)
		buf_addf(out, "%s limit %s", b->message || b->measured ? "," : ":", b->limit);
	if (b->told)
		buf_addf(out, ", told from %s", b->told);
	if (b->waiver)
		buf_addf(out, "; waived: %s", b->waiver);
	if (b->file && b->line)
		buf_addf(out, "  %s:%u", b->file, (unsigned)b->line);
	else if (b->file)
		buf_addf(out, "  %s", b->file);
}

static void views_fill_check(void *arg, size_t i, struct table_row *r)
{
	struct view_own *own = arg;
	const struct table_check *c = &own->checks->items[i];

	check_cells(c, r->cells);
	own->offsets = mem_grow(own->offsets, &own->offsets_cap, c->n_breaches + 1, sizeof(size_t));
	own->details =
	    mem_grow(own->details, &own->details_cap, c->n_breaches + 1, sizeof *own->details);
	own->text.len = 0;
	for (size_t k = 0; k < c->n_breaches; k++) {
		own->offsets[k] = own->text.len;
		breach_text(&own->text, &c->breaches[k]);
		buf_addc(&own->text, '\0');
	}
	for (size_t k = 0; k < c->n_breaches; k++)
		own->details[k] = own->text.data + own->offsets[k];
	r->details = own->details;
	r->n_details = c->n_breaches;
}

struct table_view view_checks(const struct table_checks *c, bool flat)
{
	struct table_view v = make(c->name, c->title, check_columns, CHECK_COLUMNS,
				   flat ? views_fill_breach : views_fill_check);
	size_t cap = 0;

	v.own->checks = c;
	v.table.n_rows = c->n_items;
	if (!flat)
		return v;
	v.table.n_rows = 0;
	for (size_t i = 0; i < c->n_items; i++) {
		if (!c->items[i].n_breaches)
			VEC_PUSH(v.own->places, v.table.n_rows, cap) = (struct place){i, SIZE_MAX};
		for (size_t k = 0; k < c->items[i].n_breaches; k++)
			VEC_PUSH(v.own->places, v.table.n_rows, cap) = (struct place){i, k};
	}
	return v;
}

void view_release(struct table_view *v)
{
	if (!v->own)
		return;
	free(v->own->columns);
	free(v->own->places);
	free(v->own->offsets);
	free(v->own->details);
	buf_release(&v->own->text);
	free(v->own);
	*v = (struct table_view){.own = NULL};
}
