/* SPDX-License-Identifier: MIT
 *
 * A Unity reader over arbitrary bytes, with the events that it may give: frames, and events with a
 * type; lines of the log have a text and a level, which is a type only where it has a name.
 */
#ifndef TM_TESTS_FUZZ_UNITY_H
#define TM_TESTS_FUZZ_UNITY_H

#include "tests/fuzz/reading.h"

static inline void unity_event(const struct event *ev)
{
	if (ev->kind == EV_FRAME)
		return;
	if (ev->kind == EV_LOG) {
		if (!(ev->has & EV_HAS_NAME) || !(ev->has & EV_HAS_VALUE) || ev->value < 0)
			abort();
		return;
	}
	if (ev->kind != EV_ALLOC && ev->kind != EV_COUNTER && ev->kind != EV_SAMPLE)
		abort();
	if (!ev->type)
		abort();
	if (ev->kind == EV_SAMPLE && (ev->value < 0 || ev->target > (uint64_t)ev->value))
		abort();
}

static inline int fuzz_reader(const char *name, const uint8_t *data, size_t n)
{
	fuzz_reading_by(name, data, n, unity_event);
	return 0;
}

#endif
