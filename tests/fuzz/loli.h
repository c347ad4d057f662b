/* SPDX-License-Identifier: MIT
 *
 * A LoliProfiler reader over arbitrary bytes, with the events that it may give: blocks and
 * counters.
 */
#ifndef TM_TESTS_FUZZ_LOLI_H
#define TM_TESTS_FUZZ_LOLI_H

#include "tests/fuzz/reading.h"

static inline void loli_event(const struct event *ev)
{
	if (ev->kind == EV_COUNTER) {
		if (!(ev->has & EV_HAS_TYPE) || ev->value < 0 || ev->time < 0)
			abort();
		return;
	}
	if (ev->kind != EV_ALLOC && ev->kind != EV_FREE && ev->kind != EV_FREED)
		abort();
}

static inline int fuzz_reader(const char *name, const uint8_t *data, size_t n)
{
	fuzz_reading_by(name, data, n, loli_event);
	return 0;
}

#endif
