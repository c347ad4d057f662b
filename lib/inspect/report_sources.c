/* SPDX-License-Identifier: MIT
 *
 * The table of a binary's functions by source file.
 */
#include "lib/base/mem.h"
#include "lib/base/sort.h"
#include "lib/inspect/report.h"

#include <stdlib.h>
#include <string.h>

struct source {
	uint32_t file; /* a string of the lookup's symbols; 0: not known */
	uint64_t n, calling, frame, instrumented;
};

static int report_sources_by_size(const void *a, const void *b)
{
	const struct source *x = a, *y = b;

	if (x->calling - x->frame != y->calling - y->frame)
		return x->calling - x->frame < y->calling - y->frame ? 1 : -1;
	if (x->n != y->n)
		return x->n < y->n ? 1 : -1;
	return x->file < y->file ? -1 : x->file > y->file;
}

/* The outermost call's: the function's own, not what was inlined into its beginning. */
static uint32_t file_of(const struct trace_symbols *y, uint32_t call)
{
	while (call && y->calls[call].outer)
		call = y->calls[call].outer;
	return call ? y->calls[call].file : 0;
}

enum status inspect_report_sources(struct inspect_report *r, const struct inspect *x,
				   struct lookup *l, struct err *e)
{
	struct lookup_query *queries = mem_zarray(x->n_functions, sizeof *queries);
	struct lookup_file *file = lookup_file(l, x->file.path, strlen(x->file.path));
	struct map64 index = MAP64_INIT;
	struct source *all = mem_array(16, sizeof *all);
	struct table_buf *s = &r->sources;
	size_t n = 0, cap = 16;
	enum status st;

	for (size_t i = 0; i < x->n_functions; i++)
		queries[i] = (struct lookup_query){.file = file, .addr = x->functions[i].lo};
	st = lookup_run(l, queries, x->n_functions, e);
	for (size_t i = 0; !st && i < x->n_functions; i++) {
		const struct inspect_function *f = &x->functions[i];
		uint32_t id = file_of(&l->symbols, queries[i].named.call);
		uint32_t *at = map64_put(&index, id);
		struct source *of;

		if (!*at) {
			VEC_PUSH(all, n, cap) = (struct source){.file = id};
			*at = (uint32_t)n;
		}
		of = &all[*at - 1];
		of->n++;
		of->calling += f->prologue == PROLOGUE_FRAME || f->prologue == PROLOGUE_NONE;
		of->frame += f->prologue == PROLOGUE_FRAME;
		of->instrumented += f->enter > 0;
	}
	if (n)
		sort_array(all, n, sizeof *all, report_sources_by_size);
	for (size_t i = 0; i < n; i++) {
		struct table_cell *row = table_buf_row(s);

		row[0] = table_buf_text(s, x->file.path);
		row[1] = cell_number(all[i].n);
		row[2] = cell_number(all[i].calling);
		row[3] = cell_number(all[i].frame);
		row[4] = cell_share(all[i].frame, all[i].calling);
		row[5] = cell_number(all[i].instrumented);
		if (all[i].file)
			row[6] =
			    table_buf_text(s, intern_text(&l->symbols.strings, all[i].file, NULL));
	}
	map64_release(&index);
	free(all);
	free(queries);
	return st;
}
