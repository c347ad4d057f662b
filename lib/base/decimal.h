/* SPDX-License-Identifier: MIT
 *
 * Decimal numbers, exact: what a program wrote as 33.4 is 33.4. A number is a count of 10^-18. A reading
 * of a counter is in [-2^63, 2^63), so that whole numbers of 64 bits have their place; unsigned sums do
 * as well.
 */
#ifndef TM_BASE_DECIMAL_H
#define TM_BASE_DECIMAL_H

#include "lib/base/buf.h"
#include "lib/base/decimal_split.h"

typedef __int128 decimal;

#define DECIMAL_ONE ((decimal)DECIMAL_UNIT)

static inline decimal decimal_of(int64_t whole)
{
	return whole * DECIMAL_ONE;
}

static inline decimal decimal_of_unsigned(uint64_t whole)
{
	return (decimal)whole * DECIMAL_ONE;
}

/* whole + fraction / 10^18 */
static inline decimal decimal_join(int64_t whole, uint64_t fraction)
{
	return decimal_of(whole) + (decimal)fraction;
}

static inline int64_t decimal_whole(decimal v) /* the largest that is not above v, a reading */
{
	decimal q = v / DECIMAL_ONE;

	return (int64_t)(q - (q * DECIMAL_ONE > v));
}

static inline uint64_t decimal_fraction(decimal v) /* v minus decimal_whole, in 10^-18 */
{
	return (uint64_t)(v - decimal_of(decimal_whole(v)));
}

enum decimal_read {
	DECIMAL_EXACT,
	DECIMAL_ROUNDED, /* it has more than 18 decimals */
	DECIMAL_NONE,    /* no number, NaN, infinite */
	DECIMAL_LARGE,   /* not in [-2^63, 2^63) */
};

/* "33.4", "-0.5e3", ".5", "1.", "+7", whatever the locale is. *v is set for the first two only. */
enum decimal_read decimal_parse(const char *s, size_t n, decimal *v);
bool decimal_from_double(double d,
			 decimal *v); /* the shortest of the same double; see decimal_split */
double decimal_to_double(decimal v);  /* the nearest */
/* -?[0-9]+(.[0-9]+)?, without a 0 at the end of decimals. */
void decimal_text(struct buf *b, decimal v);
/* How many decimals it has: 0 to 18. */
unsigned decimal_places(decimal v);
decimal decimal_round(decimal v, unsigned places); /* half away from 0 */

/* The exact sum of any number of readings, or of unsigned sums. Zeroed is empty. */
struct decimal_sum {
	__int128 whole;
	uint64_t fraction; /* of 10^-18, less than 1 */
};

void decimal_sum_add(struct decimal_sum *s, decimal v);
void decimal_sum_join(struct decimal_sum *to, const struct decimal_sum *from);
/* Divided by n, which is not 0: exact if it has at most 15 digits, else rounded to so many, which are as
 * many as any program keeps that reads it; whole numbers stay. */
decimal decimal_mean(const struct decimal_sum *s, uint64_t n);

#endif
