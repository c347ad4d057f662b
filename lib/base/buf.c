/* SPDX-License-Identifier: MIT */
#include "lib/base/buf.h"

#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/utf.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *buf_reserve(struct buf *b, size_t n)
{
	if (b->cap - b->len < n || !b->data) /* never NULL + 0 */
		b->data = mem_grow(b->data, &b->cap, b->len + n, 1);
	return b->data + b->len;
}

void buf_add(struct buf *b, const void *p, size_t n)
{
	if (n)
		memcpy(buf_reserve(b, n), p, n);
	b->len += n;
}

void buf_addc(struct buf *b, char c)
{
	*buf_reserve(b, 1) = c;
	b->len++;
}

void buf_adds(struct buf *b, const char *s)
{
	buf_add(b, s, strlen(s));
}

void buf_add_shell(struct buf *b, const char *s)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
				    "-._/+:,@%=";

	if (*s && s[strspn(s, plain)] == '\0') {
		buf_adds(b, s);
		return;
	}
	buf_addc(b, '\'');
	for (; *s; s++)
		if (*s == '\'')
			buf_adds(b, "'\"'\"'");
		else
			buf_addc(b, *s);
	buf_addc(b, '\'');
}

void buf_addf(struct buf *b, const char *fmt, ...)
{
	va_list ap, again;
	int n;

	va_start(ap, fmt);
	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n > 0) {
		vsnprintf(buf_reserve(b, (size_t)n + 1), (size_t)n + 1, fmt, again);
		b->len += (size_t)n;
	}
	va_end(again);
}

void buf_add_uleb(struct buf *b, uint64_t v)
{
	char *p = buf_reserve(b, 10), *start = p;

	for (; v >= 0x80; v >>= 7)
		*p++ = (char)(v | 0x80);
	*p++ = (char)v;
	b->len += (size_t)(p - start);
}

void buf_add_u64(struct buf *b, uint64_t v)
{
	char digits[20], *p = digits + sizeof digits;

	do
		*--p = (char)('0' + v % 10);
	while (v /= 10);
	buf_add(b, p, (size_t)(digits + sizeof digits - p));
}

void buf_add_u128(struct buf *b, unsigned __int128 v)
{
	const uint64_t most = 10000000000000000000u; /* 10^19 */

	if (v < most) {
		buf_add_u64(b, (uint64_t)v);
		return;
	}
	buf_add_u128(b, v / most);
	buf_addf(b, "%019" PRIu64, (uint64_t)(v % most));
}

void buf_add_hex(struct buf *b, uint64_t v, unsigned digits)
{
	unsigned needed = (67 - (unsigned)__builtin_clzll(v | 1)) / 4;
	char text[NUM_HEX_DIGITS];

	if (needed < digits)
		needed = digits;
	num_hex_text(v, text);
	buf_add(b, text + NUM_HEX_DIGITS - needed, needed);
}

/* As C writes a byte; or, with braces, as no path of Windows has it. */
static void add_byte(struct buf *b, unsigned c, bool braces)
{
	buf_addf(b, braces ? "\\x{%02x}" : "\\x%02x", c);
}

static size_t buf_add_shown(struct buf *b, const char *s, size_t n, bool braces)
{
	unsigned char c = (unsigned char)*s;
	uint32_t cp = 0;
	size_t k = utf8_next(s, n, &cp);

	if (c == '\\')
		buf_adds(b, "\\\\");
	else if (c == '\n' && !braces)
		buf_adds(b, "\\n");
	else if (c == '\t' && !braces)
		buf_adds(b, "\\t");
	else if (!k || c < 0x20 || c == 0x7f)
		add_byte(b, c, braces);
	else if (k == 2 && cp < 0xa0) { /* C1 controls: ESC in disguise */
		add_byte(b, 0xc2, braces);
		add_byte(b, cp, braces);
	} else if (k > 1 && utf_hidden(cp))
		buf_addf(b, "\\u{%04x}", cp);
	else
		buf_add(b, s, k);
	return k ? k : 1;
}

void buf_add_visible(struct buf *b, const char *s, size_t n, const char *keep)
{
	while (n) {
		size_t k = 0;

		while (k < n && s[k] >= ' ' && s[k] < 0x7f && s[k] != '\\')
			k++;
		if (k)
			buf_add(b, s, k);
		else if (*s && strchr(keep, *s))
			buf_add(b, s, k = 1);
		else
			k = buf_add_shown(b, s, n, false);
		s += k;
		n -= k;
	}
}

/* Whether what is shown of s begins with a backslash that is none of s, or would look as if it did. */
static bool begins_escape(const char *s, size_t n)
{
	uint32_t cp = 0;
	size_t k = n ? utf8_next(s, n, &cp) : 1;

	if (n > 1 && (*s == 'x' || *s == 'u') && s[1] == '{')
		return true;
	return n && (!k || cp < 0x20 || (cp >= 0x7f && cp < 0xa0) || (k > 1 && utf_hidden(cp)));
}

void buf_add_readable(struct buf *b, const char *s, size_t n)
{
	while (n) {
		size_t k = 0;

		while (k < n && s[k] >= ' ' && s[k] < 0x7f && s[k] != '\\')
			k++;
		if (!k && *s == '\\') {
			while (k < n && s[k] == '\\')
				k++;
			if (begins_escape(s + k, n - k))
				buf_add(b, s, k);
		}
		if (k)
			buf_add(b, s, k);
		else
			k = buf_add_shown(b, s, n, true);
		s += k;
		n -= k;
	}
}

void buf_add_escaped(struct buf *b, const char *s, size_t n)
{
	buf_add_visible(b, s, n, "");
}

const char *buf_str(struct buf *b)
{
	*buf_reserve(b, 1) = '\0';
	return b->data;
}

void buf_release(struct buf *b)
{
	free(b->data);
	*b = (struct buf)BUF_INIT;
}
