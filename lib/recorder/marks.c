/* SPDX-License-Identifier: MIT
 *
 * The functions of tracemill.h: frames, counters, lines of the log, typed allocations and blocks of own allocators.
 */
#include "lib/base/decimal_split.h"
#include "lib/recorder/base/floats.h"
#include "lib/recorder/base/log_line.h"
#include "lib/recorder/capture.h"
#include "lib/recorder/fibers.h"
#include "lib/recorder/timing.h"
#include "lib/recorder/tracemill.h"

#include <string.h>

static _Atomic int64_t frames;
static _Atomic bool typed; /* since the last frame */
static _Atomic bool own;   /* the program marks its frames itself */

/* A frame's typed allocations are out before the next begins. */
static void end_frame(void)
{
	if (atomic_load_explicit(&typed, memory_order_relaxed) && atomic_exchange(&typed, false))
		cap_flush();
}

/* The log of spikes says the frame, and the trace has what was called before it. */
static void frame(const char *label, int64_t number)
{
	atomic_store(&cap_spikes.frame, number);
	atomic_store(&cap_spikes.framed, true);
	cap_timing_flush();
	cap_mark_frame(label, number);
}

bool cap_mark_frame_found(void)
{
	if (atomic_load_explicit(&own, memory_order_relaxed))
		return false;
	end_frame();
	frame(NULL, atomic_fetch_add(&frames, 1));
	return true;
}

void tracemill_mark_frame(void)
{
	atomic_store_explicit(&own, true, memory_order_relaxed);
	end_frame();
	frame(NULL, atomic_fetch_add(&frames, 1));
}

void tracemill_mark_frame_named(int64_t number, const char *label)
{
	atomic_store_explicit(&own, true, memory_order_relaxed);
	end_frame();
	frame(label, number);
}

void tracemill_mark_counter(const char *name, const char *unit, int64_t value)
{
	if (name)
		cap_mark_reading(name, unit && *unit ? unit : NULL, value, 0);
}

static void split(double value, enum decimal_bits bits, bool *known, int64_t *whole,
		  uint64_t *fraction)
{
	*known = decimal_split(value, bits, whole, fraction);
}

static void mark_real(const char *name, const char *unit, double value, enum decimal_bits bits)
{
	uint64_t fraction;
	int64_t whole;
	bool known;

	CAP_FLOATS(split(value, bits, &known, &whole, &fraction));
	if (name && known)
		cap_mark_reading(name, unit && *unit ? unit : NULL, whole, fraction);
	else if (name)
		atomic_fetch_add_explicit(&cap.no_numbers, 1, memory_order_relaxed);
}

void tracemill_mark_counter_real(const char *name, const char *unit, double value)
{
	mark_real(name, unit, value, DECIMAL_OF_DOUBLE);
}

void tracemill_mark_counter_float(const char *name, const char *unit, float value)
{
	mark_real(name, unit, (double)value, DECIMAL_OF_FLOAT);
}

void tracemill_mark_log(enum tracemill_severity severity, const char *text)
{
	unsigned level =
	    (unsigned)severity < TRACEMILL_ERROR ? (unsigned)severity : TRACEMILL_ERROR;
	char line[CAP_LINE_MAX];

	if (text && cap_on())
		cap_mark_line(level, line, cap_log_line(line, text, strlen(text)));
}

void tracemill_mark_typed_alloc(const char *type, size_t requested, size_t real)
{
	if (!cap_on())
		return;
	cap_typed(type ? type : "?", requested, real, CAP_HERE);
	if (!atomic_load_explicit(&typed, memory_order_relaxed))
		atomic_store_explicit(&typed, true, memory_order_relaxed);
}

void tracemill_mark_alloc(enum tracemill_domain domain, const void *p, size_t n, const char *type)
{
	if (p)
		cap_alloc_typed(p, n, domain, type, CAP_HERE);
}

void tracemill_mark_free(enum tracemill_domain domain, const void *p)
{
	if (p)
		cap_free(p, domain);
}

void tracemill_mark_realloc(enum tracemill_domain domain, const void *old, const void *p, size_t n,
			    const char *type)
{
	if (old)
		cap_free(old, domain);
	if (p)
		cap_alloc_typed(p, n, domain, type, CAP_HERE);
}

void tracemill_mark_own(int on)
{
	if (on)
		cap_own_begin();
	else
		cap_self.depth &= ~(unsigned)(CAP_QUIET | CAP_OWN);
}

/* Who has no shadow stacks has no use for it. */
static bool has_calls(void)
{
	return cap_on() && (cap.settings.calls || cap.settings.stacks == CAP_STACKS_SHADOW);
}

void tracemill_mark_fiber_enter(const void *fiber, const char *name)
{
	if (fiber && has_calls())
		cap_fiber_switch(fiber, name);
}

void tracemill_mark_fiber_leave(void)
{
	if (cap_shadow_own && has_calls())
		cap_fiber_switch(NULL, NULL);
}

void tracemill_mark_flush(void)
{
	cap_flush();
}
