/* SPDX-License-Identifier: MIT
 *
 * Documents as text: aligned tables, notes and verdicts.
 */
#include "lib/render/out.h"

#include "lib/base/mem.h"
#include "lib/base/text.h"
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
	size_t *values; /* of these without the heading */
	bool *shown;    /* neither for CSV only nor text that no row has */
	bool *left_out; /* for want of room */
	size_t *at;     /* of the present row: what folded cells have shown of their text */
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
	buf_add_readable(b, c->text, c->len);
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
		if (w > l->values[k])
			l->values[k] = w;
		if (w > l->widths[k])
			l->widths[k] = w;
	}
}

/* Sentences are folded within their column. */
static bool is_folded(const struct table_column *c)
{
	return c->type == COLUMN_TEXT && c->flags & COLUMN_PROSE;
}

/* Other text may lose letters, but where it is a number with its unit. */
static bool is_shortened(const struct table_column *c)
{
	return !is_folded(c) && (c->flags & COLUMN_SHORTEN ||
				 (c->type == COLUMN_TEXT && !(c->flags & COLUMN_NOT_CSV)));
}

/* How narrow a column may become where a name keeps so many letters: a heading is one, too. */
static size_t least_width(const struct layout *l, size_t k, size_t name)
{
	const struct table_column *c = &l->t->columns[k];
	size_t least = name;

	if (!is_folded(c) && !is_shortened(c) && l->values[k] > least)
		least = l->values[k];
	return l->widths[k] < least ? l->widths[k] : least;
}

static size_t total_width(const struct layout *l, size_t name)
{
	size_t total = 0;

	for (size_t k = 0; k < l->t->n_columns; k++)
		if (l->shown[k])
			total +=
			    (total ? GAP : 0) + (name ? least_width(l, k, name) : l->widths[k]);
	return total;
}

/* Columns that have one of the flags, the last one first, until names of so many letters have room. */
static void leave_out(struct layout *l, unsigned flags, size_t name)
{
	for (size_t k = l->t->n_columns; k-- > 0 && total_width(l, name) > l->o->width;)
		if (l->shown[k] && l->t->columns[k].flags & flags) {
			l->shown[k] = false;
			l->left_out[k] = true;
		}
}

/* Where spare columns do not suffice: numbers are not cut, so further ones go, but for the first two that
 * are shown (the row's own number, and what it is ranked by). */
static void leave_out_numbers(struct layout *l)
{
	size_t kept = 0, first = 0;

	for (; first < l->t->n_columns && kept < 2; first++)
		kept += l->shown[first];
	for (size_t k = l->t->n_columns; k-- > first && total_width(l, NARROWEST) > l->o->width;)
		if (l->shown[k] && !is_shortened(&l->t->columns[k]) &&
		    !is_folded(&l->t->columns[k])) {
			l->shown[k] = false;
			l->left_out[k] = true;
		}
}

/* Where a word ends that may begin with blanks. A shell's word in single quotes has its blanks in it. */
static size_t word_end(const char *s, size_t n)
{
	size_t blanks = 0, k, end;
	bool single = false, twice = false; /* in which quotes */

	while (blanks < n && s[blanks] == ' ')
		blanks++;
	for (end = blanks; end < n && s[end] != ' '; end++)
		;
	k = blanks;
	while (k < end && s[k] != '\'' && s[k] != '=')
		k++;
	if (k < end && s[k] == '=')
		k++;
	else if (k > blanks) /* an apostrophe */
		return end;
	if (k == end || s[k] != '\'')
		return end;
	for (; k < n && (single || twice || s[k] != ' '); k++) {
		single ^= s[k] == '\'' && !twice;
		twice ^= s[k] == '"' && !single;
	}
	return single || twice ? end : k;
}

/* A line for people, at its blanks cut to what the terminal has: a terminal cuts within words. A word that is
 * longer stays whole, since it is a path or a name to be copied. Further lines begin with indent blanks, as the
 * caller's first one does. */
static void text_add_folded(struct buf *to, const char *s, size_t n, unsigned width, size_t indent)
{
	size_t used = indent;
	bool any = false;

	while (n) {
		size_t k = word_end(s, n), w = text_width(s, k);

		if (width && any && used + w > width) {
			buf_addc(to, '\n');
			used = indent + 1;
			pad(to, used);
		}
		buf_add(to, s, k);
		any = true;
		used += w;
		s += k;
		n -= k;
	}
	buf_addc(to, '\n');
}

static void note_hidden_columns(struct layout *l)
{
	const char *before = "columns hidden (narrow width): ";

	for (size_t k = 0; k < l->t->n_columns; k++) {
		if (!l->left_out[k])
			continue;
		if (*before != ',') {
			l->cell.len = 0;
			if (!l->t->n_notes)
				buf_addc(&l->out->text, '\n');
		}
		buf_adds(&l->cell, before);
		buf_adds(&l->cell, l->t->columns[k].title);
		before = ", ";
	}
	if (*before == ',')
		text_add_folded(&l->out->text, l->cell.data, l->cell.len, l->o->width, 0);
}

static size_t widest_that_yields(const struct layout *l, bool words)
{
	size_t widest = l->t->n_columns;

	for (size_t k = 0; k < l->t->n_columns; k++) {
		const struct table_column *c = &l->t->columns[k];

		if (l->shown[k] &&
		    (words || is_folded(c) || c->flags & COLUMN_SHORTEN ||
		     c->type != COLUMN_TEXT) &&
		    l->widths[k] > least_width(l, k, NARROWEST) &&
		    (widest == l->t->n_columns || l->widths[k] > l->widths[widest]))
			widest = k;
	}
	return widest;
}

/* Takes columns of the terminal from the widest column that may be shortened or folded until the line fits:
 * from labels and other words only where names and sentences do not suffice. */
static void render_text_narrow(struct layout *l)
{
	size_t total;

	while ((total = total_width(l, 0)) > l->o->width) {
		size_t widest = widest_that_yields(l, false), over = total - l->o->width, most;

		if (widest == l->t->n_columns)
			widest = widest_that_yields(l, true);
		if (widest == l->t->n_columns)
			return;
		/* Small steps, so that two wide columns end up sharing the loss. */
		over = over > 8 ? (over + 7) / 8 : 1;
		most = l->widths[widest] - least_width(l, widest, NARROWEST);
		l->widths[widest] -= over < most ? over : most;
	}
}

/* The next line of a folded cell, in l->cut. True: there is more of it. */
static bool next_piece(struct layout *l, size_t k)
{
	const char *s = l->cell.data + l->at[k];
	size_t n = l->cell.len - l->at[k], end = 0, used = 0;

	for (size_t i = 0; i <= n; i++) {
		if (i < n && s[i] != ' ')
			continue;
		used = text_width(s, i);
		if (end && used > l->widths[k])
			break;
		end = i;
		if (used > l->widths[k])
			break;
	}
	end = text_fits(s, end, l->widths[k]); /* of a word that is wider than the column */
	buf_add(&l->cut, s, end);
	while (end < n && s[end] == ' ')
		end++;
	l->at[k] += end;
	return end < n;
}

/* What a column shows of l->cell in a line of its row, in l->cut. True: a further line follows. */
static bool next_cell(struct layout *l, size_t k, bool heading, bool first)
{
	const struct table_column *col = &l->t->columns[k];

	l->cut.len = 0;
	if (!l->cell.len || (!first && !is_folded(col)))
		return false;
	if (l->o->width && is_folded(col))
		return next_piece(l, k);
	if (l->o->width && (is_shortened(col) || heading))
		(col->flags & COLUMN_PATH && !heading ? text_shorten_path : text_shorten)(
		    &l->cut, l->cell.data, l->cell.len, l->widths[k]);
	else if (first)
		buf_add(&l->cut, l->cell.data, l->cell.len);
	return false;
}

/* cells NULL: the headings. True: a further line follows. */
static bool put_line_of_row(struct layout *l, const struct table_cell *cells, uint32_t depth,
			    bool first)
{
	struct buf *line = &l->out->text;
	size_t owed = 0; /* blanks are written only before text, so lines have none at their end */
	bool leftmost = true, more = false;

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
		more |= next_cell(l, k, !cells, first);
		w = l->cut.len ? text_width(l->cut.data, l->cut.len) : 0;
		room = w < l->widths[k] ? l->widths[k] - w : 0;
		owed += leftmost ? 0 : GAP;
		leftmost = false;
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
	return more;
}

static void render_text_put_row(struct layout *l, const struct table_cell *cells, uint32_t depth)
{
	memset(l->at, 0, l->t->n_columns * sizeof *l->at);
	for (bool first = true; put_line_of_row(l, cells, depth, first);)
		first = false;
}

static void put_detail(struct layout *l, const char *s)
{
	size_t room = l->o->width > DETAIL_INDENT + NARROWEST ? l->o->width - DETAIL_INDENT : 0;

	l->cell.len = l->cut.len = 0;
	buf_add_readable(&l->cell, s, strlen(s));
	pad(&l->out->text, DETAIL_INDENT);
	if (l->t->flags & TABLE_WHOLE_DETAILS) {
		text_add_folded(&l->cut, l->cell.data, l->cell.len, l->o->width, DETAIL_INDENT);
		l->cut.len--; /* its newline, which is not coloured */
	} else if (room && l->cell.len) {
		text_shorten(&l->cut, l->cell.data, l->cell.len, room);
	} else {
		buf_add(&l->cut, l->cell.data, l->cell.len);
	}
	add_marked(l, l->cut.data, l->cut.len, MARK_FAINT);
	buf_addc(&l->out->text, '\n');
}

static void put_rows(struct layout *l)
{
	for (size_t i = 0; i < l->t->n_rows && l->out->status == ST_OK; i++) {
		row_fill(l->t, i, &l->row);
		render_text_put_row(l, l->row.cells, l->row.depth);
		for (size_t k = 0; k < l->row.n_details; k++)
			put_detail(l, l->row.details[k]);
		if (l->row.more)
			put_detail(l, l->row.more);
		out_flush(l->out, false);
	}
}

static void put_line(struct render_out *out, const struct render_options *o, const char *s)
{
	struct buf line = BUF_INIT;

	buf_add_readable(&line, s, strlen(s));
	text_add_folded(&out->text, buf_str(&line), line.len, o->width, 0);
	buf_release(&line);
}

static void put_notes(struct render_out *out, const struct render_options *o,
		      const char *const *notes, size_t n)
{
	if (n)
		buf_addc(&out->text, '\n');
	for (size_t i = 0; i < n; i++)
		put_line(out, o, notes[i]);
}

static void put_title(struct render_out *out, const struct render_options *o, const char *title)
{
	if (!title)
		return;
	buf_adds(&out->text, o->colour ? "\x1b[1m" : "");
	put_line(out, o, title);
	out->text.len--;
	buf_adds(&out->text, o->colour ? "\x1b[0m\n\n" : "\n\n");
}

/* Of totals: one without a value that is shown is no line. */
static bool has_value(const struct layout *l, const struct table_cell *cells)
{
	for (size_t k = 0; k < l->t->n_columns; k++)
		if (cells[k].present && !(l->t->columns[k].flags & COLUMN_NOT_TEXT))
			return true;
	return false;
}

static void render_text_table(const struct table *t, const struct render_options *o,
			      struct render_out *out)
{
	struct layout l = {.t = t, .o = o, .out = out};

	l.widths = mem_zarray(t->n_columns + 1, sizeof *l.widths);
	l.row.cells = mem_zarray(t->n_columns + 1, sizeof *l.row.cells);
	l.values = mem_zarray(t->n_columns + 1, sizeof *l.values);
	l.shown = mem_zarray(t->n_columns + 1, sizeof *l.shown);
	l.left_out = mem_zarray(t->n_columns + 1, sizeof *l.left_out);
	l.at = mem_zarray(t->n_columns + 1, sizeof *l.at);
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
		leave_out(&l, COLUMN_FIRST_SPARE, READABLE);
		leave_out(&l, COLUMN_SPARE, READABLE);
		leave_out_numbers(&l);
		render_text_narrow(&l);
	}
	put_title(out, o, t->title);
	if (table_empty(t))
		put_line(out, o, table_empty(t));
	else
		render_text_put_row(&l, NULL, 0);
	put_rows(&l);
	for (size_t i = 0; i < t->n_totals && !table_empty(t); i++)
		if (has_value(&l, t->totals + i * t->n_columns))
			render_text_put_row(&l, t->totals + i * t->n_columns, 0);
	put_notes(out, o, t->notes, t->n_notes);
	if (!table_empty(t))
		note_hidden_columns(&l);
	buf_release(&l.cell);
	buf_release(&l.cut);
	free(l.row.cells);
	free(l.widths);
	free(l.values);
	free(l.shown);
	free(l.left_out);
	free(l.at);
}

/* "3 rules: 2 pass, 1 fail" */
static void put_verdicts(const struct table_checks *c, struct render_out *out)
{
	const char *before = ": ";

	buf_addf(&out->text, "\n%zu rule%s", c->n_items, plural_s(c->n_items));
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

/* ahead: those that stand before the others. */
static void text_sections(const struct table_document *d, const struct render_options *o,
			  bool ahead, bool *first, struct render_out *out)
{
	for (size_t i = 0; i < d->n_sections && out->status == ST_OK; i++) {
		const struct table_section *s = &d->sections[i];
		bool asked = d->n_sections == 1 || (o->table && !strcmp(o->table, section_name(s)));

		if (s->kind == SECTION_FLAME || (s->kind == SECTION_SERIES && !o->plot && !asked) ||
		    ahead != (s->kind == SECTION_TABLE && s->table->flags & TABLE_AHEAD))
			continue;
		if (!*first)
			buf_addc(&out->text, '\n');
		*first = false;
		render_text_section(s, o, out);
	}
}

enum status text_document(const struct table_document *d, const struct render_options *o,
			  struct render_out *out)
{
	bool first = true;

	put_title(out, o, d->title);
	for (size_t i = 0; i < d->n_heads && !o->table; i++) {
		put_line(out, o, d->heads[i]);
		if (i + 1 == d->n_heads)
			buf_addc(&out->text, '\n');
	}
	text_sections(d, o, true, &first, out);
	text_sections(d, o, false, &first, out);
	if (!o->table)
		put_notes(out, o, d->notes, d->n_notes);
	return out_flush(out, false);
}
