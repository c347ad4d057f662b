/* SPDX-License-Identifier: MIT
 *
 * A sink that hands on the part of a capture that filters and a selection keep: the work of
 * tm-filter. Tables, symbols and notes go through as they are; of events, allocations that are not
 * kept are left out, and with them their frees; so are samples, growth of heaps and calls (filter_calls.h)
 * that are not kept. Frames, lines of the log and readings outside of the ranges are left out, so
 * are type totals when a filter on anything but types, frames or times is given: the metrics that
 * are known by them alone are then absent. All other events go through.
 *
 * A report of what is left has the same numbers as the same filters have on the whole, but for
 * what depends on the neighbours: the peak is that of what is left, and so is what is temporary.
 *
 * Where a dropped allocation takes the address of one that was kept and whose free is missing, a
 * free without a time takes its place: the kept one is not live either way. In captures whose
 * events are in no order every dropped allocation becomes a free, and all frees stay, since what a
 * free ends is known at the end only. Memory: O(kept live blocks); O(1) where there is no order.
 */
#ifndef TM_GROUP_FILTER_SINK_H
#define TM_GROUP_FILTER_SINK_H

#include "lib/group/grouped_profile.h"

struct filter_sink;

/* to and what o points to (filters, selection, owners) are the caller's. */
struct filter_sink *filter_sink_new(struct sink *to, const struct grouped_profile_options *o);
void filter_sink_free(struct filter_sink *s); /* accepts NULL */
struct sink *filter_sink_in(struct filter_sink *s);

#endif
