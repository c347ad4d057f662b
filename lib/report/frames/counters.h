/* SPDX-License-Identifier: MIT
 *
 * Internal to frames.h: the readings of counters in each frame, and, where a capture has
 * allocations of several domains, what each of them allocated: as a counter "alloc.lua". They are
 * metrics after FRAME_METRICS, four of each counter: enum counter_stat.
 */
#ifndef TM_REPORT_FRAMES_COUNTERS_H
#define TM_REPORT_FRAMES_COUNTERS_H

#include "lib/base/hash.h"
#include "lib/table/table.h"
#include "lib/tally/counters.h"
#include "lib/tally/tally.h"
#include "lib/trace/model.h"

struct tally_slice;

struct frames_counter {
	uint32_t name, unit; /* in texts */
	uint8_t domain;      /* of "alloc.": + 1 */
	bool several;        /* a frame had more than one reading */
};

struct frames_counters {
	struct intern texts;
	struct frames_counter *items;
	size_t n, cap;
	struct map64 index; /* name and unit -> item + 1 */
	unsigned domains;   /* items of allocations */
	struct frames_reading {
		uint32_t counter;
		struct counter_stats stats;
	} * readings; /* of each row together, by counter */
	size_t n_readings, cap_readings;
	size_t *rows; /* where those of a row begin; n_rows + 1 */
	size_t n_rows, cap_rows;
	uint32_t *ids; /* by counter id of the present capture: index + 1 */
	size_t cap_ids;
};

/* The next row's. first: the capture begins. known: SUM_BITs of domains' sums. */
void frames_counters_add(struct frames_counters *c, const struct trace *t,
			 const struct tally_slice *s, const struct tally *a);
bool frames_counters_value(const struct frames_counters *c, size_t row, int metric, decimal *v);
bool frames_counters_known(const struct frames_counters *c, int metric);
/* The metric of "fps" or "fps:max"; below 0: there is no such counter. */
int frames_counters_find(const struct frames_counters *c, const char *text);
const char *frames_counters_name(const struct frames_counters *c, size_t counter);
const char *frames_counters_unit(const struct frames_counters *c, size_t counter);
enum column_type counter_column(const char *unit);
/* Those of allocations mean something only together. */
bool frames_counters_shown(const struct frames_counters *c, size_t counter);
void frames_counters_release(struct frames_counters *c);

static inline size_t counter_of(int metric, int base)
{
	return (size_t)(metric - base) / COUNTER_STATS;
}

#endif
