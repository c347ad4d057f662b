/* SPDX-License-Identifier: MIT */
#include "lib/base/hash.h"

#include "lib/base/mem.h"
#include "lib/base/pages.h"

#include <stdlib.h>
#include <string.h>

static struct map64_slot *find(const struct map64 *m, uint64_t key, uint32_t check)
{
	size_t i = hash_u64(key) & m->mask;

	while (m->slots[i].value && (m->slots[i].key != key || m->slots[i].check != check))
		i = (i + 1) & m->mask;
	return &m->slots[i];
}

static void rebuild(struct map64 *m, size_t size)
{
	struct map64 old = *m;

	m->slots = pages_array(size, sizeof *m->slots);
	memset(m->slots, 0, size * sizeof *m->slots);
	m->mask = size - 1;
	for (size_t i = 0; old.slots && i <= old.mask; i++)
		if (old.slots[i].value)
			*find(m, old.slots[i].key, old.slots[i].check) = old.slots[i];
	free(old.slots);
}

static inline uint32_t *put(struct map64 *m, uint64_t key, uint32_t check)
{
	struct map64_slot *s;

	if (!m->slots || m->n >= (m->mask + 1) / 8 * 5)
		rebuild(m, m->slots ? (m->mask + 1) * 2 : 64);
	s = find(m, key, check);
	if (!s->value) {
		if (MEM_MOVES && m->n % (m->n / 64 + 1) == 0) { /* as arrays do: mem.h */
			rebuild(m, m->mask + 1);
			s = find(m, key, check);
		}
		s->key = key;
		s->check = check;
		m->n++;
	}
	return &s->value;
}

uint32_t *map64_put(struct map64 *m, uint64_t key)
{
	return put(m, key, 0);
}

uint32_t *map64_put_checked(struct map64 *m, uint64_t key, uint32_t check)
{
	return put(m, key, check);
}

uint32_t map64_get(const struct map64 *m, uint64_t key)
{
	return m->slots ? find(m, key, 0)->value : 0;
}

uint32_t map64_get_checked(const struct map64 *m, uint64_t key, uint32_t check)
{
	return m->slots ? find(m, key, check)->value : 0;
}

void map64_remove(struct map64 *m, uint64_t key)
{
	struct map64_slot *s = m->slots ? find(m, key, 0) : NULL;
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

enum { ID_SET_FIRST = 64, ID_SET_MASK = 0xff };
enum { AT_ONCE = 64 };

static void put_id(struct id_set *s, uint64_t hash, uint32_t id)
{
	size_t i = (size_t)hash & s->mask;

	while (s->slots[i])
		i = (i + 1) & s->mask;
	s->slots[i] = id | ((uint32_t)hash & ~s->id_mask);
}

/* Makes bits of the hash bits of the id. */
static void widen_ids(struct id_set *s, uint32_t id)
{
	uint32_t old = s->id_mask;

	while (id > s->id_mask)
		s->id_mask = s->id_mask << 1 | 1;
	for (size_t k = 0; k <= s->mask; k++)
		s->slots[k] &= old | ~s->id_mask;
}

/* At most AT_ONCE ids, step by step: so the memory is asked for many rows and slots at a time. */
static void put_again(struct id_set *s, const struct id_rows *rows, const void *table,
		      const uint32_t *ids, size_t n)
{
	uint64_t hashes[AT_ONCE];

	for (size_t k = 0; k < n; k++) {
		hashes[k] = rows->hash(table, ids[k]);
		id_set_prefetch(s, hashes[k]);
	}
	for (size_t k = 0; k < n; k++)
		put_id(s, hashes[k], ids[k]);
}

/* The ids of another set; in their own order where that is known, which is the order of the rows in
 * memory. */
static void id_set_put_all(struct id_set *s, const struct id_set *old, const struct id_rows *rows,
			   const void *table)
{
	bool all = old->n == old->highest;
	size_t end = all ? old->n : old->mask + 1;
	uint32_t ids[AT_ONCE];

	for (size_t at = 0, n = 0; at < end; n = 0) {
		for (; at < end && n < AT_ONCE; at++) {
			ids[n] = all ? (uint32_t)at + 1 : old->slots[at] & old->id_mask;
			n += ids[n] != 0;
		}
		put_again(s, rows, table, ids, n);
	}
}

void id_set_reserve(struct id_set *s, size_t n, const struct id_rows *rows, const void *table)
{
	struct id_set old = *s;
	size_t size = old.slots ? old.mask + 1 : ID_SET_FIRST;

	while (n > size / 8 * 5)
		size *= 2;
	if (old.slots && size == old.mask + 1)
		return;
	s->slots = pages_array(size, sizeof *s->slots);
	memset(s->slots, 0, size * sizeof *s->slots);
	s->mask = size - 1;
	if (!old.slots)
		s->id_mask = ID_SET_MASK;
	if (old.slots)
		id_set_put_all(s, &old, rows, table);
	free(old.slots);
}

void id_set_add(struct id_set *s, const struct id_rows *rows, const void *table, uint64_t hash,
		uint32_t id)
{
	id_set_reserve(s, s->n + 1, rows, table);
	if (id > s->id_mask)
		widen_ids(s, id);
	if (id > s->highest)
		s->highest = id;
	put_id(s, hash, id);
	s->n++;
}

void id_set_clear(struct id_set *s)
{
	if (s->n)
		memset(s->slots, 0, (s->mask + 1) * sizeof *s->slots);
	s->n = s->highest = 0;
}

void id_set_release(struct id_set *s)
{
	free(s->slots);
	*s = (struct id_set)ID_SET_INIT;
}
