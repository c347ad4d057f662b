/* SPDX-License-Identifier: MIT
 *
 * A queue that puts perf's records into the order of time. perf writes what each processor's buffer had, one
 * buffer after the other, and marks rounds: what comes after a mark is later than what came before the mark
 * before it. Records without a time pass at once.
 */
#ifndef TM_FORMATS_PERF_PERF_QUEUE_H
#define TM_FORMATS_PERF_PERF_QUEUE_H

#include "formats/perf/perf_data.h"

#include "lib/base/sort.h"

/* Takes the records in order. */
typedef enum status perf_queue_fn(struct perf_data *x, const struct perf_record *r, struct err *e);

struct perf_queue { /* zeroed is empty */
	uint8_t *bytes;
	size_t n_bytes, cap_bytes;
	struct perf_queued {
		struct perf_record r; /* but for p */
		size_t place;         /* in bytes */
	} * items;
	size_t n, cap;
	struct sort_item *order; /* by time, of items */
	size_t n_order, cap_order;
	uint64_t latest, round; /* the times up to which the next round goes, and goes now */
	uint64_t passed;        /* all up to this time are gone */
	uint64_t late;          /* records that came after that */
};

enum status perf_queue_add(struct perf_queue *q, struct perf_data *x, const struct perf_record *r,
			   uint64_t time, perf_queue_fn *deliver, struct err *e);
enum status perf_queue_round(struct perf_queue *q, struct perf_data *x, perf_queue_fn *deliver,
			     struct err *e);
enum status perf_queue_end(struct perf_queue *q, struct perf_data *x, perf_queue_fn *deliver,
			   struct err *e);
void perf_queue_release(struct perf_queue *q);

#endif
