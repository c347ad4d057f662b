/* SPDX-License-Identifier: MIT */
#include "lib/event_store/event_store.h"

#include "lib/base/mem.h"
#include "lib/base/resource_scope.h"

#include <stdlib.h>
#include <string.h>

enum { SLACK = 8, BATCH = 256 }; /* a value is read as eight bytes, of which few are its own */

/* Numbers below 0 are near each other too: ordered as signed ones. */
static const struct field {
	uint8_t at, size;
	bool is_signed;
} fields[EVENT_STORE_FIELDS] = {
#define FIELD(name)                                                                    \
	{                                                                              \
		offsetof(struct event, name), sizeof(((struct event *)0)->name), false \
	}
#define SIGNED(name)                                                                  \
	{                                                                             \
		offsetof(struct event, name), sizeof(((struct event *)0)->name), true \
	}
    FIELD(kind),   FIELD(domain), FIELD(has),       FIELD(type), FIELD(stack),
    FIELD(thread), FIELD(name),   SIGNED(time),     FIELD(seq),  FIELD(address),
    FIELD(target), FIELD(count),  FIELD(requested), FIELD(real), SIGNED(value),
#undef FIELD
#undef SIGNED
};

static uint64_t get(const struct event *ev, const struct field *f)
{
	const char *p = (const char *)ev + f->at;
	uint64_t v = 0;
	uint32_t u;
	uint16_t s;

	switch (f->size) {
	case 1: return *(const uint8_t *)p;
	case 2: memcpy(&s, p, sizeof s); return s;
	case 4: memcpy(&u, p, sizeof u); return u;
	default: memcpy(&v, p, sizeof v); return v;
	}
}

static void put(struct event *ev, const struct field *f, uint64_t v)
{
	char *p = (char *)ev + f->at;
	uint32_t u = (uint32_t)v;
	uint16_t s = (uint16_t)v;

	switch (f->size) {
	case 1: *(uint8_t *)p = (uint8_t)v; break;
	case 2: memcpy(p, &s, sizeof s); break;
	case 4: memcpy(p, &u, sizeof u); break;
	default: memcpy(p, &v, sizeof v); break;
	}
}

static uint8_t width_of(uint64_t range)
{
	uint8_t n = 0;

	for (; range; range >>= 8)
		n++;
	return n;
}

/* A field of all n, ordered as unsigned numbers. */
static void event_store_gather(uint64_t *to, const struct event *ev, const struct field *f,
			       size_t n)
{
	const char *p = (const char *)ev + f->at;
	uint64_t flip = f->is_signed ? (uint64_t)1 << 63 : 0;

	switch (f->size) {
	case 4:
		for (size_t i = 0; i < n; i++)
			to[i] = *(const uint32_t *)(const void *)(p + i * sizeof *ev);
		break;
	case 8:
		for (size_t i = 0; i < n; i++)
			to[i] = *(const uint64_t *)(const void *)(p + i * sizeof *ev) ^ flip;
		break;
	default:
		for (size_t i = 0; i < n; i++)
			to[i] = get(&ev[i], f);
	}
}

/* Writes up to eight bytes more than n values of this width. */
static void event_store_pack(uint8_t *to, const uint64_t *v, uint64_t least, unsigned width,
			     size_t n)
{
	for (size_t i = 0; i < n; i++, to += width) {
		uint64_t d = v[i] - least;

		memcpy(to, &d, sizeof d);
	}
}

static void span_add(struct sink_span *s, int64_t v)
{
	if (!s->any || v < s->least)
		s->least = v;
	if (!s->any || v > s->most)
		s->most = v;
	s->last = v;
	s->any = true;
}

static void span_join(struct sink_span *to, const struct sink_span *more)
{
	if (!more->any)
		return;
	span_add(to, more->least);
	span_add(to, more->most);
	to->last = more->last;
}

static void event_store_digest(struct event_store_capture *c, struct sink_digest *d,
			       const struct event *ev, size_t n)
{
	for (const struct event *end = ev + n; ev < end; ev++) {
		bool frees = ev->kind == EV_FREE || ev->kind == EV_FREED, memory = true;

		d->n[ev->kind]++;
		switch (ev->kind) {
		case EV_FREE: d->frees += ev->address != 0; break;
		case EV_FREED: d->freed += ev->address != 0; break;
		case EV_COUNTER:
			d->readings += (ev->has & EV_HAS_VALUE) != 0;
			memory = false;
			break;
		case EV_FRAME: span_add(&d->frames, ev->value); break;
		case EV_ALLOC:
		case EV_PROFILE:
		case EV_TYPE_TOTAL: break;
		case EV_ENTER:
		case EV_EXIT:
		case EV_SAMPLE:
		case EV_DELTA: c->measured = true; /* fall through */
		default: memory = false; break;
		}
		if (frees || ev->kind == EV_ALLOC)
			*(ev->has & EV_HAS_SEQ ? &c->seqs : &c->no_seqs) = true;
		if (!(ev->has & EV_HAS_TIME))
			continue;
		span_add(&d->all_times, ev->time);
		if (frees && !ev->address)
			continue;
		if (memory)
			span_add(&d->times, ev->time);
		if (memory || ev->kind == EV_COUNTER)
			span_add(&d->counted, ev->time);
	}
}

/* What is staged becomes a block. */
static void event_store_seal(struct event_store *k)
{
	struct event_store_capture *c = &k->captures[k->n - 1];
	size_t n = k->n_staged, total = 0;
	struct event_store_block b = {.n = (uint32_t)n};
	uint8_t *to;

	if (!n)
		return;
	if (!k->column) {
		k->column = mem_array(EVENT_STORE_BLOCK, sizeof *k->column);
		k->packed = mem_alloc(EVENT_STORE_BLOCK * sizeof(struct event) + SLACK);
	}
	to = k->packed;
	for (size_t f = 0; f < EVENT_STORE_FIELDS; f++) {
		uint64_t *v = k->column, least, most;

		event_store_gather(v, k->staged, &fields[f], n);
		least = most = v[0];
		for (size_t i = 1; i < n; i++) {
			least = v[i] < least ? v[i] : least;
			most = v[i] > most ? v[i] : most;
		}
		b.width[f] = width_of(most - least);
		if (b.width[f])
			event_store_pack(to + total, v, least, b.width[f], n);
		total += b.width[f] * n;
		b.least[f] = fields[f].is_signed ? least ^ (uint64_t)1 << 63 : least;
	}
	memset(to + total, 0, SLACK);
	b.bytes = arena_alloc(&c->columns, total + SLACK);
	memcpy(b.bytes, to, total + SLACK);
	event_store_digest(c, &b.digest, k->staged, n);
	VEC_PUSH(c->blocks, c->n_blocks, c->cap_blocks) = b;
	k->events += n;
	k->bytes += total + SLACK + sizeof b;
	k->n_staged = 0;
}

static enum status event_store_begin(struct sink *s, struct trace *t, struct err *e)
{
	struct event_store *k = (struct event_store *)s;

	(void)t;
	(void)e;
	VEC_PUSH(k->captures, k->n, k->cap) = (struct event_store_capture){.t = NULL};
	if (!k->staged)
		k->staged = mem_array(EVENT_STORE_BLOCK, sizeof *k->staged);
	return ST_OK;
}

static enum status event_store_batch(struct sink *s, struct trace *t, const struct sink_batch *b,
				     struct err *e)
{
	struct event_store *k = (struct event_store *)s;

	(void)t;
	(void)e;
	for (size_t i = 0; i < b->n; i++) {
		k->staged[k->n_staged++] = b->rows[i];
		if (k->n_staged == EVENT_STORE_BLOCK)
			event_store_seal(k);
	}
	return ST_OK;
}

/* The reader frees what is left of its trace: nothing. */
static enum status event_store_end(struct sink *s, struct trace *t, struct err *e)
{
	struct event_store *k = (struct event_store *)s;
	struct event_store_capture *c = &k->captures[k->n - 1];

	(void)e;
	event_store_seal(k);
	c->open = false;
	c->t = trace_take(t);
	return ST_OK;
}

void event_store_init(struct event_store *k, const char *name)
{
	*k = (struct event_store){.sink = {.begin = event_store_begin,
					   .batch = event_store_batch,
					   .end = event_store_end},
				  .name = name,
				  .why = ERR_INIT};
}

void event_store_open(struct event_store *k, struct trace *t)
{
	k->captures[k->n - 1].t = t;
	k->captures[k->n - 1].open = true;
}

static void drop(struct event_store_capture *c)
{
	arena_release(&c->columns);
	free(c->blocks);
	if (!c->open)
		trace_free(c->t);
}

void event_store_release(struct event_store *k)
{
	for (size_t i = 0; i < k->n; i++)
		drop(&k->captures[i]);
	free(k->captures);
	free(k->staged);
	free(k->column);
	free(k->packed);
	buf_release(&k->raw);
	*k = (struct event_store){.name = NULL};
}

/* Values i..i+n of a column, into n events. */
static void event_store_spread(struct event *to, const struct field *f, const uint8_t *column,
			       unsigned width, uint64_t least, size_t i, size_t n)
{
	uint64_t mask = width == 8 ? UINT64_MAX : ((uint64_t)1 << 8 * width) - 1, v;

	column += i * width;
	switch (f->size) {
	case 4:
		for (size_t k = 0; k < n; k++, column += width) {
			memcpy(&v, column, sizeof v);
			*(uint32_t *)(void *)((char *)&to[k] + f->at) =
			    (uint32_t)(least + (v & mask));
		}
		break;
	case 8:
		for (size_t k = 0; k < n; k++, column += width) {
			memcpy(&v, column, sizeof v);
			*(uint64_t *)(void *)((char *)&to[k] + f->at) = least + (v & mask);
		}
		break;
	default:
		for (size_t k = 0; k < n; k++, column += width) {
			memcpy(&v, column, sizeof v);
			put(&to[k], f, least + (v & mask));
		}
	}
}

static enum status event_store_walk_block(const struct event_store_block *b, struct event *batch,
					  struct sink *to, struct trace *t, struct err *e)
{
	enum status st = ST_OK;

	/* What is the same in all of the block is written once. */
	for (size_t f = 0; f < EVENT_STORE_FIELDS; f++)
		for (size_t k = 0; !b->width[f] && k < BATCH && k < b->n; k++)
			put(&batch[k], &fields[f], b->least[f]);
	for (size_t i = 0, n; !st && i < b->n; i += n) {
		const uint8_t *column = b->bytes;

		n = b->n - i < BATCH ? b->n - i : BATCH;
		for (size_t f = 0; f < EVENT_STORE_FIELDS;
		     column += (size_t)b->width[f] * b->n, f++)
			if (b->width[f])
				event_store_spread(batch, &fields[f], column, b->width[f],
						   b->least[f], i, n);
		st = sink_events(to, t, batch, n, e);
	}
	return st;
}

static void count_digest(struct trace *t, const struct sink_digest *d, bool back)
{
	for (size_t i = 0; i < EV_KINDS; i++)
		t->events[i] += back ? 0 - d->n[i] : d->n[i];
}

/* d is a block's, or of all of them. ST_NONE: the events have to be walked. */
static enum status event_store_try_skip(const struct event_store_capture *c, struct trace *t,
					const struct sink_digest *d,
					const struct sink_snapshot *made, struct sink *to,
					struct err *e)
{
	struct sink_digest known = *d;
	struct sink_batch b = {.digest = &known};
	enum status st;

	if (!(sink_wants(to, t) & SINK_WANTS_DIGESTS))
		return ST_NONE;
	known.seqs = c->seqs && c->no_seqs ? SINK_SEQS_MIXED
		     : c->no_seqs          ? SINK_SEQS_NONE
					   : SINK_SEQS_ALL;
	known.measured = c->measured;
	known.made = made;
	for (size_t i = 0; i < EV_KINDS; i++)
		b.n += (size_t)d->n[i];
	count_digest(t, d, false);
	st = to->batch(to, t, &b, e);
	if (st == ST_NONE)
		count_digest(t, d, true);
	return st;
}

static enum status offer_whole(const struct event_store *k, const struct event_store_capture *c,
			       struct trace *t, struct sink *to, struct err *e)
{
	size_t capture = (size_t)(c - k->captures);
	const struct sink_snapshot made = {k->made, k->arg, capture, NULL};
	const struct sink_snapshot selected = {k->made_selected, k->arg_selected, capture,
					       k->selection};
	struct sink_digest d = {.made = NULL};
	enum status st = ST_NONE;

	if ((!k->made && !k->made_selected) || !(sink_wants(to, t) & SINK_WANTS_DIGESTS))
		return ST_NONE;
	for (size_t i = 0; i < c->n_blocks; i++) {
		const struct sink_digest *b = &c->blocks[i].digest;

		for (size_t n = 0; n < EV_KINDS; n++)
			d.n[n] += b->n[n];
		d.frees += b->frees;
		d.freed += b->freed;
		span_join(&d.frames, &b->frames);
		span_join(&d.times, &b->times);
		span_join(&d.counted, &b->counted);
		d.readings += b->readings;
		span_join(&d.all_times, &b->all_times);
	}
	if (k->made_selected)
		st = event_store_try_skip(c, t, &d, &selected, to, e);
	return st == ST_NONE && k->made ? event_store_try_skip(c, t, &d, &made, to, e) : st;
}

static enum status walk_blocks(const struct event_store_capture *c, struct trace *t,
			       struct event *batch, struct sink *to, struct err *e)
{
	enum status st = ST_OK;

	for (size_t i = 0; !st && i < c->n_blocks; i++) {
		resource_scope_poll();
		st = event_store_try_skip(c, t, &c->blocks[i].digest, NULL, to, e);
		if (st == ST_NONE)
			st = event_store_walk_block(&c->blocks[i], batch, to, t, e);
	}
	return st;
}

/* What is not in a block yet, of a capture that goes on. */
static enum status walk_staged(const struct event_store *k, const struct event_store_capture *c,
			       struct trace *t, struct sink *to, struct err *e)
{
	enum status st = ST_OK;

	for (size_t i = 0, n; c->open && !st && i < k->n_staged; i += n) {
		n = k->n_staged - i < BATCH ? k->n_staged - i : BATCH;
		st = sink_events(to, t, &k->staged[i], n, e);
	}
	return st;
}

static enum status walk_capture(const struct event_store *k, const struct event_store_capture *c,
				struct event *batch, struct sink *to, struct err *e)
{
	struct trace *t = trace_share(c->t);
	enum status st;

	memset(t->events, 0, sizeof t->events);
	st = to->begin(to, t, e);
	if (!st)
		st = offer_whole(k, c, t, to, e);
	if (st == ST_NONE)
		st = walk_blocks(c, t, batch, to, e);
	if (!st)
		st = walk_staged(k, c, t, to, e);
	if (!st)
		st = to->end(to, t, e);
	trace_free(t);
	return st;
}

enum status event_store_replay(const struct event_store *k, struct sink *to, struct err *e)
{
	struct event *batch = mem_zarray(BATCH, sizeof *batch);
	enum status st = ST_OK;

	for (size_t i = 0; !st && i < k->n && k->captures[i].t; i++)
		st = walk_capture(k, &k->captures[i], batch, to, e);
	free(batch);
	return st;
}
