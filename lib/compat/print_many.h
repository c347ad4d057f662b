/* SPDX-License-Identifier: MIT
 *
 * The parallel printing of many answers. Each worker prints a block of them into a large buffer of its own;
 * buffers go out whole, in the order of the requests. As many blocks may be ahead of the one that is next as
 * there are workers, twice, so memory does not grow with the output.
 */
#ifndef TM_COMPAT_PRINT_MANY_H
#define TM_COMPAT_PRINT_MANY_H

#include "lib/base/buf.h"

#include <stdbool.h>

/* Appends the answers to queries [from, to); called on several threads. */
typedef void print_some_fn(void *arg, struct buf *b, size_t from, size_t to);
/* Takes text, in order; on any thread, but on one at a time. False: no more is wanted. */
typedef bool print_out_fn(void *arg, const char *s, size_t n);

void print_many(unsigned jobs, size_t n, print_some_fn *some, print_out_fn *out, void *arg);

#endif
