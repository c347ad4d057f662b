/* SPDX-License-Identifier: MIT */
#include "lib/trace/trace_follow.h"

void trace_follow_release(struct trace_follow *g)
{
	stream_release(&g->stream);
	trace_free(g->t);
	buf_release(&g->rest);
	*g = (struct trace_follow){.t = NULL};
}

static enum status trace_follow_apply(struct trace_follow *g, struct trace_chunk *c,
				      const uint8_t *payload, struct sink *to, struct err *e)
{
	enum status st = ST_OK;

	if (!g->begun && c->kind != CHUNK_HEADER) {
		st = to->begin(to, g->t, e);
		g->begun = true;
	}
	if (!st)
		st = stream_has_events(&g->stream, c)
			 ? stream_events(&g->stream, g->t, c, payload, to, e)
			 : stream_apply(&g->stream, g->t, c, payload, e);
	if (st || c->kind != CHUNK_TOTALS)
		return st;
	st = to->end(to, g->t, e);
	trace_free(g->t);
	g->t = NULL;
	g->begun = false;
	g->ended++;
	return st;
}

/* A mark or a chunk at the first of n bytes. *used stays 0 where it is not all there. */
static enum status trace_follow_one(struct trace_follow *g, const uint8_t *p, size_t n,
				    size_t *used, struct sink *to, struct err *e)
{
	uint64_t damaged = g->stream.damaged_chunks;
	struct trace_chunk c;
	const uint8_t *payload;
	struct cursor in;
	enum status st;
	size_t size = TRACE_MARK_SIZE;

	if (g->t && n >= CHUNK_HEADER_SIZE) {
		c = chunk_decode(p);
		size = CHUNK_HEADER_SIZE + (c.length > CHUNK_MAX ? 0 : (size_t)c.length);
	} else if (g->t) {
		return ST_OK;
	}
	if (n < size)
		return ST_OK;
	*used = size;
	cursor_init(&in, p, size, g->offset, e);
	if (!g->t) {
		st = stream_mark(&g->stream, &in, e);
		g->t = st ? NULL : trace_new();
		return st;
	}
	g->stream.in = &in;
	st = stream_next(&g->stream, &c, &payload, e);
	if (g->stream.damaged_chunks == damaged)
		return st ? st : trace_follow_apply(g, &c, payload, to, e);
	*e = (struct err)ERR_INIT;
	g->damaged++;
	trace_note(g->t, NOTE_LOSS, 1, "damaged chunks were left out");
	return ST_OK;
}

enum status trace_follow_add(struct trace_follow *g, const void *p, size_t n, struct sink *to,
			     struct err *e)
{
	enum status st = ST_OK;
	size_t at = 0, used = 1;

	buf_add(&g->rest, p, n);
	while (!st && used && at < g->rest.len) {
		used = 0;
		st = trace_follow_one(g, (const uint8_t *)g->rest.data + at, g->rest.len - at,
				      &used, to, e);
		at += used;
		g->offset += used;
	}
	g->rest.len -= at;
	if (at && g->rest.len)
		memmove(g->rest.data, g->rest.data + at, g->rest.len);
	return st;
}
