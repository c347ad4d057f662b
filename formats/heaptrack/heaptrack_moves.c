/* SPDX-License-Identifier: MIT
 *
 * Allocations and frees of interpreted heaptrack files: "+ KIND" and "- KIND", tens of millions of
 * lines of seven bytes. There is no branch on the letter, which cannot be foreseen.
 */
#include "formats/heaptrack/heaptrack.h"
#include "formats/heaptrack/heaptrack_word.h"

/* False: there is no live one, or there are as many as there can be. */
static inline __attribute__((always_inline)) bool moves_add(struct block_kind *k, unsigned freed)
{
	if (k->live - freed >= UINT32_MAX - 1)
		return false;
	k->live += 1 - 2 * freed;
	return true;
}

size_t heaptrack_moves_parse(struct heaptrack_moves *m, const uint8_t *p, const uint8_t *end)
{
	enum { PLUS = '+' | ' ' << 8, MINUS = '-' | ' ' << 8 };
	const uint8_t *start = p;
	struct block_kind *kinds = m->kinds;
	uint32_t *items = m->items;
	size_t n = m->n, n_kinds = m->n_kinds, n_freed = 0;

	while (end - p >= 2 + HEAPTRACK_WORD && n < HEAPTRACK_MOVES) {
		unsigned letter = le16(p), freed = letter == MINUS, digits;
		uint64_t kind;

		if ((letter != PLUS && !freed) || !heaptrack_word(p + 2, '\n', &kind, &digits) ||
		    kind >= n_kinds || !moves_add(&kinds[kind], freed))
			break;
		items[n++] = (uint32_t)kind << 1 | freed;
		n_freed += freed;
		p += 2 + digits + 1;
	}
	m->lines += n - m->n;
	m->n = n;
	m->n_freed += n_freed;
	return (size_t)(p - start);
}

bool heaptrack_move(struct heaptrack_moves *m, uint64_t kind, bool freed)
{
	if (kind >= m->n_kinds || !moves_add(&m->kinds[kind], freed))
		return false;
	m->items[m->n++] = (uint32_t)kind << 1 | freed;
	m->n_freed += freed;
	return true;
}
