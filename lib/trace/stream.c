/* SPDX-License-Identifier: MIT */
#include "lib/trace/stream.h"

#include "lib/base/bytes.h"
#include "lib/base/mem.h"
#include "lib/trace/event_columns.h"
#include "lib/trace/stream_tables.h"

#include <inttypes.h>
#include <stdlib.h>

void stream_release(struct trace_stream *s)
{
	event_columns_reader_free(s->columns);
	zstd_free(s->zstd);
	free(s->unpacked);
	*s = (struct trace_stream){.in = NULL};
}

enum status stream_mark(struct trace_stream *s, struct cursor *in, struct err *e)
{
	uint64_t offset = cursor_offset(in);
	const uint8_t *p;

	s->in = in;
	s->unknown_chunks = s->unknown_events = s->damaged_chunks = 0;
	if (cursor_done(in))
		return in->failed ? err_failure(e) : ST_NONE;
	p = cursor_bytes(in, TRACE_MARK_SIZE, "start of a trace");
	if (!p)
		return err_failure(e);
	if (memcmp(p, TRACE_MAGIC, TRACE_MAGIC_SIZE))
		return err_at(e, ST_BAD, offset, "no trace begins here");
	s->major = (uint16_t)le16(p + 8);
	s->minor = (uint16_t)le16(p + 10);
	if (s->major < TRACE_OLDEST || s->major > TRACE_MAJOR)
		return err_at(e, ST_UNSUPPORTED, offset,
			      "trace of version %u.%u; this program reads versions %d to %d",
			      s->major, s->minor, TRACE_OLDEST, TRACE_MAJOR);
	return ST_OK;
}

/* What can be lost without making later chunks meaningless. */
static bool expendable(uint32_t kind)
{
	return kind == CHUNK_EVENTS || kind == CHUNK_COLUMNS || kind == CHUNK_NOTES ||
	       kind == CHUNK_SYMBOL_NOTES;
}

static enum status stream_unpack(struct trace_stream *s, struct trace_chunk *c,
				 const uint8_t **payload, struct err *e)
{
	const uint8_t *end = *payload + c->length, *p;
	uint64_t n;

	c->kind &= ~(uint32_t)CHUNK_PACKED;
	p = uleb_decode(*payload, end, &n);
	if (!p || n > CHUNK_MAX)
		return err_at(e, ST_BAD, s->offset, "chunk of more than %d bytes as it is unpacked",
			      CHUNK_MAX);
	if (!s->zstd)
		s->zstd = zstd_new();
	if (!s->unpacked)
		s->unpacked = mem_alloc(CHUNK_MAX);
	if (!zstd_unpack_whole(s->zstd, s->unpacked, (size_t)n, p, (size_t)(end - p)))
		return err_at(e, ST_BAD, s->offset, "packed chunk of kind %" PRIu32 " is broken",
			      c->kind);
	c->length = (uint32_t)n;
	*payload = s->unpacked;
	return ST_OK;
}

enum status stream_next(struct trace_stream *s, struct trace_chunk *c, const uint8_t **payload,
			struct err *e)
{
	for (;;) {
		uint64_t offset = cursor_offset(s->in);
		bool packed, sound;
		const uint8_t *p;

		if (cursor_done(s->in))
			return s->in->failed ? err_failure(e)
					     : err_at(e, ST_BAD, offset,
						      "trace ends without its totals: cut short");
		p = cursor_bytes(s->in, CHUNK_HEADER_SIZE, "chunk header");
		if (!p)
			return err_failure(e);
		*c = chunk_decode(p);
		if (c->length > CHUNK_MAX)
			return err_at(e, ST_BAD, offset,
				      "chunk of %" PRIu32 " bytes: at most %d are legal", c->length,
				      CHUNK_MAX);
		*payload = cursor_bytes(s->in, c->length, "chunk");
		if (!*payload)
			return err_failure(e);
		s->offset = offset + CHUNK_HEADER_SIZE;
		packed = s->major > 1 && c->kind & CHUNK_PACKED;
		sound = chunk_checksum(c->kind, *payload, c->length) == c->checksum;
		if (sound)
			return packed ? stream_unpack(s, c, payload, e) : ST_OK;
		if (packed)
			c->kind &= ~(uint32_t)CHUNK_PACKED;
		if (!expendable(c->kind))
			return err_at(e, ST_BAD, offset,
				      "chunk of kind %" PRIu32 ": checksum differs", c->kind);
		s->damaged_chunks++;
	}
}

static const char *bad_reference(const struct trace *t, const struct event *ev)
{
	size_t types = event_has_marker(ev->kind) ? t->n_markers
		       : ev->kind == EV_COUNTER   ? t->n_counters
						  : t->n_types;

	if (ev->type >= types)
		return "type, marker or counter";
	if (ev->stack >= stream_ids_n(&t->index->stream_stacks))
		return "stack";
	if (ev->thread >= t->n_threads)
		return "thread";
	if (ev->name > intern_count(&t->strings))
		return "string";
	return NULL;
}

/* Few enough that they stay in the nearest cache. */
enum { BATCH = EVENT_COLUMNS_BATCH };

static enum status bad_event(const struct trace *t, const struct event *ev, uint64_t offset,
			     struct err *e)
{
	return err_at(e, ST_BAD, offset, "%s refers to a %s that has not been defined",
		      event_kind_name(ev->kind), bad_reference(t, ev));
}

/* How many of the first events are sound; their stacks then are the model's. */
static size_t check(const struct trace *t, struct event *batch, size_t n)
{
	const struct stream_ids *stacks = &t->index->stream_stacks;

	for (size_t i = 0; i < n; i++) {
		if (bad_reference(t, &batch[i]))
			return i;
		batch[i].stack = stream_id(stacks, batch[i].stack);
	}
	return n;
}

/* Decodes up to BATCH events from *p on; ends before one that is cut short. */
static size_t decode(struct trace_stream *s, struct event_state *state, const uint8_t **p,
		     const uint8_t *end, struct event *batch, const uint8_t **at)
{
	size_t n = 0, size = 1;

	while (*p < end && n < BATCH && size) {
		bool known;

		size = event_decode(state, *p, end, &batch[n], &known);
		at[n] = *p;
		n += size && known;
		s->unknown_events += size && !known;
		*p += size;
	}
	return n;
}

static enum status stream_row_events(struct trace_stream *s, struct trace *t,
				     const struct trace_chunk *c, const uint8_t *payload,
				     struct sink *sink, struct err *e)
{
	const uint8_t *p = payload, *end = payload + c->length, *at[BATCH];
	struct event_state state = {0};
	struct event batch[BATCH];

	while (p < end) {
		size_t n = decode(s, &state, &p, end, batch, at), sound = check(t, batch, n);
		enum status st = sound ? sink_events(sink, t, batch, sound, e) : ST_OK;

		if (st)
			return st;
		if (sound < n)
			return bad_event(t, &batch[sound],
					 s->offset + (uint64_t)(at[sound] - payload), e);
		if (n < BATCH && p < end)
			return err_at(e, ST_BAD, s->offset + (uint64_t)(p - payload),
				      "event is cut short");
	}
	return ST_OK;
}

static bool all_below(const struct sink_allocs *a, unsigned field, size_t end)
{
	const uint64_t *v = a->v[__builtin_ctz(field)];
	bool each = a->frees && field & SINK_MOVES;
	uint64_t highest = 0;

	if (!((each ? a->has | a->free_has : a->has) & field))
		return true;
	for (size_t i = 0; i < a->n + (each ? a->n_free : 0); i++)
		highest = v[i] > highest ? v[i] : highest;
	return highest < end;
}

static enum status stream_allocs(struct trace_stream *s, struct trace *t, struct sink_allocs *a,
				 struct sink *sink, struct err *e)
{
	const struct stream_ids *stacks = &t->index->stream_stacks;
	uint64_t *stack = a->v[__builtin_ctz(EV_HAS_STACK)];
	const char *what = !all_below(a, EV_HAS_TYPE, t->n_types)                      ? "type"
			   : !all_below(a, EV_HAS_STACK, stream_ids_n(stacks))         ? "stack"
			   : !all_below(a, EV_HAS_THREAD, t->n_threads)                ? "thread"
			   : !all_below(a, EV_HAS_NAME, intern_count(&t->strings) + 1) ? "string"
										       : NULL;

	if (what)
		return err_at(e, ST_BAD, s->offset, "%s refers to a %s that has not been defined",
			      event_kind_name(a->n ? EV_ALLOC : EV_FREE), what);
	for (size_t i = 0; a->has & EV_HAS_STACK && stacks->to && i < a->n; i++)
		stack[i] = stream_id(stacks, (uint32_t)stack[i]);
	return sink_allocs(sink, t, a, e);
}

static enum status stream_column_events(struct trace_stream *s, struct trace *t,
					const struct trace_chunk *c, const uint8_t *payload,
					struct sink *sink, struct err *e)
{
	struct event batch[BATCH];
	struct sink_allocs allocs;
	unsigned fields = sink_wants(sink, t) & EV_FIELDS;
	enum status st = ST_OK;
	uint64_t unknown;
	const char *bad;
	size_t n;

	if (!s->columns)
		s->columns = event_columns_reader_new();
	bad = event_columns_open(s->columns, payload, c->length, fields ? fields : EV_FIELDS);
	while (!bad) {
		size_t sound;

		if (fields && event_columns_allocs(s->columns, &allocs, &bad)) {
			st = stream_allocs(s, t, &allocs, sink, e);
			if (st)
				return st;
			continue;
		}
		if (bad || !event_columns_next(s->columns, batch, &n, &unknown, &bad))
			break;
		sound = check(t, batch, n);
		st = sound ? sink_events(sink, t, batch, sound, e) : ST_OK;
		s->unknown_events += unknown;
		if (st)
			return st;
		if (sound < n)
			return bad_event(t, &batch[sound], s->offset, e);
	}
	return bad ? err_at(e, ST_BAD, s->offset, "events: %s", bad) : ST_OK;
}

enum status stream_events(struct trace_stream *s, struct trace *t, const struct trace_chunk *c,
			  const uint8_t *payload, struct sink *sink, struct err *e)
{
	return c->kind == CHUNK_EVENTS ? stream_row_events(s, t, c, payload, sink, e)
				       : stream_column_events(s, t, c, payload, sink, e);
}

enum status stream_apply(struct trace_stream *s, struct trace *t, const struct trace_chunk *c,
			 const uint8_t *payload, struct err *e)
{
	enum status st = stream_table(t, c, payload, s->offset, e);

	if (st != ST_NONE)
		return st;
	s->unknown_chunks++;
	return ST_OK;
}
