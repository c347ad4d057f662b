/* SPDX-License-Identifier: MIT */
#include "lib/compat/print_many.h"

#include "lib/base/mem.h"
#include "lib/base/pool.h"

#include <stdlib.h>

enum { CHUNK = 8192 };

struct printing {
	struct printed *p;
	const uint32_t *order;
	size_t n;
	print_one_fn *one;
	void *arg;
};

static void print_chunk(size_t item, unsigned worker, void *arg)
{
	struct printing *g = arg;
	struct buf *b = &g->p->chunks[item];
	size_t end = (item + 1) * CHUNK < g->n ? (item + 1) * CHUNK : g->n, at = 0;

	(void)worker;
	for (size_t i = item * CHUNK; i < end; i++) {
		g->one(g->arg, b, g->order[i]);
		g->p->of[g->order[i]].n = b->len - at;
		at = b->len;
	}
	at = 0; /* only now do they stay where they are */
	for (size_t i = item * CHUNK; i < end; i++) {
		g->p->of[g->order[i]].s = buf_at(b, at);
		at += g->p->of[g->order[i]].n;
	}
}

void print_many(struct printed *p, const struct lookup *l, size_t n, print_one_fn *one, void *arg)
{
	uint32_t *order = mem_array(n, sizeof *order);
	bool *done = mem_zalloc(n + 1);
	struct printing g = {.p = p, .order = order, .n = n, .one = one, .arg = arg};
	size_t k = 0;

	for (size_t i = 0; i < l->n_order && i < n; i++) {
		order[k++] = l->order[i];
		done[l->order[i]] = true;
	}
	for (size_t i = 0; i < n; i++)
		if (!done[i])
			order[k++] = (uint32_t)i;
	free(done);
	p->n_chunks = (n + CHUNK - 1) / CHUNK;
	p->chunks = mem_zarray(p->n_chunks, sizeof *p->chunks);
	p->of = mem_array(n, sizeof *p->of);
	pool_run(l->options.dwarf.jobs, p->n_chunks, print_chunk, &g);
	free(order);
}

void printed_release(struct printed *p)
{
	for (size_t i = 0; i < p->n_chunks; i++)
		buf_release(&p->chunks[i]);
	free(p->chunks);
	free(p->of);
	*p = (struct printed){.n_chunks = 0};
}
