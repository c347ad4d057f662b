/* SPDX-License-Identifier: MIT */
#include "lib/stats/quantiles.h"

#include "lib/base/mem.h"
#include "lib/base/sort.h"

#include <stdlib.h>
#include <string.h>

enum { BITS = 6, EXACT = 2 << BITS }; /* values below EXACT have a bucket of their own */

uint32_t quantiles_bucket(uint64_t v)
{
	unsigned shift;

	if (v < EXACT)
		return (uint32_t)v;
	shift = 63 - BITS - (unsigned)__builtin_clzll(v);
	return (uint32_t)((shift << BITS) + (v >> shift));
}

uint64_t quantiles_middle(uint32_t bucket)
{
	unsigned shift;
	uint64_t low;

	if (bucket < EXACT)
		return bucket;
	shift = (bucket >> BITS) - 1;
	low = (uint64_t)(bucket - (shift << BITS)) << shift;
	return low + (((uint64_t)1 << shift) - 1) / 2;
}

void quantiles_add(struct quantiles *q, uint64_t v)
{
	uint32_t bucket = quantiles_bucket(v);
	size_t lo = BISECT(i, 0, q->n_buckets, q->buckets[i].bucket < bucket);

	q->min = q->n && q->min < v ? q->min : v;
	q->max = q->n && q->max > v ? q->max : v;
	q->n++;
	if (lo == q->n_buckets || q->buckets[lo].bucket != bucket) {
		VEC_PUSH(q->buckets, q->n_buckets, q->cap_buckets) =
		    (struct quantiles_bucket){0, 0};
		memmove(&q->buckets[lo + 1], &q->buckets[lo],
			(q->n_buckets - 1 - lo) * sizeof *q->buckets);
		q->buckets[lo] = (struct quantiles_bucket){bucket, 0};
	}
	q->buckets[lo].n++;
}

static uint64_t rank_of(const struct quantiles *q, unsigned percent)
{
	return q->n / 100 * percent + (q->n % 100 * percent + 99) / 100;
}

uint64_t quantiles_at(const struct quantiles *q, unsigned percent)
{
	uint64_t rank = rank_of(q, percent), seen = 0, v = 0;

	if (rank >= q->n)
		return q->max;
	if (rank <= 1)
		return q->min;
	for (size_t i = 0; i < q->n_buckets && seen < rank; i++) {
		seen += q->buckets[i].n;
		v = quantiles_middle(q->buckets[i].bucket);
	}
	return v < q->min ? q->min : v > q->max ? q->max : v;
}

bool quantiles_is_exact(const struct quantiles *q, unsigned percent)
{
	uint64_t rank = rank_of(q, percent);

	return rank >= q->n || rank <= 1 || q->min == q->max || quantiles_at(q, percent) < EXACT;
}

void quantiles_release(struct quantiles *q)
{
	free(q->buckets);
	*q = (struct quantiles){.n = 0};
}
