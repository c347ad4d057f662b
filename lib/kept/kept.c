/* SPDX-License-Identifier: MIT */
#include "lib/kept/kept.h"

#include "lib/base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { SLACK = 8, BATCH = 256 }; /* a value is read as eight bytes, of which few are its own */

/* Numbers below 0 are near each other too: ordered as signed ones. */
static const struct field {
	uint8_t at, size;
	bool is_signed;
} fields[KEPT_FIELDS] = {
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

static bool less(uint64_t a, uint64_t b, bool is_signed)
{
	uint64_t flip = is_signed ? (uint64_t)1 << 63 : 0;

	return (a ^ flip) < (b ^ flip);
}

static uint8_t width_of(uint64_t range)
{
	uint8_t n = 0;

	for (; range; range >>= 8)
		n++;
	return n;
}

/* What is staged becomes a block. */
static void kept_seal(struct kept *k)
{
	struct kept_capture *c = &k->captures[k->n - 1];
	struct kept_block b = {.n = (uint32_t)k->n_staged};
	size_t total = 0;
	uint8_t *to;

	if (!k->n_staged)
		return;
	for (size_t f = 0; f < KEPT_FIELDS; f++) {
		uint64_t least = get(&k->staged[0], &fields[f]), most = least;

		for (size_t i = 1; i < k->n_staged; i++) {
			uint64_t v = get(&k->staged[i], &fields[f]);

			if (less(v, least, fields[f].is_signed))
				least = v;
			if (less(most, v, fields[f].is_signed))
				most = v;
		}
		b.least[f] = least;
		b.width[f] = width_of(most - least);
		total += b.width[f] * k->n_staged;
	}
	to = b.bytes = mem_alloc(total + SLACK);
	for (size_t f = 0; f < KEPT_FIELDS; f++)
		for (size_t i = 0; b.width[f] && i < k->n_staged; i++) {
			uint64_t v = get(&k->staged[i], &fields[f]) - b.least[f];

			for (unsigned n = 0; n < b.width[f]; n++)
				*to++ = (uint8_t)(v >> 8 * n);
		}
	memset(to, 0, SLACK);
	VEC_PUSH(c->blocks, c->n_blocks, c->cap_blocks) = b;
	k->events += k->n_staged;
	k->bytes += total + SLACK + sizeof b;
	k->n_staged = 0;
}

static enum status kept_begin(struct sink *s, struct trace *t, struct err *e)
{
	struct kept *k = (struct kept *)s;

	(void)t;
	(void)e;
	VEC_PUSH(k->captures, k->n, k->cap) = (struct kept_capture){.t = NULL};
	if (!k->staged)
		k->staged = mem_array(KEPT_BLOCK, sizeof *k->staged);
	return ST_OK;
}

static enum status kept_event(struct sink *s, struct trace *t, const struct event *ev,
			      struct err *e)
{
	struct kept *k = (struct kept *)s;

	(void)t;
	(void)e;
	k->staged[k->n_staged++] = *ev;
	if (k->n_staged == KEPT_BLOCK)
		kept_seal(k);
	return ST_OK;
}

static enum status kept_events(struct sink *s, struct trace *t, const struct event *ev, size_t n,
			       struct err *e)
{
	for (size_t i = 0; i < n; i++)
		kept_event(s, t, &ev[i], e);
	return ST_OK;
}

/* The reader frees what is left of its trace: nothing. */
static enum status kept_end(struct sink *s, struct trace *t, struct err *e)
{
	struct kept *k = (struct kept *)s;
	struct kept_capture *c = &k->captures[k->n - 1];

	(void)e;
	kept_seal(k);
	c->open = false;
	c->t = trace_take(t);
	c->n_notes = c->t->n_notes;
	c->notes = mem_array(c->n_notes + 1, sizeof *c->notes);
	if (c->n_notes)
		memcpy(c->notes, c->t->notes, c->n_notes * sizeof *c->notes);
	return ST_OK;
}

void kept_init(struct kept *k, const char *name)
{
	*k = (struct kept){.sink = {kept_begin, kept_event, kept_end, kept_events, NULL},
			   .name = name,
			   .why = ERR_INIT};
}

void kept_open(struct kept *k, struct trace *t)
{
	k->captures[k->n - 1].t = t;
	k->captures[k->n - 1].open = true;
}

static void drop(struct kept_capture *c)
{
	for (size_t i = 0; i < c->n_blocks; i++)
		free(c->blocks[i].bytes);
	free(c->blocks);
	free(c->notes);
	if (!c->open)
		trace_free(c->t);
}

void kept_release(struct kept *k)
{
	for (size_t i = 0; i < k->n; i++)
		drop(&k->captures[i]);
	free(k->captures);
	free(k->staged);
	buf_release(&k->raw);
	*k = (struct kept){.name = NULL};
}

/* Values i..i+n of a column, into n events. */
static void kept_spread(struct event *to, const struct field *f, const uint8_t *column,
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

static enum status kept_walk_block(const struct kept_block *b, struct event *batch, struct sink *to,
				   struct trace *t, struct err *e)
{
	enum status st = ST_OK;

	/* What is the same in all of the block is written once. */
	for (size_t f = 0; f < KEPT_FIELDS; f++)
		for (size_t k = 0; !b->width[f] && k < BATCH && k < b->n; k++)
			put(&batch[k], &fields[f], b->least[f]);
	for (size_t i = 0, n; !st && i < b->n; i += n) {
		const uint8_t *column = b->bytes;

		n = b->n - i < BATCH ? b->n - i : BATCH;
		for (size_t f = 0; f < KEPT_FIELDS; column += (size_t)b->width[f] * b->n, f++)
			if (b->width[f])
				kept_spread(batch, &fields[f], column, b->width[f], b->least[f], i,
					    n);
		st = sink_events(to, t, batch, n, e);
	}
	return st;
}

static enum status walk_capture(struct kept_capture *c, struct event *batch, struct sink *to,
				struct err *e)
{
	struct trace *t = c->t;
	enum status st;

	if (!c->open)
		trace_set_notes(t, c->notes, c->n_notes);
	memset(t->events, 0, sizeof t->events);
	st = to->begin(to, t, e);
	for (size_t i = 0; !st && i < c->n_blocks; i++)
		st = kept_walk_block(&c->blocks[i], batch, to, t, e);
	return st ? st : to->end(to, t, e);
}

enum status kept_walk(struct kept *k, struct sink *to, struct err *e)
{
	struct event *batch = mem_zarray(BATCH, sizeof *batch);
	enum status st = ST_OK;

	if (k->n && k->captures[k->n - 1].open)
		kept_seal(k);
	for (size_t i = 0; !st && i < k->n && k->captures[i].t; i++)
		st = walk_capture(&k->captures[i], batch, to, e);
	free(batch);
	return st;
}
