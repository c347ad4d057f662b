/* SPDX-License-Identifier: MIT */
#include "lib/trace/dump.h"

#include "lib/base/buf.h"
#include "lib/base/id_text.h"
#include "lib/base/mem.h"
#include "lib/base/path.h"
#include "lib/trace/reading.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct dump {
	struct sink sink;
	struct dump_options options;
	FILE *out;
	struct buf line;
	struct { /* the highest ids printed so far */
		size_t modules, locations, stacks, types, threads, markers, counters, bindings;
		size_t module_files, location_names;
	} done;
};

/* C++ has names with quotes in them: operator"" _km. */
static void add_quoted(struct buf *b, const char *s, size_t n)
{
	const char *quote;

	buf_addc(b, '"');
	for (; n && (quote = memchr(s, '"', n)); n -= (size_t)(quote - s) + 1, s = quote + 1) {
		buf_add_escaped(b, s, (size_t)(quote - s));
		buf_adds(b, "\\\"");
	}
	buf_add_escaped(b, s, n);
	buf_addc(b, '"');
}

static void quoted(struct buf *b, const char *key, const struct intern *strings, uint32_t id)
{
	size_t n;
	const char *s = intern_text(strings, id, &n);

	if (!id)
		return;
	buf_addf(b, " %s=", key);
	add_quoted(b, s, n);
}

static void id_of(struct buf *b, const struct intern *strings, uint32_t name, uint32_t id)
{
	size_t n, n_name;
	const char *module = intern_text(strings, name, &n_name), *s = intern_text(strings, id, &n);

	if (!id)
		return;
	buf_adds(b, " build-id=");
	id_text_add(b, path_is_of_windows(module, n_name), s, n);
}

static void number(struct buf *b, const char *key, uint64_t v)
{
	if (v)
		buf_addf(b, " %s=%" PRIu64, key, v);
}

static enum status end_line(struct dump *d, struct err *e)
{
	buf_addc(&d->line, '\n');
	if (fwrite(d->line.data, d->line.len, 1, d->out) != 1)
		return err_sys(e, "write");
	d->line.len = 0;
	return ST_OK;
}

static void dump_module(struct buf *b, const struct trace *t, size_t i)
{
	const struct module *m = &t->modules[i];

	buf_addf(b, "module %zu", i);
	quoted(b, "name", &t->strings, m->name);
	number(b, "process", m->process);
	number(b, "epoch-from", m->epoch_lo);
	number(b, "epoch-to", m->epoch_hi);
	id_of(b, &t->strings, m->name, m->build_id);
	if (m->has_slide)
		buf_addf(b, " slide=0x%" PRIx64, m->slide);
	for (uint32_t r = 0; r < m->n_ranges; r++)
		buf_addf(b, " %" PRIx64 "-%" PRIx64 "%s@%" PRIx64, m->ranges[r].lo, m->ranges[r].hi,
			 m->ranges[r].executable ? "x" : "", m->ranges[r].offset);
}

static void dump_module_file(struct buf *b, const struct trace *t, size_t i)
{
	const struct module_file *f = &t->module_files[i];

	buf_addf(b, "module-file module=%u", f->module);
	number(b, "device", f->device);
	number(b, "inode", f->inode);
	number(b, "size", f->size);
	if (f->modified)
		buf_addf(b, " modified=%" PRId64, f->modified);
}

static void dump_location_name(struct buf *b, const struct trace *t, size_t i)
{
	buf_addf(b, "location-name location=%u", t->location_names[i].location);
	quoted(b, "name", &t->strings, t->location_names[i].name);
}

static void dump_location(struct buf *b, const struct trace *t, size_t i)
{
	const struct location *l = &t->locations[i];

	buf_addf(b, "location %zu %s %s", i, space_name(l->space), location_kind_name(l->kind));
	if (l->space != SPACE_NAME && l->space != SPACE_UNKNOWN)
		buf_addf(b, " 0x%" PRIx64, l->raw);
	number(b, "module", l->module);
	number(b, "process", l->process);
	number(b, "epoch", l->epoch);
	quoted(b, "name", &t->strings, l->name);
	quoted(b, "file", &t->strings, l->file);
	number(b, "line", l->line);
}

static void dump_stack(struct buf *b, const struct trace *t, size_t i)
{
	buf_addf(b, "stack %zu location=%u", i, t->stacks[i].location);
	number(b, "parent", t->stacks[i].parent);
}

static void dump_type(struct buf *b, const struct trace *t, size_t i)
{
	buf_addf(b, "type %zu", i);
	quoted(b, "name", &t->strings, t->types[i]);
}

static void dump_thread(struct buf *b, const struct trace *t, size_t i)
{
	buf_addf(b, "thread %zu tid=%" PRIu64, i, t->threads[i].tid);
	number(b, "process", t->threads[i].process);
	number(b, "generation", t->threads[i].generation);
	quoted(b, "name", &t->strings, t->threads[i].name);
}

static void dump_marker(struct buf *b, const struct trace *t, size_t i)
{
	buf_addf(b, "marker %zu", i);
	quoted(b, "name", &t->strings, t->markers[i].name);
	quoted(b, "category", &t->strings, t->markers[i].category);
}

static void dump_counter(struct buf *b, const struct trace *t, size_t i)
{
	buf_addf(b, "counter %zu", i);
	quoted(b, "name", &t->strings, t->counters[i].name);
	quoted(b, "unit", &t->strings, t->counters[i].unit);
}

/* The binding, then its calls, innermost first, an indented line each. */
static void dump_binding(struct buf *b, const struct trace *t, size_t i)
{
	const struct trace_symbols *y = &t->symbols;
	const struct binding *x = symbols_binding(y, (uint32_t)i);

	buf_addf(b, "binding %zu %s \"%s\"", i, tier_name(x->tier), reason_text(x->reason));
	if (x->object) {
		quoted(b, "object", &y->strings, y->objects[x->object].name);
		buf_addf(b, " vaddr=0x%" PRIx64 " kind=%s", x->vaddr, location_kind_name(x->kind));
	}
	if (x->flags & BINDING_FROM_SYMTAB)
		buf_adds(b, " from-symbol-table");
	if (x->flags & BINDING_UNSIZED)
		buf_adds(b, " guess:symbol-without-size");
	if (x->flags & BINDING_STRIPPED_BITS)
		buf_adds(b, " bits-cleared");
	if (x->flags & BINDING_FOLDED)
		buf_adds(b, " folded");
	if (x->flags & BINDING_LOCAL)
		buf_adds(b, " local");
	for (uint32_t c = x->call; c; c = y->calls[c].outer) {
		const struct symbol_function *f =
		    y->calls[c].function ? &y->functions[y->calls[c].function] : NULL;

		buf_adds(b, "\n  call");
		if (f) {
			quoted(b, "function", &y->strings, f->display);
			if (f->raw != f->display)
				quoted(b, "raw", &y->strings, f->raw);
		}
		quoted(b, "file", &y->strings, y->calls[c].file);
		number(b, "line", y->calls[c].line);
		number(b, "column", y->calls[c].column);
	}
}

static enum status dump_print_tables(struct dump *d, const struct trace *t, struct err *e)
{
	const struct {
		void (*row)(struct buf *b, const struct trace *t, size_t i);
		size_t *done, end;
		bool wanted;
	} tables[] = {
	    {dump_module, &d->done.modules, t->n_modules, d->options.tables},
	    {dump_module_file, &d->done.module_files, t->n_module_files, d->options.tables},
	    {dump_location, &d->done.locations, t->n_locations, d->options.tables},
	    {dump_location_name, &d->done.location_names, t->n_location_names, d->options.tables},
	    {dump_stack, &d->done.stacks, t->n_stacks, d->options.tables},
	    {dump_type, &d->done.types, t->n_types, d->options.tables},
	    {dump_thread, &d->done.threads, t->n_threads, d->options.tables},
	    {dump_marker, &d->done.markers, t->n_markers, d->options.tables},
	    {dump_counter, &d->done.counters, t->n_counters, d->options.tables},
	    {dump_binding, &d->done.bindings, t->symbols.n_bindings, d->options.symbols},
	};

	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
		while (tables[i].wanted && *tables[i].done + 1 < tables[i].end) {
			enum status st;

			tables[i].row(&d->line, t, ++*tables[i].done);
			st = end_line(d, e);
			if (st)
				return st;
		}
	return ST_OK;
}

static enum status dump_begin(struct sink *s, struct trace *t, struct err *e)
{
	struct dump *d = (struct dump *)s;
	enum status st;

	memset(&d->done, 0, sizeof d->done);
	buf_addf(&d->line, "capture%s", t->unordered ? " unordered" : "");
	for (int m = 0; m < METRICS; m++)
		if (m <= METRIC_TIME || t->metrics[m].state != METRIC_ABSENT)
			buf_addf(&d->line, " %s=%s%s", metric_name((unsigned)m),
				 metric_state_name(t->metrics[m].state),
				 t->metrics[m].state && t->metrics[m].key == METRIC_AT_TYPE
				     ? "@type"
				     : "");
	st = end_line(d, e);
	for (size_t i = 0; !st && i < t->n_attributes; i++) {
		const struct trace_attribute *x = &t->attributes[i];

		buf_adds(&d->line, "attribute ");
		buf_add_escaped(&d->line, x->key, strlen(x->key));
		buf_addc(&d->line, '=');
		add_quoted(&d->line, x->value, strlen(x->value));
		st = end_line(d, e);
	}
	return st;
}

static enum status dump_event(struct sink *s, struct trace *t, const struct event *ev,
			      struct err *e)
{
	struct dump *d = (struct dump *)s;
	struct buf *b = &d->line;
	enum status st = dump_print_tables(d, t, e);

	if (st || !d->options.events)
		return st;
	buf_adds(b, event_kind_name(ev->kind));
	if (ev->has & EV_HAS_VALUE) {
		buf_adds(b, " value=");
		if (ev->kind == EV_COUNTER)
			decimal_text(b, reading_of(ev));
		else
			buf_addf(b, "%" PRId64, ev->value);
	}
	if (ev->has & EV_HAS_SEQ)
		buf_addf(b, " seq=%" PRIu64, ev->seq);
	if (ev->has & EV_HAS_TIME)
		buf_addf(b, " time=%" PRId64, ev->time);
	if (ev->has & EV_HAS_THREAD)
		buf_addf(b, " thread=%u", ev->thread);
	if (ev->has & EV_HAS_ADDRESS)
		buf_addf(b, " address=0x%" PRIx64, ev->address);
	if (ev->has & EV_HAS_TARGET && ev->kind == EV_FRAME)
		buf_addf(b, " duration=%" PRId64, (int64_t)ev->target);
	else if (ev->has & EV_HAS_TARGET && ev->kind != EV_COUNTER)
		buf_addf(b, " target=0x%" PRIx64, ev->target);
	if (ev->has & EV_HAS_COUNT)
		buf_addf(b, " count=%" PRIu64, ev->count);
	if (ev->has & EV_HAS_REQUESTED)
		buf_addf(b, " requested=%" PRIu64, ev->requested);
	if (ev->has & EV_HAS_REAL)
		buf_addf(b, " real=%" PRIu64, ev->real);
	if (ev->has & EV_HAS_TYPE)
		buf_addf(b, " type=%u", ev->type);
	if (ev->has & EV_HAS_STACK)
		buf_addf(b, " stack=%u", ev->stack);
	if (ev->has & EV_HAS_DOMAIN)
		buf_addf(b, " domain=%s", domain_name(ev->domain));
	if (ev->has & EV_HAS_NAME)
		quoted(b, "name", &t->strings, ev->name);
	return end_line(d, e);
}

static enum status dump_batch(struct sink *s, struct trace *t, const struct sink_batch *b,
			      struct err *e)
{
	return sink_each(s, t, b, e, dump_event);
}

static enum status dump_end(struct sink *s, struct trace *t, struct err *e)
{
	struct dump *d = (struct dump *)s;
	enum status st = dump_print_tables(d, t, e);

	for (size_t i = 0; !st && i < t->n_notes; i++) {
		buf_addf(&d->line, "note %s", severity_name(t->notes[i].severity));
		number(&d->line, "count", t->notes[i].count);
		buf_addc(&d->line, ' ');
		add_quoted(&d->line, t->notes[i].text, strlen(t->notes[i].text));
		st = end_line(d, e);
	}
	if (st)
		return st;
	buf_adds(&d->line, "totals");
	for (unsigned k = 0; k < EV_KINDS; k++)
		number(&d->line, event_kind_name(k), t->events[k]);
	buf_addf(&d->line, " locations=%zu stacks=%zu types=%zu modules=%zu", t->n_locations - 1,
		 t->n_stacks - 1, t->n_types - 1, t->n_modules - 1);
	return end_line(d, e);
}

struct dump *dump_new(FILE *out, const struct dump_options *o)
{
	struct dump *d = mem_zalloc(sizeof *d);

	d->sink = (struct sink){.begin = dump_begin, .batch = dump_batch, .end = dump_end};
	d->options = *o;
	d->out = out;
	return d;
}

void dump_free(struct dump *d)
{
	if (!d)
		return;
	buf_release(&d->line);
	free(d);
}

struct sink *dump_sink(struct dump *d)
{
	return &d->sink;
}
