/* SPDX-License-Identifier: MIT */
#include "lib/base/cursor.h"

#include "lib/base/bytes.h"

#include <inttypes.h>
#include <stdio.h>

void cursor_init(struct cursor *c, const void *p, size_t n, uint64_t offset, struct err *e)
{
	static const uint8_t nothing[1];

	*c = (struct cursor){.e = e, .base_offset = offset, .at_end = true};
	c->base = c->pos = p ? p : nothing; /* never NULL, so that pointer arithmetic is defined */
	c->end = c->pos + (p ? n : 0);
}

enum status cursor_fail(struct cursor *c, enum status code, const char *fmt, ...)
{
	char text[sizeof c->e->msg];
	va_list ap;

	if (c->failed)
		return err_failure(c->e);
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	c->failed = true;
	return err_at(c->e, code, cursor_offset(c), "%s", text);
}

size_t cursor_available(struct cursor *c, size_t need)
{
	if (c->failed)
		return 0;
	if (cursor_window(c) < need && !c->at_end && !c->refill(c, need)) {
		c->failed = true;
		return 0;
	}
	return cursor_window(c);
}

/* Bytes of a file are refilled; others are a part of what was read. */
static const char *ends_early(const struct cursor *c)
{
	return c->refill ? ": the file ends early" : "";
}

const uint8_t *cursor_bytes(struct cursor *c, size_t n, const char *what)
{
	const uint8_t *p;
	size_t have;

	if (c->failed)
		return NULL;
	if (n > cursor_window(c)) {
		if (n > LIMIT_CURSOR && !c->at_end) {
			cursor_fail(c, ST_LIMIT,
				    "%s: %zu bytes in one piece is more than the limit of %d", what,
				    n, LIMIT_CURSOR);
			return NULL;
		}
		have = cursor_available(c, n);
		if (c->failed)
			return NULL;
		if (have < n) {
			c->ran_out = true;
			cursor_fail(c, ST_BAD, "%s: needs %zu bytes, %zu are left%s", what, n, have,
				    ends_early(c));
			return NULL;
		}
	}
	p = c->pos;
	c->pos += n;
	return p;
}

void cursor_skip(struct cursor *c, uint64_t n, const char *what)
{
	uint64_t left = n;

	while (!c->failed && left) {
		size_t have = cursor_available(c, 1);

		if (!have) {
			c->ran_out = true;
			cursor_fail(c, ST_BAD,
				    "%s: needs %" PRIu64 " bytes, %" PRIu64 " are left%s", what, n,
				    n - left, ends_early(c));
			return;
		}
		if (have > left)
			have = (size_t)left;
		c->pos += have;
		left -= have;
	}
}

/* Integers of the cursor's byte order: compilers turn these loops into one load. */
static uint64_t integer(struct cursor *c, size_t n)
{
	const uint8_t *p = cursor_bytes(c, n, "integer");
	uint64_t v = 0;

	if (!p)
		return 0;
	for (size_t i = 0; i < n; i++)
		v |= (uint64_t)p[i] << (c->big_endian ? (n - 1 - i) * 8 : i * 8);
	return v;
}

uint8_t cursor_u8_next(struct cursor *c)
{
	return (uint8_t)integer(c, 1);
}

uint16_t cursor_u16(struct cursor *c)
{
	return (uint16_t)integer(c, 2);
}

uint32_t cursor_u32(struct cursor *c)
{
	return (uint32_t)integer(c, 4);
}

uint64_t cursor_u64(struct cursor *c)
{
	return integer(c, 8);
}

/* What a variable-length integer of at most 8 bytes holds, where as many can be read: 7 bits of each, in
 * *n how many there are. False: it is longer, or the window ends before. */
static inline __attribute__((always_inline)) bool short_leb(struct cursor *c, uint64_t *v,
							    unsigned *n)
{
	uint64_t x, ends;

	if (c->failed || cursor_window(c) < sizeof x)
		return false;
	x = le64(c->pos);
	ends = ~x & UINT64_C(0x8080808080808080);
	if (!ends)
		return false;
	*n = (unsigned)__builtin_ctzll(ends) / 8 + 1;
	c->pos += *n;
	x &= ends ^ (ends - 1); /* up to the first byte that is the last */
	x &= UINT64_C(0x7f7f7f7f7f7f7f7f);
	x = (x & UINT64_C(0x007f007f007f007f)) | (x & UINT64_C(0x7f007f007f007f00)) >> 1;
	x = (x & UINT64_C(0x00003fff00003fff)) | (x & UINT64_C(0x3fff00003fff0000)) >> 2;
	*v = (x & 0x0fffffff) | (x & UINT64_C(0x0fffffff00000000)) >> 4;
	*n *= 7;
	return true;
}

uint64_t cursor_uleb_long(struct cursor *c)
{
	uint64_t v = 0;
	unsigned bits;

	if (short_leb(c, &v, &bits))
		return v;
	v = 0;
	for (unsigned shift = 0; !c->failed; shift += 7) {
		uint8_t b = cursor_u8(c);

		if (shift > 63 || (shift == 63 && (b & 0x7e))) {
			cursor_fail(c, ST_BAD, "variable-length integer has more than 64 bits");
			return 0;
		}
		v |= (uint64_t)(b & 0x7f) << shift;
		if (!(b & 0x80))
			return v;
	}
	return 0;
}

int64_t cursor_sleb_long(struct cursor *c)
{
	uint64_t v = 0;
	unsigned bits;

	if (short_leb(c, &v, &bits))
		return (int64_t)(v << (64 - bits)) >> (64 - bits);
	v = 0;
	for (unsigned shift = 0; !c->failed; shift += 7) {
		uint8_t b = cursor_u8(c);

		if (shift > 63) {
			cursor_fail(c, ST_BAD, "variable-length integer has more than 64 bits");
			return 0;
		}
		v |= (uint64_t)(b & 0x7f) << shift;
		if (!(b & 0x80)) {
			if (shift + 7 < 64 && (b & 0x40))
				v |= ~(uint64_t)0 << (shift + 7);
			return (int64_t)v;
		}
	}
	return 0;
}

const char *cursor_line(struct cursor *c, size_t *n, size_t limit)
{
	size_t seen = 0;

	for (;;) {
		size_t have = cursor_available(c, seen + 1);
		const uint8_t *nl = seen < have ? memchr(c->pos + seen, '\n', have - seen) : NULL;
		const char *line = (const char *)c->pos;

		if (c->failed || !have)
			return NULL;
		if (nl || have == seen) {
			size_t len = nl ? (size_t)(nl - c->pos) : have;

			if (len > limit)
				break;
			c->pos += nl ? len + 1 : len;
			*n = len && line[len - 1] == '\r' ? len - 1 : len;
			return line;
		}
		if (have > limit)
			break;
		seen = have;
	}
	cursor_fail(c, ST_LIMIT, "line is longer than %zu bytes", limit);
	return NULL;
}

const char *cursor_cstr(struct cursor *c, size_t *n)
{
	const uint8_t *p = c->pos;
	const uint8_t *nul = c->failed || p == c->end ? NULL : memchr(p, 0, cursor_window(c));

	if (!nul) {
		cursor_fail(c, ST_BAD, "string has no end");
		return NULL;
	}
	*n = (size_t)(nul - p);
	c->pos = nul + 1;
	return (const char *)p;
}
