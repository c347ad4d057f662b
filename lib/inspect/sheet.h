/* SPDX-License-Identifier: MIT
 *
 * A table (lib/table/table.h) whose cells are kept: for reports of some hundred rows.
 */
#ifndef TM_INSPECT_SHEET_H
#define TM_INSPECT_SHEET_H

#include "lib/base/arena.h"
#include "lib/table/table.h"

enum { SHEET_COLUMNS = 10 };

struct inspect_sheet {
	struct table table; /* fill and arg are the sheet's own: it must not move */
	struct table_column columns[SHEET_COLUMNS];
	struct table_cell *cells;
	size_t n_cells, cap_cells;
	const char *
	    *heads; /* of a tree, by row: the line beneath an outermost one; NULL: of a row below */
	size_t n_heads, cap_heads;
	struct arena text;
};

void sheet_init(struct inspect_sheet *s, const char *name, const char *title);
void sheet_column(struct inspect_sheet *s, const char *key, const char *title,
		  enum column_type type, unsigned flags);
/* A new row: its cells, absent so far; valid until the next row. */
struct table_cell *sheet_row(struct inspect_sheet *s);
/* The same, of a sheet whose table is a tree: an outermost row, with a line beneath it for people; the rows
 * that follow are below it. */
struct table_cell *sheet_head(struct inspect_sheet *s, const char *detail);
struct table_cell sheet_text(struct inspect_sheet *s, const char *text); /* a copy; NULL: absent */
struct table_cell sheet_textf(struct inspect_sheet *s, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void sheet_release(struct inspect_sheet *s); /* accepts a zeroed struct */

#endif
