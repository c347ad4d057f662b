/* SPDX-License-Identifier: MIT
 *
 * Internal to model.h: how the rows of a trace are found again, those that a stream numbers too
 * (stream_tables.h), and the memory of its texts and ranges.
 */
#ifndef TM_TRACE_MODEL_INDEX_H
#define TM_TRACE_MODEL_INDEX_H

#include "lib/base/hash.h"
#include "lib/base/mem.h"
#include "lib/trace/model.h"

/* A stream's rows have the numbers in which they come; those that a sink appends in between (paths
 * of calls) are not among them. */
struct stream_ids {
	size_t n;     /* rows that came, [0] included; 0 as 1 */
	uint32_t *to; /* ours; NULL while they are the same */
	size_t cap;
};

enum { STACKS_WAITING = 128 };

struct trace_index {
	const struct trace *shared; /* whose tables these still are (trace_share); NULL: nobody's */
	bool copies; /* of another trace, of which locations and stacks are its own by now */
	struct arena arena;
	struct map64 types, notes, threads, markers, counters;
	struct map64 named_threads,
	    thread_names; /* rows by name too; how many names a thread had */
	struct id_set location_set, stack_set;
	size_t locations_in_set; /* rows that were put there: a stream appends others */
	/* Rows that are yet to be put in stack_set: from first_waiting on; waiting finds them. */
	uint32_t first_waiting, stacks_waiting;
	uint16_t waiting[STACKS_WAITING * 4]; /* their places from 1, by their hashes */
	bool any_waiting; /* number of them, and waiting has none: the set comes before any look */
	/* Of trace_stacks_near, by stack: a bit for the locations that were put below it; as long as
	 * every row came by trace_stack, which n_below counts. NULL: it was not called. */
	uint32_t *below;
	size_t n_below, cap_below;
	struct stream_ids stream_locations, stream_stacks;
	size_t stream_bindings; /* that came */
	struct stack_step {
		uint32_t location, stack;
	} * last; /* the stack that trace_stack_of was asked for last, outermost first */
	size_t n_last, cap_last;
	struct
	    stack_recent { /* that it was asked for, by the hash of all their locations, in pairs */
		uint32_t stack, check;
	} * recent;
};

#endif
