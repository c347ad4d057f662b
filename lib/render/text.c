/* SPDX-License-Identifier: MIT
 *
 * Documents as text: aligned tables, notes and verdicts.
 */
#include "lib/render/out.h"

#include "lib/base/mem.h"
#include "lib/render/width.h"
#include "lib/table/views.h"

#include <stdlib.h>
#include <string.h>

enum {
	GAP = 2,
	NARROWEST = 16,
	READABLE = 20,
	DETAIL_INDENT = 4,
	TREE_INDENT = 2,
	/* Where nothing is shortened, a longer text sticks out of its own line only: one name of
	 * 10 MB must not make blanks of 10 MB in each row. */
	WIDEST = 200,
};

struct layout {
	const struct table *t;
	const struct render_options *o;
	struct render_out *out;
	size_t *widths;
	bool *shown; /* neither for CSV only nor text that no row has */
	struct table_row row;
	struct buf cell, cut;
};

static const char *const colours[] = {[MARK_GOOD] = "\x1b[32m",
				      [MARK_WARN] = "\x1b[33m",
				      [MARK_BAD] = "\x1b[31m",
				      [MARK_STRONG] = "\x1b[1m",
				      [MARK_FAINT] = "\x1b[2m"};

static void add_marked(struct layout *l, const char *s, size_t n, unsigned mark)
{
	struct buf *b = &l->out->text;
	bool colour = l->o->colour && mark && mark <= MARK_FAINT && n;

	if (colour)
		buf_adds(b, colours[mark]);
	buf_add(b, s, n);
	if (colour)
		buf_adds(b, "\x1b[0m");
}

static void pad(struct buf *b, size_t n)
{
	if (!n)
		return;
	memset(buf_reserve(b, n), ' ', n);
	b->len += n;
}

static void cell_to_text(struct layout *l, const struct table_column *col,
			 const struct table_cell *c, uint32_t depth)
{
	struct buf *b = &l->cell;

	b->len = 0;
	if (!c->present)
		return;
	if (col->type != COLUMN_TEXT) {
		cell_for_people(b, col, c, l->o->exact_bytes);
		return;
	}
	if (col->flags & COLUMN_TREE)
		pad(b, (size_t)TREE_INDENT * (depth < DEPTH_SHOWN ? depth : DEPTH_SHOWN));
	buf_add_escaped(b, c->text, c->len);
}

static void measure(struct layout *l, const struct table_cell *cells, uint32_t depth)
{
	for (size_t k = 0; k < l->t->n_columns; k++) {
		size_t w;

		if (l->t->columns[k].flags & COLUMN_NOT_TEXT)
			continue;
		cell_to_text(l, &l->t->columns[k], &cells[k], depth);
		l->shown[k] |= l->cell.len > 0;
		w = text_width(l->cell.data ? l->cell.data : "", l->cell.len);
		if (!l->o->width && w > WIDEST && l->t->columns[k].type == COLUMN_TEXT)
			w = WIDEST;
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

/* A line for people, at its blanks cut to what the terminal has: a terminal cuts within words. */
static void text_add_folded(struct buf *to, const char *s, size_t n, unsigned width)
{
	size_t used = 0;

	while (n) {
		size_t k = 0, w;

		while (k < n && s[k] == ' ')
			k++;
		while (k < n && s[k] != ' ')
			k++;
		w = text_width(s, k);
		if (width && used && used + w > width) {
			buf_adds(to, "\n ");
			used = 1;
		}
		buf_add(to, s, k);
		used += w;
		s += k;
		n -= k;
	}
	buf_addc(to, '\n');
}

static void tell_left_out(struct layout *l)
{
	const char *before = "not shown, since the terminal is too narrow: ";

	for (size_t k = 0; l->o->width && k < l->t->n_columns; k++) {
		const struct table_column *c = &l->t->columns[k];

		if (l->shown[k] || !(c->flags & COLUMN_SPARE) || c->flags & COLUMN_NOT_TEXT)
			continue;
		if (*before != ',') {
			l->cell.len = 0;
			if (!l->t->n_notes)
				buf_addc(&l->out->text, '\n');
		}
		buf_adds(&l->cell, before);
		buf_adds(&l->cell, c->title);
		before = ", ";
	}
	if (*before == ',')
		text_add_folded(&l->out->text, l->cell.data, l->cell.len, l->o->width);
}

/* Takes columns of the terminal from the widest shortenable column until the line fits. */
static void render_text_narrow(struct layout *l)
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

/* cells NULL: the headings. */
static void render_text_put_line(struct layout *l, const struct table_cell *cells, uint32_t depth)
{
	struct buf *line = &l->out->text;
	size_t owed = 0; /* blanks are written only before text, so lines have none at their end */
	bool first = true;

	for (size_t k = 0; k < l->t->n_columns; k++) {
		const struct table_column *col = &l->t->columns[k];
		unsigned mark = cells ? cells[k].mark : MARK_STRONG;
		size_t w, room;

		if (!l->shown[k])
			continue;
		if (cells) {
			cell_to_text(l, col, &cells[k], depth);
		} else {
			l->cell.len = 0;
			buf_adds(&l->cell, col->title);
		}
		l->cut.len = 0;
		if (l->cell.len && l->o->width)
			(col->flags & COLUMN_PATH ? text_shorten_path : text_shorten)(
			    &l->cut, l->cell.data, l->cell.len, l->widths[k]);
		else
			buf_add(&l->cut, l->cell.data, l->cell.len);
		w = l->cut.len ? text_width(l->cut.data, l->cut.len) : 0;
		room = w < l->widths[k] ? l->widths[k] - w : 0;
		owed += first ? 0 : GAP;
		first = false;
		if (col->type != COLUMN_TEXT)
			owed += room;
		if (l->cut.len) {
			pad(line, owed);
			owed = 0;
			add_marked(l, l->cut.data, l->cut.len, mark);
		}
		if (col->type == COLUMN_TEXT)
			owed += room;
	}
	buf_addc(line, '\n');
}

static void put_detail(struct layout *l, const char *s)
{
	size_t room = l->o->width > DETAIL_INDENT + NARROWEST ? l->o->width - DETAIL_INDENT : 0;

	l->cell.len = l->cut.len = 0;
	buf_add_escaped(&l->cell, s, strlen(s));
	pad(&l->out->text, DETAIL_INDENT);
	if (room && l->cell.len && !(l->t->flags & TABLE_WHOLE_DETAILS))
		text_shorten(&l->cut, l->cell.data, l->cell.len, room);
	else
		buf_add(&l->cut, l->cell.data, l->cell.len);
	add_marked(l, l->cut.data, l->cut.len, MARK_FAINT);
	buf_addc(&l->out->text, '\n');
}

static void put_rows(struct layout *l)
{
	for (size_t i = 0; i < l->t->n_rows && l->out->status == ST_OK; i++) {
		row_fill(l->t, i, &l->row);
		render_text_put_line(l, l->row.cells, l->row.depth);
		for (size_t k = 0; k < l->row.n_details; k++)
			put_detail(l, l->row.details[k]);
		if (l->row.more)
			put_detail(l, l->row.more);
		out_flush(l->out, false);
	}
}

static void put_notes(struct render_out *out, const struct render_options *o,
		      const char *const *notes, size_t n)
{
	struct buf line = BUF_INIT;

	if (n)
		buf_addc(&out->text, '\n');
	for (size_t i = 0; i < n; i++) {
		line.len = 0;
		buf_add_escaped(&line, notes[i], strlen(notes[i]));
		text_add_folded(&out->text, buf_str(&line), line.len, o->width);
	}
	buf_release(&line);
}

static void put_title(struct render_out *out, const struct render_options *o, const char *title)
{
	if (!title)
		return;
	buf_adds(&out->text, o->colour ? "\x1b[1m" : "");
	buf_add_escaped(&out->text, title, strlen(title));
	buf_adds(&out->text, o->colour ? "\x1b[0m\n\n" : "\n\n");
}

static void render_text_table(const struct table *t, const struct render_options *o,
			      struct render_out *out)
{
	struct layout l = {.t = t, .o = o, .out = out};

	l.widths = mem_zarray(t->n_columns + 1, sizeof *l.widths);
	l.row.cells = mem_zarray(t->n_columns + 1, sizeof *l.row.cells);
	l.shown = mem_zarray(t->n_columns + 1, sizeof *l.shown);
	for (size_t k = 0; k < t->n_columns; k++) {
		const struct table_column *c = &t->columns[k];

		if (c->flags & COLUMN_NOT_TEXT)
			continue;
		l.shown[k] = c->type != COLUMN_TEXT || !t->n_rows;
		l.widths[k] = text_width(c->title, strlen(c->title));
	}
	for (size_t i = 0; i < t->n_rows; i++) {
		row_fill(t, i, &l.row);
		measure(&l, l.row.cells, l.row.depth);
	}
	for (size_t i = 0; i < t->n_totals; i++)
		measure(&l, t->totals + i * t->n_columns, 0);
	if (o->width) {
		leave_out(&l);
		render_text_narrow(&l);
	}
	put_title(out, o, t->title);
	render_text_put_line(&l, NULL, 0);
	put_rows(&l);
	for (size_t i = 0; i < t->n_totals; i++)
		render_text_put_line(&l, t->totals + i * t->n_columns, 0);
	put_notes(out, o, t->notes, t->n_notes);
	tell_left_out(&l);
	buf_release(&l.cell);
	buf_release(&l.cut);
	free(l.row.cells);
	free(l.widths);
	free(l.shown);
}

/* "3 rules: 2 pass, 1 fail" */
static void put_verdicts(const struct table_checks *c, struct render_out *out)
{
	const char *before = ": ";

	buf_addf(&out->text, "\n%zu rule%s", c->n_items, c->n_items == 1 ? "" : "s");
	for (size_t v = 0; v < VERDICTS; v++) {
		size_t n = checks_count(c, (enum verdict)v);

		if (!n)
			continue;
		buf_addf(&out->text, "%s%zu %s", before, n, verdict_words[v]);
		before = ", ";
	}
	buf_addc(&out->text, '\n');
}

static void render_text_section(const struct table_section *s, const struct render_options *o,
				struct render_out *out)
{
	struct table_view v;

	switch (s->kind) {
	case SECTION_TABLE: render_text_table(s->table, o, out); break;
	case SECTION_FLAME: break;
	case SECTION_SERIES:
		put_title(out, o, s->series->title);
		text_plot(s->series, o, &out->text);
		break;
	case SECTION_CHECKS:
		v = view_checks(s->checks, false);
		render_text_table(&v.table, o, out);
		put_verdicts(s->checks, out);
		view_release(&v);
		break;
	}
}

enum status text_document(const struct table_document *d, const struct render_options *o,
			  struct render_out *out)
{
	bool first = true;

	put_title(out, o, d->title);
	for (size_t i = 0; i < d->n_heads && !o->table; i++) {
		buf_add_escaped(&out->text, d->heads[i], strlen(d->heads[i]));
		buf_adds(&out->text, i + 1 == d->n_heads ? "\n\n" : "\n");
	}
	for (size_t i = 0; i < d->n_sections && out->status == ST_OK; i++) {
		const struct table_section *s = &d->sections[i];
		bool asked = o->table && !strcmp(o->table, section_name(s));

		if (s->kind == SECTION_FLAME || (s->kind == SECTION_SERIES && !o->plot && !asked))
			continue;
		if (!first)
			buf_addc(&out->text, '\n');
		first = false;
		render_text_section(s, o, out);
	}
	if (!o->table)
		put_notes(out, o, d->notes, d->n_notes);
	return out_flush(out, false);
}
