/* SPDX-License-Identifier: MIT
 *
 * The inside of tally.h: allocations as columns (trace/allocs.h), with their frees where blocks are
 * followed. A tally takes them where all events are selected and frees come behind their allocations.
 */
#ifndef TM_TALLY_ALLOCS_H
#define TM_TALLY_ALLOCS_H

#include "lib/tally/work.h"
#include "lib/trace/allocs.h"

extern const struct sink_takes_allocs allocs_taken;

#endif
