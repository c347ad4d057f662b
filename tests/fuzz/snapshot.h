/* SPDX-License-Identifier: MIT
 *
 * A reader of heap snapshots over arbitrary bytes: objects that have an identity.
 */
#ifndef TM_TESTS_FUZZ_SNAPSHOT_H
#define TM_TESTS_FUZZ_SNAPSHOT_H

#include "tests/fuzz/reading.h"

static inline void snapshot_event(const struct event *ev)
{
	if (ev->kind != EV_ALLOC && ev->kind != EV_OBJECT && ev->kind != EV_REFERENCE)
		abort();
	if (ev->kind == EV_OBJECT && !ev->address)
		abort();
	if (ev->kind == EV_REFERENCE && !ev->target)
		abort();
}

static inline int fuzz_snapshot(const char *name, const uint8_t *data, size_t n)
{
	fuzz_reading_by(name, data, n, snapshot_event);
	return 0;
}

#endif
