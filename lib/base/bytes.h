/* SPDX-License-Identifier: MIT
 *
 * Integers read from bytes. Bounds are not checked here: the caller has checked them. All other reading of input
 * is struct cursor's.
 */
#ifndef TM_BASE_BYTES_H
#define TM_BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define BYTES_ARE_SWAPPED (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

static inline uint32_t le16(const void *p)
{
	uint16_t v;

	memcpy(&v, p, sizeof v);
	return BYTES_ARE_SWAPPED ? __builtin_bswap16(v) : v;
}

static inline uint32_t le32(const void *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof v);
	return BYTES_ARE_SWAPPED ? __builtin_bswap32(v) : v;
}

static inline uint64_t le64(const void *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof v);
	return BYTES_ARE_SWAPPED ? __builtin_bswap64(v) : v;
}

static inline uint32_t be32(const void *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof v);
	return BYTES_ARE_SWAPPED ? v : __builtin_bswap32(v);
}

static inline uint64_t be64(const void *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof v);
	return BYTES_ARE_SWAPPED ? v : __builtin_bswap64(v);
}

/* Of n bytes, at most 8. */
static inline uint64_t bytes_number(const void *from, size_t n, bool big_endian)
{
	const uint8_t *p = from;
	uint64_t v = 0;

	for (size_t i = 0; i < n; i++)
		v |= (uint64_t)p[i] << 8 * (big_endian ? n - 1 - i : i);
	return v;
}

#endif
