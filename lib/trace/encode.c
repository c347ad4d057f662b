/* SPDX-License-Identifier: MIT */
#include "lib/trace/encode.h"

#include "lib/base/hash.h"

#include <string.h>

static void put(uint8_t *p, uint64_t v, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		p[i] = (uint8_t)(v >> i * 8);
}

static uint64_t get(const uint8_t *p, unsigned n)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < n; i++)
		v |= (uint64_t)p[i] << i * 8;
	return v;
}

/* Seeded with the kind, so that a damaged kind is found too. */
uint64_t chunk_checksum(uint32_t kind, const void *payload, size_t length)
{
	return hash_bytes_seeded(payload, length, kind);
}

void trace_mark_encode(uint8_t out[TRACE_MARK_SIZE])
{
	memcpy(out, TRACE_MAGIC, TRACE_MAGIC_SIZE);
	put(out + 8, TRACE_MAJOR, 2);
	put(out + 10, TRACE_MINOR, 2);
	put(out + 12, 0, 4);
}

void chunk_encode(uint8_t out[CHUNK_HEADER_SIZE], uint32_t kind, const void *payload,
		  uint32_t length)
{
	put(out, kind, 4);
	put(out + 4, length, 4);
	put(out + 8, chunk_checksum(kind, payload, length), 8);
}

struct chunk chunk_decode(const uint8_t in[CHUNK_HEADER_SIZE])
{
	return (struct chunk){.kind = (uint32_t)get(in, 4),
			      .length = (uint32_t)get(in + 4, 4),
			      .checksum = get(in + 8, 8)};
}

size_t event_encode(struct event_state *st, const struct event *ev, uint8_t *out)
{
	uint8_t body[EVENT_MAX];
	size_t n = uleb_encode(body, ev->has & EV_FIELDS), head;

	if (ev->has & EV_HAS_SEQ) {
		n += uleb_encode(body + n, zigzag((int64_t)(ev->seq - st->seq)));
		st->seq = ev->seq;
	}
	if (ev->has & EV_HAS_ADDRESS) {
		n += uleb_encode(body + n, zigzag((int64_t)(ev->address - st->address)));
		st->address = ev->address;
	}
	if (ev->has & EV_HAS_REQUESTED)
		n += uleb_encode(body + n, ev->requested);
	if (ev->has & EV_HAS_REAL)
		n += uleb_encode(body + n, ev->real);
	if (ev->has & EV_HAS_TYPE)
		n += uleb_encode(body + n, ev->type);
	if (ev->has & EV_HAS_STACK)
		n += uleb_encode(body + n, ev->stack);
	if (ev->has & EV_HAS_TIME) {
		n += uleb_encode(body + n,
				 zigzag((int64_t)((uint64_t)ev->time - (uint64_t)st->time)));
		st->time = ev->time;
	}
	if (ev->has & EV_HAS_COUNT)
		n += uleb_encode(body + n, ev->count);
	if (ev->has & EV_HAS_THREAD)
		n += uleb_encode(body + n, ev->thread);
	if (ev->has & EV_HAS_VALUE)
		n += uleb_encode(body + n, zigzag(ev->value));
	if (ev->has & EV_HAS_NAME)
		n += uleb_encode(body + n, ev->name);
	if (ev->has & EV_HAS_DOMAIN)
		n += uleb_encode(body + n, ev->domain);
	if (ev->has & EV_HAS_TARGET)
		n += uleb_encode(body + n, ev->target);
	out[0] = ev->kind;
	head = 1 + uleb_encode(out + 1, n);
	memcpy(out + head, body, n);
	return head + n;
}

/* A field that is not there, or does not fit 32 bits, makes the event undecodable. */
static inline const uint8_t *next(const uint8_t *p, const uint8_t *end, uint64_t *v)
{
	/* Most fields are of one byte or two. */
	if (p && end - p >= 2) {
		if (p[0] < 0x80) {
			*v = p[0];
			return p + 1;
		}
		if (p[1] < 0x80) {
			*v = (uint64_t)(p[0] & 0x7f) | (uint64_t)p[1] << 7;
			return p + 2;
		}
	}
	return p ? uleb_decode(p, end, v) : NULL;
}

static const uint8_t *next32(const uint8_t *p, const uint8_t *end, uint32_t *v)
{
	uint64_t x = 0;

	p = next(p, end, &x);
	*v = (uint32_t)x;
	return x <= UINT32_MAX ? p : NULL;
}

size_t event_decode(struct event_state *st, const uint8_t *p, const uint8_t *end, struct event *ev,
		    bool *known)
{
	const uint8_t *start = p;
	uint64_t length, mask, v = 0;

	*ev = (struct event){.count = 1};
	if (p == end)
		return 0;
	ev->kind = *p++;
	p = uleb_decode(p, end, &length);
	if (!p || length > (uint64_t)(end - p))
		return 0;
	end = p + length;
	*known = ev->kind > 0 && ev->kind < EV_KINDS;
	if (!*known)
		return (size_t)(end - start);
	p = uleb_decode(p, end, &mask);
	if (!p)
		return 0;
	/* Fields this version does not know stand behind those it does. */
	ev->has = (uint16_t)(mask & EV_FIELDS);
	if (ev->has & EV_HAS_SEQ) {
		p = next(p, end, &v);
		st->seq = ev->seq = st->seq + (uint64_t)unzigzag(v);
	}
	if (ev->has & EV_HAS_ADDRESS) {
		p = next(p, end, &v);
		st->address = ev->address = st->address + (uint64_t)unzigzag(v);
	}
	if (ev->has & EV_HAS_REQUESTED)
		p = next(p, end, &ev->requested);
	if (ev->has & EV_HAS_REAL)
		p = next(p, end, &ev->real);
	if (ev->has & EV_HAS_TYPE)
		p = next32(p, end, &ev->type);
	if (ev->has & EV_HAS_STACK)
		p = next32(p, end, &ev->stack);
	if (ev->has & EV_HAS_TIME) {
		p = next(p, end, &v);
		st->time = ev->time = (int64_t)((uint64_t)st->time + (uint64_t)unzigzag(v));
	}
	if (ev->has & EV_HAS_COUNT)
		p = next(p, end, &ev->count);
	if (ev->has & EV_HAS_THREAD)
		p = next32(p, end, &ev->thread);
	if (ev->has & EV_HAS_VALUE) {
		p = next(p, end, &v);
		ev->value = unzigzag(v);
	}
	if (ev->has & EV_HAS_NAME)
		p = next32(p, end, &ev->name);
	if (ev->has & EV_HAS_DOMAIN) {
		uint32_t domain;

		p = next32(p, end, &domain);
		if (domain >= DOMAINS)
			return 0;
		ev->domain = (uint8_t)domain;
	}
	if (ev->has & EV_HAS_TARGET)
		p = next(p, end, &ev->target);
	return p ? (size_t)(end - start) : 0;
}
