/* SPDX-License-Identifier: MIT */
#include "cmd/tm-session/sheet.h"

#include "lib/base/mem.h"

#include <stdlib.h>
#include <string.h>

static void sheet_fill(void *arg, size_t i, struct table_row *row)
{
	const struct sheet *s = arg;
	const struct sheet_row *from = &s->rows[i];

	memcpy(row->cells, from->cells, s->table.n_columns * sizeof *row->cells);
	row->details = from->details;
	row->n_details = from->n_details;
}

void sheet_init(struct sheet *s, const char *name, const char *title, struct table_column *columns,
		size_t n_columns)
{
	*s = (struct sheet){.table = {.name = name,
				      .title = title,
				      .columns = columns,
				      .n_columns = n_columns,
				      .fill = sheet_fill,
				      .arg = s}};
}

void sheet_release(struct sheet *s)
{
	for (size_t i = 0; i < s->n; i++) {
		free(s->rows[i].cells);
		free(s->rows[i].details);
	}
	free(s->rows);
	arena_release(&s->texts);
}

struct table_cell *sheet_row(struct sheet *s)
{
	struct table_cell *cells = mem_zarray(s->table.n_columns, sizeof *cells);

	VEC_PUSH(s->rows, s->n, s->cap) = (struct sheet_row){.cells = cells};
	s->table.n_rows = s->n;
	return cells;
}

void sheet_detail(struct sheet *s, struct buf *b)
{
	struct sheet_row *r = &s->rows[s->n - 1];

	VEC_PUSH(r->details, r->n_details, r->cap_details) =
	    arena_strndup(&s->texts, buf_str(b), b->len);
	b->len = 0;
}

struct table_cell sheet_text(struct sheet *s, const char *text)
{
	size_t n = strlen(text);

	return cell_text(arena_strndup(&s->texts, text, n), n);
}
