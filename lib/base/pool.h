/* SPDX-License-Identifier: MIT
 *
 * A parallel for loop: fn(item, worker, arg) for every item of [0, n), on at most n_threads
 * threads, items handed out by an atomic counter (put the largest first). Returns when all are
 * done, so no thread outlives the call and a later fork is safe. fn runs on the caller's thread
 * too.
 */
#ifndef TM_BASE_POOL_H
#define TM_BASE_POOL_H

#include <stddef.h>

/* worker < n_threads: an index for per-worker scratch. */
typedef void (*pool_fn)(size_t item, unsigned worker, void *arg);

void pool_run(unsigned n_threads, size_t n, pool_fn fn, void *arg);
/* fn(0, 0, arg) on a thread whose stack has this many bytes, for what recurses deeply; mem_exhausted where there is no
 * such thread to be had. */
void pool_run_deep(size_t stack, pool_fn fn, void *arg);
unsigned pool_cpus(void); /* processors this process may use, at least 1 */

#endif
