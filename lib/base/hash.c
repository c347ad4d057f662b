/* SPDX-License-Identifier: MIT */
#include "lib/base/hash.h"

#include "lib/base/mem.h"

#include <stdlib.h>

static struct map64_slot *find(const struct map64 *m, uint64_t key)
{
	size_t i = hash_u64(key) & m->mask;

	while (m->slots[i].value && m->slots[i].key != key)
		i = (i + 1) & m->mask;
	return &m->slots[i];
}

static void enlarge(struct map64 *m)
{
	struct map64 old = *m;
	size_t size = old.slots ? (old.mask + 1) * 2 : 64;

	m->slots = mem_zarray(size, sizeof *m->slots);
	m->mask = size - 1;
	for (size_t i = 0; old.slots && i <= old.mask; i++)
		if (old.slots[i].value)
			*find(m, old.slots[i].key) = old.slots[i];
	free(old.slots);
}

uint32_t *map64_put(struct map64 *m, uint64_t key)
{
	struct map64_slot *s;

	if (!m->slots || m->n >= (m->mask + 1) / 8 * 5)
		enlarge(m);
	s = find(m, key);
	if (!s->value) {
		s->key = key;
		m->n++;
	}
	return &s->value;
}

uint32_t map64_get(const struct map64 *m, uint64_t key)
{
	return m->slots ? find(m, key)->value : 0;
}

void map64_remove(struct map64 *m, uint64_t key)
{
	struct map64_slot *s = m->slots ? find(m, key) : NULL;
	size_t hole, i;

	if (!s || !s->value)
		return;
	m->n--;
	/* Shift back what was pushed past the hole, so that no tombstone is needed. */
	hole = (size_t)(s - m->slots);
	for (i = (hole + 1) & m->mask; m->slots[i].value; i = (i + 1) & m->mask) {
		size_t home = hash_u64(m->slots[i].key) & m->mask;

		if (((i - home) & m->mask) >= ((i - hole) & m->mask)) {
			m->slots[hole] = m->slots[i];
			hole = i;
		}
	}
	m->slots[hole].value = 0;
}

void map64_release(struct map64 *m)
{
	free(m->slots);
	*m = (struct map64)MAP64_INIT;
}
