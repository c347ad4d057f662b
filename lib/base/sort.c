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

static unsigned bits_of(uint64_t v)
{
	return v ? 64 - (unsigned)__builtin_clzll(v) : 0;
}

enum { MOST_BITS = 11 }; /* of a digit */

/* As few digits of the same width as bits fit into. */
static unsigned digits_of(unsigned bits)
{
	return (bits + MOST_BITS - 1) / MOST_BITS;
}

/* How many there are of each value of a digit becomes where they begin. */
static void add_up(uint32_t *count, uint64_t mask)
{
	uint32_t sum = 0;

	for (size_t i = 0; i <= mask; i++) {
		uint32_t c = count[i];

		count[i] = sum;
		sum += c;
	}
}

void sort_radix(struct sort_item *items, size_t n)
{
	struct sort_item *from = items, *to, *scratch;
	uint64_t lo = UINT64_MAX, hi = 0;
	unsigned bits, digits;

	if (n <= SMALL) {
		insertion(items, n);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		lo = items[i].key < lo ? items[i].key : lo;
		hi = items[i].key > hi ? items[i].key : hi;
	}
	bits = bits_of(hi - lo);
	digits = digits_of(bits);
	scratch = to = pages_array(n, sizeof *scratch);
	for (unsigned d = 0; d < digits; d++) {
		unsigned width = (bits + digits - 1) / digits, shift = d * width;
		uint64_t mask = (UINT64_C(1) << width) - 1;
		uint32_t count[1 << MOST_BITS];
		struct sort_item *swap = from;

		memset(count, 0, (mask + 1) * sizeof *count);
		for (size_t i = 0; i < n; i++)
			count[(from[i].key - lo) >> shift & mask]++;
		add_up(count, mask);
		for (size_t i = 0; i < n; i++)
			to[count[(from[i].key - lo) >> shift & mask]++] = from[i];
		from = to;
		to = swap;
	}
	if (from != items)
		memcpy(items, from, n * sizeof *items);
	free(scratch);
}

/* By the bits from low on, of which there are so many: into *v or *scratch, which are swapped then. */
static void sort_by_bits(uint64_t **v, uint64_t **scratch, size_t n, unsigned low, unsigned bits)
{
	unsigned passes = digits_of(bits);
	uint32_t count[1 << MOST_BITS];

	for (unsigned pass = 0; pass < passes; pass++) {
		unsigned width = (bits + passes - 1) / passes, shift = low + pass * width;
		uint64_t mask = (UINT64_C(1) << width) - 1, *from = *v, *to = *scratch;

		memset(count, 0, sizeof count);
		for (size_t i = 0; i < n; i++)
			count[from[i] >> shift & mask]++;
		add_up(count, mask);
		for (size_t i = 0; i < n; i++)
			to[count[from[i] >> shift & mask]++] = from[i];
		*v = to;
		*scratch = from;
	}
}

static size_t sort_unique_items(uint64_t *keys, size_t n, uint32_t *at)
{
	struct sort_item *items = pages_array(n, sizeof *items);
	size_t left = 0;

	for (size_t i = 0; i < n; i++)
		items[i] = (struct sort_item){keys[i], (uint32_t)i};
	sort_radix(items, n);
	for (size_t i = 0; i < n; i++) {
		if (!i || items[i].key != items[i - 1].key)
			keys[left++] = items[i].key;
		at[items[i].index] = (uint32_t)left - 1;
	}
	free(items);
	return left;
}

size_t sort_unique(uint64_t *keys, size_t n, uint32_t *at)
{
	uint64_t lo = UINT64_MAX, hi = 0, before = 0, *packed, *scratch;
	unsigned index_bits = bits_of(n), bits;
	size_t left = 0;

	for (size_t i = 0; i < n; i++) {
		lo = keys[i] < lo ? keys[i] : lo;
		hi = keys[i] > hi ? keys[i] : hi;
	}
	bits = n ? bits_of(hi - lo) : 0;
	/* what an index leaves of eight bytes is enough for the addresses of a file */
	if (n <= SMALL || index_bits + bits > 64)
		return sort_unique_items(keys, n, at);
	packed = pages_array(n, sizeof *packed);
	scratch = pages_array(n, sizeof *scratch);
	for (size_t i = 0; i < n; i++)
		packed[i] = (keys[i] - lo) << index_bits | i;
	sort_by_bits(&packed, &scratch, n, index_bits, bits);
	for (size_t i = 0; i < n; i++) {
		uint64_t key = lo + (packed[i] >> index_bits);

		if (!left || key != before)
			keys[left++] = key;
		before = key;
		at[packed[i] & ((UINT64_C(1) << index_bits) - 1)] = (uint32_t)left - 1;
	}
	free(packed);
	free(scratch);
	return left;
}
