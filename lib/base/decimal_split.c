/* SPDX-License-Identifier: MIT */
#include "lib/base/decimal_split.h"

#include <string.h>

/* 1 is 2^52 of them; e as frexp's minus 53: d = mantissa * 2^e. d is positive. */
static uint64_t mantissa_of(double d, int *e)
{
	uint64_t bits;
	int exponent;

	memcpy(&bits, &d, sizeof bits);
	exponent = (int)(bits >> 52 & 0x7ff);
	bits &= (UINT64_C(1) << 52) - 1;
	*e = (exponent ? exponent : 1) - 1075;
	return exponent ? bits | UINT64_C(1) << 52 : bits;
}

/* The nearest multiple of 10^-18 to f, which is in (0, 1): 128 bits behind the point, times 10 for each
 * digit. */
static uint64_t all_digits(double f)
{
	uint32_t limbs[4] = {0}; /* the highest first */
	int e;
	uint64_t m = mantissa_of(f, &e), digits = 0;

	for (int bit = 0; bit < 53; bit++) {
		int at = -(e + bit) - 1; /* behind the point, from 0 */

		if (m >> bit & 1 && at < 128)
			limbs[at / 32] |= UINT32_C(1) << (31 - at % 32);
	}
	for (int i = 0; i < DECIMAL_DIGITS; i++) {
		uint64_t carry = 0;

		for (int k = 3; k >= 0; k--) {
			carry += (uint64_t)limbs[k] * 10;
			limbs[k] = (uint32_t)carry;
			carry >>= 32;
		}
		digits = digits * 10 + carry;
	}
	return digits + (limbs[0] >> 31);
}

/* Half of the distance between d and the next number that its type has, in 10^-18. */
static double half_step(double d, enum decimal_bits bits)
{
	double step = 1e18;
	int e;

	mantissa_of(d, &e);
	for (e += DECIMAL_OF_DOUBLE - (int)bits - 1; e < 0; e++)
		step /= 2;
	for (; e > 0; e--)
		step *= 2;
	return step;
}

/* volatile: no more digits than a double's, where processors compute with more. */
static bool same(volatile double a, volatile double b, enum decimal_bits bits)
{
	return bits == DECIMAL_OF_FLOAT ? (float)a == (float)b : a == b;
}

/* Up to 2^53 a whole number divided by a power of ten up to 10^22 is rounded once, so that the result is
 * what the decimal number means. */
static bool few_digits(double d, enum decimal_bits bits, uint64_t *whole, uint64_t *fraction)
{
	const double most = 9007199254740992.0;
	uint64_t unit = 1, m;

	for (unsigned n = 0; n <= DECIMAL_DIGITS; n++, unit *= 10) {
		double scaled = d * (double)unit;

		if (scaled >= most)
			return false;
		m = (uint64_t)scaled;
		m += scaled - (double)m >= 0.5;
		if (!same((double)m / (double)unit, d, bits))
			continue;
		*whole = m / unit;
		*fraction = m % unit * (DECIMAL_UNIT / unit);
		return true;
	}
	return false;
}

/* Between the number and its neighbours' middle there is one with fewer digits, or not. */
static uint64_t shortest(uint64_t digits, double half)
{
	for (uint64_t unit = DECIMAL_UNIT; unit > 1; unit /= 10) {
		uint64_t low = digits / unit * unit, rest = digits - low;
		bool up = rest >= unit - rest;
		uint64_t off = up ? unit - rest : rest;

		if ((double)off + 0.5 < half)
			return low + (up ? unit : 0);
	}
	return digits;
}

bool decimal_split(double d, enum decimal_bits bits, int64_t *whole, uint64_t *fraction)
{
	bool negative = d < 0;
	uint64_t w;

	*whole = 0;
	*fraction = 0;
	if (!(d >= -9223372036854775808.0 && d < 9223372036854775808.0))
		return false;
	if (d == -0x1p63) {
		*whole = INT64_MIN;
		return true;
	}
	d = negative ? -d : d;
	w = (uint64_t)d;
	if ((double)w != d && !few_digits(d, bits, &w, fraction)) {
		*fraction = shortest(all_digits(d - (double)w), half_step(d, bits));
		w += *fraction / DECIMAL_UNIT;
		*fraction %= DECIMAL_UNIT;
	}
	*whole = (int64_t)w;
	if (negative) {
		*whole = -*whole - (*fraction != 0);
		*fraction = *fraction ? DECIMAL_UNIT - *fraction : 0;
	}
	return true;
}
