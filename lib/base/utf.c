/* SPDX-License-Identifier: MIT */
#include "lib/base/utf.h"

#include "lib/base/buf.h"

#include <string.h>

size_t utf8_next(const char *s, size_t n, uint32_t *cp)
{
	const unsigned char *u = (const unsigned char *)s;
	uint32_t c, least;
	size_t len;

	if (!n)
		return 0;
	if (u[0] < 0x80) {
		c = u[0];
		len = 1;
		least = 0;
	} else if (u[0] >= 0xc2 && u[0] < 0xe0) {
		c = u[0] & 0x1f;
		len = 2;
		least = 0x80;
	} else if (u[0] >= 0xe0 && u[0] < 0xf0) {
		c = u[0] & 0x0f;
		len = 3;
		least = 0x800;
	} else if (u[0] >= 0xf0 && u[0] < 0xf5) {
		c = u[0] & 0x07;
		len = 4;
		least = 0x10000;
	} else {
		return 0;
	}
	if (len > n)
		return 0;
	for (size_t i = 1; i < len; i++) {
		if ((u[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (u[i] & 0x3f);
	}
	if (c < least || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		return 0;
	if (cp)
		*cp = c;
	return len;
}

bool utf_hidden(uint32_t cp)
{
	static const struct {
		uint32_t first, last;
	} ranges[] = {
	    {0x0000, 0x001f},   {0x007f, 0x009f},   {0x00ad, 0x00ad},   {0x034f, 0x034f},
	    {0x061c, 0x061c},   {0x115f, 0x1160},   {0x17b4, 0x17b5},   {0x180b, 0x180f},
	    {0x200b, 0x200f},   {0x2028, 0x202e},   {0x2060, 0x206f},   {0x3164, 0x3164},
	    {0xfe00, 0xfe0f},   {0xfeff, 0xfeff},   {0xffa0, 0xffa0},   {0xfff0, 0xfff8},
	    {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff},
	};
	size_t i = 0;

	while (i < sizeof ranges / sizeof *ranges && cp > ranges[i].last)
		i++;
	return i < sizeof ranges / sizeof *ranges && cp >= ranges[i].first;
}

void utf_add_json(struct buf *out, uint32_t cp)
{
	if (cp > 0xffff)
		buf_addf(out, "\\u%04x\\u%04x", 0xd7c0 + (cp >> 10), 0xdc00 + (cp & 0x3ff));
	else
		buf_addf(out, "\\u%04x", cp);
}

bool utf8_valid(const char *s, size_t n)
{
	while (n) {
		size_t k = utf8_next(s, n, NULL);

		if (!k)
			return false;
		s += k;
		n -= k;
	}
	return true;
}

size_t utf8_add_repaired(struct buf *out, const char *s, size_t n)
{
	size_t bad = 0;

	while (n) {
		size_t k = utf8_next(s, n, NULL);

		if (k) {
			buf_add(out, s, k);
		} else {
			buf_adds(out, "\xef\xbf\xbd");
			bad++;
			k = 1;
		}
		s += k;
		n -= k;
	}
	return bad;
}

void utf8_add_text(struct buf *out, const char *s, size_t n)
{
	const char *nul;

	while (n && (nul = memchr(s, 0, n))) {
		utf8_add_repaired(out, s, (size_t)(nul - s));
		buf_adds(out, "\xef\xbf\xbd");
		n -= (size_t)(nul + 1 - s);
		s = nul + 1;
	}
	if (n)
		utf8_add_repaired(out, s, n);
}

static void utf_add_code_point(struct buf *out, uint32_t c)
{
	char t[4];
	size_t n = 0;

	if (c < 0x80) {
		t[n++] = (char)c;
	} else if (c < 0x800) {
		t[n++] = (char)(0xc0 | c >> 6);
		t[n++] = (char)(0x80 | (c & 0x3f));
	} else if (c < 0x10000) {
		t[n++] = (char)(0xe0 | c >> 12);
		t[n++] = (char)(0x80 | (c >> 6 & 0x3f));
		t[n++] = (char)(0x80 | (c & 0x3f));
	} else {
		t[n++] = (char)(0xf0 | c >> 18);
		t[n++] = (char)(0x80 | (c >> 12 & 0x3f));
		t[n++] = (char)(0x80 | (c >> 6 & 0x3f));
		t[n++] = (char)(0x80 | (c & 0x3f));
	}
	buf_add(out, t, n);
}

size_t utf16_to_utf8(struct buf *out, const uint8_t *s, size_t n_bytes, bool big_endian)
{
	size_t bad = 0;

	for (size_t i = 0; i + 1 < n_bytes; i += 2) {
		uint32_t c =
		    big_endian ? (uint32_t)s[i] << 8 | s[i + 1] : (uint32_t)s[i + 1] << 8 | s[i];

		if (c >= 0xd800 && c < 0xdc00 && i + 3 < n_bytes) {
			uint32_t low = big_endian ? (uint32_t)s[i + 2] << 8 | s[i + 3]
						  : (uint32_t)s[i + 3] << 8 | s[i + 2];

			if (low >= 0xdc00 && low < 0xe000) {
				c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
				i += 2;
			}
		}
		if (c >= 0xd800 && c < 0xe000) {
			c = 0xfffd;
			bad++;
		}
		utf_add_code_point(out, c);
	}
	return bad;
}
