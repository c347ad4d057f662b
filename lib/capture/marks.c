/* SPDX-License-Identifier: MIT */
#include "lib/capture/capture.h"
#include "lib/capture/tracemill.h"

static _Atomic int64_t frames;

void tracemill_mark_frame(void)
{
	cap_mark(CAP_FRAME, NULL, NULL, atomic_fetch_add(&frames, 1));
}

void tracemill_mark_frame_named(int64_t number, const char *label)
{
	cap_mark(CAP_FRAME, label, NULL, number);
}

void tracemill_mark_counter(const char *name, const char *unit, int64_t value)
{
	if (name)
		cap_mark(CAP_COUNTER, name, unit && *unit ? unit : NULL, value);
}

void tracemill_mark_flush(void)
{
	cap_flush();
}
