/* SPDX-License-Identifier: MIT
 *
 * The fast engine's reader of bytes. As in struct cursor, bounds are checked, the first failure sticks, and
 * every read after it gives zero. It has no errors, offsets or refilling, so that all of it can be inlined. A
 * value is read once and kept: the bytes may be a mapped file that another process rewrites. A reader that has
 * failed stays where it was, which is where there were too few bytes, so that fault.h can say the place.
 */
#ifndef TM_DWARF_FAST_READ_H
#define TM_DWARF_FAST_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct rd {
	const uint8_t *p, *end;
	bool failed, big_endian;
};

struct fast_bytes {
	const uint8_t *p;
	uint64_t n;
};

/* The bytes from offset on; a failed reader if there are no such bytes. */
static inline struct rd rd_at(struct fast_bytes b, uint64_t offset, bool big_endian)
{
	struct rd r = {.big_endian = big_endian};

	r.failed = offset >= b.n;
	if (!r.failed) {
		r.p = b.p + offset;
		r.end = b.p + b.n;
	}
	return r;
}

/* The bytes of [from, to). */
static inline struct rd rd_between(struct fast_bytes b, uint64_t from, uint64_t to, bool big_endian)
{
	if (to < b.n)
		b.n = to;
	return rd_at(b, from, big_endian);
}

static inline size_t rd_left(const struct rd *r)
{
	return (size_t)(r->end - r->p);
}

static inline void rd_fail(struct rd *r)
{
	r->failed = true;
	r->end = r->p;
}

static inline void rd_skip(struct rd *r, uint64_t n)
{
	if (n > rd_left(r))
		rd_fail(r);
	else
		r->p += n;
}

static inline uint8_t rd_u8(struct rd *r)
{
	if (r->p == r->end) {
		rd_fail(r);
		return 0;
	}
	return *r->p++;
}

static inline uint16_t rd_u16(struct rd *r)
{
	uint16_t v;

	if (rd_left(r) < sizeof v) {
		rd_fail(r);
		return 0;
	}
	memcpy(&v, r->p, sizeof v);
	r->p += sizeof v;
	return r->big_endian ? __builtin_bswap16(v) : v;
}

static inline uint32_t rd_u32(struct rd *r)
{
	uint32_t v;

	if (rd_left(r) < sizeof v) {
		rd_fail(r);
		return 0;
	}
	memcpy(&v, r->p, sizeof v);
	r->p += sizeof v;
	return r->big_endian ? __builtin_bswap32(v) : v;
}

static inline uint64_t rd_u64(struct rd *r)
{
	uint64_t v;

	if (rd_left(r) < sizeof v) {
		rd_fail(r);
		return 0;
	}
	memcpy(&v, r->p, sizeof v);
	r->p += sizeof v;
	return r->big_endian ? __builtin_bswap64(v) : v;
}

/* An unsigned number of n bytes, at most 8. */
static inline uint64_t rd_uint(struct rd *r, unsigned n)
{
	uint64_t v = 0;

	switch (n) {
	case 8: return rd_u64(r);
	case 4: return rd_u32(r);
	case 2: return rd_u16(r);
	case 1: return rd_u8(r);
	default: break;
	}
	if (n > 8 || n > rd_left(r)) {
		rd_fail(r);
		return 0;
	}
	for (unsigned i = 0; i < n; i++)
		v |= (uint64_t)*r->p++ << 8 * (r->big_endian ? n - 1 - i : i);
	return v;
}

/* An offset into a section: 8 bytes in 64-bit DWARF. */
static inline uint64_t rd_offset(struct rd *r, bool wide)
{
	return wide ? rd_u64(r) : rd_u32(r);
}

/* The long ones, kept apart so that one byte costs little. */
static __attribute__((noinline, unused)) uint64_t rd_long_uleb(struct rd *r)
{
	const uint8_t *start = r->p;
	uint64_t v = 0;
	unsigned shift = 0;

	while (r->p < r->end) {
		uint8_t b = *r->p++;
		uint64_t bits = b & 0x7f;

		if (shift < 64)
			v |= bits << shift;
		if (bits && (shift > 63 || (shift == 63 && bits > 1)))
			break;
		if (!(b & 0x80))
			return v;
		shift += shift < 64 ? 7 : 0;
	}
	r->p = start;
	rd_fail(r);
	return 0;
}

/* More than 64 bits is a failure; padding is not. */
static inline uint64_t rd_uleb(struct rd *r)
{
	if (r->p < r->end && *r->p < 0x80)
		return *r->p++;
	if (rd_left(r) > 1 && r->p[1] < 0x80) {
		r->p += 2;
		return (r->p[-2] & 0x7fU) | (uint64_t)r->p[-1] << 7;
	}
	return rd_long_uleb(r);
}

static inline int64_t rd_sleb(struct rd *r)
{
	uint64_t v = 0;
	unsigned shift = 0;

	while (r->p < r->end) {
		uint8_t b = *r->p++;

		if (shift < 64)
			v |= (uint64_t)(b & 0x7f) << shift;
		shift += shift < 64 ? 7 : 0;
		if (!(b & 0x80)) {
			if (shift < 64 && (b & 0x40))
				v |= UINT64_MAX << shift;
			return (int64_t)v;
		}
	}
	rd_fail(r);
	return 0;
}

static inline void rd_skip_leb(struct rd *r)
{
	while (r->p < r->end) {
		if (!(*r->p++ & 0x80))
			return;
	}
	rd_fail(r);
}

/* A NUL-terminated string and its length; NULL and failure when there is no NUL. */
static inline const char *rd_cstr(struct rd *r, size_t *n)
{
	const uint8_t *s = r->p, *nul = s < r->end ? memchr(s, 0, rd_left(r)) : NULL;

	if (!nul) {
		rd_fail(r);
		*n = 0;
		return NULL;
	}
	*n = (size_t)(nul - s);
	r->p = nul + 1;
	return (const char *)s;
}

#endif
