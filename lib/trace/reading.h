/* SPDX-License-Identifier: MIT
 *
 * A counter's reading as a number. reading_digits.h says how an event holds it.
 */
#ifndef TM_TRACE_READING_H
#define TM_TRACE_READING_H

#include "lib/base/decimal.h"
#include "lib/trace/reading_digits.h"

static inline decimal reading_of(const struct event *ev)
{
	return decimal_join(ev->value, reading_fraction(ev));
}

static inline void reading_set(struct event *ev, decimal v)
{
	reading_put(ev, decimal_whole(v), decimal_fraction(v));
}

#endif
