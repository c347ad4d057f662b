/* SPDX-License-Identifier: MIT
 *
 * A table (lib/table/table.h) whose cells are kept: for reports of some hundred rows.
 */
#ifndef TM_INSPECT_SHEET_H
#define TM_INSPECT_SHEET_H

#include "lib/base/arena.h"
#include "lib/table/table.h"

enum { SHEET_COLUMNS = 8 };

struct sheet {
	struct table table; /* fill and arg are the sheet's own: it must not move */
	struct column columns[SHEET_COLUMNS];
	struct cell *cells;
	size_t n_cells, cap_cells;
	struct arena text;
};

void sheet_init(struct sheet *s, const char *name, const char *title);
void sheet_column(struct sheet *s, const char *key, const char *title, enum column_type type,
		  unsigned flags);
/* A new row: its cells, absent so far; valid until the next row. */
struct cell *sheet_row(struct sheet *s);
struct cell sheet_text(struct sheet *s, const char *text); /* a copy; NULL: absent */
struct cell sheet_textf(struct sheet *s, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void sheet_release(struct sheet *s); /* accepts a zeroed struct */

#endif
