/* SPDX-License-Identifier: MIT
 *
 * SHA-256 (FIPS 180-4): the digest of bytes that a stranger chose, for which hash.h is too weak. Two texts with one
 * digest are the same text.
 */
#ifndef TM_BASE_SHA256_H
#define TM_BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { SHA256_BYTES = 32, SHA256_HEX = 2 * SHA256_BYTES + 1 };

struct sha256 {
	uint32_t h[8];
	uint64_t bytes; /* so far */
	uint8_t block[64];
};

void sha256_init(struct sha256 *s);
void sha256_add(struct sha256 *s, const void *p, size_t n);
/* A digest's bytes, in lower case, with NUL. */
void sha256_hex(const uint8_t bytes[SHA256_BYTES], char hex[SHA256_HEX]);
/* In lower case, with NUL. s is to be initialized again behind it. */
void sha256_end(struct sha256 *s, char hex[SHA256_HEX]);

#endif
