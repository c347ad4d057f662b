/* SPDX-License-Identifier: MIT
 *
 * Internal to tally/tally.h: slices of a capture. What an event adds goes into the slice of its own
 * time, wherever it stands in the file, and time in calls is spread over the slices in which it
 * passed. So slices are handed out when the capture ends, in their order: threads, kinds of events and
 * records may come one after the other.
 *
 * Memory is O(slices x what each touched): a slice that is not the present one has its sums as bytes.
 * What is live after a slice is what slices up to it added and took away, in any order of the file. The
 * peak in a slice is of the order of the file, and absent where times show that this is no order of time.
 */
#ifndef TM_TALLY_SLICES_H
#define TM_TALLY_SLICES_H

#include "lib/tally/state.h"

enum {
	SLICES_MOST = 1 << 20, /* steps of time; frames are events of the capture */
	SLICES_SLACK =
	    10000 /* ns that times may go back though events are in order: they are rounded */
};

/* What a time in calls is besides: of the main thread; off the processor. */
enum slice_time { SLICE_MAIN = 1, SLICE_WAITS = 2 };

struct tally_slices *slices_new(void);
void slices_free(struct tally_slices *s); /* accepts NULL */
void slices_reset(struct tally_slices *s);

/* w->marks has got a mark, whose frame has this name. */
void slices_mark(struct tally *a, size_t at, uint32_t name);
/* Asks the memory for what the present slice has of a cell. */
void slices_fetch(const struct tally_slices *s, uint32_t cell);
/* Before an event has its effect: its slice becomes the present one. */
void slices_reach(struct tally *a, const struct queued_event *p);
/* ST_LIMIT: there are more than SLICES_MOST. */
enum status slices_check(const struct tally *a, struct err *e);
enum status slices_end(struct tally *a, struct trace *t, struct err *e);

/* Into the present slice: an allocation of a cell, or the total of a type. */
void slices_add(struct tally *a, const struct queued_event *p);
/* lifetime: below 0: not known. */
void slices_add_freed(struct tally *a, uint32_t cell, const uint64_t v[3], unsigned domain,
		      bool temporary, int64_t lifetime);
/* The block is live from now on; or falls: not any more. w->peak has it. */
void slices_add_live(struct tally *a, uint32_t cell, const uint64_t v[3], unsigned domain,
		     bool falls);
/* Of a cell of calls: its entries, calls, samples, growth. */
void slices_add_sum(struct tally *a, uint32_t cell, enum sum sum, uint64_t v);
/* Calls of EV_DELTA. */
void slices_add_timed(struct tally *a, uint32_t cell, uint64_t calls);
/* kinds: of enum slice_time. */
void slices_add_self(struct tally *a, uint32_t cell, unsigned kinds, int64_t ns);
void slices_add_counter(struct tally *a, uint32_t counter, decimal value, int64_t time);
/* Time in a call from lo up to hi, which is more: into the slices in which it passed. */
void slices_add_span(struct tally *a, uint32_t cell, unsigned kinds, int64_t lo, int64_t hi);

#endif
