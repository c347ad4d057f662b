/* SPDX-License-Identifier: MIT */
#include "lib/profile/value.h"

#include "lib/base/mem.h"
#include "lib/base/sort.h"
#include "lib/stats/quantiles.h"
#include "lib/tally/sums.h"

#include <stdlib.h>
#include <string.h>

enum { TAG_ONE = 1, TAG_SPREAD = 2, TAG_DECIMALS = 4, DECIMALS_MOST = 18 };

void aggregate_value_release(struct aggregate_value *v)
{
	free(v->buckets);
	*v = (struct aggregate_value){.n = 0};
}

int aggregate_place_order(const struct aggregate_place *a, const struct aggregate_place *b)
{
	if (a->input != b->input)
		return a->input < b->input ? -1 : 1;
	if (a->has_frame != b->has_frame)
		return a->has_frame ? 1 : -1;
	if (!a->has_frame || a->frame == b->frame)
		return 0;
	return a->frame < b->frame ? -1 : 1;
}

static int32_t bucket_of(__int128 number)
{
	unsigned __int128 size =
	    number < 0 ? -(unsigned __int128)number : (unsigned __int128)number;
	int32_t b = (int32_t)quantiles_bucket(size > UINT64_MAX ? UINT64_MAX : (uint64_t)size);

	return number < 0 ? -b : b;
}

static __int128 middle_of(int32_t bucket)
{
	return bucket < 0 ? -(__int128)quantiles_middle((uint32_t)-bucket)
			  : (__int128)quantiles_middle((uint32_t)bucket);
}

/* What stands in for overflow is the same in any order. */
static __int128 plus(__int128 a, __int128 b)
{
	return (__int128)((unsigned __int128)a + (unsigned __int128)b);
}

static void add_ends(struct aggregate_value *v, const struct aggregate_value *from)
{
	if (!v->n || from->min < v->min ||
	    (from->min == v->min && aggregate_place_order(&from->min_at, &v->min_at) < 0)) {
		v->min = from->min;
		v->min_at = from->min_at;
	}
	if (!v->n || from->max > v->max ||
	    (from->max == v->max && aggregate_place_order(&from->max_at, &v->max_at) < 0)) {
		v->max = from->max;
		v->max_at = from->max_at;
	}
}

static void aggregate_value_add_bucket(struct aggregate_value *v, int32_t bucket)
{
	size_t lo = BISECT(i, 0, v->n_buckets, v->buckets[i].bucket < bucket);

	if (lo == v->n_buckets || v->buckets[lo].bucket != bucket) {
		VEC_PUSH(v->buckets, v->n_buckets, v->cap_buckets) =
		    (struct aggregate_bucket){0, 0};
		memmove(&v->buckets[lo + 1], &v->buckets[lo],
			(v->n_buckets - 1 - lo) * sizeof *v->buckets);
		v->buckets[lo] = (struct aggregate_bucket){bucket, 0};
	}
	v->buckets[lo].n = add_saturating(v->buckets[lo].n, 1);
}

void aggregate_value_set(struct aggregate_value *v, uint64_t n, __int128 sum, __int128 min,
			 __int128 max, struct aggregate_place at)
{
	v->n = n;
	v->decimals = 0;
	v->sum = sum;
	v->min = min;
	v->max = max;
	v->min_at = v->max_at = at;
	v->spread = false;
	v->n_buckets = 0;
}

void aggregate_value_add(struct aggregate_value *v, __int128 number, struct aggregate_place at,
			 bool spread)
{
	struct aggregate_value one = {.min = number, .max = number, .min_at = at, .max_at = at};

	add_ends(v, &one);
	if (!v->n)
		v->spread = spread;
	if (v->spread)
		aggregate_value_add_bucket(v, bucket_of(number));
	v->sum = plus(v->sum, number);
	v->n = add_saturating(v->n, 1);
}

static void aggregate_value_join_buckets(struct aggregate_value *to,
					 const struct aggregate_value *from)
{
	size_t n = to->n_buckets, k = from->n_buckets, at = n + k, used = 0;

	to->buckets = mem_grow(to->buckets, &to->cap_buckets, at + 1, sizeof *to->buckets);
	/* From behind, so that what is not looked at yet stays. */
	while (n || k) {
		struct aggregate_bucket b;

		if (!k || (n && to->buckets[n - 1].bucket > from->buckets[k - 1].bucket)) {
			b = to->buckets[--n];
		} else {
			b = from->buckets[--k];
			if (n && to->buckets[n - 1].bucket == b.bucket)
				b.n = add_saturating(b.n, to->buckets[--n].n);
		}
		to->buckets[--at] = b;
		used++;
	}
	memmove(to->buckets, to->buckets + at, used * sizeof *to->buckets);
	to->n_buckets = used;
}

static unsigned __int128 aggregate_value_unit(unsigned decimals)
{
	unsigned __int128 unit = 1;

	for (; decimals; decimals--)
		unit *= 10;
	return unit;
}

/* In smaller units, as many as there are already or more. */
static void aggregate_value_refine(struct aggregate_value *v, unsigned decimals)
{
	unsigned __int128 by = aggregate_value_unit(decimals - v->decimals);

	v->sum = (__int128)((unsigned __int128)v->sum * by);
	v->min = (__int128)((unsigned __int128)v->min * by);
	v->max = (__int128)((unsigned __int128)v->max * by);
	v->decimals = decimals;
}

void aggregate_value_join(struct aggregate_value *to, const struct aggregate_value *from)
{
	struct aggregate_value same;

	if (!from->n)
		return;
	if (!to->n)
		to->decimals = from->decimals;
	if (to->decimals < from->decimals) {
		aggregate_value_refine(to, from->decimals);
	} else if (from->decimals < to->decimals) {
		same = *from;
		aggregate_value_refine(&same, to->decimals);
		from = &same;
	}
	add_ends(to, from);
	to->spread = (!to->n || to->spread) && from->spread;
	if (to->spread)
		aggregate_value_join_buckets(to, from);
	else
		to->n_buckets = 0;
	to->sum = plus(to->sum, from->sum);
	to->n = add_saturating(to->n, from->n);
}

bool aggregate_value_quantile(const struct aggregate_value *v, unsigned percent, __int128 *q)
{
	uint64_t rank = v->n / 100 * percent + (v->n % 100 * percent + 99) / 100, seen = 0;

	if (!v->n || (!v->spread && percent && percent < 100 && v->min != v->max))
		return false;
	*q = rank >= v->n ? v->max : v->min;
	if (rank >= v->n || rank <= 1 || v->min == v->max)
		return true;
	for (size_t i = 0; i < v->n_buckets && seen < rank; i++) {
		seen += v->buckets[i].n;
		*q = middle_of(v->buckets[i].bucket);
	}
	*q = *q < v->min ? v->min : *q > v->max ? v->max : *q;
	return true;
}

/* 128 bits, the sign in the lowest. */
static void add_number(struct buf *b, __int128 v)
{
	unsigned __int128 u = (unsigned __int128)v << 1 ^ (unsigned __int128)(v >> 127);

	for (; u > 0x7f; u >>= 7)
		buf_addc(b, (char)(0x80 | (unsigned)(u & 0x7f)));
	buf_addc(b, (char)u);
}

static __int128 aggregate_value_read_number(struct cursor *c)
{
	unsigned __int128 u = 0;

	for (unsigned shift = 0;; shift += 7) {
		uint8_t byte = cursor_u8(c);

		if (cursor_failed(c))
			return 0;
		if ((shift == 126 && byte > 3) || (shift && !byte)) {
			cursor_fail(c, ST_BAD, "a number of more than 128 bits, or in a long form");
			return 0;
		}
		u |= (unsigned __int128)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			break;
	}
	return (__int128)(u >> 1 ^ -(u & 1));
}

static size_t place_index(const struct aggregate_places *p, const struct aggregate_place *at)
{
	size_t i = 0;

	while (i < p->n && aggregate_place_order(&p->items[i], at) != 0)
		i++;
	return i;
}

void aggregate_value_write(const struct aggregate_value *v, const struct aggregate_places *places,
			   struct buf *out)
{
	int32_t before = -(int32_t)QUANTILES_BUCKETS - 1;

	buf_addc(out, (char)((v->n == 1 ? TAG_ONE : 0) | (v->spread ? TAG_SPREAD : 0) |
			     (v->decimals ? TAG_DECIMALS : 0)));
	if (v->decimals)
		buf_addc(out, (char)v->decimals);
	if (v->n == 1) {
		add_number(out, v->min);
		buf_add_uleb(out, place_index(places, &v->min_at));
		return;
	}
	buf_add_uleb(out, v->n);
	add_number(out, v->sum);
	add_number(out, v->min);
	add_number(out, v->max);
	buf_add_uleb(out, place_index(places, &v->min_at));
	buf_add_uleb(out, place_index(places, &v->max_at));
	if (!v->spread)
		return;
	buf_add_uleb(out, v->n_buckets);
	for (size_t i = 0; i < v->n_buckets; i++) {
		buf_add_uleb(out, (uint64_t)((int64_t)v->buckets[i].bucket - before));
		buf_add_uleb(out, v->buckets[i].n);
		before = v->buckets[i].bucket;
	}
}

static struct aggregate_place read_place(const struct aggregate_places *places, struct cursor *c)
{
	uint64_t i = cursor_uleb(c);

	if (!cursor_failed(c) && i >= places->n)
		cursor_fail(c, ST_BAD, "there is no such place");
	if (cursor_failed(c))
		return (struct aggregate_place){.input = 0};
	return places->items[i];
}

static void aggregate_value_read_buckets(struct aggregate_value *v, struct cursor *c)
{
	int64_t before = -(int64_t)QUANTILES_BUCKETS - 1;
	uint64_t n = cursor_uleb(c), seen = 0;

	if (n > cursor_window(c) / 2) {
		cursor_fail(c, ST_BAD, "buckets: the count is larger than the rest");
		return;
	}
	for (uint64_t i = 0; i < n && !cursor_failed(c); i++) {
		uint64_t step = cursor_uleb(c), count = cursor_uleb(c);

		if (!step || step > 2 * QUANTILES_BUCKETS + 1 || !count ||
		    before + (int64_t)step >= QUANTILES_BUCKETS) {
			cursor_fail(c, ST_BAD, "a bucket makes no sense");
			return;
		}
		before += (int64_t)step;
		seen = add_saturating(seen, count);
		VEC_PUSH(v->buckets, v->n_buckets, v->cap_buckets) =
		    (struct aggregate_bucket){(int32_t)before, count};
	}
	if (!cursor_failed(c) && seen != v->n)
		cursor_fail(c, ST_BAD, "buckets: they do not hold what was counted");
}

void aggregate_value_read(struct aggregate_value *v, const struct aggregate_places *places,
			  struct cursor *c)
{
	uint8_t tag = cursor_u8(c);
	__int128 most = UINT64_MAX;

	v->n_buckets = 0;
	v->spread = tag & TAG_SPREAD;
	v->decimals = tag & TAG_DECIMALS ? cursor_u8(c) : 0;
	if (tag > (TAG_ONE | TAG_SPREAD | TAG_DECIMALS))
		cursor_fail(c, ST_BAD, "a value's tag is none");
	if (tag & TAG_DECIMALS &&
	    (!v->decimals || v->decimals > DECIMALS_MOST || tag & TAG_SPREAD)) {
		cursor_fail(c, ST_BAD, "a value's decimals make no sense");
		v->decimals = 0;
	}
	most *= (__int128)aggregate_value_unit(v->decimals);
	if (tag & TAG_ONE) {
		v->n = 1;
		v->sum = v->min = v->max = aggregate_value_read_number(c);
		v->min_at = v->max_at = read_place(places, c);
	} else {
		v->n = cursor_uleb(c);
		v->sum = aggregate_value_read_number(c);
		v->min = aggregate_value_read_number(c);
		v->max = aggregate_value_read_number(c);
		v->min_at = read_place(places, c);
		v->max_at = read_place(places, c);
		if (!cursor_failed(c) && (v->n < 2 || v->min > v->max))
			cursor_fail(c, ST_BAD, "a value makes no sense");
		if (v->spread)
			aggregate_value_read_buckets(v, c);
	}
	if (!cursor_failed(c) && (v->min < -most || v->max > most))
		cursor_fail(c, ST_BAD, "a value of more than 64 bits");
	if (cursor_failed(c))
		v->n = v->n_buckets = 0;
	else if (tag == (TAG_ONE | TAG_SPREAD))
		aggregate_value_add_bucket(v, bucket_of(v->min));
}
