/* SPDX-License-Identifier: MIT */
#include "lib/inspect/table_buf.h"

#include "lib/base/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void table_buf_fill(void *arg, size_t i, struct table_row *r)
{
	struct table_buf *s = arg;
	size_t n = s->table.n_columns;

	memcpy(r->cells, s->cells + i * n, n * sizeof *r->cells);
	if (!(s->table.flags & TABLE_TREE))
		return;
	r->depth = !s->heads[i];
	r->details = &s->heads[i];
	r->n_details = s->heads[i] != NULL;
}

void table_buf_init(struct table_buf *s, const char *name, const char *title)
{
	*s = (struct table_buf){.table = {.name = name, .title = title, .fill = table_buf_fill}};
	s->table.columns = s->columns;
	s->table.arg = s;
}

void table_buf_column(struct table_buf *s, const char *key, const char *title,
		      enum column_type type, unsigned flags)
{
	s->columns[s->table.n_columns++] =
	    (struct table_column){.key = key, .title = title, .type = type, .flags = flags};
}

struct table_cell *table_buf_row(struct table_buf *s)
{
	size_t n = s->table.n_columns;

	for (size_t i = 0; i < n; i++)
		VEC_PUSH(s->cells, s->n_cells, s->cap_cells) =
		    (struct table_cell){.present = false};
	if (s->table.flags & TABLE_TREE)
		VEC_PUSH(s->heads, s->n_heads, s->cap_heads) = NULL;
	s->table.n_rows++;
	return s->cells + s->n_cells - n;
}

struct table_cell *table_buf_head(struct table_buf *s, const char *detail)
{
	struct table_cell *row = table_buf_row(s);

	s->heads[s->n_heads - 1] = arena_strndup(&s->text, detail, strlen(detail));
	return row;
}

struct table_cell table_buf_text(struct table_buf *s, const char *text)
{
	size_t n = text ? strlen(text) : 0;

	return text ? cell_text(arena_strndup(&s->text, text, n), n)
		    : (struct table_cell){.present = false};
}

struct table_cell table_buf_textf(struct table_buf *s, const char *fmt, ...)
{
	char line[1024];
	va_list args;

	va_start(args, fmt);
	vsnprintf(line, sizeof line, fmt, args);
	va_end(args);
	return table_buf_text(s, line);
}

void table_buf_release(struct table_buf *s)
{
	free(s->cells);
	free(s->heads);
	arena_release(&s->text);
}
