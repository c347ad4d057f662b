/* SPDX-License-Identifier: MIT */
#include "formats/loli/keys.h"

#include "lib/base/bytes.h"
#include "lib/base/hash.h"

#include <stdbool.h>
#include <string.h>

struct loli_key loli_key_bytes(const void *p, size_t n)
{
	uint64_t first = 0, last = 0;

	if (n >= sizeof first) {
		memcpy(&first, p, sizeof first);
		memcpy(&last, (const char *)p + n - sizeof last, sizeof last);
	}
	return (struct loli_key){hash_bytes(p, n), (uint32_t)hash_u64(first + 3 * last + n)};
}

#define LANES(x) ((uint64_t)(x)*0x0001000100010001u)

/* Four hexadecimal digits in UTF-16BE, as 16 bits; one per 16-bit lane. Bits of *bad are set for
 * what is no digit. */
static uint64_t four_digits(const uint8_t *p, uint64_t *bad)
{
	uint64_t v = le64(p);
	uint64_t ch = v >> 8 & LANES(0xff), lower = ch | LANES(0x20);
	uint64_t no_digit = (ch ^ LANES('0')) + LANES(0x7fff - 9);
	uint64_t no_letter = ~(lower + LANES(0x8000 - 'a')) | (lower + LANES(0x7fff - 'f'));

	*bad |= (v & LANES(0xff)) | (no_digit & no_letter & LANES(0x8000));
	v = (ch & LANES(15)) + (ch >> 6 & LANES(1)) * 9;
	return (v & 15) << 12 | (v >> 16 & 15) << 8 | (v >> 32 & 15) << 4 | (v >> 48 & 15);
}

/* 32 digits and 4 hyphens, as UTF-16BE. */
static bool uuid_digits(const uint8_t *p, uint64_t out[2])
{
	static const uint8_t digits[8] = {0, 4, 9, 14, 19, 24, 28, 32},
			     hyphens[4] = {8, 13, 18, 23};
	uint64_t bad = 0;

	for (int i = 0; i < 8; i++)
		out[i / 4] = out[i / 4] << 16 | four_digits(p + 2 * digits[i], &bad);
	for (int i = 0; i < 4; i++)
		bad |= p[2 * hyphens[i]] | (p[2 * hyphens[i] + 1] ^ '-');
	return !bad;
}

struct loli_key loli_key_uuid(const uint8_t *p, size_t n_bytes)
{
	bool braces = n_bytes == 76 && !p[0] && p[1] == '{' && !p[74] && p[75] == '}';
	uint64_t v[2] = {0};

	if ((!braces && n_bytes != 72) || !uuid_digits(p + (braces ? 2 : 0), v))
		return loli_key_bytes(p, n_bytes);
	return (struct loli_key){hash_u64(v[0] + 0x9e3779b97f4a7c15u) ^ v[1] ^ hash_u64(v[1]),
				 (uint32_t)(v[0] ^ v[0] >> 32)};
}
