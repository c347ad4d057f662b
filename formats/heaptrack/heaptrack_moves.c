/* SPDX-License-Identifier: MIT
 *
 * Allocations and frees of interpreted heaptrack files: "+ KIND" and "- KIND", tens of millions of
 * lines of seven bytes. A short one is taken from one word, without a branch on its length or on its
 * letter, which cannot be foreseen.
 */
#include "formats/heaptrack/heaptrack.h"

#include "lib/base/bytes.h"

#define BYTES(b) (UINT64_C(0x0101010101010101) * (b))

/* The number whose digits begin the word, and are followed by a newline in it; *n: how many digits
 * there are. False: there is no such. */
static inline __attribute__((always_inline)) bool moves_number(uint64_t word, uint64_t *v,
							       unsigned *n)
{
	uint64_t other = word ^ BYTES('\n'), ends = (other - BYTES(1)) & ~other & BYTES(0x80);
	uint64_t letters, digits, text;

	if (!ends || ends & 0x80)
		return false;
	*n = (unsigned)__builtin_ctzll(ends) / 8;
	/* Zeros before them: eight digits. */
	word = word << (64 - 8 * *n) | BYTES('0') >> 8 * *n;
	letters = word >> 6 & BYTES(1);
	word |= letters << 5;
	digits = (word & BYTES(0x0f)) + letters * 9;
	/* What they are as text again is what was there, if these were digits. */
	text = digits + BYTES('0') + ((digits + BYTES(6)) >> 4 & BYTES(1)) * ('a' - '0' - 10);
	*v = __builtin_bswap64(digits);
	*v = (*v | *v >> 4) & UINT64_C(0x00ff00ff00ff00ff);
	*v = (*v | *v >> 8) & UINT64_C(0x0000ffff0000ffff);
	*v = (*v | *v >> 16) & UINT32_MAX;
	return text == word && !(digits & BYTES(0xf0));
}

static inline bool moves_add(struct heaptrack_moves *m, uint64_t kind, unsigned freed)
{
	struct block_kind *k = &m->kinds[kind];

	if (freed ? !k->live : k->live == UINT32_MAX - 1)
		return false;
	k->live += freed ? -1u : 1;
	m->items[m->n++] = (uint32_t)kind << 1 | freed;
	m->n_freed += freed;
	return true;
}

size_t heaptrack_moves_take(struct heaptrack_moves *m, const uint8_t *p, const uint8_t *end)
{
	enum { PLUS = '+' | ' ' << 8, MINUS = '-' | ' ' << 8, WORD = 8 };
	const uint8_t *start = p;
	uint64_t lines = 0;

	for (; end - p >= 2 + WORD && m->n < HEAPTRACK_MOVES; lines++) {
		unsigned letter = le16(p), freed = letter == MINUS, n;
		uint64_t kind;

		if ((letter != PLUS && !freed) || !moves_number(le64(p + 2), &kind, &n) ||
		    kind >= m->n_kinds || !moves_add(m, kind, freed))
			break;
		p += 2 + n + 1;
	}
	m->lines += lines;
	return (size_t)(p - start);
}

bool heaptrack_move(struct heaptrack_moves *m, uint64_t kind, bool freed)
{
	return kind < m->n_kinds && moves_add(m, kind, freed);
}
