/* SPDX-License-Identifier: MIT
 *
 * The readers of Miku-LuaProfiler over arbitrary bytes. The bytes' number chooses the options.
 */
#include "tests/fuzz/reading.h"

/* What is clamped is never below 0, nor more than the total. */
static void miku_event(const struct event *ev)
{
	if (ev->kind == EV_SAMPLE && (ev->has & EV_HAS_TARGET) &&
	    (!(ev->has & EV_HAS_VALUE) || ev->target > (uint64_t)ev->value))
		abort();
	if (ev->kind == EV_ALLOC && (int64_t)ev->requested < 0)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const char *const names[] = {"miku-sample", "miku-tcp", "miku-diff", "miku-ref"};
	const struct reading_source from = {.data = data, .n = n};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const struct import_options o = {
		    .format = names[i], .unclamped = n & 1, .collapse_resumes = n & 2};

		fuzz_reading_of(&from, &o, miku_event);
	}
	return 0;
}
