/* SPDX-License-Identifier: MIT */
#include "lib/compat/print_many.h"

#include "lib/base/mem.h"
#include "lib/base/pool.h"

#include <pthread.h>
#include <stdlib.h>

enum { BLOCK = 1024 }; /* queries */

struct printing {
	size_t n;
	print_some_fn *some;
	print_out_fn *out;
	void *arg;
	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t moved;
	size_t next;  /* the block that goes out next */
	bool writing; /* a worker is at it */
	bool enough;
	size_t n_slots;
	struct slot { /* of block i: i % n_slots */
		struct buf text;
		bool full;
	} * slots;
};

/* All that is ready goes out, by one worker, while others print on. */
static void print_many_put_ready(struct printing *g)
{
	struct slot *s = &g->slots[g->next % g->n_slots];

	if (g->writing)
		return;
	g->writing = true;
	for (; s->full; s = &g->slots[g->next % g->n_slots]) {
		bool more = !g->enough;

		pthread_mutex_unlock(&g->lock);
		more = more && g->out(g->arg, s->text.data, s->text.len);
		s->text.len = 0;
		pthread_mutex_lock(&g->lock);
		s->full = false;
		g->enough |= !more;
		g->next++;
		pthread_cond_broadcast(&g->moved);
	}
	g->writing = false;
}

static void print_block(size_t item, unsigned worker, void *arg)
{
	struct printing *g = arg;
	struct slot *s = &g->slots[item % g->n_slots];
	size_t end = (item + 1) * BLOCK < g->n ? (item + 1) * BLOCK : g->n;
	bool enough;

	(void)worker;
	pthread_mutex_lock(&g->lock);
	while (item >= g->next + g->n_slots)
		pthread_cond_wait(&g->moved, &g->lock);
	enough = g->enough;
	pthread_mutex_unlock(&g->lock);
	if (!enough)
		g->some(g->arg, &s->text, item * BLOCK, end);
	pthread_mutex_lock(&g->lock);
	s->full = true;
	print_many_put_ready(g);
	pthread_mutex_unlock(&g->lock);
}

void print_many(unsigned jobs, size_t n, print_some_fn *some, print_out_fn *out, void *arg)
{
	struct printing g = {.n = n, .some = some, .out = out, .arg = arg};

	g.n_slots = jobs ? 2 * (size_t)jobs : 2;
	g.slots = mem_zarray(g.n_slots, sizeof *g.slots);
	pthread_mutex_init(&g.lock, NULL);
	pthread_cond_init(&g.moved, NULL);
	pool_run(jobs, (n + BLOCK - 1) / BLOCK, print_block, &g);
	pthread_cond_destroy(&g.moved);
	pthread_mutex_destroy(&g.lock);
	for (size_t i = 0; i < g.n_slots; i++)
		buf_release(&g.slots[i].text);
	free(g.slots);
}
