/* SPDX-License-Identifier: MIT */
#include "lib/report/heap/numbers.h"

#include "lib/base/mem.h"

#include <stdlib.h>

void heap_numbers_init(struct heap_numbers *x, size_t n, uint64_t least, uint64_t most)
{
	uint64_t span = most - least;

	x->least = least;
	x->bytes = span <= UINT8_MAX ? 1 : span <= UINT16_MAX ? 2 : span <= UINT32_MAX ? 4 : 8;
	x->at.any = mem_array(n ? n : 1, x->bytes);
}

void heap_numbers_release(struct heap_numbers *x)
{
	free(x->at.any);
	*x = (struct heap_numbers){.bytes = 0};
}

struct heap_numbers heap_numbers_of_64(uint64_t *all, size_t n)
{
	uint64_t least = n > 1 ? all[1] : 0, most = least;
	struct heap_numbers x;

	for (size_t i = 1; i < n; i++) {
		least = all[i] < least ? all[i] : least;
		most = all[i] > most ? all[i] : most;
	}
	heap_numbers_init(&x, n, least, most);
	heap_number_set(&x, 0, least);
	for (size_t i = 1; i < n; i++)
		heap_number_set(&x, i, all[i]);
	free(all);
	return x;
}

struct heap_numbers heap_numbers_of_32(uint32_t *all, size_t n)
{
	uint32_t most = 0;
	struct heap_numbers x;

	for (size_t i = 1; i < n; i++)
		most = all[i] > most ? all[i] : most;
	heap_numbers_init(&x, n, 0, most);
	heap_number_set(&x, 0, 0);
	for (size_t i = 1; i < n; i++)
		heap_number_set(&x, i, all[i]);
	free(all);
	return x;
}
