/* SPDX-License-Identifier: MIT */
#include "formats/unreal/string.h"

#include "lib/base/utf.h"

enum { STRING_LIMIT = 16 << 20 };

static size_t without_nul(const uint8_t *p, size_t n)
{
	const uint8_t *nul = memchr(p, 0, n);

	return nul ? (size_t)(nul - p) : n;
}

bool ue_string(struct cursor *c, struct buf *out, uint64_t *repaired)
{
	int32_t n = (int32_t)cursor_u32(c);
	size_t units = n < 0 ? (size_t) - (int64_t)n : (size_t)n;
	const uint8_t *p;

	out->len = 0;
	buf_reserve(out, 1);
	if (cursor_failed(c) || !n)
		return !cursor_failed(c);
	if (units > STRING_LIMIT) {
		cursor_fail(c, ST_BAD, "impossible string length: %zu units", units);
		return false;
	}
	p = cursor_bytes(c, n < 0 ? units * 2 : units, "string");
	if (!p)
		return false;
	if (n > 0) {
		*repaired += utf8_add_repaired(out, (const char *)p, without_nul(p, units));
		return true;
	}
	for (size_t i = 0; i < units; i++) {
		if (!p[2 * i] && !p[2 * i + 1]) {
			units = i;
			break;
		}
	}
	*repaired += utf16_to_utf8(out, p, units * 2, false);
	return true;
}
