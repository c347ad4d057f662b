/* SPDX-License-Identifier: MIT
 *
 * SipHash-2-4 (Aumasson and Bernstein, 2012): 64 bits of a text under a key. Without the key
 * nothing of the text can be learned from them, which hash.h does not promise.
 */
#ifndef TM_BASE_SIPHASH_H
#define TM_BASE_SIPHASH_H

#include <stddef.h>
#include <stdint.h>

struct siphash_key {
	uint64_t k0, k1; /* the key's bytes as two little-endian numbers */
};

uint64_t siphash(const struct siphash_key *k, const void *p, size_t n);

#endif
