/* SPDX-License-Identifier: MIT
 *
 * Zones: the resources that one handle of libtracemill holds, so that memory which runs out in the
 * middle of a call is an error of that call and not the end of the caller's program. While zone_run
 * runs a function, all memory and file descriptors that it and its threads take are the zone's;
 * when memory runs out (mem_exhausted) or the zone is cancelled, the function is left where it is
 * (longjmp) and zone_free gives everything back.
 *
 * Only builds of the library (TM_LIBRARY) have zones: there zone_names.h, which every file includes
 * first, makes malloc and its like the zone's. In programs, which end when memory does, nothing of
 * this costs anything: zone_run calls its function, the rest is empty.
 */
#ifndef TM_BASE_ZONE_H
#define TM_BASE_ZONE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct zone;

enum zone_end { ZONE_DONE, ZONE_NO_MEMORY, ZONE_CANCELLED };

/* True where all that is in a zone goes with it. */
#ifdef TM_LIBRARY
#define ZONE_HOLDS 1
#else
#define ZONE_HOLDS 0
#endif

#ifdef TM_LIBRARY

/* *cancelled, which any thread and signal handler may set, ends what runs in it soon; NULL: nothing
 * does. Returns NULL when there is no memory for it. */
struct zone *zone_new(const atomic_bool *cancelled);
void zone_free(struct zone *z);
/* The one in which this thread runs; NULL: none. */
struct zone *zone_current(void);
/* Runs fn in it; in any number of threads at once, and zones may be nested. z NULL: none. After any
 * end but ZONE_DONE what is in the zone is good for nothing but zone_free. */
enum zone_end zone_run(struct zone *z, void (*fn)(void *arg), void *arg);
/* Leaves the innermost zone_run of this thread; without one, ends the program. */
_Noreturn void zone_leave(enum zone_end end);
bool zone_cancelled(void); /* the current zone */
/* Zeroed memory that is no zone's, in a zone_run; ended by free. */
void *zone_outside(size_t n) __attribute__((__malloc__, returns_nonnull));

/* What is not memory, and is to be ended with the zone by end(thing); forgotten again once its owner
 * has ended it. thing is a pointer of its own. */
void zone_hold(void *thing, void (*end)(void *thing));
void zone_forget(void *thing);

/* For tests: the n-th allocation in any zone from now fails, once, in whatever thread; 0: none. */
void zone_fail_at(size_t n);
size_t zone_allocations(void); /* since the last zone_fail_at */

#else

#include "lib/base/mem.h"

/* A zone that holds nothing: owners release what they have. */
static inline struct zone *zone_new(const atomic_bool *cancelled)
{
	return (struct zone *)(uintptr_t)cancelled;
}

static inline void zone_free(struct zone *z)
{
	(void)z;
}

static inline void *zone_outside(size_t n)
{
	return mem_zalloc(n);
}

static inline struct zone *zone_current(void)
{
	return NULL;
}

static inline enum zone_end zone_run(struct zone *z, void (*fn)(void *arg), void *arg)
{
	(void)z;
	fn(arg);
	return ZONE_DONE;
}

static inline bool zone_cancelled(void)
{
	return false;
}

_Noreturn static inline void zone_leave(enum zone_end end)
{
	(void)end;
	__builtin_unreachable();
}

static inline void zone_hold(void *thing, void (*end)(void *thing))
{
	(void)thing;
	(void)end;
}

static inline void zone_forget(void *thing)
{
	(void)thing;
}

#endif
#endif
