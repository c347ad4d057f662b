/* SPDX-License-Identifier: MIT
 *
 * The symbols through which an engine that is patched for LoliProfiler and an agent find each other. An engine
 * that calls them can be recorded by tm-record without the patch; an engine that defines them itself is found by
 * its module's dynamic symbols (libtracemill-capture(3)). All are weak: without a recorder there are no such
 * variables, which tracemill_loli_alloc and _free ask for first.
 */
#ifndef TRACEMILL_LOLI_H
#define TRACEMILL_LOLI_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TRACEMILL_LOLI __attribute__((weak, visibility("default")))

typedef void (*loli_alloc_func)(void *p, size_t n);
typedef void (*loli_free_func)(void *p);

/* Called by the engine: a pool's block is handed out; it is given back. */
extern loli_alloc_func loli_alloc_ptr TRACEMILL_LOLI;
extern loli_free_func loli_free_ptr TRACEMILL_LOLI;
#define tracemill_loli_alloc(p, n) \
	((void)(&loli_alloc_ptr && loli_alloc_ptr ? (loli_alloc_ptr(p, n), 0) : 0))
#define tracemill_loli_free(p) ((void)(&loli_free_ptr && loli_free_ptr ? (loli_free_ptr(p), 0) : 0))
/* Called by an agent: another receiver of these blocks. */
void loli_set_allocandfree(loli_alloc_func alloc, loli_free_func to_free) TRACEMILL_LOLI;
/* Called by an agent: ignore(true) and ignore(false) go around what may allocate. */
void set_loli_ignore_func(void (*ignore)(bool)) TRACEMILL_LOLI;
/* The functions that are open in this thread, innermost first, by -finstrument-functions; how many. */
int get_stack_backtrace(void **entry, int max) TRACEMILL_LOLI;

#ifdef __cplusplus
}
#endif

#endif
