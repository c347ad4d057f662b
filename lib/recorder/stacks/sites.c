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

uint32_t cap_site_add(const char *name, const char *file, uint32_t line)
{
	struct cap_sites *s = &cap_sites;
	uint32_t id = 0, n;
	sigset_t before;

	if (!cap_lock_held(&s->lock, &before)) {
		atomic_fetch_add_explicit(&s->lost, 1, memory_order_relaxed);
		return 0;
	}
	if (!s->items)
		s->items = cap_map(CAP_SITES * sizeof *s->items);
	n = atomic_load_explicit(&s->n, memory_order_relaxed);
	/* Copies of one function, in several modules, have a site each. */
	for (uint32_t i = 1; s->items && i <= n && !id; i++)
		if (s->items[i].line == line && name && file &&
		    !strncmp(s->items[i].name, name, CAP_SITE_TEXT - 1) &&
		    !strncmp(s->items[i].file, file, CAP_SITE_TEXT - 1))
			id = i;
	if (!id && s->items && n + 1 < CAP_SITES) {
		id = n + 1;
		copy(s->items[id].name, name);
		copy(s->items[id].file, file);
		s->items[id].line = line;
		atomic_store_explicit(&s->n, id, memory_order_release);
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
