/* SPDX-License-Identifier: MIT
 *
 * A hash table from 96-bit keys to u32. LoliProfiler files name stacks by UUIDs, one per record
 * in the worst case (20 million), and stacks are recognized by a hash of their bytes: at that
 * size 64 bits collide now and then, and 128 would make a slot of 24 bytes instead of 16.
 */
#ifndef TM_FORMATS_LOLI_KEYS_H
#define TM_FORMATS_LOLI_KEYS_H

#include <stddef.h>
#include <stdint.h>

struct loli_key {
	uint64_t hash; /* well mixed in its low bits */
	uint32_t check;
};

struct loli_keys { /* zeroed is empty and valid */
	struct loli_keys_slot {
		uint64_t hash;
		uint32_t check;
		uint32_t value; /* 0: free slot */
	} * slots;
	size_t n, mask;
};

/* The value's place, made with value 0 if the key is new; the caller must then set a non-zero
 * value before the next call. Valid until the next loli_keys_put. */
uint32_t *loli_keys_put(struct loli_keys *t, struct loli_key key);
uint32_t loli_keys_get(const struct loli_keys *t, struct loli_key key); /* 0: not there */
static inline void loli_keys_prefetch(const struct loli_keys *t, struct loli_key key)
{
	if (t->slots)
		__builtin_prefetch(&t->slots[key.hash & t->mask]);
}
void loli_keys_release(struct loli_keys *t);

struct loli_key loli_key_bytes(const void *p, size_t n);
/* A UUID as text in UTF-16BE, braces or none, any case; any other text is taken by its bytes. */
struct loli_key loli_key_uuid(const uint8_t *p, size_t n_bytes);

#endif
