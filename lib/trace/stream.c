/* SPDX-License-Identifier: MIT */
#include "lib/trace/stream.h"

#include "lib/trace/stream_tables.h"

#include <inttypes.h>

enum status stream_mark(struct stream *s, struct cursor *in, struct err *e)
{
	uint64_t offset = cursor_offset(in);
	const uint8_t *p;
	unsigned major;

	s->in = in;
	if (cursor_done(in))
		return in->failed ? e->code : ST_NONE;
	p = cursor_bytes(in, TRACE_MARK_SIZE, "start of a trace");
	if (!p)
		return e->code;
	if (memcmp(p, TRACE_MAGIC, TRACE_MAGIC_SIZE))
		return err_at(e, ST_BAD, offset, "no trace begins here");
	major = p[8] | (unsigned)p[9] << 8;
	s->minor = (uint16_t)(p[10] | p[11] << 8);
	if (major != TRACE_MAJOR)
		return err_at(e, ST_UNSUPPORTED, offset,
			      "trace of version %u.%u; this program reads version %d", major,
			      s->minor, TRACE_MAJOR);
	return ST_OK;
}

/* What can be lost without making later chunks meaningless. */
static bool expendable(uint32_t kind)
{
	return kind == CHUNK_EVENTS || kind == CHUNK_NOTES || kind == CHUNK_SYMBOL_NOTES;
}

enum status stream_next(struct stream *s, struct chunk *c, const uint8_t **payload, struct err *e)
{
	for (;;) {
		uint64_t offset = cursor_offset(s->in);
		const uint8_t *p;

		if (cursor_done(s->in))
			return s->in->failed ? e->code
					     : err_at(e, ST_BAD, offset,
						      "trace ends without its totals: cut short");
		p = cursor_bytes(s->in, CHUNK_HEADER_SIZE, "chunk header");
		if (!p)
			return e->code;
		*c = chunk_decode(p);
		if (c->length > CHUNK_MAX)
			return err_at(e, ST_BAD, offset,
				      "chunk of %" PRIu32 " bytes: at most %d are legal", c->length,
				      CHUNK_MAX);
		*payload = cursor_bytes(s->in, c->length, "chunk");
		if (!*payload)
			return e->code;
		if (chunk_checksum(c->kind, *payload, c->length) == c->checksum)
			return ST_OK;
		if (!expendable(c->kind))
			return err_at(e, ST_BAD, offset,
				      "chunk of kind %" PRIu32 ": checksum differs", c->kind);
		s->damaged_chunks++;
	}
}

static const char *bad_reference(const struct trace *t, const struct event *ev)
{
	bool marker = ev->kind == EV_ENTER || ev->kind == EV_EXIT || ev->kind == EV_SAMPLE;
	size_t types = marker ? t->n_markers : ev->kind == EV_COUNTER ? t->n_counters : t->n_types;

	if (ev->type >= types)
		return "type, marker or counter";
	if (ev->stack >= stream_ids_n(&t->stream_stacks))
		return "stack";
	if (ev->thread >= t->n_threads)
		return "thread";
	if (ev->name > intern_count(&t->strings))
		return "string";
	return NULL;
}

/* Few enough that they stay in the nearest cache. */
enum { BATCH = 64 };

/* Decodes up to BATCH events from *p on, and says what is wrong with the next one. */
static size_t decode(struct stream *s, const struct trace *t, struct event_state *state,
		     const uint8_t **p, const uint8_t *end, struct event *batch, bool *cut,
		     const char **bad)
{
	size_t n = 0;

	while (*p < end && n < BATCH) {
		struct event *ev = &batch[n];
		bool known;
		size_t size = event_decode(state, *p, end, ev, &known);

		*cut = !size;
		*bad = size && known ? bad_reference(t, ev) : NULL;
		if (*cut || *bad)
			break;
		ev->stack = known ? stream_id(&t->stream_stacks, ev->stack) : 0;
		n += known;
		s->unknown_events += !known;
		*p += size;
	}
	return n;
}

enum status stream_events(struct stream *s, struct trace *t, const struct chunk *c,
			  const uint8_t *payload, uint64_t offset, struct sink *sink, struct err *e)
{
	const uint8_t *p = payload, *end = payload + c->length;
	struct event_state state = {0};
	struct event batch[BATCH];

	while (p < end) {
		const char *bad = NULL;
		bool cut = false;
		size_t n = decode(s, t, &state, &p, end, batch, &cut, &bad);
		enum status st = n ? sink_events(sink, t, batch, n, e) : ST_OK;

		if (st)
			return st;
		if (cut)
			return err_at(e, ST_BAD, offset + (uint64_t)(p - payload),
				      "event is cut short");
		if (bad)
			return err_at(e, ST_BAD, offset + (uint64_t)(p - payload),
				      "%s refers to a %s that has not been defined",
				      event_kind_name(batch[n].kind), bad);
	}
	return ST_OK;
}

enum status stream_apply(struct stream *s, struct trace *t, const struct chunk *c,
			 const uint8_t *payload, uint64_t offset, struct err *e)
{
	enum status st = stream_table(t, c, payload, offset, e);

	if (st != ST_NONE)
		return st;
	s->unknown_chunks++;
	return ST_OK;
}
