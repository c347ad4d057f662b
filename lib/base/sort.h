/* SPDX-License-Identifier: MIT
 *
 * Stable radix sort of u64 keys with a u32 payload, for batches of addresses.
 */
#ifndef TM_BASE_SORT_H
#define TM_BASE_SORT_H

#include <stddef.h>
#include <stdint.h>

struct sort_item {
	uint64_t key;
	uint32_t index;
};

/* Ascending by key; equal keys keep their order. Skips bytes in which all keys agree. */
void sort_radix(struct sort_item *items, size_t n);

#endif
