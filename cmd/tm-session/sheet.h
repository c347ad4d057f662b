/* SPDX-License-Identifier: MIT
 *
 * A table whose rows are in memory: a few of them, made one after the other.
 */
#ifndef TM_CMD_SESSION_SHEET_H
#define TM_CMD_SESSION_SHEET_H

#include "lib/base/arena.h"
#include "lib/base/buf.h"
#include "lib/table/table.h"

struct sheet {
	struct table table;
	struct arena texts;
	struct sheet_row {
		struct table_cell *cells;
		const char **details;
		size_t n_details, cap_details;
	} * rows;
	size_t n, cap;
};

/* The columns are borrowed; s stays where it is until sheet_release. */
void sheet_init(struct sheet *s, const char *name, const char *title, struct table_column *columns,
		size_t n_columns);
void sheet_release(struct sheet *s); /* accepts a zeroed struct */
/* A new row of blank cells, valid until the next. */
struct table_cell *sheet_row(struct sheet *s);
/* A line beneath the last row; what b has is taken. */
void sheet_detail(struct sheet *s, struct buf *b);
struct table_cell sheet_text(struct sheet *s, const char *text); /* copied */

#endif
