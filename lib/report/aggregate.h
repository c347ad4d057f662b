/* SPDX-License-Identifier: MIT
 *
 * A sink that folds one capture's events into cells keyed (type, stack, domain). Memory is
 * O(distinct (type, stack) + live blocks), whatever the number of events. When a capture ends,
 * done gets the cells; the next capture starts from nothing.
 */
#ifndef TM_REPORT_AGGREGATE_H
#define TM_REPORT_AGGREGATE_H

#include "lib/report/live.h"
#include "lib/report/sums.h"
#include "lib/trace/sink.h"

struct aggregate_cell {
	uint32_t type, stack;
	uint8_t domain;
	uint8_t has; /* enum event_field's requested and real, >> 1 */
	uint64_t count, entries, requested, real;
};

struct aggregate_live { /* of the cell with the same index */
	uint64_t count, requested, real;
};

struct aggregate_frame { /* the sums of one frame, per domain */
	int64_t number;
	uint64_t v[SUM_REAL + 1];
};

struct aggregate_type { /* EV_TYPE_TOTAL, by type id */
	uint64_t count, requested, real;
	uint8_t has; /* as in a cell, and 1 for count */
};

struct aggregate_pending { /* an event on its way into the cells */
	uint64_t address, seq, requested, real, count;
	uint32_t type, stack, space, cell;
	uint16_t has;
	uint8_t kind, domain;
};

enum { AGGREGATE_BATCH = 128 };

struct aggregate {
	struct sink sink;
	/* Called at each capture's end with everything settled. */
	enum status (*done)(void *arg, struct trace *t, struct aggregate *a, struct err *e);
	void *arg;

	struct aggregate_cell *cells;
	size_t n_cells, cap_cells;
	struct aggregate_live *live_sums; /* n_cells of them; NULL: no live metric */
	struct aggregate_type *types;     /* t->n_types of them */
	uint64_t records[DOMAINS];        /* ALLOC events */
	uint64_t frames;
	struct aggregate_frame worst[DOMAINS][SUM_REAL + 1]; /* the first of the largest */
	uint64_t without_address; /* ALLOC events that live matching could not follow */
	uint64_t without_requested, without_real;
	struct live live;

	/* private */
	struct aggregate_frame frame[DOMAINS];
	bool in_frame, follow;
	uint16_t from_allocs,
	    from_types; /* enum event_field that count in EV_ALLOC, EV_TYPE_TOTAL */
	uint32_t *last; /* by stack: the cell used last */
	size_t cap_last;
	uint32_t *slots; /* cell index + 1 */
	size_t mask;
	size_t cap_types;
	uint64_t seq;
	struct aggregate_pending batch[AGGREGATE_BATCH];
	size_t n_batch;
};

/* a stays where it is until aggregate_release, and so does what arg points to. */
void aggregate_init(struct aggregate *a);
void aggregate_release(struct aggregate *a);

#endif
