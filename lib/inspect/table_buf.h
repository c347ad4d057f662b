/* SPDX-License-Identifier: MIT
 *
 * A table (lib/table/table.h) whose cells are kept: for reports of some hundred rows.
 */
#ifndef TM_INSPECT_TABLE_BUF_H
#define TM_INSPECT_TABLE_BUF_H

#include "lib/base/arena.h"
#include "lib/table/table.h"

enum { TABLE_BUF_COLUMNS = 10 };

struct table_buf {
	struct table table; /* fill and arg are the table's own: it must not move */
	struct table_column columns[TABLE_BUF_COLUMNS];
	struct table_cell *cells;
	size_t n_cells, cap_cells;
	const char *
	    *heads; /* of a tree, by row: the line beneath an outermost one; NULL: of a row below */
	size_t n_heads, cap_heads;
	struct arena text;
};

void table_buf_init(struct table_buf *s, const char *name, const char *title);
void table_buf_column(struct table_buf *s, const char *key, const char *title,
		      enum column_type type, unsigned flags);
/* A new row: its cells, absent so far; valid until the next row. */
struct table_cell *table_buf_row(struct table_buf *s);
/* The same, of a table whose table is a tree: an outermost row, with a line beneath it for people; the rows
 * that follow are below it. */
struct table_cell *table_buf_head(struct table_buf *s, const char *detail);
struct table_cell table_buf_text(struct table_buf *s, const char *text); /* a copy; NULL: absent */
struct table_cell table_buf_textf(struct table_buf *s, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void table_buf_release(struct table_buf *s); /* accepts a zeroed struct */

#endif
