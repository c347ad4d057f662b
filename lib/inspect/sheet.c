/* SPDX-License-Identifier: MIT */
#include "lib/inspect/sheet.h"

#include "lib/base/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fill(void *arg, size_t i, struct row *r)
{
	const struct sheet *s = arg;
	size_t n = s->table.n_columns;

	memcpy(r->cells, s->cells + i * n, n * sizeof *r->cells);
}

void sheet_init(struct sheet *s, const char *name, const char *title)
{
	*s = (struct sheet){.table = {.name = name, .title = title, .fill = fill}};
	s->table.columns = s->columns;
	s->table.arg = s;
}

void sheet_column(struct sheet *s, const char *key, const char *title, enum column_type type,
		  unsigned flags)
{
	s->columns[s->table.n_columns++] =
	    (struct column){.key = key, .title = title, .type = type, .flags = flags};
}

struct cell *sheet_row(struct sheet *s)
{
	size_t n = s->table.n_columns;

	for (size_t i = 0; i < n; i++)
		VEC_PUSH(s->cells, s->n_cells, s->cap_cells) = (struct cell){.present = false};
	s->table.n_rows++;
	return s->cells + s->n_cells - n;
}

struct cell sheet_text(struct sheet *s, const char *text)
{
	size_t n = text ? strlen(text) : 0;

	return text ? cell_text(arena_strndup(&s->text, text, n), n)
		    : (struct cell){.present = false};
}

struct cell sheet_textf(struct sheet *s, const char *fmt, ...)
{
	char line[1024];
	va_list args;

	va_start(args, fmt);
	vsnprintf(line, sizeof line, fmt, args);
	va_end(args);
	return sheet_text(s, line);
}

void sheet_release(struct sheet *s)
{
	free(s->cells);
	arena_release(&s->text);
}
