/* SPDX-License-Identifier: MIT */
#include "lib/render/html_rows.h"

#include "lib/base/intern.h"
#include "lib/base/mem.h"
#include "lib/render/html_data.h"
#include "lib/render/json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define DOUBLE_HOLDS ((uint64_t)1 << 53)

struct html_rows {
	const struct table *t;
	struct intern strings;
	struct buf *cells; /* of each column */
	struct buf marks, details, depth, text;
	size_t bytes; /* of the strings */
};

static const char *const mark_names[] = {
    [MARK_NONE] = "",   [MARK_GOOD] = "good",     [MARK_WARN] = "warn",
    [MARK_BAD] = "bad", [MARK_STRONG] = "strong", [MARK_FAINT] = "faint"};

static uint32_t html_rows_string(struct html_rows *r, const char *s, size_t n)
{
	uint32_t before = intern_count(&r->strings), id;

	r->text.len = 0;
	buf_add(&r->text, s, html_cut(s, n));
	if (n > HTML_TEXT)
		buf_addf(&r->text, "\xe2\x80\xa6 (%zu bytes)", n);
	id = intern_add(&r->strings, r->text.len ? r->text.data : "", r->text.len);
	if (id > before)
		r->bytes += r->text.len + 4;
	return id - 1;
}

static void html_rows_cell(struct html_rows *r, const struct table_column *c,
			   const struct table_cell *v, struct buf *b)
{
	if (!v->present) {
		buf_adds(b, "null");
		return;
	}
	if (c->type == COLUMN_TEXT) {
		buf_add_u64(b, html_rows_string(r, v->text, v->len));
		return;
	}
	buf_adds(b, v->number > DOUBLE_HOLDS ? "\"" : "");
	cell_exact(b, c, v);
	buf_adds(b, v->number > DOUBLE_HOLDS ? "\"" : "");
}

static void html_rows_details(struct html_rows *r, const struct table_row *row, size_t i)
{
	struct buf *b = &r->details;

	if (!row->n_details && !row->more)
		return;
	buf_addf(b, "%s[%zu,[", b->len ? "," : "", i);
	for (size_t k = 0; k < row->n_details; k++)
		buf_addf(b, "%s%" PRIu32, k ? "," : "",
			 html_rows_string(r, row->details[k], strlen(row->details[k])));
	if (row->more)
		buf_addf(b, "%s%" PRIu32, row->n_details ? "," : "",
			 html_rows_string(r, row->more, strlen(row->more)));
	buf_adds(b, "]]");
}

/* i: of the rows that are data. */
static void html_rows_add(struct html_rows *r, const struct table_row *row, size_t i)
{
	for (size_t k = 0, at = 0; k < r->t->n_columns; k++) {
		const struct table_column *c = &r->t->columns[k];
		const struct table_cell *v = &row->cells[k];

		if (c->flags & COLUMN_NOT_TEXT)
			continue;
		if (i)
			buf_addc(&r->cells[k], ',');
		html_rows_cell(r, c, v, &r->cells[k]);
		if (v->mark && v->mark <= MARK_FAINT)
			buf_addf(&r->marks, "%s[%zu,%zu,\"%s\"]", r->marks.len ? "," : "", at, i,
				 mark_names[v->mark]);
		at++;
	}
	html_rows_details(r, row, i);
}

static size_t html_rows_bytes(const struct html_rows *r)
{
	size_t n = r->marks.len + r->details.len + r->depth.len + r->bytes;

	for (size_t k = 0; k < r->t->n_columns; k++)
		n += r->cells[k].len;
	return n;
}

static void html_rows_columns(const struct table *t, struct buf *b)
{
	bool any = false;

	json_key(b, "columns");
	buf_addc(b, '[');
	for (size_t k = 0; k < t->n_columns; k++) {
		const struct table_column *c = &t->columns[k];

		if (c->flags & COLUMN_NOT_TEXT)
			continue;
		buf_adds(b, any ? ",{" : "{");
		json_key(b, "type");
		json_string(b, html_type(c->type));
		buf_addf(b, ",\"decimals\":%u%s%s%s%s}", c->decimals,
			 c->flags & COLUMN_SIGNED ? ",\"signed\":true" : "",
			 c->flags & COLUMN_BAR ? ",\"bar\":true" : "",
			 c->flags & COLUMN_PROSE ? ",\"prose\":true" : "",
			 c->flags & COLUMN_TREE ? ",\"tree\":true" : "");
		any = true;
	}
	buf_addc(b, ']');
}

static void html_rows_list(struct buf *b, const char *key, struct buf *list)
{
	json_key(b, key);
	buf_addc(b, '[');
	buf_add(b, list->data, list->len);
	buf_addc(b, ']');
	buf_release(list);
}

static void html_rows_write(struct html_rows *r, size_t n, bool exact, struct buf *b)
{
	bool any = false;

	buf_adds(b, "<script type=\"application/json\">{");
	html_rows_columns(r->t, b);
	buf_addf(b, ",\"exact\":%s,\"rows\":%zu,\"cells\":[", exact ? "true" : "false", n);
	for (size_t k = 0; k < r->t->n_columns; k++) {
		if (!(r->t->columns[k].flags & COLUMN_NOT_TEXT)) {
			buf_adds(b, any ? ",\n[" : "[");
			buf_add(b, r->cells[k].data, r->cells[k].len);
			buf_addc(b, ']');
			any = true;
		}
		buf_release(&r->cells[k]);
	}
	buf_addc(b, ']');
	html_rows_list(b, "marks", &r->marks);
	html_rows_list(b, "details", &r->details);
	if (r->t->flags & TABLE_TREE)
		html_rows_list(b, "depth", &r->depth);
	json_key(b, "strings");
	buf_addc(b, '[');
	for (uint32_t id = 1; id <= intern_count(&r->strings); id++) {
		size_t len;
		const char *s = intern_text(&r->strings, id, &len);

		buf_adds(b, id > 1 ? ",\n" : "\n");
		html_shown(b, s, len);
	}
	buf_adds(b, "]}</script>\n");
}

size_t html_rows_data(const struct table *t, size_t from, bool exact, size_t *room,
		      struct render_out *out)
{
	struct html_rows r = {.t = t, .cells = mem_zarray(t->n_columns + 1, sizeof *r.cells)};
	struct table_row row = {.cells = mem_zarray(t->n_columns + 1, sizeof *row.cells)};
	size_t i;

	for (i = 0; i < t->n_rows && (i < from || html_rows_bytes(&r) < *room); i++) {
		if (i < from && !(t->flags & TABLE_TREE))
			i = from;
		row_fill(t, i, &row);
		if (t->flags & TABLE_TREE)
			buf_addf(&r.depth, "%s%" PRIu32, i ? "," : "", row.depth);
		if (i >= from)
			html_rows_add(&r, &row, i - from);
	}
	i = i < from ? from : i;
	*room -= html_rows_bytes(&r) < *room ? html_rows_bytes(&r) : *room;
	html_rows_write(&r, i - from, exact, &out->text);
	out_flush(out, false);
	intern_release(&r.strings);
	buf_release(&r.text);
	free(r.cells);
	free(row.cells);
	return i;
}
