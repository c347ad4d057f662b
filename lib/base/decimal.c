/* SPDX-License-Identifier: MIT */
#include "lib/base/decimal.h"

#include <stdlib.h>

static unsigned __int128 size_of(decimal v)
{
	return v < 0 ? -(unsigned __int128)v : (unsigned __int128)v;
}

static uint64_t power_of_10(unsigned n)
{
	uint64_t v = 1;

	for (; n; n--)
		v *= 10;
	return v;
}

/* The digits that count, and where the point is among them. */
struct digits {
	unsigned __int128 v;
	int64_t exponent; /* v times 10^exponent */
	bool any, rest;   /* rest: digits behind them that are not 0 were left out */
};

static bool decimal_read_digits(const char **s, const char *end, struct digits *d)
{
	enum { MOST = 37 }; /* digits that fit */
	bool behind = false;
	unsigned used = 0;
	const char *p = *s;

	for (; p < end && ((*p >= '0' && *p <= '9') || (*p == '.' && !behind)); p++) {
		if (*p == '.') {
			behind = true;
			continue;
		}
		d->any = true;
		if (used == MOST) {
			d->rest |= *p != '0';
			d->exponent += !behind;
			continue;
		}
		d->v = d->v * 10 + (unsigned)(*p - '0');
		used += d->v != 0;
		d->exponent -= behind;
	}
	*s = p;
	return d->any;
}

static bool decimal_read_exponent(const char *p, const char *end, struct digits *d)
{
	enum { MOST = 1 << 20 };
	bool negative;
	int64_t v = 0;

	if (p == end)
		return true;
	if ((*p | 0x20) != 'e')
		return false;
	p++;
	negative = p < end && *p == '-';
	p += p < end && (*p == '-' || *p == '+');
	if (p == end)
		return false;
	for (; p < end; p++) {
		if (*p < '0' || *p > '9')
			return false;
		v = v < MOST ? v * 10 + (*p - '0') : v;
	}
	d->exponent += negative ? -v : v;
	return true;
}

/* As a count of 10^-18. False: more than 128 bits. */
static bool decimal_scale(struct digits *d)
{
	int64_t shift = d->exponent + DECIMAL_DIGITS;
	unsigned __int128 unit = 1;

	if (!d->v)
		return true;
	for (; shift > 0; shift--)
		if (__builtin_mul_overflow(d->v, 10, &d->v))
			return false;
	for (; shift < 0 && unit <= d->v; shift++)
		unit *= 10;
	if (shift < 0) { /* less than a tenth */
		d->v = 0;
		d->rest = true;
		return true;
	}
	d->rest |= d->v % unit != 0;
	d->v = d->v / unit + (d->v % unit >= unit - d->v % unit && unit > 1);
	return true;
}

enum decimal_read decimal_parse(const char *s, size_t n, decimal *v)
{
	const unsigned __int128 most = (unsigned __int128)DECIMAL_UNIT << 63;
	const char *end = s + n;
	struct digits d = {.v = 0};
	bool negative = n && *s == '-';

	s += n && (*s == '-' || *s == '+');
	if (!decimal_read_digits(&s, end, &d) || !decimal_read_exponent(s, end, &d))
		return DECIMAL_NONE;
	if (!decimal_scale(&d) || d.v > most || (d.v == most && !negative))
		return DECIMAL_LARGE;
	*v = negative ? -(decimal)d.v : (decimal)d.v;
	return d.rest ? DECIMAL_ROUNDED : DECIMAL_EXACT;
}

bool decimal_from_double(double d, decimal *v)
{
	uint64_t fraction;
	int64_t whole;

	if (!decimal_split(d, DECIMAL_OF_DOUBLE, &whole, &fraction))
		return false;
	*v = decimal_join(whole, fraction);
	return true;
}

unsigned decimal_places(decimal v)
{
	uint64_t fraction = (uint64_t)(size_of(v) % DECIMAL_UNIT);
	unsigned n = DECIMAL_DIGITS;

	for (; n && fraction % 10 == 0; n--)
		fraction /= 10;
	return n;
}

double decimal_to_double(decimal v)
{
	unsigned places = decimal_places(v);
	unsigned __int128 m = size_of(v) / power_of_10(DECIMAL_DIGITS - places);
	struct buf b = BUF_INIT;
	double d;

	/* One division of two numbers that a double has rounds once. */
	if (m < UINT64_C(1) << 53) {
		d = (double)(uint64_t)m / (double)power_of_10(places);
		return v < 0 ? -d : d;
	}
	decimal_text(&b, v);
	d = strtod(buf_str(&b), NULL);
	buf_release(&b);
	return d;
}

void decimal_text(struct buf *b, decimal v)
{
	unsigned __int128 size = size_of(v);
	uint64_t fraction = (uint64_t)(size % DECIMAL_UNIT);
	char text[DECIMAL_DIGITS];
	size_t n = DECIMAL_DIGITS;

	if (v < 0)
		buf_addc(b, '-');
	buf_add_u64(b, (uint64_t)(size / DECIMAL_UNIT));
	if (!fraction)
		return;
	for (size_t i = n; i-- > 0; fraction /= 10)
		text[i] = (char)('0' + fraction % 10);
	while (text[n - 1] == '0')
		n--;
	buf_addc(b, '.');
	buf_add(b, text, n);
}

decimal decimal_round(decimal v, unsigned places)
{
	uint64_t unit = power_of_10(places < DECIMAL_DIGITS ? DECIMAL_DIGITS - places : 0);
	unsigned __int128 size = size_of(v), rest = size % unit;

	size += rest >= unit - rest ? unit - rest : -rest;
	return v < 0 ? -(decimal)size : (decimal)size;
}

void decimal_sum_add(struct decimal_sum *s, decimal v)
{
	__int128 whole = v / DECIMAL_ONE;
	struct decimal_sum one;

	/* As decimal_whole; sums of 64 bits without a sign are no readings. */
	whole -= whole * DECIMAL_ONE > v;
	one = (struct decimal_sum){whole, (uint64_t)(v - whole * DECIMAL_ONE)};
	decimal_sum_join(s, &one);
}

void decimal_sum_join(struct decimal_sum *to, const struct decimal_sum *from)
{
	to->whole += from->whole;
	to->fraction += from->fraction;
	if (to->fraction >= DECIMAL_UNIT) {
		to->fraction -= DECIMAL_UNIT;
		to->whole++;
	}
}

decimal decimal_mean(const struct decimal_sum *s, uint64_t n)
{
	enum { DIGITS = 15 };
	bool negative = s->whole < 0;
	unsigned __int128 whole = size_of(s->whole), part;
	uint64_t fraction = s->fraction, rest;
	unsigned places = DIGITS;
	decimal v;

	if (negative && fraction) { /* -1 + 0.6 is -0.4 */
		whole--;
		fraction = DECIMAL_UNIT - fraction;
	}
	if (whole / n > UINT64_MAX) /* of a file that is not sound */
		whole = (unsigned __int128)UINT64_MAX * n;
	rest = (uint64_t)(whole % n);
	part = (unsigned __int128)rest * DECIMAL_UNIT + fraction; /* less than 2^124 */
	v = (decimal)(whole / n) * DECIMAL_ONE + (decimal)(part / n) +
	    (part % n >= n - part % n && part % n);
	for (decimal size = v; places && size >= DECIMAL_ONE; size /= 10)
		places--;
	for (decimal size = v; size && size * 10 < DECIMAL_ONE && places < DECIMAL_DIGITS;
	     size *= 10)
		places++;
	v = decimal_round(v, places);
	return negative ? -v : v;
}
