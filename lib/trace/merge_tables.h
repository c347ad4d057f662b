/* SPDX-License-Identifier: MIT
 *
 * Inside of merge.h: what the ids of one capture are in another.
 */
#ifndef TM_TRACE_MERGE_TABLES_H
#define TM_TRACE_MERGE_TABLES_H

#include "lib/trace/model.h"

struct id_map { /* by id of the part; rows that it has are known up to n */
	uint32_t *to;
	size_t n, cap;
};

struct merge_tables {
	struct id_map strings, modules, locations, stacks, types, threads, markers, counters;
	uint32_t part; /* from 0: map epochs of different parts are different */
};

enum { MERGE_EPOCHS = 1 << 20, MERGE_PARTS_MAX = 1024 };

/* Adds the rows that are new in the part. */
void merge_rows(struct merge_tables *m, const struct trace *from, struct trace *to);
/* What tm-symbolize added to the part; once, when all its rows are known. */
void merge_symbols(const struct merge_tables *m, const struct trace *from, struct trace *to);
/* The event with the whole's ids, once the rows are there. A name that no row has is added. */
void merge_event(struct merge_tables *m, const struct trace *from, struct trace *to,
		 struct event *ev);
void merge_tables_release(struct merge_tables *m);

#endif
