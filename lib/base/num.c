/* SPDX-License-Identifier: MIT */
#include "lib/base/num.h"

#include "lib/base/bytes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TEN_OF(first)                                                                    \
	[first] = 1, [first + 1] = 2, [first + 2] = 3, [first + 3] = 4, [first + 4] = 5, \
	[first + 5] = 6, [first + 6] = 7, [first + 7] = 8, [first + 8] = 9, [first + 9] = 10
#define SIX_OF(first)                                                                         \
	[first] = 11, [first + 1] = 12, [first + 2] = 13, [first + 3] = 14, [first + 4] = 15, \
	[first + 5] = 16

const uint8_t num_hex_digits[256] = {TEN_OF('0'), SIX_OF('a'), SIX_OF('A')};

static bool digits(const char *s, size_t n, unsigned base, uint64_t *v)
{
	uint64_t x = 0;

	if (!n)
		return false;
	for (size_t i = 0; i < n; i++) {
		int d = num_hex_digit(s[i]);

		if (d < 0 || (unsigned)d >= base || __builtin_mul_overflow(x, base, &x) ||
		    __builtin_add_overflow(x, (uint64_t)d, &x))
			return false;
	}
	*v = x;
	return true;
}

bool num_dec(const char *s, size_t n, uint64_t *v)
{
	enum { FITS = 19 }; /* so many digits in any case */
	uint64_t x = 0;

	if (!n || n > FITS)
		return digits(s, n, 10, v);
	for (size_t i = 0; i < n; i++) {
		unsigned d = (unsigned)s[i] - '0';

		if (d > 9)
			return false;
		x = x * 10 + d;
	}
	*v = x;
	return true;
}

#define EACH(byte) (UINT64_C(0x0101010101010101) * (byte))

/* Eight values below 16, a byte each, as eight digits. */
static inline uint64_t as_digits(uint64_t values)
{
	uint64_t letters = (values + EACH(6)) >> 4 & EACH(1);

	return values + EACH('0') + letters * ('a' - '0' - 10);
}

void num_hex_text(uint64_t v, char to[NUM_HEX_DIGITS])
{
	for (unsigned half = 0; half < 2; half++) {
		uint64_t x = half ? v & UINT32_MAX : v >> 32;

		x = (x | x << 16) & UINT64_C(0x0000ffff0000ffff);
		x = (x | x << 8) & UINT64_C(0x00ff00ff00ff00ff);
		x = be64(&(uint64_t){as_digits((x | x << 4) & EACH(0x0f))});
		memcpy(to + 8 * half, &x, sizeof x);
	}
}

/* The value of eight digits. False: they are none. */
static inline bool eight_digits(const char *s, uint64_t *v)
{
	uint64_t text = be64(s), x;

	text |= (text & EACH(0x40)) >> 1; /* letters in lower case */
	x = (text & EACH(0x0f)) + (text >> 6 & EACH(1)) * 9;
	if (x & EACH(0xf0) || as_digits(x) != text)
		return false;
	x = (x | x >> 4) & UINT64_C(0x00ff00ff00ff00ff);
	x = (x | x >> 8) & UINT64_C(0x0000ffff0000ffff);
	*v = (x | x >> 16) & UINT32_MAX;
	return true;
}

bool num_hex(const char *s, size_t n, uint64_t *v)
{
	uint64_t x = 0, part;

	if (!n || n > NUM_HEX_DIGITS)
		return digits(s, n, 16, v);
	for (; n >= 8; n -= 8, s += 8) {
		if (!eight_digits(s, &part))
			return false;
		x = x << 32 | part;
	}
	for (size_t i = 0; i < n; i++) {
		int d = num_hex_digit(s[i]);

		if (d < 0)
			return false;
		x = x << 4 | (unsigned)d;
	}
	*v = x;
	return true;
}

bool num_auto(const char *s, size_t n, uint64_t *v)
{
	if (n > 2 && s[0] == '0' && (s[1] | 0x20) == 'x')
		return num_hex(s + 2, n - 2, v);
	return num_dec(s, n, v);
}

bool num_i64(const char *s, size_t n, int64_t *v)
{
	bool negative = n && s[0] == '-';
	uint64_t u;

	if (!num_dec(s + negative, n - negative, &u) || u > (uint64_t)INT64_MAX + negative)
		return false;
	*v = negative ? (int64_t)(0 - u) : (int64_t)u;
	return true;
}

/* [0-9]+(.[0-9]+)? at the front of *s, in units of 10^-18; *s is then behind it. */
static bool num_decimal(const char **s, const char *end, unsigned __int128 *v)
{
	const char *p = *s, *start = p;
	uint64_t whole = 0, scale = DECIMAL_UNIT, fraction = 0;

	while (p < end && *p >= '0' && *p <= '9')
		p++;
	if (!num_dec(start, (size_t)(p - start), &whole))
		return false;
	if (p < end && *p == '.') {
		for (start = ++p; p < end && *p >= '0' && *p <= '9'; p++) {
			scale /= 10;
			fraction += (uint64_t)(*p - '0') * scale;
		}
		if (p == start)
			return false;
	}
	*v = (unsigned __int128)whole * DECIMAL_UNIT + fraction;
	*s = p;
	return true;
}

/* v in 10^-18, times unit; false: more than 64 bits behind the point's place. */
static bool scaled(unsigned __int128 v, uint64_t unit, decimal *out)
{
	const unsigned __int128 most =
	    (unsigned __int128)UINT64_MAX * DECIMAL_UNIT + DECIMAL_UNIT - 1;

	*out = 0;
	if (v > most / unit)
		return false;
	*out = (decimal)(v * unit);
	return true;
}

bool num_size_decimal(const char *s, size_t n, decimal *v)
{
	static const char prefixes[] = "kmgt";
	const char *end = s + n;
	unsigned __int128 x;
	uint64_t unit = 1;

	if (!num_decimal(&s, end, &x))
		return false;
	for (size_t i = 0; s < end && prefixes[i]; i++) {
		if ((*s | 0x20) != prefixes[i])
			continue;
		s++;
		for (size_t k = 0; k <= i; k++)
			unit *= s < end && (*s | 0x20) == 'i' ? 1024 : 1000;
		s += unit % 1000 != 0;
		break;
	}
	if (s < end && (*s | 0x20) == 'b')
		s++;
	return s == end && scaled(x, unit, v);
}

bool num_size(const char *s, size_t n, uint64_t *v)
{
	decimal d;

	if (!num_size_decimal(s, n, &d))
		return false;
	*v = (uint64_t)(d / DECIMAL_ONE);
	return true;
}

bool num_time_decimal(const char *s, size_t n, decimal *v)
{
	static const struct {
		const char *word;
		uint64_t ns;
	} units[] = {{"ns", 1},          {"us", 1000},         {"ms", 1000000},
		     {"s", 1000000000u}, {"min", 60000000000}, {"h", 3600000000000}};
	bool negative = n && *s == '-';
	const char *end = s + n;
	unsigned __int128 x;

	s += negative;
	if (!num_decimal(&s, end, &x))
		return false;
	for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
		if (strlen(units[i].word) != (size_t)(end - s) ||
		    memcmp(units[i].word, s, (size_t)(end - s)) != 0)
			continue;
		if (!scaled(x, units[i].ns, v) || *v >= (decimal)DECIMAL_UNIT << 63)
			return false;
		*v = negative ? -*v : *v;
		return true;
	}
	*v = 0;
	return s == end && !x;
}

bool num_time(const char *s, size_t n, int64_t *v)
{
	decimal d;

	if (!num_time_decimal(s, n, &d))
		return false;
	*v = (int64_t)(d / DECIMAL_ONE);
	return true;
}

bool num_double(const char *s, size_t n, double *d)
{
	char text[64], *end;

	if (!n || n >= sizeof text || (*s != '-' && (*s < '0' || *s > '9')))
		return false;
	memcpy(text, s, n);
	text[n] = '\0';
	*d = strtod(text, &end);
	return end == text + n && isfinite(*d);
}

int64_t num_nearest(double d)
{
	if (!(fabs(d) < 0x1p63))
		return isnan(d) ? 0 : d > 0 ? INT64_MAX : INT64_MIN;
	return llround(d);
}
