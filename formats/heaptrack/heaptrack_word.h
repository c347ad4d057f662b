/* SPDX-License-Identifier: MIT
 *
 * A parser of the short numbers of heaptrack's lines, of at most seven digits. It takes the digits from one word
 * of memory, without a branch on their number, which the processor could not predict.
 */
#ifndef TM_FORMATS_HEAPTRACK_HEAPTRACK_WORD_H
#define TM_FORMATS_HEAPTRACK_HEAPTRACK_WORD_H

#include "lib/base/bytes.h"

#include <stdbool.h>

enum { HEAPTRACK_WORD = 8 }; /* bytes that are looked at */

#define HEAPTRACK_BYTES(b) (UINT64_C(0x0101010101010101) * (b))

/* The number whose digits these bytes begin with; behind them, within the word, is end. *n: how many
 * digits there are. False: there is no such. */
static inline __attribute__((always_inline)) bool heaptrack_word(const uint8_t *p, char end,
								 uint64_t *v, unsigned *n)
{
	uint64_t word = le64(p), other = word ^ HEAPTRACK_BYTES((uint8_t)end),
		 ends = (other - HEAPTRACK_BYTES(1)) & ~other & HEAPTRACK_BYTES(0x80);
	uint64_t letters, digits, text;

	if (!ends || ends & 0x80)
		return false;
	*n = (unsigned)__builtin_ctzll(ends) / 8;
	/* Zeros before them: eight digits. */
	word = word << (64 - 8 * *n) | HEAPTRACK_BYTES('0') >> 8 * *n;
	letters = word >> 6 & HEAPTRACK_BYTES(1);
	word |= letters << 5;
	digits = (word & HEAPTRACK_BYTES(0x0f)) + letters * 9;
	/* What they are as text again is what was there, if these were digits. */
	text = digits + HEAPTRACK_BYTES('0') +
	       ((digits + HEAPTRACK_BYTES(6)) >> 4 & HEAPTRACK_BYTES(1)) * ('a' - '0' - 10);
	*v = __builtin_bswap64(digits);
	*v = (*v | *v >> 4) & UINT64_C(0x00ff00ff00ff00ff);
	*v = (*v | *v >> 8) & UINT64_C(0x0000ffff0000ffff);
	*v = (*v | *v >> 16) & UINT32_MAX;
	return text == word && !(digits & HEAPTRACK_BYTES(0xf0));
}

#endif
