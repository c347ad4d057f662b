/* SPDX-License-Identifier: MIT
 *
 * Tables of numbers over time (formats/table/counters.c): frames and counters are all there is.
 */
#include "tests/fuzz/reading.h"

static void counters_event(const struct event *ev)
{
	if (ev->kind != EV_COUNTER && ev->kind != EV_FRAME)
		abort();
	if (ev->kind == EV_COUNTER && !ev->type)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	fuzz_reading_by("counters", data, n, counters_event);
	return 0;
}
