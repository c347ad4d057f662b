/* SPDX-License-Identifier: MIT
 *
 * Percentiles of a stream of numbers in little memory: counts per bucket, 64 buckets to each power
 * of two. The smallest and the largest value and all values below 128 are exact; any other
 * percentile is at most 1/128 (0.8 %) off the value of its rank (the nearest-rank definition: the
 * value of the k-th of n, k = the percentage of n, rounded up). So with fewer than 20 values a 95th
 * percentile is exact. At most 3,840 buckets of 16 bytes, of which only those in use take room; the
 * order of the values does not matter.
 */
#ifndef TM_STATS_QUANTILES_H
#define TM_STATS_QUANTILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct quantiles { /* zeroed is empty */
	struct quantiles_bucket {
		uint32_t bucket;
		uint64_t n;
	} * buckets; /* ascending */
	size_t n_buckets, cap_buckets;
	uint64_t n, min, max;
};

void quantiles_add(struct quantiles *q, uint64_t v);
/* percent: 1 to 100; 0 when there are no values. */
uint64_t quantiles_at(const struct quantiles *q, unsigned percent);
/* Whether that is the value of its rank, and not one near it. */
bool quantiles_is_exact(const struct quantiles *q, unsigned percent);
void quantiles_release(struct quantiles *q); /* empty again */

/* The buckets themselves: of a value, and the value that stands for one. */
enum { QUANTILES_BUCKETS = 3840 };
uint32_t quantiles_bucket(uint64_t v);
uint64_t quantiles_middle(uint32_t bucket);

#endif
