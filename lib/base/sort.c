/* SPDX-License-Identifier: MIT */
#include "lib/base/sort.h"

#include "lib/base/mem.h"
#include "lib/base/pages.h"

#include <stdlib.h>
#include <string.h>

enum { SMALL = 48 };

static void insertion(struct sort_item *v, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		struct sort_item x = v[i];
		size_t j = i;

		for (; j && v[j - 1].key > x.key; j--)
			v[j] = v[j - 1];
		v[j] = x;
	}
}

void sort_radix(struct sort_item *items, size_t n)
{
	struct sort_item *from = items, *to, *scratch;
	size_t(*count)[256];

	if (n <= SMALL) {
		insertion(items, n);
		return;
	}
	count = mem_zarray(8, sizeof *count);
	scratch = to = pages_array(n, sizeof *scratch);
	for (size_t i = 0; i < n; i++)
		for (unsigned b = 0; b < 8; b++)
			count[b][items[i].key >> b * 8 & 0xff]++;
	for (unsigned b = 0; b < 8; b++) {
		struct sort_item *swap = from;
		size_t sum = 0;

		if (count[b][items[0].key >> b * 8 & 0xff] == n)
			continue;
		for (unsigned v = 0; v < 256; v++) {
			size_t c = count[b][v];

			count[b][v] = sum;
			sum += c;
		}
		for (size_t i = 0; i < n; i++)
			to[count[b][from[i].key >> b * 8 & 0xff]++] = from[i];
		from = to;
		to = swap;
	}
	if (from != items)
		memcpy(items, from, n * sizeof *items);
	free(scratch);
	free(count);
}
