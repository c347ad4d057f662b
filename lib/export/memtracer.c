/* SPDX-License-Identifier: MIT
 *
 * Typed allocations as MemTracer writes them (formats/memtracer/memtracer.c has the format): a line of JSON
 * for each frame, flushed with it, with the requested and real bytes of each type and, for each of
 * its stacks, the real bytes.
 *
 *	{"f":7,"d":[{"t":"String","s":88,"r":96,"st":["0x130589194;"],"sz":[96]}]}
 *
 * Numbers are C# int there: a sum over 2^31-1 is split into several records of the type. Addresses
 * stay those of the process. What has no type is no managed allocation and is counted only; so are
 * frees, which the format has not. A type with a total of its own comes from such a file: its
 * stacks stay as many as they were there, equal ones too. Memory: a frame's types and stacks.
 */
#include "lib/export/export.h"
#include "lib/export/text.h"

#include "lib/base/hash.h"
#include "lib/base/mem.h"

#include <inttypes.h>
#include <stdlib.h>

enum { RECORDS_MAX = 4096 }; /* of a type in a frame: 8 TiB; more is damage */

struct part { /* of a type: a stack */
	uint32_t stack, next;
	uint64_t real;
};

struct row {                        /* a type in the frame */
	uint32_t type, first, last; /* parts, + 1 */
	bool has_requested, has_real;
	bool total; /* sums of the whole frame are known, those of stacks are parts of it */
	uint64_t requested, real;
};

struct memtracer {
	struct export export; /* first */
	struct sink sink;
	FILE *out;
	bool framed; /* the frame has a number */
	int64_t frame;
	struct row *rows;
	size_t n_rows, cap_rows;
	struct part *parts;
	size_t n_parts, cap_parts;
	struct map64 types, stacks; /* type -> row + 1; row and stack -> part + 1 */
	struct buf line;
	uint64_t records, untyped, cut;
	bool any; /* a type was written */
};

static void export_memtracer_add_entry(const struct trace *t, const struct location *l,
				       struct buf *b)
{
	size_t n;
	const char *s;

	if (l->space != SPACE_NAME && l->space != SPACE_UNKNOWN) {
		buf_addf(b, "0x%" PRIx64 ";", l->raw);
		return;
	}
	s = intern_text(&t->strings, l->name, &n);
	text_add_separated(b, n ? s : "?", n ? n : 1);
	s = intern_text(&t->strings, l->file, &n);
	if (l->file && l->line) {
		buf_adds(b, " (");
		text_add_separated(b, s, n);
		buf_addf(b, ":%" PRIu32 ")", l->line);
	}
	buf_addc(b, ';');
}

static void add_stack(const struct trace *t, uint32_t stack, struct buf *b)
{
	struct buf text = BUF_INIT;

	for (; stack; stack = t->stacks[stack].parent)
		export_memtracer_add_entry(t, &t->locations[t->stacks[stack].location], &text);
	text_add_json(b, text.data, text.len);
	buf_release(&text);
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* One record of the type, with as much as its numbers hold; the rest stays in the row. */
static void export_memtracer_put_record(struct memtracer *m, const struct trace *t, struct row *r,
					struct buf *stacks)
{
	uint64_t room = least(r->real, INT32_MAX), real = room, requested;
	struct buf *b = &m->line, sizes = BUF_INIT;
	size_t n;
	const char *name = intern_text(&t->strings, t->types[r->type], &n);

	stacks->len = 0;
	while (r->first && (room || !m->parts[r->first - 1].real)) {
		struct part *p = &m->parts[r->first - 1];
		uint64_t size = least(p->real, room);

		if (sizes.len) {
			buf_addc(&sizes, ',');
			buf_addc(stacks, ',');
		}
		buf_add_u64(&sizes, size);
		add_stack(t, p->stack, stacks);
		room -= size;
		p->real -= size;
		if (!p->real)
			r->first = p->next;
	}
	if (b->data[b->len - 1] == '}')
		buf_addc(b, ',');
	buf_adds(b, "{\"t\":");
	text_add_json(b, name, n);
	requested = least(r->requested, INT32_MAX);
	if (r->has_requested)
		buf_addf(b, ",\"s\":%" PRIu64, requested);
	if (r->has_real)
		buf_addf(b, ",\"r\":%" PRIu64, real);
	buf_adds(b, ",\"st\":[");
	buf_add(b, stacks->len ? stacks->data : "", stacks->len);
	buf_adds(b, "],\"sz\":[");
	buf_add(b, sizes.len ? sizes.data : "", sizes.len);
	buf_adds(b, "]}");
	buf_release(&sizes);
	r->requested -= requested;
	r->real -= real;
	m->records++;
}

static enum status export_memtracer_put_frame(struct memtracer *m, const struct trace *t,
					      struct err *e)
{
	struct buf stacks = BUF_INIT;

	if (!m->framed && !m->n_rows)
		return ST_OK;
	m->line.len = 0;
	buf_addc(&m->line, '{');
	if (m->framed)
		buf_addf(&m->line, "\"f\":%" PRId64 ",", m->frame);
	buf_adds(&m->line, "\"d\":[");
	for (size_t i = 0; i < m->n_rows; i++) {
		struct row *r = &m->rows[i];
		unsigned n = 0;

		do
			export_memtracer_put_record(m, t, r, &stacks);
		while ((r->requested || r->real) && ++n < RECORDS_MAX);
		m->cut += r->requested || r->real;
	}
	buf_adds(&m->line, "]}\n");
	m->any |= m->n_rows > 0;
	fwrite(m->line.data, 1, m->line.len, m->out);
	buf_release(&stacks);
	m->n_rows = m->n_parts = 0;
	map64_release(&m->types);
	map64_release(&m->stacks);
	fflush(m->out);
	return export_written(m->out, e);
}

static void export_memtracer_add(struct memtracer *m, const struct event *ev)
{
	uint32_t *index = map64_put(&m->types, ev->type);
	uint64_t real = ev->has & EV_HAS_REAL ? ev->real : 0;
	struct row *r;

	if (!*index) {
		VEC_PUSH(m->rows, m->n_rows, m->cap_rows) = (struct row){.type = ev->type};
		*index = (uint32_t)m->n_rows;
	}
	r = &m->rows[*index - 1];
	if (ev->kind == EV_TYPE_TOTAL) {
		r->requested = r->total ? r->requested : 0;
		r->real = r->total ? r->real : 0;
		r->total = true;
	}
	r->has_requested |= (ev->has & EV_HAS_REQUESTED) != 0;
	r->has_real |= (ev->has & EV_HAS_REAL) != 0;
	if (!r->total || ev->kind == EV_TYPE_TOTAL) {
		r->requested += ev->has & EV_HAS_REQUESTED ? ev->requested : 0;
		r->real += real;
	}
	if (ev->kind == EV_TYPE_TOTAL || !(ev->has & EV_HAS_STACK) || !(ev->has & EV_HAS_REAL))
		return;
	if (!r->total) {
		index = map64_put(&m->stacks, (uint64_t)(r - m->rows) << 32 | ev->stack);
		if (*index) {
			m->parts[*index - 1].real += real;
			return;
		}
		*index = (uint32_t)m->n_parts + 1;
	}
	VEC_PUSH(m->parts, m->n_parts, m->cap_parts) = (struct part){ev->stack, 0, real};
	if (r->first)
		m->parts[r->last - 1].next = (uint32_t)m->n_parts;
	else
		r->first = (uint32_t)m->n_parts;
	r->last = (uint32_t)m->n_parts;
}

static enum status export_memtracer_begin(struct sink *s, struct trace *t, struct err *e)
{
	(void)s, (void)t, (void)e;
	return ST_OK;
}

static struct memtracer *of(struct sink *s)
{
	return (struct memtracer *)((char *)s - offsetof(struct memtracer, sink));
}

static enum status export_memtracer_event(struct sink *s, struct trace *t, const struct event *ev,
					  struct err *e)
{
	struct memtracer *m = of(s);
	enum status st;

	switch (ev->kind) {
	case EV_FRAME:
		st = export_memtracer_put_frame(m, t, e);
		m->framed = ev->has & EV_HAS_VALUE;
		m->frame = ev->value;
		return st;
	case EV_ALLOC:
	case EV_PROFILE:
	case EV_TYPE_TOTAL:
		if (ev->has & EV_HAS_TYPE)
			export_memtracer_add(m, ev);
		else
			m->untyped++;
		return ST_OK;
	default: return ST_OK;
	}
}

static enum status export_memtracer_batch(struct sink *s, struct trace *t,
					  const struct sink_batch *b, struct err *e)
{
	return sink_each(s, t, b, e, export_memtracer_event);
}

static enum status export_memtracer_end(struct sink *s, struct trace *t, struct err *e)
{
	struct memtracer *m = of(s);
	enum status st = export_memtracer_put_frame(m, t, e);

	m->framed = false;
	return st;
}

static enum status export_memtracer_finish(struct export *x, struct err *e)
{
	struct memtracer *m = (struct memtracer *)x;

	snprintf(x->summary, sizeof x->summary,
		 "%" PRIu64 " records; %" PRIu64 " allocations without a type are not in it",
		 m->records, m->untyped);
	x->loses = m->untyped || m->cut;
	x->lacks = m->any ? NULL : "is an allocation with a type";
	if (m->cut)
		snprintf(x->summary + strlen(x->summary), sizeof x->summary - strlen(x->summary),
			 "; of %" PRIu64 " types in a frame not what is above 8 TiB", m->cut);
	return export_written(m->out, e);
}

static void export_memtracer_release(struct export *x)
{
	struct memtracer *m = (struct memtracer *)x;

	free(m->rows);
	free(m->parts);
	map64_release(&m->types);
	map64_release(&m->stacks);
	buf_release(&m->line);
	free(m);
}

static struct export *export_memtracer_open(const struct export_options *o, FILE *out,
					    struct err *e)
{
	struct memtracer *m = mem_zalloc(sizeof *m);

	(void)o, (void)e;
	m->sink = (struct sink){.begin = export_memtracer_begin,
				.batch = export_memtracer_batch,
				.end = export_memtracer_end};
	m->export = (struct export){
	    .sink = &m->sink, .finish = export_memtracer_finish, .free = export_memtracer_release};
	m->out = out;
	return &m->export;
}

const struct exporter exporter_memtracer = {
    .name = "memtracer",
    .what = "MemTracer: a line of JSON for each frame, of typed allocations",
    .flags = EXPORT_FRAMES,
    .open = export_memtracer_open,
};
