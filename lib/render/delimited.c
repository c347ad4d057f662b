/* SPDX-License-Identifier: MIT
 *
 * CSV as in RFC 4180, and TSV as in the media type text/tab-separated-values (IANA), whose fields
 * cannot hold tabs: they are escaped. What a spreadsheet takes for a formula: the list of OWASP's
 * "CSV Injection" page.
 */
#include "lib/render/delimited.h"
#include "lib/base/mem.h"

#include <stdlib.h>
#include <string.h>

static bool is_number(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (s[i] < '0' || s[i] > '9')
			return false;
	return n > 0;
}

/* A negative number, as that of a frame, is no formula. Also the full-width forms of its signs: U+FF1D, U+FF0B, U+FF0D, U+FF20. */
static bool looks_like_a_formula(const char *s, size_t n)
{
	if (n > 1 && *s == '-' && is_number(s + 1, n - 1))
		return false;
	/* A quote would be taken for the guard. */
	if (n && *s && strchr("=+-@\t\r\n'", *s))
		return true;
	return n >= 3 && !memcmp(s, "\xef\xbc", 2) && strchr("\x9d\x8b\x8d\xa0", s[2]) && s[2];
}

static void delimited_add_csv(struct buf *b, const char *s, size_t n)
{
	bool quote = false;

	for (size_t i = 0; i < n && !quote; i++)
		quote = s[i] == ',' || s[i] == '"' || s[i] == '\r' || s[i] == '\n';
	if (!quote) {
		buf_add(b, s, n);
		return;
	}
	buf_addc(b, '"');
	while (n) {
		const char *q = memchr(s, '"', n);
		size_t k = q ? (size_t)(q - s) + 1 : n;

		buf_add(b, s, k);
		if (q)
			buf_addc(b, '"');
		s += k;
		n -= k;
	}
	buf_addc(b, '"');
}

static void add_tsv(struct buf *b, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		switch (s[i]) {
		case '\t': buf_adds(b, "\\t"); break;
		case '\n': buf_adds(b, "\\n"); break;
		case '\r': buf_adds(b, "\\r"); break;
		case '\\': buf_adds(b, "\\\\"); break;
		default: buf_addc(b, s[i]);
		}
}

static void delimited_add_text(const struct delimited *d, struct buf *b, const char *s, size_t n)
{
	struct buf text = BUF_INIT;

	if (!d->raw && looks_like_a_formula(s, n))
		buf_addc(&text, '\'');
	if (d->shown && d->tabs)
		buf_add_escaped(&text, s, n);
	else if (d->shown)
		buf_add_readable(&text, s, n);
	else if (text.len)
		buf_add(&text, s, n);
	if (text.len) {
		s = text.data;
		n = text.len;
	}
	if (d->tabs && d->shown)
		buf_add(b, s, n);
	else if (d->tabs)
		add_tsv(b, s, n);
	else
		delimited_add_csv(b, s, n);
	buf_release(&text);
}

struct delimited delimited_of(enum render_format f, const struct render_options *o)
{
	return (struct delimited){f == RENDER_TSV, o->raw_csv, o->terminal};
}

static void end_line(const struct delimited *d, struct buf *b)
{
	buf_adds(b, d->tabs ? "\n" : "\r\n");
}

static void delimited_heading(const struct delimited *d, const struct table *t, struct buf *b)
{
	bool first = true;

	if (t->flags & TABLE_TREE) {
		buf_adds(b, "depth");
		first = false;
	}
	for (size_t k = 0; k < t->n_columns; k++) {
		if (t->columns[k].flags & COLUMN_NOT_CSV)
			continue;
		if (!first)
			buf_addc(b, d->tabs ? '\t' : ',');
		first = false;
		delimited_add_text(d, b, t->columns[k].key, strlen(t->columns[k].key));
	}
	end_line(d, b);
}

static void delimited_row(const struct delimited *d, const struct table *t,
			  const struct table_row *r, struct buf *b)
{
	bool first = true;

	if (t->flags & TABLE_TREE) {
		buf_add_u64(b, r->depth);
		first = false;
	}
	for (size_t k = 0; k < t->n_columns; k++) {
		const struct table_column *c = &t->columns[k];

		if (c->flags & COLUMN_NOT_CSV)
			continue;
		if (!first)
			buf_addc(b, d->tabs ? '\t' : ',');
		first = false;
		if (c->type != COLUMN_TEXT)
			cell_exact(b, c, &r->cells[k]);
		else if (r->cells[k].present)
			delimited_add_text(d, b, r->cells[k].text, r->cells[k].len);
	}
	end_line(d, b);
}

enum status delimited_table(const struct delimited *d, const struct table *t, struct render_out *o)
{
	struct table_row r = {.cells = mem_zarray(t->n_columns, sizeof *r.cells)};

	delimited_heading(d, t, &o->text);
	for (size_t i = 0; i < t->n_rows && o->status == ST_OK; i++) {
		row_fill(t, i, &r);
		delimited_row(d, t, &r, &o->text);
		out_flush(o, false);
	}
	free(r.cells);
	return o->status;
}

struct render_rows {
	const struct table *table;
	struct delimited delimited;
	struct render_out out;
};

struct render_rows *render_rows_new(const struct table *t, enum render_format f,
				    const struct render_options *o, FILE *out, struct err *e)
{
	struct render_rows *r = mem_zalloc(sizeof *r);

	r->table = t;
	r->delimited = delimited_of(f, o);
	r->out = (struct render_out){.file = out, .e = e};
	delimited_heading(&r->delimited, t, &r->out.text);
	return r;
}

enum status render_rows_add(struct render_rows *r, const struct table_row *row)
{
	if (r->out.status != ST_OK)
		return r->out.status;
	delimited_row(&r->delimited, r->table, row, &r->out.text);
	return out_flush(&r->out, false);
}

enum status render_rows_end(struct render_rows *r)
{
	enum status st;

	if (!r)
		return ST_OK;
	st = out_flush(&r->out, true);
	buf_release(&r->out.text);
	free(r);
	return st;
}
