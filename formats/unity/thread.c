/* SPDX-License-Identifier: MIT
 *
 * The open samples of one thread in a Unity stream, and the allocations in them.
 */
#include "formats/unity/stream.h"

#include "lib/base/mem.h"

#include <stdlib.h>

/* How far down the open samples are searched for the one that ends: a damaged stream may have any
 * number of them. */
enum { SEARCH_MAX = 256 };

struct unity_thread *unity_stream_thread(struct unity_stream *s, uint64_t id)
{
	uint32_t *place;
	struct unity_thread *t;

	if (s->last && s->last->id == id)
		return s->last;
	place = map64_put(&s->thread_index, id);
	if (!*place) {
		*place = (uint32_t)s->n_threads;
		t = mem_zalloc(sizeof *t);
		t->id = id;
		t->lane = (uint32_t)s->frames.n_lanes;
		VEC_PUSH(s->threads, s->n_threads, s->cap_threads) = t;
		VEC_PUSH(s->frames.lanes, s->frames.n_lanes, s->frames.cap_lanes) =
		    (struct unity_lane){.tid = id};
	}
	return s->last = s->threads[*place];
}

void unity_thread_info(struct unity_stream *s, uint64_t id, uint64_t start, uint32_t flags,
		       const char *group, size_t n_group, const char *name, size_t n_name)
{
	struct unity_thread *t = unity_stream_thread(s, id);
	struct unity_lane *l = &s->frames.lanes[t->lane];
	struct buf *b = &s->frames.names.text;

	/* An id that the system gave to another thread. */
	if (l->started && start && start != l->started) {
		struct unity_lane next = {.tid = id, .generation = l->generation + 1};

		t->lane = (uint32_t)s->frames.n_lanes;
		VEC_PUSH(s->frames.lanes, s->frames.n_lanes, s->frames.cap_lanes) = next;
		l = &s->frames.lanes[t->lane];
	}
	if (start)
		l->started = start;
	l->untied = flags & 1;
	b->len = 0;
	buf_add(b, group, n_group);
	if (n_group)
		buf_addc(b, '.');
	buf_add(b, name, n_name);
	if (b->len && !l->row)
		l->name = trace_string(s->im->t, b->data, b->len);
}

void unity_thread_open(struct unity_stream *s, struct unity_thread *t, uint32_t id, uint64_t ticks)
{
	uint32_t marker = unity_marker(&s->frames.names, id);
	uint32_t parent = t->n_open ? t->open[t->n_open - 1].node : 0;

	VEC_PUSH(t->open, t->n_open, t->cap_open) = (struct unity_open){
	    .start = ticks, .marker = marker, .node = unity_node(&s->frames.names, parent, marker)};
}

static enum status push_alloc(struct unity_stream *s, struct unity_thread *t,
			      const struct unity_open *o, uint64_t end, struct err *e)
{
	const struct unity_item it = {.start = o->start,
				      .total = o->bytes,
				      .node = o->node,
				      .thread = t->lane,
				      .calls = o->calls,
				      .kind = o->alloc};

	return unity_frames_push(&s->frames, &it, end, e);
}

/* The innermost open sample, without an end of its own. */
static enum status drop(struct unity_stream *s, struct unity_thread *t, struct err *e)
{
	const struct unity_open *o = &t->open[--t->n_open];

	return o->alloc ? push_alloc(s, t, o, o->start, e) : ST_OK;
}

static enum status unity_thread_close(struct unity_stream *s, struct unity_thread *t,
				      uint64_t ticks, struct err *e)
{
	const struct unity_open *o = &t->open[--t->n_open];
	struct unity_item it = {
	    .start = o->start, .node = o->node, .thread = t->lane, .calls = o->calls};
	enum status st = o->alloc ? push_alloc(s, t, o, ticks, e) : ST_OK;

	if (ticks >= o->start)
		it.total = unity_ns(&s->frames.clock, ticks - o->start);
	else
		s->backward++;
	it.self = it.total - o->children;
	if (o->children > it.total) {
		s->clamped++;
		s->clamped_ns += o->children - it.total;
		it.self = 0;
	}
	if (t->n_open)
		t->open[t->n_open - 1].children += it.total;
	return st ? st : unity_frames_push(&s->frames, &it, ticks, e);
}

enum status unity_thread_settle(struct unity_stream *s, struct unity_thread *t, struct err *e)
{
	if (!t->instant)
		return ST_OK;
	t->instant = false;
	return unity_thread_close(s, t, t->open[t->n_open - 1].start, e);
}

enum status unity_thread_end_sample(struct unity_stream *s, struct unity_thread *t, uint32_t id,
				    uint64_t ticks, struct err *e)
{
	enum status st = t->instant ? unity_thread_settle(s, t, e) : ST_OK;
	uint32_t marker;
	size_t i = t->n_open;

	if (st || t->waiting)
		return st;
	marker = unity_marker(&s->frames.names, id);
	if (i && t->open[i - 1].marker == marker)
		return unity_thread_close(s, t, ticks, e);
	while (i && t->n_open - i < SEARCH_MAX &&
	       s->frames.names.markers[t->open[i - 1].marker].id != id)
		i--;
	if (!i || t->n_open - i == SEARCH_MAX) {
		s->orphans++;
		return ST_OK;
	}
	while (!st && t->n_open > i) {
		s->misnested++;
		st = drop(s, t, e);
	}
	return st ? st : unity_thread_close(s, t, ticks, e);
}

enum status unity_thread_alloc(struct unity_stream *s, struct unity_thread *t, uint64_t bytes,
			       struct err *e)
{
	const struct unity_names *names = &s->frames.names;
	const struct unity_open *o = t->n_open ? &t->open[t->n_open - 1] : NULL;
	struct unity_item it = {.total = bytes, .thread = t->lane, .kind = UNITY_ALLOC};

	if (o) {
		it.start = o->start;
		it.node =
		    names->markers[o->marker].gc_alloc ? names->nodes[o->node].parent : o->node;
	}
	return unity_frames_push(&s->frames, &it, it.start, e);
}

enum status unity_thread_break(struct unity_stream *s, struct unity_thread *t, struct err *e)
{
	enum status st = unity_thread_settle(s, t, e);

	while (!st && t->n_open) {
		s->dropped++;
		st = drop(s, t, e);
	}
	t->waiting = t->framed;
	return st;
}
