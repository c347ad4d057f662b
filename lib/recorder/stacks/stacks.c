/* SPDX-License-Identifier: MIT */
#include "lib/recorder/stacks/stacks.h"

#include "lib/recorder/base/memory.h"

#include <string.h>

/* Replaced as a whole when it is to grow. The old one stays mapped, since a thread may be looking
 * at it; all old ones together are no larger than the new one. */
struct cap_slots {
	uint32_t mask;
	_Atomic uint64_t slot[]; /* key << 32 | node; 0: free */
};

static struct cap_slots *slots_new(uint32_t size)
{
	struct cap_slots *s = cap_map(sizeof *s + size * sizeof *s->slot);

	if (s)
		s->mask = size - 1;
	return s;
}

bool cap_stacks_init(struct cap_stacks_table *t, uint32_t limit)
{
	struct cap_slots *s = slots_new(1 << 14);

	memset(t, 0, sizeof *t);
	t->limit = limit && limit < CAP_NODES ? limit : CAP_NODES;
	t->nodes = cap_map((t->limit + 1) * sizeof *t->nodes);
	atomic_store(&t->slots, s);
	return s && t->nodes;
}

/* Of the addresses and not of the parent's number, which is known only when that has been found: so
 * all slots of a stack can be fetched at once. */
static uint64_t hash_of(uint64_t callers, uint64_t pc)
{
	uint64_t h = (pc ^ callers) * 0x9e3779b97f4a7c15;

	return h ^ h >> 29;
}

static uint32_t key_of(uint64_t hash)
{
	return (uint32_t)(hash >> 32);
}

static uint32_t find(const struct cap_stacks_table *t, struct cap_slots *s, uint32_t parent,
		     uint64_t pc, uint32_t key, uint32_t *place)
{
	for (uint32_t i = key & s->mask;; i = (i + 1) & s->mask) {
		uint64_t slot = atomic_load_explicit(&s->slot[i], memory_order_acquire);
		uint32_t id = (uint32_t)slot;

		*place = i;
		if (!id ||
		    (key_of(slot) == key && t->nodes[id].pc == pc && t->nodes[id].parent == parent))
			return id;
	}
}

/* Three quarters full: twice as large, with the nodes that have not been forgotten. */
static struct cap_slots *cap_stacks_grown(struct cap_stacks_table *t, struct cap_slots *s)
{
	struct cap_slots *larger = slots_new((s->mask + 1) * 2);

	if (!larger)
		return s;
	for (uint32_t i = 0; i <= s->mask; i++) {
		uint64_t slot = atomic_load_explicit(&s->slot[i], memory_order_relaxed);
		uint32_t place = key_of(slot) & larger->mask;

		if (!slot)
			continue;
		while (atomic_load_explicit(&larger->slot[place], memory_order_relaxed))
			place = (place + 1) & larger->mask;
		atomic_store_explicit(&larger->slot[place], slot, memory_order_relaxed);
	}
	atomic_store_explicit(&t->slots, larger, memory_order_release);
	return larger;
}

/* Under the lock. */
static uint32_t cap_stacks_add(struct cap_stacks_table *t, uint32_t parent, uint64_t pc,
			       uint32_t key)
{
	struct cap_slots *s;
	uint32_t id, place, n;

	s = atomic_load_explicit(&t->slots, memory_order_relaxed);
	n = atomic_load_explicit(&t->n, memory_order_relaxed);
	id = find(t, s, parent, pc, key, &place);
	if (!id && n < t->limit) {
		if (n >= (s->mask + 1) / 4 * 3) {
			struct cap_slots *larger = cap_stacks_grown(t, s);

			/* Without memory for it the last free slot is still an end of every search.
			 */
			if (larger == s && n >= s->mask)
				return 0;
			s = larger;
			find(t, s, parent, pc, key, &place);
		}
		id = n + 1;
		t->nodes[id].pc = pc;
		t->nodes[id].parent = parent;
		atomic_store_explicit(&t->n, id, memory_order_release);
		atomic_store_explicit(&s->slot[place], (uint64_t)key << 32 | id,
				      memory_order_release);
	}
	return id;
}

/* What is to be looked at for the calls from same on: misses of the cache that overlap. */
static inline void fetch(const struct cap_stacks_table *t, struct cap_last *last,
			 const uint64_t *pc, unsigned same, unsigned n)
{
	struct cap_slots *s = atomic_load_explicit(&t->slots, memory_order_acquire);
	uint64_t hash = same ? last->hash[same - 1] : 0;

	for (unsigned i = same; i < n; i++) {
		last->hash[i] = hash = hash_of(hash, pc[n - 1 - i]);
		__builtin_prefetch(&s->slot[key_of(hash) & s->mask]);
	}
	for (unsigned i = same; i + 1 < n; i++) {
		uint64_t slot = atomic_load_explicit(&s->slot[key_of(last->hash[i]) & s->mask],
						     memory_order_relaxed);

		__builtin_prefetch(&t->nodes[(uint32_t)slot]);
	}
}

unsigned cap_stacks_same(const struct cap_stacks_table *t, struct cap_last *last,
			 const uint64_t *pc, unsigned n)
{
	uint32_t flushed = atomic_load_explicit(&t->flushed, memory_order_acquire);
	unsigned same = 0;

	if (last->flushed != flushed)
		last->n = 0;
	last->flushed = flushed;
	while (same < n && same < last->n && last->pc[same] == pc[n - 1 - same])
		same++;
	return same;
}

uint32_t cap_stacks_rest(struct cap_stacks_table *t, struct cap_last *last, const uint64_t *pc,
			 unsigned n, unsigned same)
{
	bool locked = false, given_up = false;
	sigset_t before;
	uint32_t parent;

	if (n > CAP_DEPTH_MAX)
		n = CAP_DEPTH_MAX;
	parent = same ? last->id[same - 1] : 0;
	fetch(t, last, pc, same, n);
	for (unsigned i = same; i < n; i++) {
		uint64_t at = pc[n - 1 - i];
		uint32_t key = key_of(last->hash[i]), place, id;

		id = find(t, atomic_load_explicit(&t->slots, memory_order_acquire), parent, at, key,
			  &place);
		if (!id && !locked) {
			locked = cap_lock_held(&t->lock, &before);
			given_up = !locked;
		}
		if (!id && locked)
			id = cap_stacks_add(t, parent, at, key);
		if (!id) {
			atomic_fetch_add_explicit(given_up ? &t->waited : &t->cut, 1,
						  memory_order_relaxed);
			n = i;
			break;
		}
		last->pc[i] = at;
		last->id[i] = parent = id;
	}
	if (locked)
		cap_unlock_held(&t->lock, &before);
	last->n = n;
	return parent;
}

void cap_stacks_forget(struct cap_stacks_table *t)
{
	struct cap_slots *s;
	sigset_t before;

	if (!cap_lock_held(&t->lock, &before)) {
		atomic_fetch_add_explicit(&t->waited, 1, memory_order_relaxed);
		return;
	}
	s = atomic_load_explicit(&t->slots, memory_order_relaxed);
	for (uint32_t i = 0; i <= s->mask; i++)
		if (atomic_load_explicit(&s->slot[i], memory_order_relaxed))
			atomic_store_explicit(&s->slot[i], 0, memory_order_relaxed);
	atomic_fetch_add_explicit(&t->flushed, 1, memory_order_release);
	cap_unlock_held(&t->lock, &before);
}
