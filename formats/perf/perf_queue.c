/* SPDX-License-Identifier: MIT */
#include "formats/perf/perf_queue.h"

#include "lib/base/mem.h"

#include <stdlib.h>

enum { KEPT_BYTES = 32 << 20, KEPT_ITEMS = 1 << 18 };

static enum status deliver_one(struct perf_queue *q, struct perf_data *x, size_t i,
			       perf_queue_fn *deliver, struct err *e)
{
	struct perf_record r = q->items[i].r;

	r.p = q->bytes + q->items[i].place;
	return deliver(x, &r, e);
}

/* What is left moves to the front. */
static void perf_queue_keep(struct perf_queue *q, size_t from)
{
	size_t n = q->n_order - from, at = 0;
	uint8_t *bytes = NULL;
	struct perf_queued *items = NULL;
	size_t cap_bytes = 0, cap_items = 0;

	if (!n) {
		q->n = q->n_order = q->n_bytes = 0;
		return;
	}
	for (size_t i = 0; i < n; i++) {
		const struct perf_queued *item = &q->items[q->order[from + i].index];

		if (at + item->r.n > cap_bytes)
			bytes = mem_grow(bytes, &cap_bytes, at + item->r.n, 1);
		if (item->r.n)
			memcpy(bytes + at, q->bytes + item->place, item->r.n);
		if (i == cap_items)
			items = mem_grow(items, &cap_items, n, sizeof *items);
		items[i] = *item;
		items[i].place = at;
		at += item->r.n;
		q->order[i] = (struct sort_item){q->order[from + i].key, (uint32_t)i};
	}
	free(q->bytes);
	free(q->items);
	q->bytes = bytes;
	q->items = items;
	q->cap_bytes = cap_bytes;
	q->cap = cap_items;
	q->n_bytes = at;
	q->n = q->n_order = n;
}

static void put_in_order(struct perf_queue *q)
{
	bool sorted = true;

	for (size_t i = 1; i < q->n_order && sorted; i++)
		sorted = q->order[i - 1].key <= q->order[i].key;
	if (!sorted)
		sort_radix(q->order, q->n_order);
}

/* Of what is in order. */
static enum status flush(struct perf_queue *q, struct perf_data *x, uint64_t until,
			 perf_queue_fn *deliver, struct err *e)
{
	enum status st = ST_OK;
	size_t i;

	for (i = 0; !st && i < q->n_order && q->order[i].key <= until; i++)
		st = deliver_one(q, x, q->order[i].index, deliver, e);
	if (i)
		q->passed = q->order[i - 1].key;
	perf_queue_keep(q, i);
	return st;
}

enum status perf_queue_add(struct perf_queue *q, struct perf_data *x, const struct perf_record *r,
			   uint64_t time, perf_queue_fn *deliver, struct err *e)
{
	struct perf_queued item = {.r = *r, .place = q->n_bytes};
	if (!time || time == UINT64_MAX)
		return deliver(x, r, e);
	q->late += time < q->passed;
	if (q->n_bytes + r->n > q->cap_bytes)
		q->bytes = mem_grow(q->bytes, &q->cap_bytes, q->n_bytes + r->n, 1);
	if (r->n)
		memcpy(q->bytes + q->n_bytes, r->p, r->n);
	q->n_bytes += r->n;
	VEC_PUSH(q->items, q->n, q->cap) = item;
	VEC_PUSH(q->order, q->n_order, q->cap_order) =
	    (struct sort_item){time, (uint32_t)(q->n - 1)};
	if (time > q->latest)
		q->latest = time;
	if (q->n_bytes < KEPT_BYTES && q->n < KEPT_ITEMS)
		return ST_OK;
	/* No mark for so long: the older half goes, which it does in files that are in order. */
	put_in_order(q);
	return flush(q, x, q->order[q->n_order / 2].key, deliver, e);
}

enum status perf_queue_round(struct perf_queue *q, struct perf_data *x, perf_queue_fn *deliver,
			     struct err *e)
{
	enum status st;

	put_in_order(q);
	st = flush(q, x, q->round, deliver, e);
	q->round = q->latest;
	return st;
}

enum status perf_queue_end(struct perf_queue *q, struct perf_data *x, perf_queue_fn *deliver,
			   struct err *e)
{
	put_in_order(q);
	return flush(q, x, UINT64_MAX, deliver, e);
}

void perf_queue_release(struct perf_queue *q)
{
	free(q->bytes);
	free(q->items);
	free(q->order);
}
