/* SPDX-License-Identifier: MIT */
#include "lib/recorder/stacks/sites.h"

#include "lib/recorder/base/memory.h"

#include <stddef.h>
#include <string.h>

struct cap_sites cap_sites;

static void copy(char *to, const char *from)
{
	size_t n = from ? strnlen(from, CAP_SITE_TEXT - 1) : 0;

	for (size_t i = 0; i < n; i++)
		to[i] = from[i];
	to[n] = 0;
}

static uint32_t hash_text(uint32_t h, const char *s)
{
	for (size_t i = 0; s && i < CAP_SITE_TEXT - 1 && s[i]; i++)
		h = (h ^ (uint8_t)s[i]) * 16777619u;
	return (h ^ 0xff) * 16777619u;
}

static bool same_text(const char *kept, const char *s)
{
	return !strncmp(kept, s ? s : "", CAP_SITE_TEXT - 1);
}

/* Its number, or where its number goes. Copies of one function, in several modules, have one site. */
static _Atomic uint32_t *slot_of_site(const struct cap_sites *s, const char *name, const char *file,
				      uint32_t line)
{
	uint32_t h = hash_text(hash_text(2166136261u ^ line, name), file);

	for (h ^= h >> 15;; h++) {
		_Atomic uint32_t *slot = &s->slots[h % CAP_SITE_SLOTS];
		uint32_t id = atomic_load_explicit(slot, memory_order_acquire);
		const struct cap_site *site = &s->items[id];

		if (!id || (site->line == line && same_text(site->name, name) &&
			    same_text(site->file, file)))
			return slot;
	}
}

static bool sites_make(struct cap_sites *s)
{
	_Atomic uint32_t *slots;

	if (s->items)
		return true;
	slots = cap_map(CAP_SITE_SLOTS * sizeof *slots);
	if (slots)
		s->items = cap_map(CAP_SITES * sizeof *s->items);
	if (s->items)
		s->slots = slots;
	else if (slots)
		cap_unmap(slots, CAP_SITE_SLOTS * sizeof *slots);
	return s->items;
}

uint32_t cap_site_add(const char *name, const char *file, uint32_t line)
{
	struct cap_sites *s = &cap_sites;
	_Atomic uint32_t *slot = NULL;
	uint32_t id = 0, n;
	sigset_t before;

	if (!cap_lock_held(&s->lock, &before)) {
		atomic_fetch_add_explicit(&s->lost, 1, memory_order_relaxed);
		return 0;
	}
	n = atomic_load_explicit(&s->n, memory_order_relaxed);
	if (sites_make(s)) {
		slot = slot_of_site(s, name, file, line);
		id = atomic_load(slot);
	}
	if (slot && !id && n + 1 < CAP_SITES) {
		id = n + 1;
		copy(s->items[id].name, name);
		copy(s->items[id].file, file);
		s->items[id].line = line;
		atomic_store_explicit(&s->n, id, memory_order_release);
		atomic_store_explicit(slot, id, memory_order_release);
	}
	cap_unlock_held(&s->lock, &before);
	if (!id)
		atomic_fetch_add_explicit(&s->lost, 1, memory_order_relaxed);
	return id;
}

const struct cap_site *cap_site_at(uint32_t id)
{
	uint32_t n = atomic_load_explicit(&cap_sites.n, memory_order_acquire);

	return id && id <= n ? &cap_sites.items[id] : NULL;
}

static struct cap_marked *slot_of(uint64_t function)
{
	uint32_t i = (uint32_t)(function * 0x9e3779b97f4a7c15 >> 40) % CAP_FUNCTIONS;

	for (;; i = (i + 1) % CAP_FUNCTIONS) {
		struct cap_marked *m = &cap_sites.marked[i];
		uint64_t f = atomic_load_explicit(&m->function, memory_order_acquire);

		if (!f || f == function)
			return m;
	}
}

void cap_site_of_function(uint64_t function, uint32_t site)
{
	struct cap_marked *m = slot_of(function);
	sigset_t before;

	if (!site || atomic_load_explicit(&m->site, memory_order_relaxed))
		return;
	if (!cap_lock_held(&cap_sites.lock, &before))
		return;
	m = slot_of(function);
	if (!atomic_load(&m->function) && cap_sites.n_marked < CAP_FUNCTIONS / 4 * 3) {
		cap_sites.n_marked++;
		atomic_store_explicit(&m->site, site, memory_order_relaxed);
		atomic_store_explicit(&m->function, function, memory_order_release);
	}
	cap_unlock_held(&cap_sites.lock, &before);
}

uint32_t cap_site_find(uint64_t function)
{
	struct cap_marked *m = slot_of(function);

	return atomic_load_explicit(&m->function, memory_order_acquire)
		   ? atomic_load_explicit(&m->site, memory_order_relaxed)
		   : 0;
}
