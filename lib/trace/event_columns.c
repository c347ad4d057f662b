/* SPDX-License-Identifier: MIT */
#include "lib/trace/event_columns.h"

#include "lib/base/mem.h"

#include <stdlib.h>

/* Column 0 says of each event which shape it has; column 1 + bit is the field with that bit. */
enum { SHAPE, FIELD, COLUMNS = FIELD + EVENT_COLUMNS_FIELDS, TIME = FIELD + 6 };
enum { ROOM = EVENT_COLUMNS_BYTES + EVENT_MAX, LEAST = 48 };
/* The high level costs ten times as much. It gains on times, and on what repeats itself, which is short
 * when it is packed; of addresses, most of a recording's bytes, next to nothing. Where it saves less than one byte of a chunk
 * in LEAST_SAVED, times rest for some chunks before it is tried again. */
enum { LEVEL_HIGH = 10, WORTH = 10, LEAST_SAVED = 64, REST = 15 };

struct event_columns {
	struct zstd *zstd;
	uint8_t *bytes[COLUMNS]; /* ROOM each, which is touched as far as it is needed */
	size_t len[COLUMNS];
	size_t size; /* of all columns */
	uint8_t *packed, *again;
	struct zstd_pace paces[COLUMNS];
	size_t n, n_times, n_shapes;
	uint32_t last;                         /* index of the last event's shape */
	uint32_t shapes[EVENT_COLUMNS_SHAPES]; /* kind, mask << 8 */
	int64_t *times, time;
	uint64_t seq, address;
	uint32_t stack;
	unsigned has;      /* fields of any event */
	size_t saved_time; /* by the high level, in this chunk */
	unsigned rest;     /* chunks whose times are not tried with it */
};

struct event_columns *event_columns_new(void)
{
	struct event_columns *c = mem_zalloc(sizeof *c);

	c->zstd = zstd_new();
	for (unsigned i = 0; i < COLUMNS; i++)
		c->bytes[i] = mem_alloc(ROOM);
	c->packed = mem_alloc(ROOM);
	c->again = mem_alloc(ROOM);
	c->times = mem_alloc(EVENT_COLUMNS_EVENTS * sizeof *c->times);
	return c;
}

void event_columns_free(struct event_columns *c)
{
	if (!c)
		return;
	zstd_free(c->zstd);
	for (unsigned i = 0; i < COLUMNS; i++)
		free(c->bytes[i]);
	free(c->packed);
	free(c->again);
	free(c->times);
	free(c);
}

size_t event_columns_count(const struct event_columns *c)
{
	return c->n;
}

static uint32_t shape_of(struct event_columns *c, uint32_t shape)
{
	uint32_t i = 0;

	if (c->n_shapes && c->shapes[c->last] == shape)
		return c->last;
	while (i < c->n_shapes && c->shapes[i] != shape)
		i++;
	if (i == c->n_shapes) {
		c->shapes[c->n_shapes++] = shape;
		c->size += 4;
	}
	return i;
}

/* How many bytes it takes. */
static inline size_t put(struct event_columns *c, unsigned bit, uint64_t v)
{
	size_t at = c->len[FIELD + bit], n = uleb_encode(c->bytes[FIELD + bit] + at, v);

	c->len[FIELD + bit] = at + n;
	return n;
}

static inline uint64_t difference(uint64_t v, uint64_t *before)
{
	uint64_t d = zigzag((int64_t)(v - *before));

	*before = v;
	return d;
}

static size_t put_time(struct event_columns *c, int64_t time)
{
	uint64_t d = zigzag((int64_t)((uint64_t)time - (uint64_t)c->time));
	size_t n = c->n_times % 8 == 0;

	/* In the finest unit; it can only become less. */
	n += d ? (size_t)(63 - __builtin_clzll(d)) / 7 + 1 : 0;
	c->times[c->n_times++] = c->time = time;
	return n;
}

/* For any event. */
static bool has_room(const struct event_columns *c)
{
	return c->n < EVENT_COLUMNS_EVENTS && c->n_shapes < EVENT_COLUMNS_SHAPES &&
	       c->size + COLUMNS * 10 <= EVENT_COLUMNS_BYTES - EVENT_MAX;
}

bool event_columns_add(struct event_columns *c, const struct event *ev)
{
	unsigned has = ev->has & EV_FIELDS;
	size_t n = 1; /* bytes; together at the end, or each waits for the one before */
	uint32_t shape;
	uint64_t stack = c->stack;

	if (!has_room(c)) /* what was full could not be written, which has been reported */
		return false;
	shape = shape_of(c, ev->kind | (uint32_t)has << 8);
	c->last = shape;
	c->bytes[SHAPE][c->n++] = (uint8_t)shape;
	c->has |= has;
	if (has & EV_HAS_SEQ)
		n += put(c, 0, difference(ev->seq, &c->seq));
	if (has & EV_HAS_ADDRESS)
		n += put(c, 1, difference(ev->address, &c->address));
	if (has & EV_HAS_REQUESTED)
		n += put(c, 2, ev->requested);
	if (has & EV_HAS_REAL)
		n += put(c, 3, ev->real);
	if (has & EV_HAS_TYPE)
		n += put(c, 4, ev->type);
	if (has & EV_HAS_STACK) {
		n += put(c, 5, difference(ev->stack, &stack));
		c->stack = ev->stack;
	}
	if (has & EV_HAS_TIME)
		n += put_time(c, ev->time);
	if (has & EV_HAS_COUNT)
		n += put(c, 7, ev->count);
	if (has & EV_HAS_THREAD)
		n += put(c, 8, ev->thread);
	if (has & EV_HAS_VALUE)
		n += put(c, 9, zigzag(ev->value));
	if (has & EV_HAS_NAME)
		n += put(c, 10, ev->name);
	if (has & EV_HAS_DOMAIN)
		n += put(c, 11, ev->domain);
	if (has & EV_HAS_TARGET)
		n += put(c, 12, ev->target);
	c->size += n;
	return has_room(c);
}

static bool multiples(const struct event_columns *c, int64_t unit)
{
	for (size_t i = 0; i < c->n_times; i++)
		if (c->times[i] % unit)
			return false;
	return true;
}

/* Most events have the time of the one before: a bit says it, eight to a byte, and the differences of
 * the others follow. */
static void event_columns_make_times(struct event_columns *c)
{
	int64_t unit = !multiples(c, 1000) ? 1 : !multiples(c, 1000000) ? 1000 : 1000000;
	uint8_t *bits = c->bytes[TIME], *p;
	uint64_t before = 0;

	bits += uleb_encode(bits, (uint64_t)unit);
	p = bits + (c->n_times + 7) / 8;
	memset(bits, 0, (size_t)(p - bits));
	for (size_t i = 0; i < c->n_times; i++) {
		uint64_t d = difference((uint64_t)(c->times[i] / unit), &before);

		if (d) {
			bits[i / 8] |= (uint8_t)(1u << i % 8);
			p += uleb_encode(p, d);
		}
	}
	c->len[TIME] = (size_t)(p - c->bytes[TIME]);
}

static void add_column(struct event_columns *c, unsigned i, struct buf *to)
{
	size_t n = c->len[i], packed = 0, more;
	const uint8_t *p = c->packed;

	if (n >= LEAST)
		packed = zstd_pack_paced(c->zstd, &c->paces[i], c->packed, n - 1, c->bytes[i], n);
	if (packed && ((i == TIME && !c->rest) || n / packed >= WORTH)) {
		more = zstd_pack(c->zstd, c->again, packed, c->bytes[i], n, LEVEL_HIGH);
		if (more) {
			c->saved_time += i == TIME ? packed - more : 0;
			packed = more;
			p = c->again;
		}
	}
	buf_add_uleb(to, n);
	buf_add_uleb(to, packed);
	buf_add(to, packed ? p : c->bytes[i], packed ? packed : n);
}

void event_columns_take(struct event_columns *c, struct buf *payload)
{
	size_t before = payload->len;

	c->saved_time = 0;
	c->len[SHAPE] = c->n_shapes > 1 ? c->n : 0;
	if (c->has & EV_HAS_TIME)
		event_columns_make_times(c);
	buf_add_uleb(payload, c->n);
	buf_add_uleb(payload, c->n_shapes);
	for (size_t i = 0; i < c->n_shapes; i++) {
		buf_addc(payload, (char)c->shapes[i]);
		buf_add_uleb(payload, c->shapes[i] >> 8);
	}
	if (c->n_shapes > 1)
		add_column(c, SHAPE, payload);
	for (unsigned bit = 0; bit < EVENT_COLUMNS_FIELDS; bit++)
		if (c->has >> bit & 1)
			add_column(c, FIELD + bit, payload);
	if (c->rest)
		c->rest--;
	else if (c->has & EV_HAS_TIME && c->saved_time < (payload->len - before) / LEAST_SAVED)
		c->rest = REST;
	memset(c->len, 0, sizeof c->len);
	c->size = c->n = c->n_times = c->n_shapes = 0;
	c->last = c->stack = 0;
	c->time = 0;
	c->seq = c->address = 0;
	c->has = 0;
}
