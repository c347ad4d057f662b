/* SPDX-License-Identifier: MIT
 *
 * Many answers at once, in parallel and in the order of the addresses, where neighbours share
 * names, files and callers: several times faster than in the order of the requests.
 */
#ifndef TM_COMPAT_PRINT_MANY_H
#define TM_COMPAT_PRINT_MANY_H

#include "lib/base/buf.h"
#include "lib/symbolize/lookup.h"

/* Appends the answer to query number i; called on several threads. */
typedef void print_one_fn(void *arg, struct buf *b, size_t i);

struct printed {
	struct printed_text {
		const char *s;
		size_t n;
	} * of; /* by query */
	struct buf *chunks;
	size_t n_chunks;
};

/* Of the last lookup_run of l, which had n queries. */
void print_many(struct printed *p, const struct lookup *l, size_t n, print_one_fn *one, void *arg);
void printed_release(struct printed *p);

#endif
