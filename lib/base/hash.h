/* SPDX-License-Identifier: MIT
 *
 * Hashing: bytes through xxHash (XXH3), integers by a mixer; and the one hash table of the
 * suite, u64 -> u32, open addressing.
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
 * "not there", so store index + 1 where 0 is an index. */
struct map64 {
	struct map64_slot {
		uint64_t key;
		uint32_t value; /* 0: free slot */
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
uint32_t map64_get(const struct map64 *m, uint64_t key); /* 0: not there */
void map64_remove(struct map64 *m, uint64_t key);
void map64_release(struct map64 *m);

#endif
