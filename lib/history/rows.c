/* SPDX-License-Identifier: MIT */
#include "lib/history/rows.h"

#include "lib/base/utf.h"

#include <string.h>

static void history_rows_prepare(struct history_rows *r)
{
	unsigned n = r->left < r->per ? (unsigned)r->left : r->per;
	struct buf sql = BUF_INIT;

	r->row = r->column = 0;
	if (n == r->in_query || !n || r->e.code)
		return;
	db_finish(r->query);
	buf_addf(&sql, "INSERT INTO %s VALUES ", r->into);
	for (unsigned i = 0; i < n * r->columns; i++)
		buf_addf(&sql, "%s$%u%s",
			 i % r->columns ? ","
			 : i            ? ",("
					: "(",
			 i + 1, (i + 1) % r->columns ? "" : ")");
	buf_adds(&sql, r->behind);
	r->query = db_prepare(r->db, buf_str(&sql), n * r->columns, &r->e);
	r->in_query = n;
	buf_release(&sql);
}

void rows_begin(struct history_rows *r, struct db *db, const char *into, unsigned columns,
		uint64_t n, const char *behind)
{
	*r = (struct history_rows){.db = db,
				   .into = into,
				   .behind = behind,
				   .columns = columns,
				   .per = ROWS_PARAMETERS / columns,
				   .left = n,
				   .e = ERR_INIT};
	history_rows_prepare(r);
}

static unsigned place(struct history_rows *r)
{
	return r->row * r->columns + ++r->column;
}

void rows_int(struct history_rows *r, int64_t v)
{
	if (!r->e.code)
		db_put_int(r->query, place(r), v);
}

void rows_real(struct history_rows *r, double v)
{
	if (!r->e.code)
		db_put_real(r->query, place(r), v);
}

void rows_null(struct history_rows *r)
{
	r->column++;
}

void rows_text(struct history_rows *r, const char *s, size_t n)
{
	if (r->e.code || !n) {
		rows_null(r);
		return;
	}
	r->text.len = 0;
	utf8_add_text(&r->text, s, n);
	db_put_text(r->query, place(r), r->text.data, r->text.len);
}

void rows_next(struct history_rows *r)
{
	r->row++;
	r->column = 0;
	r->left--;
	if (r->e.code || r->row < r->in_query)
		return;
	if (db_step(r->query, &r->e) == ST_NONE)
		db_reset(r->query);
	history_rows_prepare(r);
}

enum status rows_end(struct history_rows *r, struct err *e)
{
	db_finish(r->query);
	buf_release(&r->text);
	if (r->e.code)
		*e = r->e;
	return r->e.code;
}
