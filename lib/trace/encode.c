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

struct trace_chunk chunk_decode(const uint8_t in[CHUNK_HEADER_SIZE])
{
	return (struct trace_chunk){.kind = (uint32_t)get(in, 4),
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

/* Reads fields one after the other; the first that is not there, or does not fit its type, makes
 * all of the event undecodable. */
struct fields {
	const uint8_t *p, *end; /* behind end: failed */
	bool roomy; /* ROOM bytes can be read from the event's first on, whatever they are */
};

enum { ROOM = 2 * EVENT_MAX }; /* also when each field begins behind the end */

static inline uint64_t encode_next(struct fields *f)
{
	const uint8_t *p;
	uint64_t v = 0;

	if (f->roomy) {
		uint64_t x = load64(f->p), ends = ~x & 0x8080808080808080;

		if (ends) {
			uint64_t last = ends & -ends; /* the top bit of the last byte */

			f->p += (unsigned)__builtin_ctzll(ends) / 8 + 1;
			return uleb_seven_bits_of_each(x & (last - 1) & 0x7f7f7f7f7f7f7f7f);
		}
	}
	p = f->p <= f->end ? uleb_decode(f->p, f->end, &v) : NULL;
	f->p = p ? p : f->end + 1;
	return p ? v : 0;
}

static inline uint32_t next32(struct fields *f)
{
	uint64_t x = encode_next(f);

	if (x > UINT32_MAX)
		f->p = f->end + 1;
	return (uint32_t)x;
}

static inline __attribute__((always_inline)) bool encode_decode(struct fields *f,
								struct event_state *st,
								struct event *ev)
{
	unsigned has = ev->has;

	if (has & EV_HAS_SEQ)
		st->seq = ev->seq = st->seq + (uint64_t)unzigzag(encode_next(f));
	if (has & EV_HAS_ADDRESS)
		st->address = ev->address = st->address + (uint64_t)unzigzag(encode_next(f));
	if (has & EV_HAS_REQUESTED)
		ev->requested = encode_next(f);
	if (has & EV_HAS_REAL)
		ev->real = encode_next(f);
	if (has & EV_HAS_TYPE)
		ev->type = next32(f);
	if (has & EV_HAS_STACK)
		ev->stack = next32(f);
	if (has & EV_HAS_TIME)
		st->time = ev->time =
		    (int64_t)((uint64_t)st->time + (uint64_t)unzigzag(encode_next(f)));
	if (has & EV_HAS_COUNT)
		ev->count = encode_next(f);
	if (has & EV_HAS_THREAD)
		ev->thread = next32(f);
	if (has & EV_HAS_VALUE)
		ev->value = unzigzag(encode_next(f));
	if (has & EV_HAS_NAME)
		ev->name = next32(f);
	if (has & EV_HAS_DOMAIN) {
		uint32_t domain = next32(f);

		if (domain >= DOMAINS)
			return false;
		ev->domain = (uint8_t)domain;
	}
	if (has & EV_HAS_TARGET)
		ev->target = encode_next(f);
	return f->p <= f->end;
}

size_t event_decode(struct event_state *st, const uint8_t *p, const uint8_t *end, struct event *ev,
		    bool *known)
{
	const uint8_t *start = p;
	bool roomy = end - p >= ROOM, sound;
	uint64_t length, mask;
	struct fields f;

	event_clear(ev);
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
	/* Fields this version does not know follow those it does. */
	ev->has = (uint16_t)(mask & EV_FIELDS);
	/* Two copies of the code, each without the other's branches. */
	if (roomy && end - start < EVENT_MAX) {
		f = (struct fields){p, end, true};
		sound = encode_decode(&f, st, ev);
	} else {
		f = (struct fields){p, end, false};
		sound = encode_decode(&f, st, ev);
	}
	return sound ? (size_t)(end - start) : 0;
}
