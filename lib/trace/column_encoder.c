/* SPDX-License-Identifier: MIT */
#include "lib/trace/column_encoder.h"

enum {
	SHAPE,
	FIELD = COLUMN_ENCODER_FIELD,
	TIME = COLUMN_ENCODER_TIME,
	COLUMNS = COLUMN_ENCODER_COLUMNS
};

/* The times' bits have their place right before the column of times, of which they are the first. */
static uint8_t *start(const struct column_encoder *g, unsigned column)
{
	return g->room + COLUMN_ENCODER_HEAD + (size_t)column * COLUMN_ENCODER_COLUMN +
	       (column >= TIME ? COLUMN_ENCODER_BITS : 0);
}

static uint8_t *bits_start(const struct column_encoder *g)
{
	return start(g, TIME) - COLUMN_ENCODER_BITS;
}

static void column_encoder_forget(struct column_encoder *g)
{
	for (unsigned i = 0; i < COLUMNS; i++)
		g->end[i] = start(g, i);
	g->bits = bits_start(g);
	g->n = g->n_times = g->n_shapes = g->size = g->last = 0;
	g->stack = 0;
	g->has = 0;
	g->time = 0;
	g->seq = g->address = 0;
}

void column_encoder_init(struct column_encoder *g, uint8_t *room, int64_t unit)
{
	g->room = room;
	g->unit = unit;
	column_encoder_forget(g);
}

static uint32_t shape_of(struct column_encoder *g, uint32_t shape)
{
	uint32_t i = 0;

	if (g->n_shapes && g->shapes[g->last] == shape)
		return g->last;
	while (i < g->n_shapes && g->shapes[i] != shape)
		i++;
	if (i == g->n_shapes) {
		g->shapes[g->n_shapes++] = shape;
		g->size += 4;
	}
	return i;
}

/* How many bytes it takes. */
static inline uint32_t put(struct column_encoder *g, unsigned bit, uint64_t v)
{
	uint8_t *at = g->end[FIELD + bit];

	g->end[FIELD + bit] = uleb_put(at, v);
	return (uint32_t)(g->end[FIELD + bit] - at);
}

static inline uint64_t difference(uint64_t v, uint64_t *before)
{
	uint64_t d = zigzag((int64_t)(v - *before));

	*before = v;
	return d;
}

/* Most events have the time of the one before: a bit says it, eight to a byte, and the differences of
 * the others follow. */
static inline uint32_t put_time(struct column_encoder *g, int64_t time)
{
	int64_t d = (int64_t)((uint64_t)time - (uint64_t)g->time);
	unsigned bit = g->n_times++ % 8;
	uint32_t n = bit == 0;

	if (n && g->n_times > 1)
		g->bits++;
	if (n)
		*g->bits = 0;
	if (!d)
		return n;
	*g->bits |= (uint8_t)(1u << bit);
	g->time = time;
	return n + put(g, TIME - FIELD, zigzag(g->unit == 1 ? d : d / g->unit));
}

/* For any event. */
static inline bool has_room(const struct column_encoder *g)
{
	return g->n < EVENT_COLUMNS_EVENTS && g->n_shapes < EVENT_COLUMNS_SHAPES &&
	       g->size + COLUMNS * 10 <= EVENT_COLUMNS_BYTES - EVENT_MAX;
}

bool column_encoder_add(struct column_encoder *g, const struct event *ev)
{
	unsigned has = ev->has & EV_FIELDS;
	uint32_t n = 1; /* bytes; together at the end, or each waits for the one before */
	uint64_t stack = g->stack;

	if (!has_room(g)) /* what was full could not be written, which has been reported */
		return false;
	g->last = shape_of(g, ev->kind | (uint32_t)has << 8);
	*g->end[SHAPE]++ = (uint8_t)g->last;
	g->n++;
	g->has |= has;
	if (has & EV_HAS_SEQ)
		n += put(g, 0, difference(ev->seq, &g->seq));
	if (has & EV_HAS_ADDRESS)
		n += put(g, 1, difference(ev->address, &g->address));
	if (has & EV_HAS_REQUESTED)
		n += put(g, 2, ev->requested);
	if (has & EV_HAS_REAL)
		n += put(g, 3, ev->real);
	if (has & EV_HAS_TYPE)
		n += put(g, 4, ev->type);
	if (has & EV_HAS_STACK) {
		n += put(g, 5, difference(ev->stack, &stack));
		g->stack = ev->stack;
	}
	if (has & EV_HAS_TIME)
		n += put_time(g, ev->time);
	if (has & EV_HAS_COUNT)
		n += put(g, 7, ev->count);
	if (has & EV_HAS_THREAD)
		n += put(g, 8, ev->thread);
	if (has & EV_HAS_VALUE)
		n += put(g, 9, zigzag(ev->value));
	if (has & EV_HAS_NAME)
		n += put(g, 10, ev->name);
	if (has & EV_HAS_DOMAIN)
		n += put(g, 11, ev->domain);
	if (has & EV_HAS_TARGET)
		n += put(g, 12, ev->target);
	g->size += n;
	return has_room(g);
}

static bool multiples(const struct column_encoder *g, int64_t unit)
{
	const uint8_t *p = start(g, TIME);
	uint64_t d = 0;

	while (p && p < g->end[TIME]) {
		p = uleb_decode(p, g->end[TIME], &d);
		if (unzigzag(d) % unit)
			return false;
	}
	return true;
}

void column_encoder_coarsen(struct column_encoder *g)
{
	int64_t unit = !multiples(g, 1000) ? 1 : !multiples(g, 1000000) ? 1000 : 1000000;
	const uint8_t *p = start(g, TIME), *end = g->end[TIME];
	uint64_t d = 0;

	g->unit = unit;
	if (unit == 1)
		return;
	g->end[TIME] = start(g, TIME);
	while (p && p < end) {
		p = uleb_decode(p, end, &d);
		g->end[TIME] += uleb_encode(g->end[TIME], zigzag(unzigzag(d) / unit));
	}
}

static uint8_t *append(uint8_t *to, const uint8_t *from, size_t n)
{
	memmove(to, from, n);
	return to + n;
}

/* Each column goes to the end of those before it, which is never behind its own place. */
uint8_t *column_encoder_finish(struct column_encoder *g, uint32_t *n)
{
	uint8_t *payload = g->room + CHUNK_HEADER_SIZE, *p = payload;
	size_t bits = (g->n_times + 7) / 8;
	uint8_t unit[10];
	size_t unit_size = uleb_encode(unit, (uint64_t)g->unit);

	p += uleb_encode(p, g->n);
	p += uleb_encode(p, g->n_shapes);
	for (uint32_t i = 0; i < g->n_shapes; i++) {
		*p++ = (uint8_t)g->shapes[i];
		p += uleb_encode(p, g->shapes[i] >> 8);
	}
	for (unsigned i = 0; i < COLUMNS; i++) {
		size_t size = (size_t)(g->end[i] - start(g, i));
		bool time = i == TIME;

		if (i == SHAPE ? g->n_shapes <= 1 : !(g->has >> (i - FIELD) & 1))
			continue;
		p += uleb_encode(p, size + (time ? unit_size + bits : 0));
		*p++ = 0; /* not packed */
		if (time)
			p = append(append(p, unit, unit_size), bits_start(g), bits);
		p = append(p, start(g, i), size);
	}
	*n = (uint32_t)(p - payload);
	column_encoder_forget(g);
	return payload;
}
