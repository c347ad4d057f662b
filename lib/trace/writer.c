/* SPDX-License-Identifier: MIT */
#include "lib/trace/writer.h"

#include "lib/base/buf.h"
#include "lib/base/mem.h"

#include <stdlib.h>
#include <string.h>

struct writer {
	struct sink sink;
	struct chunk_writer *out;
	struct buf header;  /* as last written, to see whether it changed */
	struct buf scratch; /* a table chunk being filled */
	struct {            /* the highest ids written so far */
		size_t strings, modules, locations, stacks, types, threads, markers, counters;
		size_t module_files, location_names;
		size_t symbol_strings, objects, functions, calls, bindings;
	} done;
};

/* Rows [first, end) of a table as chunks: each begins with its first id and holds whole rows. */
typedef void (*row_fn)(struct buf *b, const void *tables, size_t row, uint64_t *previous);

static enum status write_rows(struct chunk_writer *out, struct buf *b, uint32_t kind,
			      const void *tables, row_fn row, size_t first, size_t end,
			      struct err *e)
{
	while (first < end) {
		uint64_t previous = 0;
		size_t i = first, before;
		enum status st;

		b->len = 0;
		buf_add_uleb(b, first);
		for (; i < end; i++) {
			uint64_t kept = previous;

			before = b->len;
			row(b, tables, i, &previous);
			if (b->len > CHUNK_MAX && i > first) {
				b->len = before;
				previous = kept;
				break;
			}
		}
		st = chunk_writer_chunk(out, kind, b->data, b->len, e);
		if (st)
			return st;
		first = i;
	}
	return ST_OK;
}

static void add_text(struct buf *b, const struct intern *t, uint32_t id)
{
	size_t n;
	const char *s = intern_text(t, id, &n);

	buf_add_uleb(b, n);
	buf_add(b, s, n);
}

static void writer_string_row(struct buf *b, const void *tables, size_t i, uint64_t *previous)
{
	(void)previous;
	add_text(b, tables, (uint32_t)i);
}

static void writer_module_row(struct buf *b, const void *tables, size_t i, uint64_t *previous)
{
	const struct module *m = &((const struct module *)tables)[i];

	(void)previous;
	buf_add_uleb(b, m->name);
	buf_add_uleb(b, m->process);
	buf_add_uleb(b, m->epoch_lo);
	buf_add_uleb(b, m->epoch_hi);
	buf_add_uleb(b, m->build_id);
	buf_add_uleb(b, m->has_slide);
	if (m->has_slide)
		buf_add_uleb(b, m->slide);
	buf_add_uleb(b, m->n_ranges);
	for (uint32_t r = 0; r < m->n_ranges; r++) {
		buf_add_uleb(b, m->ranges[r].lo);
		buf_add_uleb(b, m->ranges[r].hi - m->ranges[r].lo);
		buf_add_uleb(b, m->ranges[r].offset);
		buf_add_uleb(b, m->ranges[r].executable);
	}
}

static void writer_location_row(struct buf *b, const void *tables, size_t i, uint64_t *previous)
{
	const struct location *l = &((const struct location *)tables)[i];
	bool placed = l->process || l->epoch, named = l->name || l->file || l->line;

	buf_addc(b, (char)(l->space | l->kind << 3 | placed << 6 | named << 7));
	buf_add_uleb(b, zigzag((int64_t)(l->raw - *previous)));
	buf_add_uleb(b, l->module);
	if (placed) {
		buf_add_uleb(b, l->process);
		buf_add_uleb(b, l->epoch);
	}
	if (named) {
		buf_add_uleb(b, l->name);
		buf_add_uleb(b, l->file);
		buf_add_uleb(b, l->line);
	}
	*previous = l->raw;
}

static void writer_stack_row(struct buf *b, const void *tables, size_t i, uint64_t *previous)
{
	const struct stack *s = &((const struct stack *)tables)[i];

	(void)previous;
	buf_add_uleb(b, i - s->parent);
	buf_add_uleb(b, s->location);
}

static void writer_type_row(struct buf *b, const void *tables, size_t i, uint64_t *previous)
{
	(void)previous;
	buf_add_uleb(b, ((const uint32_t *)tables)[i]);
}

static void writer_thread_row(struct buf *b, const void *tables, size_t i, uint64_t *previous)
{
	const struct thread *th = &((const struct thread *)tables)[i];

	(void)previous;
	buf_add_uleb(b, th->process);
	buf_add_uleb(b, th->tid);
	buf_add_uleb(b, th->generation);
	buf_add_uleb(b, th->name);
}

static void writer_marker_row(struct buf *b, const void *tables, size_t i, uint64_t *previous)
{
	const struct marker *m = &((const struct marker *)tables)[i];

	(void)previous;
	buf_add_uleb(b, m->name);
	buf_add_uleb(b, m->category);
}

static void writer_counter_row(struct buf *b, const void *tables, size_t i, uint64_t *previous)
{
	const struct counter *c = &((const struct counter *)tables)[i];

	(void)previous;
	buf_add_uleb(b, c->name);
	buf_add_uleb(b, c->unit);
}

static void module_file_row(struct buf *b, const void *tables, size_t i, uint64_t *previous)
{
	const struct module_file *f = &((const struct module_file *)tables)[i];

	(void)previous;
	buf_add_uleb(b, f->module);
	buf_add_uleb(b, f->device);
	buf_add_uleb(b, f->inode);
	buf_add_uleb(b, f->size);
	buf_add_uleb(b, zigzag(f->modified));
}

static void location_name_row(struct buf *b, const void *tables, size_t i, uint64_t *previous)
{
	const struct location_name *n = &((const struct location_name *)tables)[i];

	(void)previous;
	buf_add_uleb(b, n->location);
	buf_add_uleb(b, n->name);
}

static void note_row(struct buf *b, const void *tables, size_t i, uint64_t *previous)
{
	const struct trace_note *n = &((const struct trace_note *)tables)[i];

	(void)previous;
	buf_addc(b, (char)n->severity);
	buf_add_uleb(b, n->count);
	buf_add_uleb(b, strlen(n->text));
	buf_adds(b, n->text);
}

static void writer_object_row(struct buf *b, const void *tables, size_t i, uint64_t *previous)
{
	const struct symbol_object *o = &((const struct symbol_object *)tables)[i];

	(void)previous;
	buf_add_uleb(b, o->name);
	buf_add_uleb(b, o->path);
	buf_add_uleb(b, o->debug_path);
	buf_add_uleb(b, o->build_id);
}

static void writer_function_row(struct buf *b, const void *tables, size_t i, uint64_t *previous)
{
	const struct symbol_function *f = &((const struct symbol_function *)tables)[i];

	(void)previous;
	buf_add_uleb(b, f->raw);
	buf_add_uleb(b, f->display);
}

static void writer_call_row(struct buf *b, const void *tables, size_t i, uint64_t *previous)
{
	const struct symbol_call *c = &((const struct symbol_call *)tables)[i];

	(void)previous;
	buf_add_uleb(b, i - c->outer);
	buf_add_uleb(b, c->function);
	buf_add_uleb(b, c->file);
	buf_add_uleb(b, c->line);
	buf_add_uleb(b, c->column);
}

static void writer_binding_row(struct buf *b, const void *tables, size_t i, uint64_t *previous)
{
	const struct binding *x = symbols_binding(tables, (uint32_t)i);

	bool replaced = x->reason == REASON_REPLACED; /* which programs of version 2.0 refuse */

	buf_addc(b, (char)(replaced ? REASON_BUILD_ID_DIFFERS : x->reason));
	buf_addc(b, (char)(x->tier | x->kind << 3));
	buf_add_uleb(b, x->flags | (replaced ? BINDING_REPLACED : 0));
	buf_add_uleb(b, x->object);
	buf_add_uleb(b, zigzag((int64_t)(x->vaddr - *previous)));
	buf_add_uleb(b, x->call);
	*previous = x->vaddr;
}

enum status writer_symbols(struct chunk_writer *out, const struct trace_symbols *s, struct err *e)
{
	struct buf b = BUF_INIT;
	enum status st;

	st = write_rows(out, &b, CHUNK_SYMBOL_STRINGS, &s->strings, writer_string_row, 1,
			(size_t)intern_count(&s->strings) + 1, e);
	if (!st)
		st = write_rows(out, &b, CHUNK_SYMBOL_OBJECTS, s->objects, writer_object_row, 1,
				s->n_objects, e);
	if (!st)
		st = write_rows(out, &b, CHUNK_SYMBOL_FUNCTIONS, s->functions, writer_function_row,
				1, s->n_functions, e);
	if (!st)
		st = write_rows(out, &b, CHUNK_SYMBOL_CALLS, s->calls, writer_call_row, 1,
				s->n_calls, e);
	buf_release(&b);
	return st;
}

enum status writer_bindings(struct chunk_writer *out, const struct trace_symbols *s, uint32_t first,
			    uint32_t end, struct err *e)
{
	struct buf b = BUF_INIT;
	enum status st = write_rows(out, &b, CHUNK_BINDINGS, s, writer_binding_row, first, end, e);

	buf_release(&b);
	return st;
}

/* The notes of one origin. */
static enum status write_notes(struct chunk_writer *out, const struct trace *t, size_t first,
			       size_t end, bool symbolizing, struct err *e)
{
	uint32_t kind = symbolizing ? CHUNK_SYMBOL_NOTES : CHUNK_NOTES;
	struct buf b = BUF_INIT;
	enum status st = ST_OK;
	uint64_t unused;

	for (size_t i = first; !st && i < end; i++) {
		if (t->notes[i].symbolizing != symbolizing)
			continue;
		if (!b.len)
			buf_add_uleb(&b, i);
		note_row(&b, t->notes, i, &unused);
		if (b.len > CHUNK_MAX / 2) {
			st = chunk_writer_chunk(out, kind, b.data, b.len, e);
			b.len = 0;
		}
	}
	if (!st && b.len)
		st = chunk_writer_chunk(out, kind, b.data, b.len, e);
	buf_release(&b);
	return st;
}

enum status writer_notes(struct chunk_writer *out, const struct trace *t, size_t first, size_t end,
			 struct err *e)
{
	enum status st = write_notes(out, t, first, end, false, e);

	return st ? st : write_notes(out, t, first, end, true, e);
}

/* Attributes carry their own text: the header comes before the string table. */
static void writer_make_header(struct buf *b, const struct trace *t)
{
	int metrics = METRICS;

	/* The rarer ones are listed only by captures that have them. */
	while (metrics > METRIC_TIME + 1 && !t->metrics[metrics - 1].state &&
	       !t->metrics[metrics - 1].key)
		metrics--;
	b->len = 0;
	buf_add_uleb(b, t->unordered);
	buf_add_uleb(b, (uint64_t)metrics);
	for (int m = 0; m < metrics; m++) {
		buf_addc(b, (char)t->metrics[m].state);
		buf_addc(b, (char)t->metrics[m].key);
	}
	buf_add_uleb(b, t->n_attributes);
	for (size_t i = 0; i < t->n_attributes; i++) {
		buf_add_uleb(b, strlen(t->attributes[i].key));
		buf_adds(b, t->attributes[i].key);
		buf_add_uleb(b, strlen(t->attributes[i].value));
		buf_adds(b, t->attributes[i].value);
	}
}

static enum status write_header(struct writer *w, const struct trace *t, struct err *e)
{
	writer_make_header(&w->scratch, t);
	if (w->scratch.len == w->header.len &&
	    !memcmp(w->scratch.data, w->header.data, w->header.len))
		return ST_OK;
	if (w->scratch.len > CHUNK_MAX)
		return err_set(e, ST_LIMIT, "attributes need more than %d bytes", CHUNK_MAX);
	w->header.len = 0;
	buf_add(&w->header, w->scratch.data, w->scratch.len);
	return chunk_writer_chunk(w->out, CHUNK_HEADER, w->header.data, w->header.len, e);
}

static enum status write_tables(struct writer *w, const struct trace *t, struct err *e)
{
	const struct trace_symbols *y = &t->symbols;
	const struct {
		uint32_t kind;
		const void *rows;
		row_fn row;
		size_t *done, end;
	} tables[] = {
	    {CHUNK_STRINGS, &t->strings, writer_string_row, &w->done.strings,
	     (size_t)intern_count(&t->strings) + 1},
	    {CHUNK_MODULES, t->modules, writer_module_row, &w->done.modules, t->n_modules},
	    {CHUNK_MODULE_FILES, t->module_files, module_file_row, &w->done.module_files,
	     t->n_module_files},
	    {CHUNK_LOCATIONS, t->locations, writer_location_row, &w->done.locations,
	     t->n_locations},
	    {CHUNK_LOCATION_NAMES, t->location_names, location_name_row, &w->done.location_names,
	     t->n_location_names},
	    {CHUNK_STACKS, t->stacks, writer_stack_row, &w->done.stacks, t->n_stacks},
	    {CHUNK_TYPES, t->types, writer_type_row, &w->done.types, t->n_types},
	    {CHUNK_THREADS, t->threads, writer_thread_row, &w->done.threads, t->n_threads},
	    {CHUNK_MARKERS, t->markers, writer_marker_row, &w->done.markers, t->n_markers},
	    {CHUNK_COUNTERS, t->counters, writer_counter_row, &w->done.counters, t->n_counters},
	    {CHUNK_SYMBOL_STRINGS, &y->strings, writer_string_row, &w->done.symbol_strings,
	     (size_t)intern_count(&y->strings) + 1},
	    {CHUNK_SYMBOL_OBJECTS, y->objects, writer_object_row, &w->done.objects, y->n_objects},
	    {CHUNK_SYMBOL_FUNCTIONS, y->functions, writer_function_row, &w->done.functions,
	     y->n_functions},
	    {CHUNK_SYMBOL_CALLS, y->calls, writer_call_row, &w->done.calls, y->n_calls},
	    {CHUNK_BINDINGS, y, writer_binding_row, &w->done.bindings, y->n_bindings},
	};

	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
		size_t first = *tables[i].done + 1; /* ids start at 1 */
		enum status st;

		if (first >= tables[i].end)
			continue;
		st = write_rows(w->out, &w->scratch, tables[i].kind, tables[i].rows, tables[i].row,
				first, tables[i].end, e);
		if (st)
			return st;
		*tables[i].done = tables[i].end - 1;
	}
	return ST_OK;
}

static enum status flush_events(struct writer *w, const struct trace *t, struct err *e)
{
	enum status st = write_tables(w, t, e);

	return st ? st : chunk_writer_events(w->out, e);
}

static enum status writer_begin(struct sink *s, struct trace *t, struct err *e)
{
	struct writer *w = (struct writer *)s;
	enum status st = chunk_writer_mark(w->out, e);

	memset(&w->done, 0, sizeof w->done);
	w->header.len = 0;
	return st ? st : write_header(w, t, e);
}

static enum status writer_event(struct sink *s, struct trace *t, const struct event *ev,
				struct err *e)
{
	struct writer *w = (struct writer *)s;

	return chunk_writer_add(w->out, ev) ? ST_OK : flush_events(w, t, e);
}

static enum status writer_batch(struct sink *s, struct trace *t, const struct sink_batch *b,
				struct err *e)
{
	return sink_each(s, t, b, e, writer_event);
}

enum status writer_totals(struct chunk_writer *out, const struct trace *t,
			  const uint64_t rows[TOTALS_ROWS], struct err *e)
{
	struct buf b = BUF_INIT;
	int kinds = EV_KINDS;
	enum status st;

	while (kinds > EV_REFERENCE + 1 && !t->events[kinds - 1])
		kinds--;
	buf_add_uleb(&b, (uint64_t)kinds);
	for (int k = 0; k < kinds; k++)
		buf_add_uleb(&b, t->events[k]);
	buf_add_uleb(&b, TOTALS_ROWS);
	for (size_t i = 0; i < TOTALS_ROWS; i++)
		buf_add_uleb(&b, rows[i]);
	st = chunk_writer_chunk(out, CHUNK_TOTALS, b.data, b.len, e);
	buf_release(&b);
	return st;
}

static enum status writer_end(struct sink *s, struct trace *t, struct err *e)
{
	struct writer *w = (struct writer *)s;
	const uint64_t rows[TOTALS_ROWS] = {
	    intern_count(&t->strings), t->n_modules - 1, t->n_locations - 1,
	    t->n_stacks - 1,           t->n_types - 1,   t->n_threads - 1,
	    t->n_markers - 1,          t->n_counters - 1};
	enum status st = flush_events(w, t, e);

	if (!st)
		st = write_header(w, t, e);
	if (!st)
		st = writer_notes(w->out, t, 0, t->n_notes, e);
	return st ? st : writer_totals(w->out, t, rows, e);
}

struct writer *writer_new(FILE *out)
{
	struct writer *w = mem_zalloc(sizeof *w);

	w->sink = (struct sink){.begin = writer_begin, .batch = writer_batch, .end = writer_end};
	w->out = chunk_writer_new(out);
	return w;
}

void writer_free(struct writer *w)
{
	if (!w)
		return;
	buf_release(&w->header);
	buf_release(&w->scratch);
	chunk_writer_free(w->out);
	free(w);
}

struct sink *writer_sink(struct writer *w)
{
	return &w->sink;
}
