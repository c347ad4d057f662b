/* SPDX-License-Identifier: MIT */
#include "lib/dwarf/fast/near.h"

#include "lib/base/mem.h"
#include "lib/base/pages.h"
#include "lib/object/map.h"

#include <stdlib.h>

enum { MOST = 64 << 20, FIRST = 64 << 10 };

static void make_room(struct fast_near *x, size_t kept, size_t n)
{
	size_t cap = x->cap ? x->cap : FIRST;
	uint8_t *p;

	if (n <= x->cap)
		return;
	while (cap < n)
		cap *= 2;
	p = pages_alloc(cap);
	if (kept)
		memcpy(p, x->p, kept);
	free(x->p);
	x->p = p;
	x->cap = cap;
}

bool fast_near_bring(struct fast_near *x, const struct fast_file *f, enum fast_section s,
		     uint64_t from, uint64_t n)
{
	size_t kept = x->f == f && x->from == from ? x->n : 0;

	if (!f->map[s] || n > MOST)
		return false;
	if (kept >= n)
		return true;
	make_room(x, kept, (size_t)n);
	map_copy(f->map[s], f->in[s].p + from + kept, (size_t)n - kept, x->p + kept);
	x->f = f;
	x->from = from;
	x->n = (size_t)n;
	return true;
}

void fast_near_release(struct fast_near *x)
{
	free(x->p);
	*x = (struct fast_near){.n = 0};
}
