/* SPDX-License-Identifier: MIT
 *
 * GitHub Flavored Markdown, for the comment of a pull request. Names from input are put in code
 * spans, where nothing is markup but the backtick and, in a table, '|'. A comment may have 65,536
 * characters: rows and lines that do not fit are counted.
 */
#include "lib/render/markdown.h"

#include "lib/base/mem.h"
#include "lib/render/width.h"
#include "lib/table/views.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 60000, RESERVE = 2000, VISIBLE = 10, CELL = 200 };

struct markdown {
	const struct render_options *o;
	struct buf *b;
	struct buf unit, cell, cut;
	size_t rows_cut, lines_cut;
};

/* A unit is written whole or not at all. */
static bool add_unit(struct markdown *m)
{
	bool fits = m->b->len + m->unit.len <= MOST - RESERVE;

	if (fits)
		buf_add(m->b, m->unit.data, m->unit.len);
	m->unit.len = 0;
	return fits;
}

static const char *short_text(struct markdown *m, const char *s, size_t n, size_t *len)
{
	/* Escaping makes text longer, never shorter: what is behind is cut away anyway. */
	size_t most = (size_t)CELL * 8;

	m->cell.len = m->cut.len = 0;
	buf_add_readable(&m->cell, s, n < most ? n : most);
	if (n > most)
		buf_adds(&m->cell, "...");
	if (m->cell.len)
		text_shorten(&m->cut, m->cell.data, m->cell.len, CELL);
	*len = m->cut.len;
	return m->cut.data;
}

/* CommonMark 6.1: the fence is longer than any run of backticks inside; one blank at both ends is
 * taken away. */
static void markdown_code(struct markdown *m, const char *s, size_t n)
{
	size_t run = 0, longest = 0;
	bool apart;

	s = short_text(m, s, n, &n);
	if (!n)
		return;
	for (size_t i = 0; i < n; i++) {
		run = s[i] == '`' ? run + 1 : 0;
		longest = run > longest ? run : longest;
	}
	apart = *s == '`' || s[n - 1] == '`' || *s == ' ' || s[n - 1] == ' ';
	for (size_t i = 0; i <= longest; i++)
		buf_addc(&m->unit, '`');
	buf_adds(&m->unit, apart ? " " : "");
	for (size_t i = 0; i < n; i++) {
		if (s[i] == '|')
			buf_addc(&m->unit, '\\');
		buf_addc(&m->unit, s[i]);
	}
	buf_adds(&m->unit, apart ? " " : "");
	for (size_t i = 0; i <= longest; i++)
		buf_addc(&m->unit, '`');
}

/* '@' would call people and '#' name issues. */
static void markdown_prose(struct markdown *m, const char *s, size_t n)
{
	s = short_text(m, s, n, &n);
	for (size_t i = 0; i < n; i++)
		switch (s[i]) {
		case '<':
		case '>':
		case '&':
		case '@':
		case '#': buf_addf(&m->unit, "&#%d;", s[i]); break;
		case '\\':
		case '`':
		case '*':
		case '_':
		case '[':
		case ']':
		case '~':
		case '|': buf_addc(&m->unit, '\\'); /* fall through */
		default: buf_addc(&m->unit, s[i]);
		}
}

static void prose_line(struct markdown *m, const char *before, const char *s)
{
	buf_adds(&m->unit, before);
	markdown_prose(m, s, strlen(s));
	buf_addc(&m->unit, '\n');
	m->lines_cut += !add_unit(m);
}

static void markdown_cell(struct markdown *m, const struct table_column *c,
			  const struct table_cell *v)
{
	bool strong = v->mark == MARK_BAD || v->mark == MARK_STRONG;
	struct buf number = BUF_INIT;

	buf_adds(&m->unit, " ");
	if (strong && v->present && (c->type != COLUMN_TEXT || v->len))
		buf_adds(&m->unit, "**");
	if (c->type != COLUMN_TEXT) {
		cell_for_people(&number, c, v, m->o->exact_bytes);
		buf_add(&m->unit, number.data, number.len);
	} else if (v->present && c->flags & COLUMN_PROSE) {
		markdown_prose(m, v->text, v->len);
	} else if (v->present) {
		markdown_code(m, v->text, v->len);
	}
	if (strong && v->present && (c->type != COLUMN_TEXT || v->len))
		buf_adds(&m->unit, "**");
	buf_adds(&m->unit, " |");
	buf_release(&number);
}

static void heading(struct markdown *m, const struct table *t, const bool *shown)
{
	buf_adds(&m->unit, "\n|");
	for (size_t k = 0; k < t->n_columns; k++)
		if (shown[k]) {
			buf_addc(&m->unit, ' ');
			markdown_prose(m, t->columns[k].title, strlen(t->columns[k].title));
			buf_adds(&m->unit, " |");
		}
	buf_adds(&m->unit, "\n|");
	for (size_t k = 0; k < t->n_columns; k++)
		if (shown[k])
			buf_adds(&m->unit, t->columns[k].type == COLUMN_TEXT ? "---|" : "--:|");
	buf_addc(&m->unit, '\n');
}

static void row(struct markdown *m, const struct table *t, const bool *shown,
		const struct table_row *r)
{
	buf_adds(&m->unit, "|");
	for (size_t k = 0; k < t->n_columns; k++) {
		if (!shown[k])
			continue;
		if (t->columns[k].flags & COLUMN_TREE)
			for (uint32_t i = 0; i < r->depth && i < DEPTH_SHOWN; i++)
				buf_adds(&m->unit, "&ensp;");
		markdown_cell(m, &t->columns[k], &r->cells[k]);
	}
	buf_addc(&m->unit, '\n');
}

static void totals(struct markdown *m, const struct table *t, const bool *shown)
{
	for (size_t i = 0; i < t->n_totals; i++) {
		struct table_row r = {.cells = t->totals + i * t->n_columns};

		row(m, t, shown, &r);
		m->lines_cut += !add_unit(m);
	}
}

/* Text columns that no row has are left out, as in text. */
static void find_shown(const struct table *t, bool *shown)
{
	struct table_row r = {.cells = mem_zarray(t->n_columns + 1, sizeof *r.cells)};

	for (size_t k = 0; k < t->n_columns; k++)
		shown[k] = !(t->columns[k].flags & COLUMN_NOT_TEXT) &&
			   (t->columns[k].type != COLUMN_TEXT || !t->n_rows);
	for (size_t i = 0; i < t->n_rows; i++) {
		row_fill(t, i, &r);
		for (size_t k = 0; k < t->n_columns; k++)
			shown[k] |= !(t->columns[k].flags & COLUMN_NOT_TEXT) &&
				    r.cells[k].present && r.cells[k].len;
	}
	free(r.cells);
}

static void markdown_table(struct markdown *m, const struct table *t)
{
	struct table_row r = {.cells = mem_zarray(t->n_columns + 1, sizeof *r.cells)};
	bool *shown = mem_zarray(t->n_columns + 1, sizeof *shown), open = false;

	find_shown(t, shown);
	if (t->title)
		prose_line(m, "\n### ", t->title);
	if (table_empty(t))
		prose_line(m, "\n", table_empty(t));
	else
		heading(m, t, shown);
	if (!add_unit(m)) {
		m->rows_cut += t->n_rows;
		free(shown);
		free(r.cells);
		return;
	}
	for (size_t i = 0; i < t->n_rows; i++) {
		/* Half as many again are not worth a fold. */
		if (i == VISIBLE && t->n_rows > VISIBLE + VISIBLE / 2) {
			buf_addf(&m->unit, "\n<details><summary>%zu more rows</summary>\n",
				 t->n_rows - VISIBLE);
			heading(m, t, shown);
			open = add_unit(m);
		}
		row_fill(t, i, &r);
		row(m, t, shown, &r);
		if (!add_unit(m)) {
			m->rows_cut += t->n_rows - i;
			break;
		}
	}
	if (!table_empty(t))
		totals(m, t, shown);
	if (open)
		buf_adds(m->b, "\n</details>\n");
	if (t->n_notes)
		buf_addc(m->b, '\n');
	for (size_t i = 0; i < t->n_notes; i++)
		prose_line(m, "- ", t->notes[i]);
	free(shown);
	free(r.cells);
}

/* Its lines are one item; those for the policy are indented, and become a block of code. */
static void markdown_breach(struct markdown *m, const char *text)
{
	bool code = false;

	for (const char *end; *text; text = *end ? end + 1 : end) {
		bool indented = *text == ' ';

		end = text + strcspn(text, "\n");
		if (indented && !code)
			buf_adds(&m->unit, "\n");
		if (!indented && code)
			buf_adds(&m->unit, "\n");
		code = indented;
		if (indented) {
			buf_adds(&m->unit, "      ");
			buf_add(&m->unit, text + 4, (size_t)(end - text) - 4);
		} else {
			buf_adds(&m->unit, m->unit.len ? "  " : "- ");
			markdown_prose(m, text, (size_t)(end - text));
			buf_adds(&m->unit, *end && end[1] != ' ' ? "\\" : "");
		}
		buf_addc(&m->unit, '\n');
	}
}

static void markdown_checks(struct markdown *m, const struct table_checks *c)
{
	struct table_view v = view_checks(c, false);
	struct buf line = BUF_INIT;

	for (size_t i = 0; i < c->n_items; i++) {
		if (!c->items[i].n_breaches)
			continue;
		buf_adds(&m->unit, "\n**");
		markdown_prose(m, c->items[i].name, strlen(c->items[i].name));
		buf_addf(&m->unit, "** (%s)\n\n", verdict_words[c->items[i].verdict]);
		m->lines_cut += !add_unit(m);
		for (size_t k = 0; k < c->items[i].n_breaches; k++) {
			line.len = 0;
			breach_text(&line, &c->items[i].breaches[k]);
			markdown_breach(m, buf_str(&line));
			m->lines_cut += !add_unit(m);
		}
	}
	markdown_table(m, &v.table);
	buf_release(&line);
	view_release(&v);
}

/* Four blanks make a code block, whatever is in it. */
static void markdown_plot(struct markdown *m, const struct table_series *s)
{
	struct render_options o = {.exact_bytes = m->o->exact_bytes};
	struct buf text = BUF_INIT;

	if (s->title)
		prose_line(m, "\n### ", s->title);
	text_plot(s, &o, &text);
	buf_addc(&m->unit, '\n');
	for (size_t i = 0; i < text.len;) {
		const char *end = memchr(text.data + i, '\n', text.len - i);
		size_t n = (size_t)(end - text.data) + 1 - i;

		buf_adds(&m->unit, "    ");
		buf_add(&m->unit, text.data + i, n);
		i += n;
	}
	m->lines_cut += !add_unit(m);
	buf_release(&text);
}

enum status markdown_document(const struct table_document *d, const struct render_options *o,
			      struct render_out *out)
{
	struct markdown m = {.o = o, .b = &out->text};

	prose_line(&m, "## ", document_title(d));
	for (size_t i = 0; i < d->n_heads; i++)
		prose_line(&m, "- ", d->heads[i]);
	for (size_t i = 0; i < d->n_sections; i++) {
		const struct table_section *s = &d->sections[i];

		if (s->kind == SECTION_TABLE)
			markdown_table(&m, s->table);
		else if (s->kind == SECTION_CHECKS)
			markdown_checks(&m, s->checks);
		else if (s->kind == SECTION_SERIES)
			markdown_plot(&m, s->series);
	}
	if (d->n_notes)
		buf_addc(m.b, '\n');
	for (size_t i = 0; i < d->n_notes; i++)
		prose_line(&m, "- ", d->notes[i]);
	if (m.rows_cut || m.lines_cut)
		buf_addf(m.b,
			 "\n*Not shown, since a comment has no room for them: %zu rows, %zu other "
			 "lines.*\n",
			 m.rows_cut, m.lines_cut);
	buf_release(&m.unit);
	buf_release(&m.cell);
	buf_release(&m.cut);
	return out_flush(out, false);
}
