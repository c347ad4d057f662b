/* SPDX-License-Identifier: MIT
 *
 * Statistics of the readings of a capture's counters (fps, heap sizes, temperature), in a slice and
 * in the whole. Zeroed is empty and valid.
 */
#ifndef TM_TALLY_COUNTERS_H
#define TM_TALLY_COUNTERS_H

#include <stddef.h>
#include <stdint.h>

struct counter_stats {
	uint64_t n; /* readings; 0: nothing else means anything */
	int64_t last, min, max;
	__int128 sum; /* exact */
};

struct tally_counters { /* by counter id */
	struct counter_stats *items;
	size_t n, cap;
};

enum counter_stat { COUNTER_LAST, COUNTER_MIN, COUNTER_MAX, COUNTER_MEAN, COUNTER_STATS };
extern const char *const counter_stat_words[]; /* "last", "min", ...; ends with NULL */

/* A counter's, which may be new. */
struct counter_stats *counters_place(struct tally_counters *c, uint32_t id);
void counter_read(struct counter_stats *s, int64_t value);
void counter_join(struct counter_stats *to, const struct counter_stats *from); /* a later one */
int64_t counter_value(const struct counter_stats *s, enum counter_stat which); /* n > 0 */

void counters_read(struct tally_counters *c, uint32_t id, int64_t value);
void counters_reset(struct tally_counters *c);
void counters_release(struct tally_counters *c);

#endif
