/* SPDX-License-Identifier: MIT
 *
 * What generators draw and write with: the same numbers from a seed in all of them (and in tests,
 * which take lcg_below alone), the variant that was asked for, little-endian bytes.
 */
#ifndef TM_TESTDATA_GEN_GEN_H
#define TM_TESTDATA_GEN_GEN_H

#include "lib/base/buf.h"
#include "testdata/gen/lcg.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* n is below 2^31. */
static inline uint64_t lcg_below(uint64_t *state, uint64_t n)
{
	return (lcg(state) >> 33) % n;
}

static uint64_t random_state __attribute__((unused)) = 1;

static inline uint32_t draw(uint32_t below)
{
	return (uint32_t)lcg_below(&random_state, below);
}

static const char *variant __attribute__((unused)); /* of the input, on the command line */

static inline bool is(const char *word)
{
	return !strcmp(variant, word);
}

static inline void put(struct buf *b, uint64_t v, unsigned n)
{
	char *p = buf_reserve(b, n);

	for (unsigned i = 0; i < n; i++)
		p[i] = (char)(v >> 8 * i);
	b->len += n;
}

#endif
