/* SPDX-License-Identifier: MIT */
#include "lib/capture/stacks.h"

#include "lib/capture/memory.h"

#include <string.h>

/* Replaced as a whole when it is to grow. The old one stays mapped, since somebody may be looking
 * at it; all old ones together are no larger than the new one. */
struct cap_slots {
	uint32_t mask;
	_Atomic uint32_t slot[]; /* node, 0: free */
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

void cap_stacks_release(struct cap_stacks_table *t)
{
	struct cap_slots *s = atomic_load(&t->slots);

	if (s)
		cap_unmap(s, sizeof *s + (s->mask + 1) * sizeof *s->slot);
	if (t->nodes)
		cap_unmap(t->nodes, (t->limit + 1) * sizeof *t->nodes);
	memset(t, 0, sizeof *t);
}

static uint32_t hash_of(uint32_t parent, uint64_t pc)
{
	uint64_t h = (pc ^ (uint64_t)parent << 40 ^ parent) * 0x9e3779b97f4a7c15;

	return (uint32_t)(h >> 32);
}

static uint32_t find(const struct cap_stacks_table *t, struct cap_slots *s, uint32_t parent,
		     uint64_t pc, uint32_t hash, uint32_t *place)
{
	for (uint32_t i = hash & s->mask;; i = (i + 1) & s->mask) {
		uint32_t id = atomic_load_explicit(&s->slot[i], memory_order_acquire);

		*place = i;
		if (!id || (t->nodes[id].pc == pc && t->nodes[id].parent == parent))
			return id;
	}
}

/* Three quarters full: twice as large, with the nodes that have not been forgotten. */
static struct cap_slots *grown(struct cap_stacks_table *t, struct cap_slots *s)
{
	struct cap_slots *larger = slots_new((s->mask + 1) * 2);

	if (!larger)
		return s;
	for (uint32_t i = 0; i <= s->mask; i++) {
		uint32_t id = atomic_load_explicit(&s->slot[i], memory_order_relaxed), place;

		if (!id)
			continue;
		find(t, larger, t->nodes[id].parent, t->nodes[id].pc,
		     hash_of(t->nodes[id].parent, t->nodes[id].pc), &place);
		atomic_store_explicit(&larger->slot[place], id, memory_order_relaxed);
	}
	atomic_store_explicit(&t->slots, larger, memory_order_release);
	return larger;
}

static uint32_t add(struct cap_stacks_table *t, uint32_t parent, uint64_t pc, uint32_t hash)
{
	struct cap_slots *s;
	uint32_t id, place, n;

	cap_lock(&t->lock);
	s = atomic_load_explicit(&t->slots, memory_order_relaxed);
	n = atomic_load_explicit(&t->n, memory_order_relaxed);
	id = find(t, s, parent, pc, hash, &place);
	if (!id && n < t->limit) {
		if (n >= (s->mask + 1) / 4 * 3) {
			struct cap_slots *larger = grown(t, s);

			/* Without memory for it the last free slot is still an end of every search.
			 */
			if (larger == s && n >= s->mask) {
				cap_unlock(&t->lock);
				return 0;
			}
			s = larger;
			find(t, s, parent, pc, hash, &place);
		}
		id = n + 1;
		t->nodes[id].pc = pc;
		t->nodes[id].parent = parent;
		atomic_store_explicit(&t->n, id, memory_order_release);
		atomic_store_explicit(&s->slot[place], id, memory_order_release);
	}
	cap_unlock(&t->lock);
	return id;
}

uint32_t cap_stacks_id(struct cap_stacks_table *t, struct cap_last *last, const uint64_t *pc,
		       unsigned n)
{
	uint32_t flushed = atomic_load_explicit(&t->flushed, memory_order_acquire), parent;
	unsigned same = 0;

	if (n > CAP_DEPTH_MAX)
		n = CAP_DEPTH_MAX;
	if (last->flushed != flushed)
		last->n = 0;
	last->flushed = flushed;
	while (same < n && same < last->n && last->pc[same] == pc[n - 1 - same])
		same++;
	parent = same ? last->id[same - 1] : 0;
	for (unsigned i = same; i < n; i++) {
		uint64_t at = pc[n - 1 - i];
		uint32_t hash = hash_of(parent, at), place, id;

		id = find(t, atomic_load_explicit(&t->slots, memory_order_acquire), parent, at,
			  hash, &place);
		if (!id)
			id = add(t, parent, at, hash);
		if (!id) {
			atomic_fetch_add_explicit(&t->cut, 1, memory_order_relaxed);
			last->n = i;
			return parent;
		}
		last->pc[i] = at;
		last->id[i] = parent = id;
	}
	last->n = n;
	return parent;
}

void cap_stacks_forget(struct cap_stacks_table *t)
{
	struct cap_slots *s;

	cap_lock(&t->lock);
	s = atomic_load_explicit(&t->slots, memory_order_relaxed);
	for (uint32_t i = 0; i <= s->mask; i++)
		if (atomic_load_explicit(&s->slot[i], memory_order_relaxed))
			atomic_store_explicit(&s->slot[i], 0, memory_order_relaxed);
	atomic_fetch_add_explicit(&t->flushed, 1, memory_order_release);
	cap_unlock(&t->lock);
}
