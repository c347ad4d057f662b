/* SPDX-License-Identifier: MIT */
#include "lib/trace/event_columns.h"

#include "lib/base/mem.h"

#include <stdlib.h>

enum { LEAST = 48 };
/* The high level costs ten times as much. It gains on what repeats itself, which is short when it is packed; of addresses and
 * times, most of a recording's bytes, next to nothing. */
enum { LEVEL_HIGH = 10, WORTH = 10 };

struct event_columns {
	struct zstd *zstd;
	struct column_encoder gather;
	struct zstd_pace paces[COLUMN_ENCODER_COLUMNS];
	uint8_t *packed, *again; /* EVENT_COLUMNS_BYTES each, which are touched as far as needed */
};

struct event_columns *event_columns_new(void)
{
	struct event_columns *c = mem_zalloc(sizeof *c);

	c->zstd = zstd_new();
	column_encoder_init(&c->gather, mem_alloc(COLUMN_ENCODER_ROOM), 1);
	c->packed = mem_alloc(EVENT_COLUMNS_BYTES);
	c->again = mem_alloc(EVENT_COLUMNS_BYTES);
	return c;
}

void event_columns_free(struct event_columns *c)
{
	if (!c)
		return;
	zstd_free(c->zstd);
	free(c->gather.room);
	free(c->packed);
	free(c->again);
	free(c);
}

size_t event_columns_count(const struct event_columns *c)
{
	return c->gather.n;
}

bool event_columns_add(struct event_columns *c, const struct event *ev)
{
	return column_encoder_add(&c->gather, ev);
}

static void add_column(struct event_columns *c, unsigned i, const uint8_t *column, size_t n,
		       struct buf *to)
{
	const uint8_t *p = c->packed;
	size_t packed = 0, more;

	if (n >= LEAST) /* by as much as its packed size takes, so that no chunk becomes too long */
		packed = zstd_pack_paced(c->zstd, &c->paces[i], c->packed, n - 3, column, n);
	if (packed && n / packed >= WORTH && i != COLUMN_ENCODER_TIME) {
		more = zstd_pack(c->zstd, c->again, packed, column, n, LEVEL_HIGH);
		if (more) {
			packed = more;
			p = c->again;
		}
	}
	buf_add_uleb(to, n);
	buf_add_uleb(to, packed);
	buf_add(to, packed ? p : column, packed ? packed : n);
}

/* What has been read of a plain payload. */
struct plain {
	const uint8_t *p, *end;
	uint64_t n, n_shapes, any; /* any: fields of any shape */
	size_t used;               /* bytes of columns */
};

static bool number(struct plain *at, uint64_t *v)
{
	const uint8_t *p = uleb_decode(at->p, at->end, v);

	at->p = p ? p : at->p;
	return p;
}

/* Its shapes, all of which we know. */
static bool event_columns_open_plain(struct plain *at, const uint8_t *payload, size_t n)
{
	*at = (struct plain){.p = payload, .end = payload + n};
	if (!number(at, &at->n) || !number(at, &at->n_shapes) || at->n > EVENT_COLUMNS_EVENTS ||
	    at->n_shapes > EVENT_COLUMNS_SHAPES || !at->n_shapes)
		return false;
	for (uint64_t i = 0; i < at->n_shapes; i++) {
		uint64_t kind = at->p < at->end ? *at->p++ : 0, mask;

		if (!kind || kind >= EV_KINDS || !number(at, &mask) || mask & ~(uint64_t)EV_FIELDS)
			return false;
		at->any |= mask;
	}
	return true;
}

/* The next of its columns; NULL: it is not plain, or not all there. */
static const uint8_t *event_columns_plain(struct plain *at, size_t *size)
{
	uint64_t n, packed;
	const uint8_t *p;

	if (!number(at, &n) || !number(at, &packed) || packed ||
	    n > EVENT_COLUMNS_BYTES - at->used || n > (uint64_t)(at->end - at->p))
		return NULL;
	p = at->p;
	at->p += n;
	at->used += (size_t)n;
	*size = (size_t)n;
	return p;
}

static bool has_column(const struct plain *at, unsigned i)
{
	return i ? at->any >> (i - COLUMN_ENCODER_FIELD) & 1 : at->n_shapes > 1;
}

bool event_columns_is_plain(const uint8_t *payload, size_t n, size_t *events)
{
	struct plain at;
	bool plain = event_columns_open_plain(&at, payload, n);
	size_t size;

	for (unsigned i = 0; plain && i < COLUMN_ENCODER_COLUMNS; i++)
		plain = !has_column(&at, i) || event_columns_plain(&at, &size);
	*events = (size_t)at.n;
	return plain && at.p == at.end;
}

void event_columns_pack(struct event_columns *c, const uint8_t *payload, size_t n,
			struct buf *packed)
{
	size_t size;
	struct plain at;

	event_columns_open_plain(&at, payload, n);
	buf_add(packed, payload, (size_t)(at.p - payload));
	for (unsigned i = 0; i < COLUMN_ENCODER_COLUMNS; i++) {
		const uint8_t *column = has_column(&at, i) ? event_columns_plain(&at, &size) : NULL;

		if (column)
			add_column(c, i, column, size, packed);
	}
}

void event_columns_finish(struct event_columns *c, struct buf *payload)
{
	const uint8_t *plain;
	uint32_t n;

	column_encoder_coarsen(&c->gather);
	plain = column_encoder_finish(&c->gather, &n);
	c->gather.unit = 1;
	event_columns_pack(c, plain, n, payload);
}
