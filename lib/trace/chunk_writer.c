/* SPDX-License-Identifier: MIT */
#include "lib/trace/chunk_writer.h"

#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/trace/event_columns.h"
#include "lib/trace/stream.h"

#include <stdlib.h>

/* Below LEAST bytes a frame's own head eats what it saves. */
enum { LEAST = 64, KINDS = CHUNK_SYMBOL_NOTES + 1 };
/* Plain columns of at least half of what a chunk may have, of events or bytes, are packed as they are: of
 * less, several together take fewer bytes. */
enum { FULL_EVENTS = EVENT_COLUMNS_EVENTS / 2, FULL_BYTES = EVENT_COLUMNS_BYTES / 2 };

struct chunk_writer {
	FILE *out;
	struct zstd *zstd;
	struct event_columns *columns;       /* NULL: no event yet */
	struct event_columns_reader *reader; /* NULL: none has been needed */
	struct buf payload, packed;
	struct zstd_pace paces[KINDS];
};

struct chunk_writer *chunk_writer_new(FILE *out)
{
	struct chunk_writer *o = mem_zalloc(sizeof *o);

	o->out = out;
	o->zstd = zstd_new();
	return o;
}

void chunk_writer_free(struct chunk_writer *o)
{
	if (!o)
		return;
	zstd_free(o->zstd);
	event_columns_free(o->columns);
	event_columns_reader_free(o->reader);
	buf_release(&o->payload);
	buf_release(&o->packed);
	free(o);
}

enum status chunk_writer_mark(struct chunk_writer *o, struct err *e)
{
	uint8_t mark[TRACE_MARK_SIZE];

	trace_mark_encode(mark);
	return fwrite(mark, sizeof mark, 1, o->out) == 1 ? ST_OK : err_sys(e, "write");
}

static enum status put(struct chunk_writer *o, uint32_t kind, const void *payload, size_t n,
		       struct err *e)
{
	uint8_t header[CHUNK_HEADER_SIZE];

	chunk_encode(header, kind, payload, (uint32_t)n);
	if (fwrite(header, sizeof header, 1, o->out) != 1 ||
	    (n && fwrite(payload, n, 1, o->out) != 1))
		return err_sys(e, "write");
	return ST_OK;
}

enum status chunk_writer_chunk(struct chunk_writer *o, uint32_t kind, const void *payload, size_t n,
			       struct err *e)
{
	struct buf *b = &o->packed;
	size_t packed = 0;

	if (kind != CHUNK_COLUMNS && n >= LEAST) { /* columns are packed one by one */
		b->len = 0;
		buf_reserve(b, n + 10);
		buf_add_uleb(b, n);
		packed = zstd_pack_paced(o->zstd, &o->paces[kind < KINDS ? kind : 0],
					 b->data + b->len, n - b->len, payload, n);
	}
	return packed ? put(o, kind | CHUNK_PACKED, b->data, b->len + packed, e)
		      : put(o, kind, payload, n, e);
}

static struct event_columns *columns(struct chunk_writer *o)
{
	if (!o->columns)
		o->columns = event_columns_new();
	return o->columns;
}

bool chunk_writer_add(struct chunk_writer *o, const struct event *ev)
{
	return event_columns_add(columns(o), ev);
}

enum status chunk_writer_events(struct chunk_writer *o, struct err *e)
{
	if (!o->columns || !event_columns_count(o->columns))
		return ST_OK;
	o->payload.len = 0;
	event_columns_finish(o->columns, &o->payload);
	return chunk_writer_chunk(o, CHUNK_COLUMNS, o->payload.data, o->payload.len, e);
}

/* Nothing but events that we know, to the last byte. */
static bool sound(const uint8_t *p, const uint8_t *end)
{
	struct event_state state = {0};
	struct event ev;
	bool known = true;

	while (p < end && known) {
		size_t size = event_decode(&state, p, end, &ev, &known);

		known &= size > 0;
		p += size;
	}
	return known;
}

/* Gathers the events of a chunk that has them one after the other, as a recorder writes them. A
 * chunk of a later version, or an unsound one, is written as it is. */
static enum status chunk_writer_rows(struct chunk_writer *o, const uint8_t *payload, size_t n,
				     struct err *e)
{
	const uint8_t *p = payload, *end = payload + n;
	struct event_state state = {0};
	enum status st = ST_OK;
	struct event ev;
	bool known;

	if (!sound(p, end)) {
		st = chunk_writer_events(o, e);
		return st ? st : put(o, CHUNK_EVENTS, payload, n, e);
	}
	while (!st && p < end) {
		p += event_decode(&state, p, end, &ev, &known);
		if (!chunk_writer_add(o, &ev))
			st = chunk_writer_events(o, e);
	}
	return st;
}

/* The next events of a payload; false: that was all, or *sound is false. */
static bool chunk_writer_next(struct chunk_writer *o, struct event ev[EVENT_COLUMNS_BATCH],
			      size_t *n, bool *sound)
{
	uint64_t unknown;
	const char *bad;
	bool more = event_columns_next(o->reader, ev, n, &unknown, &bad);

	*sound = !bad && !unknown;
	return more && *sound;
}

static bool chunk_writer_sound(struct chunk_writer *o, const uint8_t *payload, size_t n)
{
	struct event ev[EVENT_COLUMNS_BATCH];
	bool is_sound = !event_columns_open(o->reader, payload, n, EV_FIELDS);
	size_t k;

	while (is_sound && chunk_writer_next(o, ev, &k, &is_sound))
		;
	return is_sound;
}

static enum status chunk_writer_gather(struct chunk_writer *o, const uint8_t *payload, size_t n,
				       struct err *e)
{
	struct event ev[EVENT_COLUMNS_BATCH];
	enum status st = ST_OK;
	bool is_sound;
	size_t k;

	event_columns_open(o->reader, payload, n, EV_FIELDS);
	while (!st && chunk_writer_next(o, ev, &k, &is_sound))
		for (size_t i = 0; !st && i < k; i++)
			if (!chunk_writer_add(o, &ev[i]))
				st = chunk_writer_events(o, e);
	return st;
}

/* The same of plain columns, as a recorder writes them now: at least half of what a chunk may have are packed as
 * they are, whatever their numbers are. Others are written as they are. */
static enum status chunk_writer_columns(struct chunk_writer *o, const uint8_t *payload, size_t n,
					struct err *e)
{
	size_t events;
	bool plain = event_columns_is_plain(payload, n, &events);
	bool full = plain && (events >= FULL_EVENTS || n >= FULL_BYTES);
	enum status st;

	if (!o->reader)
		o->reader = event_columns_reader_new();
	if (plain && !full && chunk_writer_sound(o, payload, n))
		return chunk_writer_gather(o, payload, n, e);
	st = chunk_writer_events(o, e);
	if (st || !full)
		return st ? st : put(o, CHUNK_COLUMNS, payload, n, e);
	o->payload.len = 0;
	event_columns_pack(columns(o), payload, n, &o->payload);
	return put(o, CHUNK_COLUMNS, o->payload.data, o->payload.len, e);
}

enum status chunk_writer_copy_chunk(struct chunk_writer *o, const struct trace_chunk *c,
				    const uint8_t *payload, struct err *e)
{
	enum status st;

	switch (c->kind) {
	case CHUNK_EVENTS: return chunk_writer_rows(o, payload, c->length, e);
	case CHUNK_COLUMNS: return chunk_writer_columns(o, payload, c->length, e);
	default:
		st = chunk_writer_waits(c->kind) ? chunk_writer_events(o, e) : ST_OK;
		return st ? st : chunk_writer_chunk(o, c->kind, payload, c->length, e);
	}
}

static enum status chunk_writer_copy_capture(struct chunk_writer *o, struct trace_stream *s,
					     struct err *e)
{
	struct trace_chunk c = {0};
	enum status st = chunk_writer_mark(o, e);

	while (!st && c.kind != CHUNK_TOTALS) {
		const uint8_t *payload;

		st = stream_next(s, &c, &payload, e);
		if (st) {
			/* At the end: cut short, which the copy is too. */
			struct err unused = ERR_INIT;

			return cursor_done(s->in) ? chunk_writer_events(o, &unused) : st;
		}
		st = chunk_writer_copy_chunk(o, &c, payload, e);
	}
	return st;
}

enum status chunk_writer_copy(FILE *out, struct cursor *in, struct err *e)
{
	struct chunk_writer *o = chunk_writer_new(out);
	struct trace_stream s = {.in = NULL};
	enum status st = ST_OK;

	while (!st) {
		st = stream_mark(&s, in, e);
		if (!st)
			st = chunk_writer_copy_capture(o, &s, e);
		if (!st && s.damaged_chunks)
			st = err_set(e, ST_BAD, "damaged chunks");
	}
	stream_release(&s);
	chunk_writer_free(o);
	return st == ST_NONE ? ST_OK : st;
}
