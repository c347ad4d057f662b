/* SPDX-License-Identifier: MIT */
#include "lib/recorder/lua/blocks.h"

#include "lib/recorder/tracemill.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST = 1 << 12 };

static size_t home(const struct lua_watch *w, uint64_t address)
{
	uint64_t x = (address >> 3) * 0x9e3779b97f4a7c15u;

	return (x ^ x >> 32) & w->mask;
}

static bool grow(struct lua_watch *w)
{
	struct lua_watch to = *w;

	to.mask = w->slots ? w->mask * 2 + 1 : FIRST - 1;
	to.slots = own_zeroed(to.mask + 1, sizeof *to.slots);
	if (!to.slots)
		return false;
	for (size_t i = 0; w->slots && i <= w->mask; i++) {
		size_t at;

		if (!w->slots[i].address)
			continue;
		for (at = home(&to, w->slots[i].address); to.slots[at].address;)
			at = (at + 1) & to.mask;
		to.slots[at] = w->slots[i];
	}
	own_free(w->slots);
	*w = to;
	return true;
}

static void watch_put(struct lua_watch *w, const void *p, size_t size, unsigned kind)
{
	size_t i;

	if ((!w->slots || w->n >= w->mask / 3 * 2) && !grow(w)) {
		w->lost++;
		return;
	}
	for (i = home(w, (uintptr_t)p); w->slots[i].address; i = (i + 1) & w->mask)
		if (w->slots[i].address == (uintptr_t)p)
			break;
	w->n += !w->slots[i].address;
	w->slots[i] = (struct lua_block){(uintptr_t)p, size & (UINT64_MAX >> 8), kind & 255};
}

/* Those behind move up. Returns the kind. */
static unsigned watch_remove(struct lua_watch *w, uint64_t address)
{
	size_t i, hole;
	unsigned kind;

	if (!w->slots)
		return 0;
	for (i = home(w, address); w->slots[i].address != address; i = (i + 1) & w->mask)
		if (!w->slots[i].address)
			return 0;
	kind = w->slots[i].kind;
	hole = i;
	for (i = (i + 1) & w->mask; w->slots[i].address; i = (i + 1) & w->mask)
		if (((i - home(w, w->slots[i].address)) & w->mask) >= ((i - hole) & w->mask)) {
			w->slots[hole] = w->slots[i];
			hole = i;
		}
	w->slots[hole].address = 0;
	w->n--;
	return kind;
}

static void *watch_allocate(void *ud, void *old, size_t osize, size_t nsize)
{
	struct lua_watch *w = ud;
	uintptr_t was = (uintptr_t)old; /* not to be used once it is freed */
	void *p = w->next(w->ud, old, osize, nsize);
	unsigned kind = (unsigned)osize;

	if (nsize && !p)
		return p;
	if (was)
		kind = watch_remove(w, was);
	if (nsize)
		watch_put(w, p, nsize, kind);
	return p;
}

struct lua_watch *watch_begin(lua_State *l)
{
	struct lua_watch *w = own_zeroed(1, sizeof *w);

	if (!w)
		return NULL;
	w->next = lua_getallocf(l, &w->ud);
	lua_setallocf(l, watch_allocate, w);
	return w;
}

void watch_end(lua_State *l, struct lua_watch *w)
{
	void *ud;

	if (!w || lua_getallocf(l, &ud) != watch_allocate || ud != w)
		return;
	lua_setallocf(l, w->next, w->ud);
	own_free(w->slots);
	own_free(w);
}

static int by_address(const void *a, const void *b)
{
	uint64_t x = ((const struct lua_block *)a)->address;
	uint64_t y = ((const struct lua_block *)b)->address;

	return x < y ? -1 : x > y;
}

struct lua_block *watch_sorted(const struct lua_watch *w, size_t *n)
{
	struct lua_block *all = w && w->n ? own_grow(NULL, w->n * sizeof *all) : NULL;
	size_t at = 0;

	*n = 0;
	if (!all)
		return NULL;
	for (size_t i = 0; i <= w->mask; i++)
		if (w->slots[i].address)
			all[at++] = w->slots[i];
	tracemill_own(1); /* it may want memory */
	qsort(all, at, sizeof *all, by_address);
	tracemill_own(0);
	*n = at;
	return all;
}

size_t blocks_find(const struct lua_block *blocks, size_t n, uint64_t address)
{
	size_t first = 0, end = n;

	while (first < end) {
		size_t middle = first + (end - first) / 2;

		if (blocks[middle].address <= address)
			first = middle + 1;
		else
			end = middle;
	}
	if (!first || address - blocks[first - 1].address >= blocks[first - 1].size)
		return n;
	return first - 1;
}
