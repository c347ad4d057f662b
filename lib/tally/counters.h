/* SPDX-License-Identifier: MIT
 *
 * Statistics of the readings of a capture's counters (fps, heap sizes, temperature), in a slice and
 * in the whole. Zeroed is empty and valid.
 */
#ifndef TM_TALLY_COUNTERS_H
#define TM_TALLY_COUNTERS_H

#include "lib/base/decimal.h"

struct counter_stats {
	uint64_t n; /* readings; 0: nothing else means anything */
	decimal last, min,
	    max;      /* last: of the readings with the largest time, the one that came last */
	int64_t time; /* of last; INT64_MIN: none had one */
	struct decimal_sum sum; /* exact */
};

struct tally_counters { /* by counter id */
	struct counter_stats *items;
	size_t n, cap;
};

enum counter_stat { COUNTER_LAST, COUNTER_MIN, COUNTER_MAX, COUNTER_MEAN, COUNTER_STATS };
extern const char *const counter_stat_words[]; /* "last", "min", ...; ends with NULL */

/* A counter's, which may be new. */
struct counter_stats *counters_place(struct tally_counters *c, uint32_t id);
/* time: the reading's own, INT64_MIN: it has none. */
void counter_read(struct counter_stats *s, decimal value, int64_t time);
void counter_join(struct counter_stats *to, const struct counter_stats *from); /* a later one */
/* n > 0. The one place where a mean is worked out: decimal_mean. */
decimal counter_value(const struct counter_stats *s, enum counter_stat which);

/* A unit of time in ns: "ms" is 1000000; 0: no unit of time. */
uint64_t counter_unit_ns(const char *unit);

void counters_reset(struct tally_counters *c);
void counters_release(struct tally_counters *c);

#endif
