/* SPDX-License-Identifier: MIT
 *
 * Hashes of bytes, in a file of their own, since the capture runtime has these and nothing that
 * allocates.
 */
#include "lib/base/hash.h"

#include <xxhash.h>

uint64_t hash_bytes(const void *p, size_t n)
{
	return XXH3_64bits(p, n);
}

uint64_t hash_bytes_seeded(const void *p, size_t n, uint64_t seed)
{
	return XXH3_64bits_withSeed(p, n, seed);
}
