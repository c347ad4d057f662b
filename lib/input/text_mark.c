/* SPDX-License-Identifier: MIT */
#include "lib/input/text_mark.h"

#include "lib/base/mem.h"
#include "lib/base/utf.h"

#include <string.h>

enum { LOOK = 8 }; /* a mark and three characters of UTF-16 */

static unsigned unit(const uint8_t *p, bool big_endian)
{
	return big_endian ? (unsigned)p[0] << 8 | p[1] : (unsigned)p[1] << 8 | p[0];
}

static bool begins_text(unsigned c)
{
	return (c >= ' ' && c < 0x7f) || c == '\t' || c == '\n' || c == '\r';
}

static bool is_utf16(const uint8_t *p, size_t n, bool big_endian)
{
	if (n < 2 || unit(p, big_endian) != 0xfeff)
		return false;
	if (n >= 4 && !begins_text(unit(p + 2, big_endian)))
		return false;
	for (size_t i = 4; i + 1 < n && i < LOOK; i += 2) {
		if (!unit(p + i, big_endian))
			return false;
	}
	return true;
}

static void look(struct text_mark *m, const uint8_t *p, size_t n)
{
	m->looked = true;
	m->big_endian = is_utf16(p, n, true);
	m->utf16 = m->big_endian || is_utf16(p, n, false);
	if (m->utf16)
		m->length = 2;
	else if (n >= 3 && !memcmp(p, "\xef\xbb\xbf", 3) && (n == 3 || p[3]))
		m->length = 3;
	m->taken = m->length;
}

/* Bytes at the end of what came that are a part of a character. */
static size_t left_over(const struct text_mark *m)
{
	size_t odd = m->raw.len % 2, n = m->raw.len - odd;
	unsigned last = n ? unit((const uint8_t *)m->raw.data + n - 2, m->big_endian) : 0;

	return last >= 0xd800 && last < 0xdc00 ? odd + 2 : odd;
}

/* m->text = what came, as UTF-8. */
static void convert(struct text_mark *m, bool end)
{
	size_t left = end ? m->raw.len % 2 : left_over(m);

	m->text.len = 0;
	if (m->raw.len > left)
		m->broken += utf16_to_utf8(&m->text, (const uint8_t *)m->raw.data,
					   m->raw.len - left, m->big_endian);
	if (end)
		m->broken += left;
	else if (left)
		memmove(m->raw.data, m->raw.data + m->raw.len - left, left);
	m->raw.len = end ? 0 : left;
}

void text_mark_decode(struct text_mark *m, uint8_t **window, size_t *cap, size_t from, size_t *n,
		      enum text_after after)
{
	if (!m->looked) {
		if (*n < LOOK && after == TEXT_MORE)
			return;
		from = 0;
		look(m, *window, *n);
		*n -= m->length;
		if (m->length)
			memmove(*window, *window + m->length, *n);
	}
	if (!m->utf16)
		return;
	m->taken += *n - from;
	buf_add(&m->raw, *window + from, *n - from);
	convert(m, after == TEXT_END);
	if (*cap - from < m->text.len) {
		*cap = from + m->text.len;
		*window = mem_realloc(*window, *cap, 1);
	}
	if (m->text.len)
		memcpy(*window + from, m->text.data, m->text.len);
	*n = from + m->text.len;
}

uint64_t text_mark_broken(const struct text_mark *m)
{
	return m->broken > m->most ? m->broken : m->most;
}

void text_mark_restart(struct text_mark *m, bool plain)
{
	m->most = text_mark_broken(m);
	m->broken = m->taken = 0;
	m->looked = plain;
	m->utf16 = m->big_endian = false;
	m->length = 0;
	m->raw.len = 0;
}

void text_mark_release(struct text_mark *m)
{
	buf_release(&m->raw);
	buf_release(&m->text);
}
