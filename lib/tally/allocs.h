/* SPDX-License-Identifier: MIT
 *
 * The inside of tally.h: allocations as columns (trace/allocs.h), which a tally takes where no block is
 * followed and all events are selected.
 */
#ifndef TM_TALLY_ALLOCS_H
#define TM_TALLY_ALLOCS_H

#include "lib/tally/work.h"
#include "lib/trace/allocs.h"

extern const struct sink_takes_allocs allocs_taken;

#endif
