/* SPDX-License-Identifier: MIT */
#include "lib/profile/line_map.h"

#include "lib/base/hash.h"
#include "lib/base/mem.h"

#include <stdlib.h>
#include <string.h>

struct text_lines {
	uint64_t *items; /* hashes */
	size_t n, cap;
};

struct mapping {
	struct text_lines a, b;
	uint32_t *to; /* by line of a: of b + 1; 0: none */
};

struct block {
	size_t a, a_end, b, b_end;
};

static void line_map_split(struct text_lines *to, const struct buf *text)
{
	const char *s = text->data, *end = s + text->len;

	while (s < end) {
		const char *stop = memchr(s, '\n', (size_t)(end - s));
		size_t n = (size_t)((stop ? stop : end) - s);

		n -= n && s[n - 1] == '\r';
		VEC_PUSH(to->items, to->n, to->cap) = hash_bytes(s, n);
		s = stop ? stop + 1 : end;
	}
}

static void map_line(struct mapping *m, size_t a, size_t b)
{
	m->to[a] = (uint32_t)b + 1;
}

/* Lines that are equal at the beginning and at the end. */
static void line_map_trim(struct mapping *m, struct block *x)
{
	while (x->a < x->a_end && x->b < x->b_end && m->a.items[x->a] == m->b.items[x->b])
		map_line(m, x->a++, x->b++);
	while (x->a < x->a_end && x->b < x->b_end &&
	       m->a.items[x->a_end - 1] == m->b.items[x->b_end - 1])
		map_line(m, --x->a_end, --x->b_end);
}

/* A line that is in both once. */
struct once {
	uint32_t a, b;
	uint32_t before; /* in the longest order: the one before it + 1 */
};

static struct once *line_map_find_once(const struct mapping *m, const struct block *x, size_t *n)
{
	struct map64 in_a = MAP64_INIT, in_b = MAP64_INIT; /* line + 1, or that of several */
	struct once *items = mem_array(x->a_end - x->a + 1, sizeof *items);
	uint32_t *at;

	*n = 0;
	for (size_t i = x->a; i < x->a_end; i++) {
		at = map64_put(&in_a, m->a.items[i]);
		*at = *at ? UINT32_MAX : (uint32_t)i + 1;
	}
	for (size_t i = x->b; i < x->b_end; i++) {
		at = map64_put(&in_b, m->b.items[i]);
		*at = *at ? UINT32_MAX : (uint32_t)i + 1;
	}
	for (size_t i = x->a; i < x->a_end; i++) {
		uint32_t b = map64_get(&in_a, m->a.items[i]) == UINT32_MAX
				 ? 0
				 : map64_get(&in_b, m->a.items[i]);

		if (b && b != UINT32_MAX)
			items[(*n)++] = (struct once){(uint32_t)i, b - 1, 0};
	}
	map64_release(&in_a);
	map64_release(&in_b);
	return items;
}

/* The longest part in the order of b, by patience sorting; its last + 1, linked backwards. */
static uint32_t line_map_longest(struct once *items, size_t n)
{
	uint32_t *tops = mem_array(n + 1, sizeof *tops), last;
	size_t piles = 0;

	for (uint32_t i = 0; i < n; i++) {
		size_t lo = 0, hi = piles;

		while (lo < hi) {
			size_t mid = lo + (hi - lo) / 2;

			if (items[tops[mid]].b < items[i].b)
				lo = mid + 1;
			else
				hi = mid;
		}
		items[i].before = lo ? tops[lo - 1] + 1 : 0;
		tops[lo] = i;
		piles += lo == piles;
	}
	last = piles ? tops[piles - 1] + 1 : 0;
	free(tops);
	return last;
}

/* The longest common subsequence of a block without lines that are there once. */
static void line_map_common(struct mapping *m, const struct block *x)
{
	enum { CELLS_MAX = 1 << 20 };
	size_t n = x->a_end - x->a, k = x->b_end - x->b;
	uint32_t *best;

	if (!n || !k || n > CELLS_MAX / k)
		return;
	best = mem_zarray((n + 1) * (k + 1), sizeof *best);
	for (size_t i = n; i-- > 0;)
		for (size_t j = k; j-- > 0;) {
			uint32_t down = best[(i + 1) * (k + 1) + j],
				 right = best[i * (k + 1) + j + 1];

			best[i * (k + 1) + j] = m->a.items[x->a + i] == m->b.items[x->b + j]
						    ? best[(i + 1) * (k + 1) + j + 1] + 1
						: down > right ? down
							       : right;
		}
	for (size_t i = 0, j = 0; i < n && j < k;) {
		if (m->a.items[x->a + i] == m->b.items[x->b + j])
			map_line(m, x->a + i++, x->b + j++);
		else if (best[(i + 1) * (k + 1) + j] >= best[i * (k + 1) + j + 1])
			i++;
		else
			j++;
	}
	free(best);
}

/* The blocks between lines that are there once, to be done likewise. */
static void line_map_block(struct mapping *m, struct block x, struct block **left, size_t *n_left,
			   size_t *cap)
{
	struct once *items;
	uint32_t last;
	size_t n;

	line_map_trim(m, &x);
	items = line_map_find_once(m, &x, &n);
	last = line_map_longest(items, n);
	if (!last)
		line_map_common(m, &x);
	while (last) {
		const struct once *o = &items[last - 1];

		map_line(m, o->a, o->b);
		VEC_PUSH(*left, *n_left, *cap) =
		    (struct block){o->a + 1, x.a_end, o->b + 1, x.b_end};
		x.a_end = o->a;
		x.b_end = o->b;
		last = o->before;
		if (!last)
			VEC_PUSH(*left, *n_left, *cap) = x;
	}
	free(items);
}

void line_map_add(struct matching_lines *to, uint32_t file_a, uint32_t file_b, const struct buf *a,
		  const struct buf *b)
{
	struct mapping m = {.to = NULL};
	struct block *left = NULL;
	size_t n = 0, cap = 0;

	line_map_split(&m.a, a);
	line_map_split(&m.b, b);
	m.to = mem_zarray(m.a.n + 1, sizeof *m.to);
	VEC_PUSH(left, n, cap) = (struct block){0, m.a.n, 0, m.b.n};
	while (n) {
		struct block x = left[--n];

		line_map_block(&m, x, &left, &n, &cap);
	}
	for (size_t i = 0; i < m.a.n; i++) {
		bool first = m.to[i] && (!i || !m.to[i - 1] || m.to[i - 1] + 1 != m.to[i]);
		bool last = m.to[i] && m.to[i + 1] != m.to[i] + 1;

		if (first || last)
			matching_lines_add(
			    to, (struct matching_anchor){file_a, file_b, (uint32_t)i + 1, m.to[i]});
	}
	free(m.a.items);
	free(m.b.items);
	free(m.to);
	free(left);
}
