/* SPDX-License-Identifier: MIT
 *
 * Sorting: a stable radix sort of u64 keys with a u32 payload, for batches of addresses; and the C
 * library's sort for arrays that may be empty. qsort must not be given NULL even for no items (C11,
 * 7.22.5 and 7.1.4), which is what an array that has never grown is: so nothing else calls it.
 */
#ifndef TM_BASE_SORT_H
#define TM_BASE_SORT_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

struct sort_item {
	uint64_t key;
	uint32_t index;
};

/* Ascending by key; equal keys keep their order. Skips bytes in which all keys agree. */
void sort_radix(struct sort_item *items, size_t n);

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

#endif
