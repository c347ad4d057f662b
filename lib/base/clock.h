/* SPDX-License-Identifier: MIT
 *
 * Clocks to measure and to wait by. None of them has the time of day. Those without a name are monotonic.
 */
#ifndef TM_BASE_CLOCK_H
#define TM_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline int64_t clock_ns_of(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static inline int64_t clock_ns(void)
{
	return clock_ns_of(CLOCK_MONOTONIC);
}

static inline int64_t clock_ms(void)
{
	return clock_ns() / 1000000;
}

static inline double clock_seconds(void)
{
	return (double)clock_ns() / 1e9;
}

/* Processor time: of all threads, and of the one that asks. */
static inline int64_t clock_process_ns(void)
{
	return clock_ns_of(CLOCK_PROCESS_CPUTIME_ID);
}

static inline double clock_thread_seconds(void)
{
	return (double)clock_ns_of(CLOCK_THREAD_CPUTIME_ID) / 1e9;
}

#endif
