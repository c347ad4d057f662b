/* SPDX-License-Identifier: MIT
 *
 * The conversion of a Unity stream's ticks to ns: ticks x numerator / denominator. The product overflows 64 bits
 * in ordinary captures.
 */
#ifndef TM_FORMATS_UNITY_CLOCK_H
#define TM_FORMATS_UNITY_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct unity_clock {
	uint64_t numerator, denominator; /* without common factors, neither is 0 */
	uint64_t base;                   /* ticks at the capture's start */
	bool has_base;
	uint64_t overflows; /* times beyond 292 years, given as that */
};

static inline uint64_t unity_ns(struct unity_clock *c, uint64_t ticks)
{
	uint64_t whole = ticks / c->denominator, rest = ticks % c->denominator, ns;

	if (c->denominator == 1) {
		if (!__builtin_mul_overflow(ticks, c->numerator, &ns) && ns <= INT64_MAX)
			return ns;
	} else if (!__builtin_mul_overflow(whole, c->numerator, &ns)) {
		ns += (uint64_t)((unsigned __int128)rest * c->numerator / c->denominator);
		if (ns <= INT64_MAX)
			return ns;
	}
	c->overflows++;
	return INT64_MAX;
}

/* ns since the capture's start. */
static inline int64_t unity_time(struct unity_clock *c, uint64_t ticks)
{
	return ticks >= c->base ? (int64_t)unity_ns(c, ticks - c->base)
				: -(int64_t)unity_ns(c, c->base - ticks);
}

#endif
