/* SPDX-License-Identifier: MIT
 *
 * Internal to tally.h: allocations as columns (trace/allocs.h), with their frees where blocks are
 * followed. A tally takes them where all events are selected and frees come after their allocations.
 */
#ifndef TM_TALLY_ALLOCS_H
#define TM_TALLY_ALLOCS_H

#include "lib/tally/state.h"
#include "lib/trace/allocs.h"

/* EV_HAS_*: the fields that it looks at (sink.wants); 0: it takes no columns for now. */
unsigned allocs_fields(const struct tally *a);
enum status allocs_on_batch(struct tally *a, struct trace *t, const struct sink_allocs *c,
			    struct err *e);

#endif
