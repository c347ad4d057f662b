/* SPDX-License-Identifier: MIT
 *
 * Resource scopes. A scope has all resources that one handle of libtracemill, or one question of tm-view, holds. So
 * when memory runs out in the middle of a call, this is an error of the call and not the end of the process. While
 * resource_scope_run runs a function, all memory and file descriptors that it and its threads take are the scope's;
 * when memory runs out (mem_exhausted), the scope is cancelled, or the function says so, it is left where it is
 * (longjmp) and resource_scope_free gives everything back.
 *
 * Only builds of the library and of tm-view (TM_LIBRARY) have scopes: there resource_names.h, which every file includes
 * first, makes malloc and its like the scope's. In other programs, which end when memory does, nothing of
 * this costs anything: resource_scope_run calls its function, the rest is empty.
 */
#ifndef TM_BASE_RESOURCE_SCOPE_H
#define TM_BASE_RESOURCE_SCOPE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct resource_scope;

enum resource_scope_end {
	RESOURCE_SCOPE_DONE,
	RESOURCE_SCOPE_NO_MEMORY,
	RESOURCE_SCOPE_CANCELLED,
	RESOURCE_SCOPE_LEFT, /* by the function itself, for reasons of its own */
};

/* True where all that is in a scope goes with it. */
#ifdef TM_LIBRARY
#define RESOURCE_SCOPE_HOLDS 1
#else
#define RESOURCE_SCOPE_HOLDS 0
#endif

#ifdef TM_LIBRARY

/* *cancelled, which any thread and signal handler may set, ends what runs in it soon; NULL: nothing
 * does. Returns NULL when there is no memory for it. */
struct resource_scope *resource_scope_new(const atomic_bool *cancelled);
void resource_scope_free(struct resource_scope *z);
/* The one in which this thread runs; NULL: none. */
struct resource_scope *resource_scope_current(void);
/* Runs fn in it; in any number of threads at once, and scopes may be nested. z NULL: none. After any
 * end but RESOURCE_SCOPE_DONE what is in the scope is good for nothing but resource_scope_free. */
enum resource_scope_end resource_scope_run(struct resource_scope *z, void (*fn)(void *arg),
					   void *arg);
/* Leaves the innermost resource_scope_run of this thread; without one, ends the program. */
_Noreturn void resource_scope_leave(enum resource_scope_end end);
bool resource_scope_cancelled(void); /* the current scope */
/* Zeroed memory that is no scope's, in a resource_scope_run; ended by free. */
void *resource_scope_outside(size_t n) __attribute__((__malloc__, returns_nonnull));

/* What is not memory, and is to be ended with the scope by end(thing); forgotten again once its owner
 * has ended it. thing is a pointer of its own. */
void resource_scope_hold(void *thing, void (*end)(void *thing));
void resource_scope_forget(void *thing);

/* How many bytes all scopes may hold together, beyond which memory has run out in them; before the first scope that is to
 * be counted. 0: no limit. */
void resource_scopes_limit(size_t bytes);
size_t resource_scopes_hold(void); /* 0 without a limit */
/* The same of one scope, where all have a limit; before anything is in it. */
void resource_scope_limit(struct resource_scope *z, size_t bytes);
size_t resource_scope_holds(const struct resource_scope *z);

/* For tests: the n-th allocation in any scope from now fails, once, in whatever thread; 0: none. */
void resource_scope_fail_at(size_t n);
size_t resource_scope_allocations(void); /* since the last resource_scope_fail_at */

#else

#include "lib/base/mem.h"

/* A scope that holds nothing: owners release what they have. */
static inline struct resource_scope *resource_scope_new(const atomic_bool *cancelled)
{
	return (struct resource_scope *)(uintptr_t)cancelled;
}

static inline void resource_scope_free(struct resource_scope *z)
{
	(void)z;
}

static inline void *resource_scope_outside(size_t n)
{
	return mem_zalloc(n);
}

static inline struct resource_scope *resource_scope_current(void)
{
	return NULL;
}

static inline enum resource_scope_end resource_scope_run(struct resource_scope *z,
							 void (*fn)(void *arg), void *arg)
{
	(void)z;
	fn(arg);
	return RESOURCE_SCOPE_DONE;
}

static inline bool resource_scope_cancelled(void)
{
	return false;
}

_Noreturn static inline void resource_scope_leave(enum resource_scope_end end)
{
	(void)end;
	__builtin_unreachable();
}

static inline void resource_scope_hold(void *thing, void (*end)(void *thing))
{
	(void)thing;
	(void)end;
}

static inline void resource_scope_forget(void *thing)
{
	(void)thing;
}

static inline void resource_scopes_limit(size_t bytes)
{
	(void)bytes;
}

static inline size_t resource_scopes_hold(void)
{
	return 0;
}

static inline void resource_scope_limit(struct resource_scope *z, size_t bytes)
{
	(void)z;
	(void)bytes;
}

static inline size_t resource_scope_holds(const struct resource_scope *z)
{
	(void)z;
	return 0;
}

#endif

/* For long work that allocates little: leaves a scope that was cancelled. */
static inline void resource_scope_poll(void)
{
	if (resource_scope_cancelled())
		resource_scope_leave(RESOURCE_SCOPE_CANCELLED);
}

#endif
