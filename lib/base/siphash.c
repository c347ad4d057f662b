/* SPDX-License-Identifier: MIT */
#include "lib/base/siphash.h"

static uint64_t rotate(uint64_t x, unsigned by)
{
	return x << by | x >> (64 - by);
}

static void sip_rounds(uint64_t v[4], unsigned n)
{
	while (n--) {
		v[0] += v[1];
		v[2] += v[3];
		v[1] = rotate(v[1], 13) ^ v[0];
		v[3] = rotate(v[3], 16) ^ v[2];
		v[0] = rotate(v[0], 32);
		v[2] += v[1];
		v[0] += v[3];
		v[1] = rotate(v[1], 17) ^ v[2];
		v[3] = rotate(v[3], 21) ^ v[0];
		v[2] = rotate(v[2], 32);
	}
}

static uint64_t little(const uint8_t *p, size_t n)
{
	uint64_t x = 0;

	while (n--)
		x = x << 8 | p[n];
	return x;
}

uint64_t siphash(const struct siphash_key *k, const void *p, size_t n)
{
	const uint8_t *s = p;
	uint64_t v[4] = {k->k0 ^ 0x736f6d6570736575u, k->k1 ^ 0x646f72616e646f6du,
			 k->k0 ^ 0x6c7967656e657261u, k->k1 ^ 0x7465646279746573u};
	size_t at = 0;
	uint64_t m;

	for (; n - at >= 8; at += 8) {
		m = little(s + at, 8);
		v[3] ^= m;
		sip_rounds(v, 2);
		v[0] ^= m;
	}
	m = little(s + at, n - at) | (uint64_t)n << 56;
	v[3] ^= m;
	sip_rounds(v, 2);
	v[0] ^= m;
	v[2] ^= 0xff;
	sip_rounds(v, 4);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}
