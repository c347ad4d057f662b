/* SPDX-License-Identifier: MIT
 *
 * Helpers of the tests of the trace stream: a sink that keeps everything, and traces written by
 * hand.
 */
#ifndef TM_TESTS_UNIT_TRACE_H
#define TM_TESTS_UNIT_TRACE_H

#include "formats/reader.h"
#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/trace/encode.h"

#include <inttypes.h>
#include <stdlib.h>
#include <xxhash.h>

/* A sink that keeps everything: events, and the model as text at the end of each capture. */
struct collector {
	struct sink sink, *to; /* to: also goes there, may be NULL */
	struct event *events;
	size_t n, cap;
	unsigned begun, ended;
	struct buf model; /* of the last capture */
	struct buf notes; /* of all captures, a line each */
};

static inline void add_bytes(struct buf *b, const char *what, const struct intern *strings,
			     uint32_t id)
{
	size_t n;
	const char *s = intern_text(strings, id, &n);

	buf_addf(b, " %s=%u:", what, id);
	for (size_t i = 0; i < n; i++)
		buf_addf(b, "%02x", (unsigned char)s[i]);
}

static inline void describe_symbols(struct buf *b, const struct trace_symbols *y)
{
	for (uint32_t i = 1; i <= intern_count(&y->strings); i++) {
		add_bytes(b, "symbol string", &y->strings, i);
		buf_addc(b, '\n');
	}
	for (size_t i = 1; i < y->n_objects; i++)
		buf_addf(b, "object %u %u %u %u\n", y->objects[i].name, y->objects[i].path,
			 y->objects[i].debug_path, y->objects[i].build_id);
	for (size_t i = 1; i < y->n_functions; i++)
		buf_addf(b, "function %u %u\n", y->functions[i].raw, y->functions[i].display);
	for (size_t i = 1; i < y->n_calls; i++)
		buf_addf(b, "call %u %u %u %u %u\n", y->calls[i].outer, y->calls[i].function,
			 y->calls[i].file, y->calls[i].line, y->calls[i].column);
	for (size_t i = 1; i < y->n_bindings; i++) {
		const struct binding *x = &y->bindings[i];

		buf_addf(b, "binding %" PRIx64 " %u %u %u %u %u %u\n", x->vaddr, x->object, x->call,
			 x->reason, x->tier, x->flags, x->kind);
	}
}

static inline void describe_rows(struct buf *b, const struct trace *t)
{
	for (uint32_t i = 1; i <= intern_count(&t->strings); i++) {
		add_bytes(b, "string", &t->strings, i);
		buf_addc(b, '\n');
	}
	for (size_t i = 1; i < t->n_modules; i++) {
		const struct module *m = &t->modules[i];

		buf_addf(b, "module %u %u %u %u %u %d %" PRIx64, m->name, m->process, m->epoch_lo,
			 m->epoch_hi, m->build_id, m->has_slide, m->slide);
		for (uint32_t r = 0; r < m->n_ranges; r++)
			buf_addf(b, " %" PRIx64 "-%" PRIx64 "@%" PRIx64 "/%d", m->ranges[r].lo,
				 m->ranges[r].hi, m->ranges[r].offset, m->ranges[r].executable);
		buf_addc(b, '\n');
	}
	for (size_t i = 1; i < t->n_locations; i++) {
		const struct location *l = &t->locations[i];

		buf_addf(b, "location %" PRIx64 " %u %u %u %u %u %u %u %u\n", l->raw, l->process,
			 l->epoch, l->module, l->name, l->file, l->line, l->space, l->kind);
	}
	for (size_t i = 1; i < t->n_stacks; i++)
		buf_addf(b, "stack %u %u\n", t->stacks[i].parent, t->stacks[i].location);
	for (size_t i = 1; i < t->n_types; i++)
		buf_addf(b, "type %u\n", t->types[i]);
	for (size_t i = 1; i < t->n_threads; i++)
		buf_addf(b, "thread %u %u %u %" PRIx64 "\n", t->threads[i].process,
			 t->threads[i].generation, t->threads[i].name, t->threads[i].tid);
	for (size_t i = 1; i < t->n_markers; i++)
		buf_addf(b, "marker %u %u\n", t->markers[i].name, t->markers[i].category);
	for (size_t i = 1; i < t->n_counters; i++)
		buf_addf(b, "counter %u %u\n", t->counters[i].name, t->counters[i].unit);
}

static inline void describe(struct buf *b, const struct trace *t)
{
	b->len = 0;
	buf_addf(b, "unordered %d\n", t->unordered);
	for (int m = 0; m < METRICS; m++)
		buf_addf(b, "metric %d %u %u\n", m, t->metrics[m].state, t->metrics[m].key);
	for (size_t i = 0; i < t->n_attributes; i++)
		buf_addf(b, "attribute %s=%s\n", t->attributes[i].key, t->attributes[i].value);
	for (size_t i = 0; i < t->n_notes; i++)
		buf_addf(b, "note %u %" PRIu64 " %s\n", t->notes[i].severity, t->notes[i].count,
			 t->notes[i].text);
	for (int k = 0; k < EV_KINDS; k++)
		buf_addf(b, "events %d %" PRIu64 "\n", k, t->events[k]);
	describe_rows(b, t);
	describe_symbols(b, &t->symbols);
}

static inline enum status collect_begin(struct sink *s, struct trace *t, struct err *e)
{
	struct collector *c = (struct collector *)s;

	c->begun++;
	return c->to ? c->to->begin(c->to, t, e) : ST_OK;
}

static inline enum status collect_batch(struct sink *s, struct trace *t, const struct sink_batch *b,
					struct err *e)
{
	struct collector *c = (struct collector *)s;

	for (size_t i = 0; i < b->n; i++)
		VEC_PUSH(c->events, c->n, c->cap) = b->rows[i];
	return c->to ? c->to->batch(c->to, t, b, e) : ST_OK;
}

static inline enum status collect_end(struct sink *s, struct trace *t, struct err *e)
{
	struct collector *c = (struct collector *)s;

	c->ended++;
	describe(&c->model, t);
	for (size_t i = 0; i < t->n_notes; i++) {
		buf_addf(&c->notes, "%s: %s", severity_name(t->notes[i].severity),
			 t->notes[i].text);
		buf_addf(&c->notes, t->notes[i].count ? " (%" PRIu64 ")\n" : "\n",
			 t->notes[i].count);
	}
	return c->to ? c->to->end(c->to, t, e) : ST_OK;
}

static inline struct collector collector(struct sink *to)
{
	return (struct collector){
	    .sink = {.begin = collect_begin, .batch = collect_batch, .end = collect_end}, .to = to};
}

static inline void collector_release(struct collector *c)
{
	free(c->events);
	buf_release(&c->model);
	buf_release(&c->notes);
}

/* Reads n bytes in a heap block of just that size. */
static inline enum status read_bytes(const void *p, size_t n, struct collector *c, bool *lossy,
				     struct err *e)
{
	static const struct import_options options = {.format = "trace"};
	uint8_t *copy = mem_alloc(n ? n : 1);
	struct input in;
	enum status st;

	memcpy(copy, p, n);
	*e = (struct err)ERR_INIT;
	input_memory(&in, "test", copy, n, e);
	*c = collector(NULL);
	st = capture_read(&in, &options, &c->sink, lossy, e);
	input_close(&in);
	free(copy);
	return st;
}

static inline bool event_equal(const struct event *a, const struct event *b)
{
	return a->kind == b->kind && a->domain == b->domain && a->has == b->has &&
	       a->type == b->type && a->stack == b->stack && a->thread == b->thread &&
	       a->name == b->name && a->time == b->time && a->seq == b->seq &&
	       a->address == b->address && a->target == b->target && a->count == b->count &&
	       a->requested == b->requested && a->real == b->real && a->value == b->value;
}

static inline bool events_equal(const struct collector *a, const struct collector *b)
{
	bool same = a->n == b->n;

	for (size_t i = 0; same && i < a->n; i++)
		same = event_equal(&a->events[i], &b->events[i]);
	return same;
}

static inline void put_number(uint8_t *p, uint64_t v, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		p[i] = (uint8_t)(v >> 8 * i);
}

static inline void add_chunk(struct buf *b, uint32_t kind, const void *payload, size_t n)
{
	uint8_t header[16];

	put_number(header, kind, 4);
	put_number(header + 4, n, 4);
	put_number(header + 8, XXH3_64bits_withSeed(payload, n, kind), 8);
	buf_add(b, header, sizeof header);
	buf_add(b, payload, n);
}

static inline int hex_digit(char c)
{
	return c >= 'a' ? c - 'a' + 10 : c - '0';
}

/* A chunk whose payload is written as hexadecimal digits and 'text'; blanks are ignored. */
static inline void add_hex(struct buf *b, uint32_t kind, const char *hex)
{
	struct buf payload = BUF_INIT;

	buf_reserve(&payload, 1);
	for (; *hex; hex++) {
		if (*hex == '\'') {
			for (hex++; *hex != '\''; hex++)
				buf_addc(&payload, *hex);
		} else if (*hex != ' ') {
			buf_addc(&payload, (char)(hex_digit(hex[0]) << 4 | hex_digit(hex[1])));
			hex++;
		}
	}
	add_chunk(b, kind, payload.data, payload.len);
	buf_release(&payload);
}

static inline void add_mark(struct buf *b, unsigned major, unsigned minor)
{
	uint8_t mark[16] = {0x89, 'T', 'M', 'T', 13, 10, 26, 10};

	put_number(mark + 8, major, 2);
	put_number(mark + 10, minor, 2);
	buf_add(b, mark, sizeof mark);
}

#endif
