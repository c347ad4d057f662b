/* SPDX-License-Identifier: MIT */
#include "lib/stats/exchange.h"

#include "lib/base/hash.h"
#include "lib/base/mem.h"

#include <stdlib.h>
#include <string.h>

size_t exchange_count(size_t all, size_t chosen)
{
	size_t k = chosen < all - chosen ? chosen : all - chosen;
	unsigned __int128 n = 1;

	for (size_t i = 1; i <= k; i++) {
		n = n * (all - k + i) / i;
		if (n > SIZE_MAX)
			return SIZE_MAX;
	}
	return (size_t)n;
}

/* The next set in lexicographic order. */
static void following(uint32_t *set, size_t n, size_t all)
{
	size_t i = n;

	while (i && set[i - 1] == all - n + i - 1)
		i--;
	if (!i)
		return;
	set[i - 1]++;
	for (; i < n; i++)
		set[i] = set[i - 1] + 1;
}

static void enumerate(struct exchange *x, size_t all)
{
	uint32_t *set = x->sets + x->chosen;

	for (size_t i = 0; i < x->chosen && x->n > 1; i++)
		set[i] = (uint32_t)i;
	for (size_t i = 2; i < x->n; i++, set += x->chosen) {
		memcpy(set + x->chosen, set, x->chosen * sizeof *set);
		following(set + x->chosen, x->chosen, all);
	}
}

static void draw(struct exchange *x, size_t all)
{
	uint32_t *pool = mem_array(all, sizeof *pool);
	uint64_t state = 1;

	for (size_t i = 1; i < x->n; i++) {
		for (size_t k = 0; k < all; k++)
			pool[k] = (uint32_t)k;
		for (size_t k = 0; k < x->chosen; k++) {
			uint64_t r = hash_u64(state += 0x9e3779b97f4a7c15u);
			size_t at = k + (size_t)((unsigned __int128)r * (all - k) >> 64);

			x->sets[i * x->chosen + k] = pool[at];
			pool[at] = pool[k];
		}
	}
	free(pool);
}

void exchange_init(struct exchange *x, size_t all, size_t chosen, size_t exact_max, size_t sampled)
{
	size_t n = exchange_count(all, chosen);

	x->sampled = n > exact_max;
	x->n = x->sampled ? sampled : n;
	x->chosen = chosen;
	x->sets = mem_array(x->n * chosen, sizeof *x->sets);
	for (size_t i = 0; i < chosen; i++)
		x->sets[i] = (uint32_t)(all - chosen + i);
	if (x->sampled)
		draw(x, all);
	else
		enumerate(x, all);
}

void exchange_release(struct exchange *x)
{
	free(x->sets);
}
