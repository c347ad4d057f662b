/* SPDX-License-Identifier: MIT */
#include "lib/render/render.h"

#include "lib/base/mem.h"
#include "lib/render/width.h"

#include <stdlib.h>
#include <string.h>

enum { GAP = 2, NARROWEST = 16, READABLE = 20, DETAIL_INDENT = 4 };

struct layout {
	const struct table *t;
	const struct render_text_options *o;
	size_t *widths;
	bool *shown; /* neither for CSV only nor text that no row has */
	struct row row;
	struct buf line, cell, cut;
};

static void cell_to_text(struct layout *l, const struct column *col, const struct cell *c)
{
	struct buf *b = &l->cell;

	b->len = 0;
	if (!c->present)
		return;
	if (col->type == COLUMN_TEXT) {
		buf_add_escaped(b, c->text, c->len);
		return;
	}
	if (c->negative && c->number)
		buf_addc(b, '-');
	if (col->type == COLUMN_PERCENT)
		buf_addf(b, "%llu.%02u%%", (unsigned long long)(c->number / 100),
			 (unsigned)(c->number % 100));
	else if (col->type == COLUMN_BYTES && !l->o->exact_bytes)
		size_text(b, c->number);
	else
		buf_add_u64(b, c->number);
}

static void measure(struct layout *l, const struct cell *cells)
{
	for (size_t k = 0; k < l->t->n_columns; k++) {
		size_t w;

		if (l->t->columns[k].flags & COLUMN_NOT_TEXT)
			continue;
		cell_to_text(l, &l->t->columns[k], &cells[k]);
		l->shown[k] |= l->cell.len > 0;
		w = text_width(l->cell.data ? l->cell.data : "", l->cell.len);
		if (w > l->widths[k])
			l->widths[k] = w;
	}
}

/* A name of which nothing is left is worth less than one more number. */
static void leave_out(struct layout *l)
{
	size_t total = 0;

	for (size_t k = 0; k < l->t->n_columns; k++)
		if (l->shown[k])
			total += GAP +
				 (l->t->columns[k].flags & COLUMN_SHORTEN && l->widths[k] > READABLE
				      ? READABLE
				      : l->widths[k]);
	for (size_t k = l->t->n_columns; k-- > 0 && total > l->o->width + GAP;)
		if (l->shown[k] && l->t->columns[k].flags & COLUMN_SPARE) {
			l->shown[k] = false;
			total -= l->widths[k] + GAP;
		}
}

static void tell_left_out(struct layout *l)
{
	const char *before = "not shown, since the terminal is too narrow: ";

	for (size_t k = 0; l->o->width && k < l->t->n_columns; k++) {
		const struct column *c = &l->t->columns[k];

		if (l->shown[k] || !(c->flags & COLUMN_SPARE) || c->flags & COLUMN_NOT_TEXT)
			continue;
		if (*before != ',' && !l->t->n_notes)
			buf_addc(&l->line, '\n');
		buf_adds(&l->line, before);
		buf_adds(&l->line, c->title);
		before = ", ";
	}
	if (*before == ',')
		buf_addc(&l->line, '\n');
}

/* Takes columns of the terminal from the widest shortenable column until the line fits. */
static void narrow(struct layout *l)
{
	for (;;) {
		size_t total = 0, widest = l->t->n_columns, over;

		for (size_t k = 0; k < l->t->n_columns; k++) {
			if (!l->shown[k])
				continue;
			total += l->widths[k] + (total ? GAP : 0);
			if (l->t->columns[k].flags & COLUMN_SHORTEN && l->widths[k] > NARROWEST &&
			    (widest == l->t->n_columns || l->widths[k] > l->widths[widest]))
				widest = k;
		}
		if (total <= l->o->width || widest == l->t->n_columns)
			return;
		over = total - l->o->width;
		/* Small steps, so that two wide columns end up sharing the loss. */
		over = over > 8 ? (over + 7) / 8 : 1;
		if (over > l->widths[widest] - NARROWEST)
			over = l->widths[widest] - NARROWEST;
		l->widths[widest] -= over;
	}
}

static void pad(struct buf *b, size_t n)
{
	if (!n)
		return;
	memset(buf_reserve(b, n), ' ', n);
	b->len += n;
}

/* cells NULL: the headings. */
static void put_line(struct layout *l, const struct cell *cells)
{
	size_t owed = 0; /* blanks are written only before text, so lines have none at their end */
	bool first = true;

	for (size_t k = 0; k < l->t->n_columns; k++) {
		const struct column *col = &l->t->columns[k];
		size_t w;

		if (!l->shown[k])
			continue;
		if (cells) {
			cell_to_text(l, col, &cells[k]);
		} else {
			l->cell.len = 0;
			buf_adds(&l->cell, col->title);
		}
		l->cut.len = 0;
		if (l->cell.len)
			(col->flags & COLUMN_PATH ? text_shorten_path : text_shorten)(
			    &l->cut, l->cell.data, l->cell.len, l->widths[k]);
		w = l->cut.len ? text_width(l->cut.data, l->cut.len) : 0;
		owed += first ? 0 : GAP;
		first = false;
		if (col->type != COLUMN_TEXT)
			owed += l->widths[k] - w;
		if (l->cut.len) {
			pad(&l->line, owed);
			owed = 0;
			buf_add(&l->line, l->cut.data, l->cut.len);
		} else if (col->type != COLUMN_TEXT) {
			owed += w;
		}
		if (col->type == COLUMN_TEXT)
			owed += l->widths[k] - w;
	}
	buf_addc(&l->line, '\n');
}

static void put_detail(struct layout *l, const char *s)
{
	size_t room = l->o->width > DETAIL_INDENT + NARROWEST ? l->o->width - DETAIL_INDENT : 0;

	l->cell.len = 0;
	buf_add_escaped(&l->cell, s, strlen(s));
	pad(&l->line, DETAIL_INDENT);
	if (room && l->cell.len)
		text_shorten(&l->line, l->cell.data, l->cell.len, room);
	else
		buf_add(&l->line, l->cell.data, l->cell.len);
	buf_addc(&l->line, '\n');
}

static enum status flush(struct layout *l, FILE *out, struct err *e)
{
	size_t n = l->line.len;

	l->line.len = 0;
	if (n && fwrite(l->line.data, 1, n, out) != n)
		return err_sys(e, "write");
	return ST_OK;
}

static void fill(struct layout *l, size_t i)
{
	struct cell *cells = l->row.cells;

	memset(cells, 0, l->t->n_columns * sizeof *cells);
	l->row = (struct row){.cells = cells};
	l->t->fill(l->t->arg, i, &l->row);
}

static enum status put_rows(struct layout *l, FILE *out, struct err *e)
{
	enum status st = ST_OK;

	for (size_t i = 0; i < l->t->n_rows && st == ST_OK; i++) {
		fill(l, i);
		put_line(l, l->row.cells);
		for (size_t k = 0; k < l->row.n_details; k++)
			put_detail(l, l->row.details[k]);
		if (l->row.more)
			put_detail(l, l->row.more);
		st = flush(l, out, e);
	}
	return st;
}

enum status render_text(const struct table *t, const struct render_text_options *o, FILE *out,
			struct err *e)
{
	struct layout l = {.t = t, .o = o};
	enum status st;

	l.widths = mem_zarray(t->n_columns + 1, sizeof *l.widths);
	l.row.cells = mem_zarray(t->n_columns + 1, sizeof *l.row.cells);
	l.shown = mem_zarray(t->n_columns + 1, sizeof *l.shown);
	for (size_t k = 0; k < t->n_columns; k++) {
		const struct column *c = &t->columns[k];

		if (c->flags & COLUMN_NOT_TEXT)
			continue;
		l.shown[k] = c->type != COLUMN_TEXT || !t->n_rows;
		l.widths[k] = text_width(c->title, strlen(c->title));
	}
	for (size_t i = 0; i < t->n_rows; i++) {
		fill(&l, i);
		measure(&l, l.row.cells);
	}
	for (size_t i = 0; i < t->n_totals; i++)
		measure(&l, t->totals + i * t->n_columns);
	if (o->width) {
		leave_out(&l);
		narrow(&l);
	}

	if (t->title) {
		buf_add_escaped(&l.line, t->title, strlen(t->title));
		buf_adds(&l.line, "\n\n");
	}
	put_line(&l, NULL);
	st = put_rows(&l, out, e);
	for (size_t i = 0; i < t->n_totals; i++)
		put_line(&l, t->totals + i * t->n_columns);
	if (t->n_notes)
		buf_addc(&l.line, '\n');
	for (size_t i = 0; i < t->n_notes; i++) {
		buf_add_escaped(&l.line, t->notes[i], strlen(t->notes[i]));
		buf_addc(&l.line, '\n');
	}
	tell_left_out(&l);
	if (st == ST_OK)
		st = flush(&l, out, e);
	buf_release(&l.line);
	buf_release(&l.cell);
	buf_release(&l.cut);
	free(l.row.cells);
	free(l.widths);
	free(l.shown);
	return st;
}
