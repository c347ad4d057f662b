/* SPDX-License-Identifier: MIT
 *
 * Keys of 96 bits, for a map64. LoliProfiler files name stacks by UUIDs, one per record in the worst
 * case (20 million), and stacks are recognized by a hash of their bytes: at that size 64 bits collide
 * now and then, and 128 would make a slot of 24 bytes instead of 16.
 */
#ifndef TM_FORMATS_LOLI_KEYS_H
#define TM_FORMATS_LOLI_KEYS_H

#include "lib/base/hash.h"

#include <stddef.h>
#include <stdint.h>

struct loli_key {
	uint64_t hash; /* well mixed in its low bits */
	uint32_t check;
};

/* The value's place in a table of such keys, as of map64_put. */
static inline uint32_t *loli_keys_put(struct map64 *t, struct loli_key key)
{
	return map64_put_checked(t, key.hash, key.check);
}

static inline uint32_t loli_keys_get(const struct map64 *t, struct loli_key key)
{
	return map64_get_checked(t, key.hash, key.check);
}

struct loli_key loli_key_bytes(const void *p, size_t n);
/* A UUID as text in UTF-16BE, braces or none, any case; any other text is taken by its bytes. */
struct loli_key loli_key_uuid(const uint8_t *p, size_t n_bytes);

#endif
