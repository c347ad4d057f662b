/* SPDX-License-Identifier: MIT
 *
 * The sums that reports add up, and their arithmetic.
 */
#ifndef TM_TALLY_SUMS_H
#define TM_TALLY_SUMS_H

#include "lib/tally/metrics.h"

/* has: SUM_BITs of what is known (an absent sum is no 0, though v reads 0). Sums saturate at
 * 2^64-1; SUMS_SIGNED are int64_t in two's complement and saturate as such. */
struct tally_sums {
	uint64_t v[SUMS];
	unsigned has;
};

/* SUM_BITs of those that are there and not 0. */
unsigned sums_valued(const struct tally_sums *s);
void sums_add(struct tally_sums *to, const struct tally_sums *from);

static inline uint64_t add_saturating(uint64_t a, uint64_t b)
{
	uint64_t r;

	return __builtin_add_overflow(a, b, &r) ? UINT64_MAX : r;
}

static inline int64_t add_signed(int64_t a, int64_t b)
{
	int64_t r;

	return __builtin_add_overflow(a, b, &r) ? (a < 0 ? INT64_MIN : INT64_MAX) : r;
}

/* The values of two parts as that of both: metric_row.join. had: there was a value a before, else a is 0. */
static inline uint64_t sum_join(unsigned sum, bool had, uint64_t a, uint64_t b)
{
	(void)had;
	return sum_is_signed(sum) ? (uint64_t)add_signed((int64_t)a, (int64_t)b)
				  : add_saturating(a, b);
}

/* It is at its limit: more than 64 bits can hold. Times are signed while calls are open. */
static inline int sum_is_full(unsigned sum, uint64_t v)
{
	return sum_is_signed(sum)     ? v == INT64_MAX || v == (uint64_t)INT64_MIN
	       : SUMS_TIME >> sum & 1 ? v >= INT64_MAX
				      : v == UINT64_MAX;
}

/* v / n, to the nearest whole number; halves up. n is not 0. */
static inline uint64_t mean_rounded(uint64_t v, uint64_t n)
{
	return v / n + (v % n >= n - v % n);
}

/* So that sums of one kind order as unsigned numbers. */
static inline uint64_t sum_order(unsigned sum, uint64_t v)
{
	return sum_is_signed(sum) ? v ^ (uint64_t)1 << 63 : v;
}

/* real - requested, saturated. */
static inline int64_t slack_of(uint64_t requested, uint64_t real)
{
	uint64_t d = real >= requested ? real - requested : requested - real;

	if (d > INT64_MAX)
		return real >= requested ? INT64_MAX : INT64_MIN;
	return real >= requested ? (int64_t)d : -(int64_t)d;
}

#endif
