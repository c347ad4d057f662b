/* SPDX-License-Identifier: MIT */
#include "lib/render/html.h"

#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/render/html/assets.h"
#include "lib/render/html_data.h"
#include "lib/render/html_flame.h"
#include "lib/render/html_picture.h"
#include "lib/render/html_rows.h"
#include "lib/render/json.h"
#include "lib/render/xml.h"
#include "lib/table/views.h"

#include <stdlib.h>
#include <string.h>

struct page {
	const struct render_options *o;
	struct render_out *out;
	struct buf *b;
	size_t in_tables; /* bytes of rows in the text */
	size_t room;      /* bytes for rows that are data */
};

enum {
	HTML_ROWS = 1000,           /* of a table in the text: those behind them are data */
	HTML_TABLES = 12 * 1000000, /* bytes of the rows in the text, of all tables */
};

static const char *const mark_classes[] = {
    [MARK_NONE] = "",    [MARK_GOOD] = " good",     [MARK_WARN] = " warn",
    [MARK_BAD] = " bad", [MARK_STRONG] = " strong", [MARK_FAINT] = " faint"};

static void text(struct page *p, const char *s, size_t n)
{
	xml_text(p->b, s, n < HTML_TEXT ? n : HTML_TEXT);
	if (n > HTML_TEXT)
		buf_addf(p->b, "\xe2\x80\xa6 (%zu bytes)", n);
}

static void string(struct page *p, const char *s)
{
	if (s)
		text(p, s, strlen(s));
}

static void html_text_cell(struct page *p, const struct table_column *c, const struct table_cell *v,
			   const struct table_row *r, bool details)
{
	struct buf *b = p->b;

	buf_addf(b, "<td class=\"%s%s\"", c->flags & COLUMN_PROSE ? "prose" : "name",
		 v->mark <= MARK_FAINT ? mark_classes[v->mark] : "");
	if (c->flags & COLUMN_TREE && r->depth)
		buf_addf(b, " style=\"padding-left:%upx\"",
			 16u * (r->depth < DEPTH_SHOWN ? r->depth : DEPTH_SHOWN));
	buf_addc(b, '>');
	if (details) /* what broke a rule is what the page is opened for */
		buf_adds(b, r->cells[0].mark == MARK_BAD ? "<details open><summary>"
							 : "<details><summary>");
	if (v->present)
		text(p, v->text, v->len);
	if (details) {
		buf_adds(b, "</summary>");
		for (size_t i = 0; i < r->n_details; i++) {
			buf_adds(b, "<div>");
			string(p, r->details[i]);
			buf_adds(b, "</div>");
		}
		if (r->more) {
			buf_adds(b, "<div>");
			string(p, r->more);
			buf_adds(b, "</div>");
		}
		buf_adds(b, "</details>");
	}
	buf_adds(b, "</td>");
}

static void number_cell(struct page *p, const struct table_column *c, const struct table_cell *v)
{
	struct buf *b = p->b;

	buf_addf(b, "<td class=\"num%s%s\"", c->flags & COLUMN_BAR ? " bar" : "",
		 v->mark <= MARK_FAINT ? mark_classes[v->mark] : "");
	if (v->present && c->flags & COLUMN_BAR) {
		buf_adds(b, " style=\"--bar:");
		cell_exact(b, c, v);
		buf_adds(b, "%\"");
	}
	if (v->present) {
		buf_adds(b, " data-v=\"");
		cell_exact(b, c, v);
		buf_addc(b, '"');
	}
	buf_addc(b, '>');
	cell_for_people(b, c, v, p->o->exact_bytes);
	buf_adds(b, "</td>");
}

static void html_row(struct page *p, const struct table *t, const struct table_row *r)
{
	bool owed = r->n_details || r->more; /* details hang on the first text */

	buf_adds(p->b, "<tr>");
	for (size_t k = 0; k < t->n_columns; k++) {
		const struct table_column *c = &t->columns[k];

		if (c->flags & COLUMN_NOT_TEXT)
			continue;
		if (c->type != COLUMN_TEXT) {
			number_cell(p, c, &r->cells[k]);
			continue;
		}
		html_text_cell(p, c, &r->cells[k], r, owed && !(c->flags & COLUMN_PROSE));
		owed = owed && c->flags & COLUMN_PROSE;
	}
	buf_adds(p->b, "</tr>\n");
}

static void notes(struct page *p, const char *const *lines, size_t n)
{
	if (!n)
		return;
	buf_adds(p->b, "<ul class=\"notes\">");
	for (size_t i = 0; i < n; i++) {
		buf_adds(p->b, "<li>");
		string(p, lines[i]);
		buf_adds(p->b, "</li>");
	}
	buf_adds(p->b, "</ul>\n");
}

/* The first, which need no script; gives how many. */
static size_t rows(struct page *p, const struct table *t)
{
	struct table_row r = {.cells = mem_zarray(t->n_columns + 1, sizeof *r.cells)};
	size_t i;

	for (i = 0; i < t->n_rows && i < HTML_ROWS && p->in_tables < HTML_TABLES; i++) {
		size_t before = p->b->len;

		row_fill(t, i, &r);
		html_row(p, t, &r);
		p->in_tables += p->b->len - before;
		if (out_flush(p->out, false) != ST_OK)
			break;
	}
	free(r.cells);
	return i;
}

static void html_table(struct page *p, const struct table *t)
{
	struct buf *b = p->b;
	size_t first, all;

	if (table_empty(t)) {
		buf_adds(b, "<p class=\"cut\">");
		string(p, table_empty(t));
		buf_adds(b, "</p>\n");
		notes(p, t->notes, t->n_notes);
		return;
	}
	if (t->n_rows > 10)
		buf_adds(b, "<div class=\"tools\"><input type=\"search\" placeholder=\"filter rows "
			    "(regular expression)\"><span class=\"say\"></span></div>\n");
	buf_adds(b, "<div class=\"scroll\"><table><thead><tr>");
	for (size_t k = 0; k < t->n_columns; k++) {
		if (t->columns[k].flags & COLUMN_NOT_TEXT)
			continue;
		buf_addf(b, "<th scope=\"col\"%s",
			 t->columns[k].type == COLUMN_TEXT ? "" : " class=\"num\"");
		if (t->columns[k].key && strcmp(t->columns[k].key, t->columns[k].title) != 0) {
			buf_adds(b, " data-key=\"");
			string(p, t->columns[k].key); /* a counter's key has its name */
			buf_addc(b, '"');
		}
		buf_adds(b, "><button>");
		string(p, t->columns[k].title);
		buf_adds(b, "</button></th>");
	}
	buf_adds(b, "</tr></thead><tbody>\n");
	first = all = rows(p, t);
	buf_adds(b, "</tbody>");
	if (t->n_totals)
		buf_adds(b, "<tfoot>");
	for (size_t i = 0; i < t->n_totals; i++)
		html_row(p, t, &(struct table_row){.cells = t->totals + i * t->n_columns});
	buf_adds(b, t->n_totals ? "</tfoot></table></div>\n" : "</table></div>\n");
	if (first < t->n_rows)
		all = html_rows_data(t, first, p->o->exact_bytes, &p->room, p->out);
	if (first < all)
		buf_addf(b,
			 "<noscript><p class=\"cut\">Scripts do not run here: the first %zu of %zu "
			 "rows are shown.</p></noscript>\n",
			 first, t->n_rows);
	if (all < t->n_rows)
		buf_addf(b,
			 "<p class=\"cut\">Only the first %zu of %zu rows are in this page; CSV "
			 "and JSON have all.</p>\n",
			 all, t->n_rows);
	notes(p, t->notes, t->n_notes);
}

static void html_flame(struct page *p, const struct flame *f)
{
	struct flame small = FLAME_INIT;
	size_t cut = flame_prune(f, HTML_NODES, &small);

	if (f->differential) {
		buf_adds(p->b, "<p class=\"meta\"><span>red: more than in ");
		string(p, f->base_label ? f->base_label : "the base");
		buf_adds(p->b, "</span><span>blue: less</span><span>new: ");
		string(p, f->new_label ? f->new_label : "the new side");
		buf_adds(p->b, "</span></p>\n");
	}
	small.type = f->type;
	small.differential = f->differential;
	html_flame_data(cut ? &small : f, p->out);
	html_flame_picture(f, p->b);
	if (cut)
		buf_addf(p->b,
			 "<p class=\"cut\">The %zu smallest of %zu nodes are drawn as (smaller); "
			 "JSON has all.</p>\n",
			 cut, f->n_nodes);
	notes(p, f->notes, f->n_notes);
	flame_release(&small);
}

static void series(struct page *p, const struct table_series *s)
{
	size_t step = (s->n_points + HTML_POINTS - 1) / HTML_POINTS;

	buf_adds(p->b, "<script type=\"application/json\">{");
	json_series(s, step ? step : 1, true, p->out);
	buf_adds(p->b, "}</script>\n");
	html_series_picture(s, p->b);
	if (step > 1)
		buf_addf(p->b,
			 "<p class=\"cut\">Each point is the largest of %zu of the %zu; CSV and "
			 "JSON have all.</p>\n",
			 step, s->n_points);
}

static const char *section_title(const struct table_section *s)
{
	const char *title = s->kind == SECTION_TABLE    ? s->table->title
			    : s->kind == SECTION_FLAME  ? s->flame->title
			    : s->kind == SECTION_SERIES ? s->series->title
							: s->checks->title;

	return title ? title : section_name(s);
}

static void html_section(struct page *p, const struct table_section *s, size_t i)
{
	static const char *const classes[] = {[SECTION_TABLE] = "table",
					      [SECTION_FLAME] = "flame",
					      [SECTION_SERIES] = "series",
					      [SECTION_CHECKS] = "table checks"};
	struct table_view v;

	buf_addf(p->b, "<section id=\"s%zu\" class=\"%s\"><h2>", i, classes[s->kind]);
	string(p, section_title(s));
	if (s->kind == SECTION_TABLE)
		buf_addf(p->b, " <small>%zu row%s</small>", s->table->n_rows,
			 plural_s(s->table->n_rows));
	for (size_t k = VERDICTS; s->kind == SECTION_CHECKS && k-- > 0;) {
		size_t n = checks_count(s->checks, (enum verdict)k);

		if (n)
			buf_addf(p->b, " <small>%zu %s</small>", n, verdict_words[k]);
	}
	buf_adds(p->b, "</h2>\n");
	switch (s->kind) {
	case SECTION_TABLE: html_table(p, s->table); break;
	case SECTION_FLAME: html_flame(p, s->flame); break;
	case SECTION_SERIES: series(p, s->series); break;
	case SECTION_CHECKS:
		v = view_checks(s->checks, false);
		html_table(p, &v.table);
		view_release(&v);
		break;
	}
	buf_adds(p->b, "</section>\n");
	out_flush(p->out, false);
}

static void html_meta(struct page *p, const struct table_document *d)
{
	buf_adds(p->b, "<p class=\"meta\"><span>");
	string(p, d->program);
	buf_adds(p->b, " ");
	string(p, document_version(d));
	buf_adds(p->b, "</span>");
	for (size_t i = 0; i < d->n_inputs; i++) {
		buf_adds(p->b, "<span>");
		string(p, d->inputs[i].what ? d->inputs[i].what : "input");
		buf_adds(p->b, ": ");
		if (!strcmp(d->inputs[i].name, "-")) {
			buf_adds(p->b, "standard input</span>");
			continue;
		}
		buf_adds(p->b, "<bdi class=\"file\">");
		string(p, d->inputs[i].name);
		buf_adds(p->b, "</bdi></span>");
	}
	for (size_t i = 0; i < d->n_facts; i++) {
		buf_adds(p->b, "<span>");
		string(p, d->facts[i].key);
		buf_adds(p->b, ": ");
		string(p, d->facts[i].value);
		buf_adds(p->b, "</span>");
	}
	buf_adds(p->b, "</p>\n");
	if (d->n_sections < 2)
		return;
	buf_adds(p->b, "<nav>");
	for (size_t i = 0; i < d->n_sections; i++) {
		buf_addf(p->b, "<a href=\"#s%zu\">", i);
		string(p, section_title(&d->sections[i]));
		buf_adds(p->b, "</a>");
	}
	buf_adds(p->b, "</nav>\n");
}

enum status html_document(const struct table_document *d, const struct render_options *o,
			  struct render_out *out)
{
	struct page p = {.o = o, .out = out, .b = &out->text, .room = HTML_ROW_DATA};

	/* The policy is what makes "no network" a fact. */
	buf_adds(p.b, "<!DOCTYPE html>\n<html lang=\"en\"");
	if (o->language)
		buf_addf(p.b, " data-language=\"%s\"", o->language);
	buf_adds(p.b, ">\n<head>\n<meta charset=\"utf-8\">\n"
		      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		      "style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'; "
		      "form-action 'none'\">\n"
		      "<meta name=\"viewport\" content=\"width=device-width\">\n<title>");
	string(&p, document_title(d));
	buf_adds(p.b, "</title>\n<style>\n");
	buf_adds(p.b, html_styles);
	buf_adds(p.b, "</style>\n</head>\n<body>\n<header><h1>");
	string(&p, document_title(d));
	buf_adds(p.b, "</h1>\n<div class=\"buttons\"><button id=\"language\" hidden></button>"
		      "<button id=\"theme\">light / dark</button></div>\n");
	html_meta(&p, d);
	buf_adds(p.b, "</header>\n<main>\n");
	for (int charts = 1; charts >= 0;
	     charts--) /* a picture says first what there is to look for */
		for (size_t i = 0; i < d->n_sections && out->status == ST_OK; i++)
			if ((d->sections[i].kind == SECTION_SERIES) == charts)
				html_section(&p, &d->sections[i], i);
	buf_adds(p.b, "</main>\n<footer>\n");
	notes(&p, d->notes, d->n_notes);
	buf_adds(p.b, "</footer>\n<script>\n");
	buf_adds(p.b, html_scripts);
	buf_adds(p.b, "</script>\n</body>\n</html>\n");
	return out_flush(out, false);
}
