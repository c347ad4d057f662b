/* SPDX-License-Identifier: MIT
 *
 * The enumeration of permutations of runs between two sides, for permutation tests: sets of `chosen` out of `all`
 * runs. The first is that of the last `chosen` ones, the sides as they are. Where there are at most `exact_max` sets,
 * all of them follow in lexicographic order; else the others are random: a partial Fisher-Yates shuffle by splitmix64
 * with a constant seed, so that the same question has the same answer.
 */
#ifndef TM_STATS_EXCHANGE_H
#define TM_STATS_EXCHANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct exchange {
	uint32_t *sets; /* n of them, each of `chosen` runs */
	size_t n, chosen;
	bool sampled; /* not all of them */
};

/* At least one run on each side. */
void exchange_init(struct exchange *x, size_t all, size_t chosen, size_t exact_max, size_t sampled);
void exchange_release(struct exchange *x);

/* The number of sets; SIZE_MAX for more than that. */
size_t exchange_count(size_t all, size_t chosen);

#endif
