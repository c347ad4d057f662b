/* SPDX-License-Identifier: MIT */
#include "lib/recorder/ring.h"

#include "lib/recorder/base/memory.h"

#include <string.h>

static void hand_over(struct cap_ring *ring, uint32_t tid)
{
	ring->last.n = 0;
	ring->bounds = (struct cap_bounds){0};
	ring->until = 0;
	ring->random = 0;
	ring->announce = tid;
}

static struct cap_ring *add(struct cap_rings *r, uint32_t tid)
{
	uint32_t n = atomic_load_explicit(&r->n, memory_order_relaxed);
	struct cap_ring *ring = n < CAP_RINGS ? cap_map(sizeof *ring) : NULL;

	if (!ring)
		return NULL;
	atomic_store_explicit(&ring->pending, UINT64_MAX, memory_order_relaxed);
	atomic_store_explicit(&ring->owner, tid, memory_order_relaxed);
	atomic_store_explicit(&r->ring[n], ring, memory_order_relaxed);
	atomic_store_explicit(&r->n, n + 1, memory_order_release);
	return ring;
}

struct cap_ring *cap_rings_consume(struct cap_rings *r, uint32_t tid)
{
	struct cap_ring *ring = NULL, *unused = NULL;
	sigset_t before;
	uint32_t n;

	if (!cap_lock_held(&r->lock, &before)) {
		atomic_fetch_add_explicit(&r->waited, 1, memory_order_relaxed);
		return NULL;
	}
	n = atomic_load_explicit(&r->n, memory_order_relaxed);
	for (uint32_t i = 0; i < n; i++) {
		struct cap_ring *x = atomic_load_explicit(&r->ring[i], memory_order_relaxed);
		uint32_t owner = atomic_load_explicit(&x->owner, memory_order_acquire);

		if (owner == tid) {
			ring = x;
			break;
		}
		if (!owner && !unused)
			unused = x;
	}
	if (!ring)
		ring = unused ? unused : add(r, tid);
	if (ring) {
		atomic_store_explicit(&ring->owner, tid, memory_order_relaxed);
		hand_over(ring, tid);
	}
	cap_unlock_held(&r->lock, &before);
	if (!ring)
		atomic_fetch_add_explicit(&r->full, 1, memory_order_relaxed);
	return ring;
}

void cap_ring_give_back(struct cap_ring *ring)
{
	atomic_store_explicit(&ring->owner, 0, memory_order_release);
}

void cap_rings_gone(struct cap_rings *r, struct cap_ring *ring)
{
	if (atomic_exchange(&ring->pending, UINT64_MAX) != UINT64_MAX)
		atomic_fetch_add_explicit(&r->waited, 1, memory_order_relaxed);
	cap_ring_give_back(ring);
}

void cap_ring_announce(struct cap_rings *r, struct cap_ring *ring)
{
	uint64_t seq = cap_ring_number(r, ring);
	struct cap_record *rec = cap_ring_next(ring);

	memset(rec, 0, sizeof *rec);
	rec->seq = seq;
	rec->kind = CAP_THREAD;
	rec->address = ring->announce;
	ring->announce = 0;
	cap_ring_put(ring);
	cap_ring_done(ring);
}

void cap_rings_reset(struct cap_rings *r)
{
	uint32_t n = atomic_load(&r->n);

	for (uint32_t i = 0; i < n; i++) {
		struct cap_ring *ring = atomic_load(&r->ring[i]);

		atomic_store(&ring->tail, atomic_load(&ring->head));
		atomic_store(&ring->pending, UINT64_MAX);
		atomic_store(&ring->owner, 0);
		ring->thread = 0;
		ring->n_text = 0;
	}
	cap_lock_reset(&r->lock);
	r->watched_at = 0;
}

void cap_rings_empty(struct cap_rings *r)
{
	uint32_t n = atomic_load(&r->n);

	for (uint32_t i = 0; i < n; i++) {
		struct cap_ring *ring = atomic_load(&r->ring[i]);

		atomic_store(&ring->tail, atomic_load(&ring->head));
		ring->announce = atomic_load(&ring->owner);
		ring->thread = 0;
		ring->n_text = 0;
	}
	r->watched_at = 0;
}

static bool is_given_up(const struct cap_ring *ring, uint64_t pending)
{
	return ring->given_up == pending + 1;
}

/* The smallest number that some thread may still have to write down. */
static uint64_t horizon(struct cap_rings *r, uint32_t *n)
{
	uint64_t seq = atomic_load_explicit(&r->seq, memory_order_acquire);

	*n = atomic_load_explicit(&r->n, memory_order_acquire);
	for (uint32_t i = 0; i < *n; i++) {
		struct cap_ring *ring = atomic_load_explicit(&r->ring[i], memory_order_relaxed);
		uint64_t pending = atomic_load_explicit(&ring->pending, memory_order_acquire);

		if (pending < seq && !is_given_up(ring, pending))
			seq = pending;
	}
	return seq;
}

static void give_up(struct cap_rings *r, struct cap_ring *ring, uint64_t pending)
{
	if (pending == UINT64_MAX || pending != ring->watched || is_given_up(ring, pending))
		return;
	ring->given_up = pending + 1;
	atomic_fetch_add_explicit(&r->waited, 1, memory_order_relaxed);
}

void cap_rings_wait(struct cap_rings *r, int64_t now, int64_t wait)
{
	uint32_t n = atomic_load_explicit(&r->n, memory_order_acquire);
	bool begin = !r->watched_at || !wait, end = !begin || !wait;
	int64_t since = now - r->watched_at;

	if (begin) {
		r->watched_for = 0;
	} else {
		r->watched_for += since < CAP_LOOK_NS ? since : CAP_LOOK_NS;
		r->watched_at = now;
		if (r->watched_for < wait)
			return;
	}
	for (uint32_t i = 0; i < n; i++) {
		struct cap_ring *ring = atomic_load_explicit(&r->ring[i], memory_order_relaxed);
		uint64_t pending = atomic_load_explicit(&ring->pending, memory_order_acquire);

		if (begin)
			ring->watched = pending;
		if (end)
			give_up(r, ring, pending);
	}
	r->watched_at = end ? 0 : now;
}

static const struct cap_record *first(struct cap_ring *ring, uint64_t tail)
{
	return &ring->records[tail % CAP_RECORDS];
}

static void sink_down(struct cap_turn *heap, uint32_t n)
{
	struct cap_turn x = heap[0];
	uint32_t i = 0;

	for (uint32_t child; (child = 2 * i + 1) < n; i = child) {
		if (child + 1 < n && heap[child + 1].seq < heap[child].seq)
			child++;
		if (heap[child].seq >= x.seq)
			break;
		heap[i] = heap[child];
	}
	heap[i] = x;
}

static void climb(struct cap_turn *heap, uint32_t i)
{
	struct cap_turn x = heap[i];

	for (; i && x.seq < heap[(i - 1) / 2].seq; i = (i - 1) / 2)
		heap[i] = heap[(i - 1) / 2];
	heap[i] = x;
}

/* What has been given up is left out, but for who the thread is. */
static uint64_t past_late(const struct cap_rings *r, struct cap_ring *ring, cap_consume take,
			  void *arg)
{
	uint64_t tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);

	for (; tail != ring->end && first(ring, tail)->seq < r->written; tail++) {
		if (first(ring, tail)->kind == CAP_THREAD || first(ring, tail)->kind == CAP_NAMED)
			take(arg, ring, first(ring, tail));
		atomic_store_explicit(&ring->tail, tail + 1, memory_order_release);
	}
	return tail;
}

void cap_rings_drain(struct cap_rings *r, uint64_t end, cap_consume take, void *arg)
{
	struct cap_turn *heap = r->heap;
	uint32_t rings, n = 0;
	uint64_t limit = horizon(r, &rings);

	if (limit > end)
		limit = end > r->written ? end : r->written;

	for (uint32_t i = 0; i < rings; i++) {
		struct cap_ring *ring = atomic_load_explicit(&r->ring[i], memory_order_relaxed);
		uint64_t tail;

		ring->end = atomic_load_explicit(&ring->head, memory_order_acquire);
		tail = past_late(r, ring, take, arg);
		if (tail == ring->end || first(ring, tail)->seq >= limit)
			continue;
		heap[n] = (struct cap_turn){first(ring, tail)->seq, ring};
		climb(heap, n++);
	}
	while (n) {
		struct cap_ring *ring = heap[0].ring;
		uint64_t tail = atomic_load_explicit(&ring->tail, memory_order_relaxed), seq;
		uint64_t until = limit;

		/* As many as come before the first of any other ring. */
		if (n > 1)
			until = heap[1].seq;
		if (n > 2 && heap[2].seq < until)
			until = heap[2].seq;
		do {
			take(arg, ring, first(ring, tail++));
			seq = tail < ring->end ? first(ring, tail)->seq : UINT64_MAX;
		} while (seq < until);
		atomic_store_explicit(&ring->tail, tail, memory_order_release);
		if (seq < limit)
			heap[0].seq = seq;
		else
			heap[0] = heap[--n];
		sink_down(heap, n);
	}
	r->written = limit;
}
