/* SPDX-License-Identifier: MIT */
#include "lib/render/render.h"

#include "lib/base/mem.h"

#include <stdlib.h>
#include <string.h>

static void add_text(struct buf *b, const char *s, size_t n)
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

static void add_cell(struct buf *b, const struct column *col, const struct cell *c)
{
	if (!c->present)
		return;
	if (col->type == COLUMN_TEXT) {
		add_text(b, c->text, c->len);
		return;
	}
	if (c->negative && c->number)
		buf_addc(b, '-');
	if (col->type == COLUMN_PERCENT) {
		buf_add_u64(b, c->number / 100);
		buf_addf(b, ".%02u", (unsigned)(c->number % 100));
	} else {
		buf_add_u64(b, c->number);
	}
}

static enum status flush(struct buf *b, FILE *out, struct err *e)
{
	size_t n = b->len;

	b->len = 0;
	if (fwrite(b->data, 1, n, out) != n)
		return err_sys(e, "write");
	return ST_OK;
}

enum status render_csv(const struct table *t, FILE *out, struct err *e)
{
	struct row r = {.cells = mem_zarray(t->n_columns, sizeof *r.cells)};
	struct buf b = BUF_INIT;
	enum status st = ST_OK;

	/* Row 0 is the heading. */
	for (size_t i = 0; i <= t->n_rows && st == ST_OK; i++) {
		const char *comma = "";

		if (i) {
			memset(r.cells, 0, t->n_columns * sizeof *r.cells);
			t->fill(t->arg, i - 1, &r);
		}
		for (size_t k = 0; k < t->n_columns; k++) {
			const struct column *col = &t->columns[k];

			if (col->flags & COLUMN_NOT_CSV)
				continue;
			buf_adds(&b, comma);
			comma = ",";
			if (i)
				add_cell(&b, col, &r.cells[k]);
			else
				add_text(&b, col->key, strlen(col->key));
		}
		buf_adds(&b, "\r\n");
		st = flush(&b, out, e);
	}
	buf_release(&b);
	free(r.cells);
	return st;
}
