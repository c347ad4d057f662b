/* SPDX-License-Identifier: MIT
 *
 * Sorting: a stable radix sort of u64 keys with a u32 payload, for batches of addresses; and the C
 * library's sort for arrays that may be empty. qsort must not be given NULL even for no items (C11,
 * 7.22.5 and 7.1.4), which is what an array that has never grown is: so nothing else calls it. A merge
 * sort, where what is equal must keep its order. And the one binary search in what is sorted.
 */
#ifndef TM_BASE_SORT_H
#define TM_BASE_SORT_H

#include "lib/base/mem.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct sort_item {
	uint64_t key;
	uint32_t index;
};

/* Ascending by key; equal keys keep their order. Skips bytes in which all keys agree. */
void sort_radix(struct sort_item *items, size_t n);

/* Ascending, each key once: how many are left, in keys. at[i]: where the i-th key is among them. n is
 * at most UINT32_MAX. */
size_t sort_unique(uint64_t *keys, size_t n, uint32_t *at);

static inline void sort_array(void *items, size_t n, size_t size,
			      int (*order)(const void *, const void *))
{
	if (n > 1)
		qsort(items, n, size, order);
}

static inline void sort_array_by(void *items, size_t n, size_t size,
				 int (*order)(const void *, const void *, void *), void *arg)
{
	if (n > 1)
		qsort_r(items, n, size, order, arg);
}

/* Equal items keep their order; what is sorted already is only looked at. Inlined, so that size and order
 * are constants of the loop. */
static inline __attribute__((always_inline)) void sort_stable(void *items, size_t n, size_t size,
							      int (*order)(const void *,
									   const void *))
{
	char *from = items, *to, *own;
	size_t sorted = 1;

	while (sorted < n && order(from + (sorted - 1) * size, from + sorted * size) <= 0)
		sorted++;
	if (sorted >= n)
		return;
	to = own = mem_array(n, size);
	for (size_t width = 1; width < n; width *= 2) {
		char *swap = from;

		for (size_t at = 0; at < n; at += 2 * width) {
			size_t middle = at + width < n ? at + width : n;
			size_t end = at + 2 * width < n ? at + 2 * width : n;
			size_t i = at, k = middle;

			for (size_t o = at; o < end; o++) {
				size_t next =
				    i < middle && (k == end ||
						   order(from + i * size, from + k * size) <= 0)
					? i++
					: k++;

				memcpy(to + o * size, from + next * size, size);
			}
		}
		from = to;
		to = swap;
	}
	if (from != (char *)items)
		memcpy(items, from, n * size);
	free(own);
}

/* The first i of [from, to) for which before, an expression of i, does not hold; to, where it holds
 * for all. Those for which it holds come first. A macro, so that before is a part of the loop
 * wherever it is used; i has the type of to. */
#define BISECT(i, from, to, before)                                  \
	({                                                           \
		__typeof__((to) + 0) low_ = (from), high_ = (to), i; \
                                                                     \
		while (low_ < high_) {                               \
			i = low_ + (high_ - low_) / 2;               \
			if (before)                                  \
				low_ = i + 1;                        \
			else                                         \
				high_ = i;                           \
		}                                                    \
		low_;                                                \
	})

#endif
