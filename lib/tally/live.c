/* SPDX-License-Identifier: MIT */
#include "lib/tally/live.h"

#include "lib/base/hash.h"
#include "lib/base/mem.h"

#include <stdlib.h>
#include <string.h>

/* Indexes are 32 bits: four billion live blocks are 256 GB of them. */

static uint32_t block_hash(uint32_t space, uint64_t address)
{
	return (uint32_t)hash_u64(address ^ (uint64_t)space << 57 ^ (uint64_t)space >> 7);
}

static uint32_t slot_index(uint64_t slot)
{
	return (uint32_t)slot - 1;
}

static uint32_t slot_hash(uint64_t slot)
{
	return (uint32_t)(slot >> 32);
}

static void live_enlarge(struct live *l)
{
	size_t size = l->slots ? (l->mask + 1) * 2 : 1024;
	uint64_t *old = l->slots;
	size_t old_size = old ? l->mask + 1 : 0;

	l->slots = mem_zarray(size, sizeof *l->slots);
	l->mask = size - 1;
	for (size_t i = 0; i < old_size; i++) {
		size_t k;

		if (!old[i])
			continue;
		for (k = slot_hash(old[i]) & l->mask; l->slots[k]; k = (k + 1) & l->mask)
			;
		l->slots[k] = old[i];
	}
	free(old);
}

/* The slot of a block, or the free one where it belongs. */
static size_t find_slot(const struct live *l, uint32_t hash, uint32_t space, uint64_t address)
{
	size_t i = hash & l->mask;

	for (; l->slots[i]; i = (i + 1) & l->mask) {
		const struct live_block *b = &l->blocks[slot_index(l->slots[i])];

		if (slot_hash(l->slots[i]) == hash && b->address == address && b->space == space)
			break;
	}
	return i;
}

static struct live_block *live_find_or_add(struct live *l, uint32_t space, uint64_t address)
{
	uint32_t hash = block_hash(space, address), index;
	size_t i;

	if (!l->slots || l->n_known >= l->mask - l->mask / 3)
		live_enlarge(l);
	i = find_slot(l, hash, space, address);
	if (!l->slots[i]) {
		index = l->hole;
		if (index)
			l->hole = l->blocks[--index].cell;
		else
			index = (uint32_t)l->n++;
		l->blocks = mem_grow(l->blocks, &l->cap, l->n, sizeof *l->blocks);
		l->blocks[index] = (struct live_block){.address = address, .space = space};
		l->slots[i] = (uint64_t)hash << 32 | (index + 1);
		l->n_known++;
	}
	return &l->blocks[slot_index(l->slots[i])];
}

static struct live_block *find(const struct live *l, uint32_t space, uint64_t address)
{
	size_t i;

	if (!l->slots)
		return NULL;
	i = find_slot(l, block_hash(space, address), space, address);
	return l->slots[i] ? &l->blocks[slot_index(l->slots[i])] : NULL;
}

static void empty_slot(struct live *l, size_t i)
{
	/* What a probe from its home would no longer reach moves into the hole. */
	for (size_t k = (i + 1) & l->mask; l->slots[k]; k = (k + 1) & l->mask) {
		size_t home = slot_hash(l->slots[k]) & l->mask;

		if (((k - home) & l->mask) >= ((k - i) & l->mask)) {
			l->slots[i] = l->slots[k];
			i = k;
		}
	}
	l->slots[i] = 0;
}

/* The hole goes to the next new block, while it is still in the cache. */
static void forget(struct live *l, size_t slot)
{
	uint32_t index = slot_index(l->slots[slot]);

	l->blocks[index] = (struct live_block){.cell = l->hole};
	l->hole = index + 1;
	l->n_known--;
	empty_slot(l, slot);
}

/* Displaced allocations that a free has ended since are not lost: drops them. */
static void sweep(struct live *l)
{
	size_t kept = 0;

	for (size_t i = 0; i < l->n_displaced; i++)
		if (l->displaced[i].seq >= l->blocks[l->displaced[i].block].freed)
			l->displaced[kept++] = l->displaced[i];
	l->n_displaced = kept;
	l->sweep_at = kept * 2 + 4096;
}

static void displace(struct live *l, const struct live_block *b, uint64_t seq)
{
	if (!l->unordered) {
		l->lost_frees++;
		return;
	}
	if (l->n_displaced >= l->sweep_at)
		sweep(l);
	VEC_PUSH(l->displaced, l->n_displaced, l->cap_displaced) =
	    (struct live_displaced){seq, (uint32_t)(b - l->blocks)};
}

enum live_end live_alloc(struct live *l, uint32_t space, uint64_t address, uint64_t seq,
			 const struct live_block *what, struct live_block *gone)
{
	struct live_block *b = live_find_or_add(l, space, address);
	enum live_end ended = LIVE_NOTHING;

	l->touched = (size_t)(b - l->blocks);
	b->known = true;
	if (seq < b->freed) {
		*gone = *what;
		return LIVE_SELF;
	}
	if (b->allocated) {
		bool newer = seq >= b->seq || !l->unordered;

		displace(l, b, newer ? b->seq : seq);
		*gone = newer ? *b : *what;
		if (!newer)
			return LIVE_SELF;
		ended = LIVE_OTHER;
	}
	b->allocated = true;
	b->seq = seq;
	b->requested = what->requested;
	b->real = what->real;
	b->count = what->count & LIVE_COUNT_MAX;
	b->cell = what->cell;
	b->time = what->time;
	b->newest = what->newest;
	return ended;
}

bool live_free(struct live *l, uint32_t space, uint64_t address, uint64_t seq,
	       struct live_block *gone)
{
	size_t i;
	bool ended;

	if (l->unordered)
		return live_freed(l, space, address, seq, gone);
	i = l->slots ? find_slot(l, block_hash(space, address), space, address) : 0;
	if (!l->slots || !l->slots[i]) {
		l->unknown_frees++;
		return false;
	}
	*gone = l->blocks[slot_index(l->slots[i])];
	ended = gone->allocated;
	forget(l, i);
	return ended;
}

bool live_freed(struct live *l, uint32_t space, uint64_t address, uint64_t seq,
		struct live_block *gone)
{
	struct live_block *b =
	    l->unordered ? live_find_or_add(l, space, address) : find(l, space, address);

	if (!b) {
		l->unknown_frees++;
		return false;
	}
	if (seq > b->freed)
		b->freed = seq;
	if (!b->allocated || b->seq >= b->freed)
		return false;
	*gone = *b;
	b->allocated = false;
	return true;
}

void live_finish(struct live *l)
{
	if (!l->unordered)
		return;
	sweep(l);
	l->lost_frees = l->n_displaced;
	l->unknown_frees = 0;
	for (size_t i = 0; i < l->n; i++)
		l->unknown_frees += !l->blocks[i].known;
}

void live_reset(struct live *l)
{
	if (l->slots)
		memset(l->slots, 0, (l->mask + 1) * sizeof *l->slots);
	l->n = l->n_known = l->n_displaced = l->sweep_at = 0;
	l->hole = 0;
	l->lost_frees = l->unknown_frees = 0;
	l->unordered = false;
}

void live_release(struct live *l)
{
	free(l->blocks);
	free(l->slots);
	free(l->displaced);
	*l = (struct live){.n = 0};
}

void live_prefetch_slot(const struct live *l, uint32_t space, uint64_t address)
{
	if (l->slots)
		__builtin_prefetch(&l->slots[block_hash(space, address) & l->mask]);
}

void live_prefetch_block(const struct live *l, uint32_t space, uint64_t address)
{
	uint32_t hash = block_hash(space, address);
	uint64_t slot = l->slots ? l->slots[hash & l->mask] : 0;

	if (slot && slot_hash(slot) == hash) {
		const struct live_block *b = &l->blocks[slot_index(slot)];

		__builtin_prefetch(b, 1);
		__builtin_prefetch(&b->newest, 1); /* often in the next cache line */
	}
}

const struct live_block *live_peek(const struct live *l, uint32_t space, uint64_t address)
{
	uint32_t hash = block_hash(space, address);
	uint64_t slot = l->slots ? l->slots[hash & l->mask] : 0;
	const struct live_block *b;

	if (!slot || slot_hash(slot) != hash)
		return NULL;
	b = &l->blocks[slot_index(slot)];
	return b->allocated ? b : NULL;
}
