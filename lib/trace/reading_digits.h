/* SPDX-License-Identifier: MIT
 *
 * The two fields in which an event stores a counter's reading: value is the whole part, rounded down, and target has
 * the decimal digits of the rest in reverse order. 33.4 is 33 and 4; 0.25 is 0 and 52; -0.25 is -1 + 0.75, so -1 and
 * 57. A whole number has no target. This part is without numbers of 128 bits, which the recorder has not everywhere;
 * reading.h has the rest.
 */
#ifndef TM_TRACE_READING_DIGITS_H
#define TM_TRACE_READING_DIGITS_H

#include "lib/base/decimal_split.h"
#include "lib/trace/event.h"

/* From 10^-18 to decimals with the last one first, and back. */
static inline uint64_t reading_turn(uint64_t fraction)
{
	uint64_t turned = 0;

	for (int i = 0; i < DECIMAL_DIGITS; i++, fraction /= 10)
		turned = turned * 10 + fraction % 10;
	return turned;
}

/* fraction: in 10^-18 */
static inline void reading_put(struct event *ev, int64_t whole, uint64_t fraction)
{
	ev->has = (uint16_t)(ev->has | EV_HAS_VALUE);
	ev->value = whole;
	if (fraction) {
		ev->has |= EV_HAS_TARGET;
		ev->target = reading_turn(fraction);
	}
}

static inline uint64_t reading_fraction(const struct event *ev)
{
	return ev->has & EV_HAS_TARGET ? reading_turn(ev->target) : 0;
}

#endif
