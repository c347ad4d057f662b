/* SPDX-License-Identifier: MIT
 *
 * Hashing: bytes through xxHash (XXH3), integers by a mixer; and the two hash tables of the suite,
 * both with open addressing: map64 maps a u64 to a u32, id_set finds the row of a table that is
 * equal to a key.
 */
#ifndef TM_BASE_HASH_H
#define TM_BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* XXH3 with 64 bits, seed 0. Never allocates. */
uint64_t hash_bytes(const void *p, size_t n);
/* The same with a seed: the checksum of trace chunks. */
uint64_t hash_bytes_seeded(const void *p, size_t n, uint64_t seed);

static inline uint64_t hash_u64(uint64_t x)
{
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93u;
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93u;
	return x ^ x >> 32;
}

/* Any u64 key -> u32 value. Zeroed is empty and valid. Values are dense ids or indexes; 0 is
 * "not there", so store index + 1 where 0 is an index. A key may have 32 bits more, its check,
 * which fill what a slot has left: tens of millions of keys that are hashes collide with 64 bits now
 * and then, and with 96 they do not. */
struct map64 {
	struct map64_slot {
		uint64_t key;
		uint32_t value; /* 0: free slot */
		uint32_t check; /* 0 in the functions that take none */
	} * slots;
	size_t n, mask;
};

#define MAP64_INIT \
	{          \
		0  \
	}

/* The value's place, made with value 0 if the key is new; the caller must then set a non-zero
 * value before the next call. Valid until the next map64_put. */
uint32_t *map64_put(struct map64 *m, uint64_t key);
uint32_t *map64_put_checked(struct map64 *m, uint64_t key, uint32_t check);
uint32_t map64_get(const struct map64 *m, uint64_t key); /* 0: not there */
uint32_t map64_get_checked(const struct map64 *m, uint64_t key, uint32_t check);
void map64_remove(struct map64 *m, uint64_t key);
void map64_release(struct map64 *m);

/* Asks the memory for where a key will be looked for. */
static inline void map64_prefetch(const struct map64 *m, uint64_t key)
{
	if (m->slots)
		__builtin_prefetch(&m->slots[hash_u64(key) & m->mask]);
}

/* Ids of rows, found by what the rows hold: four bytes a slot and no keys, so an id takes between
 * 6.4 and 12.8 bytes where a map64 takes four times that. Ids are the caller's, not 0. Zeroed is
 * empty and valid.
 *
 * The bits of a slot that no id needs are those of the row's hash: nearly all rows that only share
 * a slot are distinguished by them, without a look at the row, which is one more cache miss each
 * (ten million rows: half the time). At most 5 of 8 slots are taken. */
struct id_set {
	uint32_t *slots; /* 0: free; else id | hash & ~id_mask */
	size_t n, mask;
	uint32_t id_mask; /* 2^k - 1, not less than any id */
	uint32_t highest; /* id; n as well where no id is left out */
};

#define ID_SET_INIT \
	{           \
		0   \
	}

/* How the rows are looked at; a constant, so that calls are inlined. table is what the caller of
 * the set's functions hands over, as is key. */
struct id_rows {
	uint64_t (*hash)(const void *table, uint32_t id);
	bool (*equal)(const void *table, uint32_t id, const void *key);
};

/* The id of the row that is equal to the key, which hashes to hash; 0: none. */
static inline __attribute__((always_inline)) uint32_t id_set_find(const struct id_set *s,
								  const struct id_rows *rows,
								  const void *table, uint64_t hash,
								  const void *key)
{
	if (!s->slots)
		return 0;
	for (size_t i = (size_t)hash & s->mask; s->slots[i]; i = (i + 1) & s->mask) {
		uint32_t slot = s->slots[i], id = slot & s->id_mask;

		if (!((slot ^ (uint32_t)hash) & ~s->id_mask) && rows->equal(table, id, key))
			return id;
	}
	return 0;
}

/* Adds an id whose row is in the table and equal to no other in the set. */
void id_set_add(struct id_set *s, const struct id_rows *rows, const void *table, uint64_t hash,
		uint32_t id);
/* Makes room for n ids in all; rows are hashed again when there was not enough. */
void id_set_reserve(struct id_set *s, size_t n, const struct id_rows *rows, const void *table);
void id_set_clear(struct id_set *s); /* empty again; keeps its memory */
void id_set_release(struct id_set *s);

/* Asks the memory for where a key with this hash will be looked for. */
static inline __attribute__((always_inline)) void id_set_prefetch(const struct id_set *s,
								  uint64_t hash)
{
	if (s->slots)
		__builtin_prefetch(&s->slots[(size_t)hash & s->mask], 1);
}

/* The id that a key with this hash would be compared with first, 0: none; so that its row can be
 * asked for too. */
static inline __attribute__((always_inline)) uint32_t id_set_first(const struct id_set *s,
								   uint64_t hash)
{
	return s->slots ? s->slots[(size_t)hash & s->mask] & s->id_mask : 0;
}

#endif
