/* SPDX-License-Identifier: MIT */
#include "lib/input/json_token.h"

#include "lib/base/bytes.h"
#include "lib/base/num.h"
#include "lib/base/utf.h"

#define ONES  UINT64_C(0x0101010101010101)
#define HIGHS (ONES << 7)

/* The high bit of the first byte that is the given one is set; of bytes behind it, it may be. */
static uint64_t bytes_like(uint64_t word, uint8_t byte)
{
	uint64_t x = word ^ ONES * byte;

	return (x - ONES) & ~x & HIGHS;
}

static bool ends_plain(uint8_t c)
{
	return c == '"' || c == '\\' || c < ' ';
}

/* The first byte that ends a string's plain ones; *seen collects their bits. */
static const uint8_t *skip_plain(const uint8_t *s, const uint8_t *end, uint64_t *seen)
{
	while (end - s >= 8) {
		uint64_t word = le64(s), below = (word - ONES * ' ') & ~word & HIGHS;
		uint64_t stops = bytes_like(word, '"') | bytes_like(word, '\\') | below;

		if (stops) { /* the lowest is where the string stops */
			unsigned before = (unsigned)__builtin_ctzll(stops) / 8;

			*seen |= word & ((UINT64_C(1) << before * 8) - 1);
			return s + before;
		}
		*seen |= word;
		s += 8;
	}
	for (; s < end && !ends_plain(*s); s++)
		*seen |= *s;
	return s;
}

/* Four hexadecimal digits; -1: something else. */
static int json_token_unit(const uint8_t *s)
{
	int unit = 0;

	for (int i = 0; i < 4; i++) {
		int digit = num_hex_digit((char)s[i]);

		if (digit < 0)
			return -1;
		unit = unit << 4 | digit;
	}
	return unit;
}

/* \uXXXX, or two that are a pair of surrogates; half a pair is odd. */
static enum json_whole json_token_add_unicode(const uint8_t **s, const uint8_t *end, struct buf *to)
{
	uint8_t units[4];
	size_t n = 0;

	for (; n < sizeof units; n += 2) {
		int unit;

		if (end - *s < 6)
			return JSON_CUT;
		if ((*s)[0] != '\\' || (*s)[1] != 'u')
			return JSON_ODD;
		unit = json_token_unit(*s + 2);
		if (unit < 0)
			return JSON_ODD;
		units[n] = (uint8_t)(unit >> 8);
		units[n + 1] = (uint8_t)unit;
		*s += 6;
		if (!n && unit >> 10 != 0xd800 >> 10)
			break;
	}
	return utf16_to_utf8(to, units, n < sizeof units ? 2 : sizeof units, true) ? JSON_ODD
										   : JSON_WHOLE;
}

static enum json_whole json_token_add_escape(const uint8_t **s, const uint8_t *end, struct buf *to)
{
	static const char escapes[] = "\"\\/bfnrt", plain[] = "\"\\/\b\f\n\r\t";
	const char *found;

	if (end - *s < 2)
		return JSON_CUT;
	if ((*s)[1] == 'u')
		return json_token_add_unicode(s, end, to);
	found = (*s)[1] ? strchr(escapes, (*s)[1]) : NULL;
	if (!found)
		return JSON_ODD;
	buf_addc(to, plain[found - escapes]);
	*s += 2;
	return JSON_WHOLE;
}

enum json_whole json_token_string(const uint8_t *s, const uint8_t *end, struct buf *scratch,
				  struct json_token *t)
{
	uint64_t seen = 0;
	const uint8_t *at = skip_plain(s, end, &seen);

	t->s = s;
	t->n = (size_t)(at - s);
	if (at < end && *at == '\\') {
		scratch->len = 0;
		while (at < end && *at == '\\') {
			enum json_whole whole;

			buf_add(scratch, (const char *)s, (size_t)(at - s));
			whole = json_token_add_escape(&at, end, scratch);
			if (whole != JSON_WHOLE)
				return whole;
			s = at;
			at = skip_plain(s, end, &seen);
		}
		buf_add(scratch, (const char *)s, (size_t)(at - s));
		t->s = (const uint8_t *)scratch->data;
		t->n = scratch->len;
		seen = HIGHS; /* the escapes' own were not looked at */
	}
	if (at == end)
		return JSON_CUT;
	if (*at != '"')
		return JSON_ODD;
	t->ascii = !(seen & HIGHS);
	t->end = at + 1;
	return JSON_WHOLE;
}

static bool is_digit(uint8_t c)
{
	return c >= '0' && c <= '9';
}

/* Behind digits, of which there is at least one, or the bytes end; NULL: no digit. */
static const uint8_t *skip_digits(const uint8_t *s, const uint8_t *end)
{
	const uint8_t *first = s;

	while (s < end && is_digit(*s))
		s++;
	return s > first || s == end ? s : NULL;
}

enum json_whole json_token_number(const uint8_t *s, const uint8_t *end, struct json_token *t)
{
	const uint8_t *at = s;

	if (at < end && *at == '-')
		at++;
	if (at < end && *at == '0')
		at++;
	else
		at = skip_digits(at, end);
	if (at && at < end && *at == '.')
		at = skip_digits(at + 1, end);
	if (at && at < end && (*at | 0x20) == 'e') {
		at++;
		if (at < end && (*at == '+' || *at == '-'))
			at++;
		at = skip_digits(at, end);
	}
	if (at == end)
		return JSON_CUT;
	if (!at || !(json_is_space(*at) || *at == ',' || *at == ']' || *at == '}'))
		return JSON_ODD;
	t->s = s;
	t->n = (size_t)(at - s);
	t->end = at;
	return JSON_WHOLE;
}

enum json_whole json_token_word(const uint8_t *s, const uint8_t *end, struct json_token *t)
{
	const char *word = *s == 't' ? "true" : *s == 'f' ? "false" : "null";
	size_t n = strlen(word), have = (size_t)(end - s);

	if (memcmp(s, word, have < n ? have : n) != 0)
		return JSON_ODD;
	if (have < n)
		return JSON_CUT;
	t->end = s + n;
	return JSON_WHOLE;
}
