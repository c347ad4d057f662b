/* SPDX-License-Identifier: MIT */
#include "lib/table/views.h"

#include "lib/base/hash.h"
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
	CHECK_FACT,
	CHECK_CALLERS,
	CHECK_DETECTABLE,
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
    [CHECK_FACT] = {.key = "fact", .flags = COLUMN_NOT_TEXT},
    [CHECK_CALLERS] = {.key = "callers", .flags = COLUMN_NOT_TEXT},
    [CHECK_DETECTABLE] = {.key = "told", .flags = COLUMN_NOT_TEXT},
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
	r->cells[CHECK_FACT] = text_cell(b->fact);
	r->cells[CHECK_CALLERS] = text_cell(b->callers);
	r->cells[CHECK_DETECTABLE] = text_cell(b->detectable);
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

/* A name may have an end of line in it, which begins no line of ours. */
static void views_add(struct buf *out, const char *before, const char *s)
{
	buf_adds(out, before);
	for (; *s; s++)
		buf_addc(out, *s == '\n' ? ' ' : *s);
}

static void views_add_lines(struct buf *out, const char *lines)
{
	for (const char *end; (end = strchr(lines, '\n')); lines = end + 1) {
		buf_adds(out, "\n    ");
		buf_add(out, lines, (size_t)(end - lines));
	}
}

static void views_add_fact(struct buf *out, const struct breach *b)
{
	views_add(out, "", b->fact);
	if (b->callers) {
		views_add(out, " Called by ", b->callers);
		buf_addc(out, '.');
	}
	if (b->waiver)
		views_add(out, "\nWaived: ", b->waiver);
	if (b->look)
		views_add(out, "\nLook: ", b->look);
	if (b->accept) {
		buf_adds(out, "\nAccept: add to the policy");
		views_add_lines(out, b->accept);
	}
	views_add(out, "\nStatistics: ", b->measured ? b->measured : "");
	if (b->message)
		views_add(out, b->measured ? "; " : "", b->message);
	if (b->detectable)
		views_add(out, "; detectable from ", b->detectable);
}

void breach_text(struct buf *out, const struct breach *b)
{
	if (b->fact) {
		views_add_fact(out, b);
		return;
	}
	views_add(out, "", b->subject);
	if (b->message)
		views_add(out, ": ", b->message);
	if (b->measured)
		views_add(out, b->message ? ", " : ": ", b->measured);
	if (b->limit)
		views_add(out, b->message || b->measured ? ", limit " : ": limit ", b->limit);
	if (b->detectable)
		views_add(out, ", detectable from ", b->detectable);
	if (b->waiver)
		views_add(out, "; waived: ", b->waiver);
	if (b->file)
		views_add(out, "  ", b->file);
	if (b->file && b->line)
		buf_addf(out, ":%u", (unsigned)b->line);
}

/* "name (file:line)" without the line, which moves. */
static size_t views_lasting(const struct breach *b)
{
	const char *at = b->file ? strstr(b->subject, b->file) : NULL;

	return at ? (size_t)(at - b->subject) + strlen(b->file) : strlen(b->subject);
}

uint64_t breach_hash(const struct table_check *c, const struct breach *b)
{
	uint64_t h = hash_bytes(c->name, strlen(c->name));

	if (!b)
		return h;
	h = hash_bytes_seeded(b->subject, views_lasting(b), h);
	/* Two lines of one function: the second is another one. */
	for (const struct breach *k = c->breaches; k < b; k++)
		if (views_lasting(k) == views_lasting(b) &&
		    !memcmp(k->subject, b->subject, views_lasting(b)))
			h = hash_bytes_seeded("+", 1, h);
	return h;
}

/* The text's lines become the details. */
static size_t views_split_lines(struct view_own *own)
{
	size_t n = 0, at = 0;

	for (size_t i = 0; i < own->text.len; i++) {
		if (own->text.data[i] != '\n')
			continue;
		own->text.data[i] = '\0';
		own->details =
		    mem_grow(own->details, &own->details_cap, n + 1, sizeof *own->details);
		own->details[n++] = own->text.data + at;
		at = i + 1;
	}
	return n;
}

static void views_fill_check(void *arg, size_t i, struct table_row *r)
{
	struct view_own *own = arg;
	const struct table_check *c = &own->checks->items[i];

	check_cells(c, r->cells);
	own->text.len = 0;
	for (size_t k = 0; k < c->n_breaches; k++) {
		breach_text(&own->text, &c->breaches[k]);
		buf_addc(&own->text, '\n');
	}
	r->n_details = views_split_lines(own);
	r->details = own->details;
}

struct table_view view_checks(const struct table_checks *c, bool flat)
{
	struct table_view v = make(c->name, c->title, check_columns, CHECK_COLUMNS,
				   flat ? views_fill_breach : views_fill_check);
	size_t cap = 0;

	v.own->checks = c;
	v.table.flags = flat ? 0 : TABLE_WHOLE_DETAILS;
	v.table.notes = c->notes;
	v.table.n_notes = c->n_notes;
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
	free(v->own->details);
	buf_release(&v->own->text);
	free(v->own);
	*v = (struct table_view){.own = NULL};
}
