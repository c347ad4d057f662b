/* SPDX-License-Identifier: MIT */
#include "lib/recorder/base/live.h"

#include "lib/recorder/base/memory.h"

#include <string.h>

static uint64_t mix(uint64_t address)
{
	return (address >> 4) * 0x9e3779b97f4a7c15;
}

static uint32_t home(uint64_t address)
{
	return (uint32_t)(mix(address) >> 44) % CAP_LIVE;
}

static _Atomic uint32_t *filter_of(struct cap_live *l, uint64_t address)
{
	return &l->filter[mix(address) >> 48 & (CAP_FILTER - 1)];
}

static _Atomic uint32_t *coarse_of(struct cap_live *l, uint64_t address)
{
	return &l->coarse[mix(address) >> 48 & (CAP_COARSE - 1)];
}

bool cap_live_init(struct cap_live *l)
{
	memset(l, 0, sizeof *l);
	l->slots = cap_map(CAP_LIVE * sizeof *l->slots);
	return l->slots != NULL;
}

bool cap_live_add(struct cap_live *l, uint64_t address)
{
	uint32_t i = home(address);
	bool room;

	if (!cap_lock_soon(&l->lock)) {
		atomic_fetch_add_explicit(&l->waited, 1, memory_order_relaxed);
		return false;
	}
	room = l->n < CAP_LIVE / 8 * 7;
	if (room) {
		while (l->slots[i] && l->slots[i] != address)
			i = (i + 1) % CAP_LIVE;
		if (!l->slots[i]) {
			l->n++;
			atomic_fetch_add_explicit(filter_of(l, address), 1, memory_order_relaxed);
			atomic_fetch_add_explicit(coarse_of(l, address), 1, memory_order_relaxed);
		}
		l->slots[i] = address;
	}
	cap_unlock(&l->lock);
	if (!room)
		atomic_fetch_add_explicit(&l->lost, 1, memory_order_relaxed);
	return room;
}

/* Closes the gap at i: what was pushed behind its home moves back. */
static void close_gap(struct cap_live *l, uint32_t i)
{
	for (uint32_t k = (i + 1) % CAP_LIVE; l->slots[k]; k = (k + 1) % CAP_LIVE) {
		uint32_t from_home = (k - home(l->slots[k])) % CAP_LIVE;

		if (from_home >= (k - i) % CAP_LIVE) {
			l->slots[i] = l->slots[k];
			i = k;
		}
	}
	l->slots[i] = 0;
}

bool cap_live_may(struct cap_live *l, uint64_t address)
{
	return atomic_load_explicit(coarse_of(l, address), memory_order_relaxed) &&
	       atomic_load_explicit(filter_of(l, address), memory_order_relaxed);
}

bool cap_live_remove(struct cap_live *l, uint64_t address)
{
	uint32_t i = home(address);
	bool found;

	if (!cap_lock_soon(&l->lock)) {
		atomic_fetch_add_explicit(&l->waited, 1, memory_order_relaxed);
		return false;
	}
	while (l->slots[i] && l->slots[i] != address)
		i = (i + 1) % CAP_LIVE;
	found = l->slots[i] != 0;
	if (found) {
		close_gap(l, i);
		l->n--;
		atomic_fetch_sub_explicit(filter_of(l, address), 1, memory_order_relaxed);
		atomic_fetch_sub_explicit(coarse_of(l, address), 1, memory_order_relaxed);
	}
	cap_unlock(&l->lock);
	return found;
}

void cap_live_clear(struct cap_live *l)
{
	memset(l->slots, 0, CAP_LIVE * sizeof *l->slots);
	memset(l->filter, 0, sizeof l->filter);
	memset(l->coarse, 0, sizeof l->coarse);
	cap_lock_reset(&l->lock);
	atomic_store(&l->lost, 0);
	l->n = 0;
}
