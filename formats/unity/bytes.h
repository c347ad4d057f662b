/* SPDX-License-Identifier: MIT
 *
 * The bytes of a Unity block or frame, little-endian. A read past the end gives 0, sets cut and
 * moves nothing more, so that a message is checked once, after its last field.
 */
#ifndef TM_FORMATS_UNITY_BYTES_H
#define TM_FORMATS_UNITY_BYTES_H

#include "lib/base/bytes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct unity_bytes {
	const uint8_t *base, *p, *end;
	bool aligned;   /* unity_align pads to a multiple of 4 from base on */
	unsigned phase; /* of base: bytes behind such a multiple */
	bool cut;
	uint64_t wanted; /* bytes of the read that did not fit */
};

static inline size_t unity_left(const struct unity_bytes *b)
{
	return (size_t)(b->end - b->p);
}

static inline const uint8_t *unity_read_bytes(struct unity_bytes *b, uint64_t n)
{
	const uint8_t *p = b->p;

	if (n > unity_left(b)) {
		if (!b->cut)
			b->wanted = n;
		b->cut = true;
		b->p = b->end;
		return NULL;
	}
	b->p += n;
	return p;
}

static inline uint32_t unity_u8(struct unity_bytes *b)
{
	const uint8_t *p = unity_read_bytes(b, 1);

	return p ? *p : 0;
}

static inline uint32_t unity_u16(struct unity_bytes *b)
{
	const uint8_t *p = unity_read_bytes(b, 2);

	return p ? le16(p) : 0;
}

static inline uint32_t unity_u32(struct unity_bytes *b)
{
	const uint8_t *p = unity_read_bytes(b, 4);

	return p ? le32(p) : 0;
}

static inline uint64_t unity_u64(struct unity_bytes *b)
{
	const uint8_t *p = unity_read_bytes(b, 8);

	return p ? le64(p) : 0;
}

/* Padding that the end of the bytes cuts off is not missed. */
static inline void unity_align(struct unity_bytes *b)
{
	size_t pad = (size_t)(b->base - b->p - (ptrdiff_t)b->phase) & 3;

	if (b->aligned && !b->cut)
		b->p += pad <= unity_left(b) ? pad : unity_left(b);
}

/* A u32 length, the bytes, padding. "" when it does not fit. */
static inline const char *unity_text(struct unity_bytes *b, size_t *n)
{
	uint32_t length = unity_u32(b);
	const uint8_t *p = unity_read_bytes(b, length);

	*n = p ? length : 0;
	unity_align(b);
	return p ? (const char *)p : "";
}

#endif
