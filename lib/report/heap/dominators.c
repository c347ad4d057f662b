/* SPDX-License-Identifier: MIT */
#include "lib/report/heap/dominators.h"

#include "lib/base/mem.h"

#include <stdlib.h>
#include <string.h>

/* Vertices go by their numbers in the order of a depth-first search from the root, which is 0. */
struct search {
	const struct heap *h;
	uint32_t n;         /* found so far, the root included */
	uint32_t n_reached; /* of them by a path from the root */
	uint32_t *vertex;   /* number -> object */
	uint32_t *number;   /* object -> number, 0: not found (but the root's is 0) */
	uint32_t *parent;
	uint32_t *next; /* object -> the reference to follow next; then of linked buckets */
	uint32_t *semi, *label, *ancestor, *idom, *bucket;
	uint32_t *in_start, *in;
	uint32_t *path; /* for compression */
};

static void found(struct search *f, uint32_t object, uint32_t parent)
{
	f->vertex[f->n] = object;
	f->parent[f->n] = parent;
	f->number[object] = f->n++;
}

/* All that can be reached from an object that was just found. */
static void dominators_descend(struct search *f, uint32_t object)
{
	uint32_t top = object;

	for (;;) {
		if (f->next[top] == f->h->out_start[top + 1]) {
			if (top == object)
				return;
			top = f->vertex[f->parent[f->number[top]]];
			continue;
		}
		uint32_t to = f->h->out[f->next[top]++];

		if (!f->number[to] && to) {
			found(f, to, f->number[top]);
			top = to;
		}
	}
}

static void dominators_search(struct search *f)
{
	const struct heap *h = f->h;

	memcpy(f->next, h->out_start, ((size_t)h->n + 1) * sizeof *f->next);
	found(f, 0, 0);
	dominators_descend(f, 0);
	f->n_reached = f->n;
	for (uint32_t i = 1; i <= h->n; i++)
		if (!f->number[i] && f->in_start[i] == f->in_start[i + 1]) {
			found(f, i, 0);
			dominators_descend(f, i);
		}
	for (uint32_t i = 1; i <= h->n; i++)
		if (!f->number[i]) {
			found(f, i, 0);
			dominators_descend(f, i);
		}
}

/* The vertex with the least semidominator on v's way up to its tree's root. */
static uint32_t eval(struct search *f, uint32_t v)
{
	uint32_t depth = 0;

	if (f->ancestor[v] == HEAP_NONE)
		return v;
	for (uint32_t u = v; f->ancestor[f->ancestor[u]] != HEAP_NONE; u = f->ancestor[u])
		f->path[depth++] = u;
	while (depth) {
		uint32_t u = f->path[--depth], a = f->ancestor[u];

		if (f->semi[f->label[a]] < f->semi[f->label[u]])
			f->label[u] = f->label[a];
		f->ancestor[u] = f->ancestor[a];
	}
	return f->label[v];
}

static void semidominator(struct search *f, uint32_t w)
{
	uint32_t object = f->vertex[w];

	if (!f->parent[w]) /* below the root, or one of our own making */
		f->semi[w] = 0;
	for (uint32_t i = f->in_start[object]; i < f->in_start[object + 1]; i++) {
		uint32_t v = f->in[i] ? f->number[f->in[i]] : 0, u;

		if (w < f->n_reached && v >= f->n_reached)
			continue;
		u = eval(f, v);
		if (f->semi[u] < f->semi[w])
			f->semi[w] = f->semi[u];
	}
}

static void dominators(struct search *f)
{
	for (uint32_t v = 0; v < f->n; v++) {
		f->semi[v] = f->label[v] = v;
		f->ancestor[v] = f->bucket[v] = HEAP_NONE;
	}
	for (uint32_t w = f->n - 1; w > 0; w--) {
		uint32_t p = f->parent[w];

		semidominator(f, w);
		f->next[w] = f->bucket[f->semi[w]];
		f->bucket[f->semi[w]] = w;
		f->ancestor[w] = p;
		for (uint32_t v = f->bucket[p]; v != HEAP_NONE; v = f->next[v]) {
			uint32_t u = eval(f, v);

			f->idom[v] = f->semi[u] < f->semi[v] ? u : p;
		}
		f->bucket[p] = HEAP_NONE;
	}
	f->idom[0] = 0;
	for (uint32_t w = 1; w < f->n; w++)
		if (f->idom[w] != f->semi[w])
			f->idom[w] = f->idom[f->idom[w]];
}

static void add_up(struct heap_dominators *d, const struct heap *h)
{
	for (uint32_t i = 0; i <= h->n; i++) {
		d->retained[i] = h->flags[i] & HEAP_SIZED ? h->sizes[i] : 0;
		d->count[i] = h->flags[i] & HEAP_LISTED ? 1 : 0;
	}
	for (uint32_t k = h->n; k-- > 0;) {
		uint32_t v = d->order[k], up = d->idom[v];
		uint64_t sum = d->retained[up] + d->retained[v];

		d->retained[up] = sum < d->retained[v] ? UINT64_MAX : sum;
		d->count[up] += d->count[v];
	}
}

void heap_dominators_init(struct heap_dominators *d, const struct heap *h)
{
	size_t n = (size_t)h->n + 1;
	struct search f = {.h = h};
	bool *top;

	heap_incoming(h, &f.in_start, &f.in);
	f.vertex = mem_array(n, sizeof *f.vertex);
	f.number = mem_zarray(n, sizeof *f.number);
	f.parent = mem_array(n, sizeof *f.parent);
	f.next = mem_array(n, sizeof *f.next);
	dominators_search(&f);
	f.semi = mem_array(n, sizeof *f.semi);
	f.label = mem_array(n, sizeof *f.label);
	f.ancestor = mem_array(n, sizeof *f.ancestor);
	f.idom = mem_array(n, sizeof *f.idom);
	f.bucket = mem_array(n, sizeof *f.bucket);
	f.path = mem_array(n, sizeof *f.path);
	dominators(&f);
	free(f.in_start);
	free(f.in);
	free(f.number);
	top = mem_zarray(n, sizeof *top);
	for (uint32_t w = 1; w < f.n; w++)
		top[f.vertex[w]] = !f.parent[w];
	free(f.parent);
	free(f.next);
	free(f.semi);
	free(f.label);
	free(f.ancestor);
	free(f.bucket);
	*d = (struct heap_dominators){.idom = f.path, .order = mem_array(n, sizeof *d->order)};
	d->idom[0] = 0;
	d->top = top;
	for (uint32_t w = 1; w < f.n; w++) {
		d->idom[f.vertex[w]] = f.vertex[f.idom[w]];
		d->order[w - 1] = f.vertex[w];
	}
	free(f.vertex);
	free(f.idom);
	d->retained = mem_array(n, sizeof *d->retained);
	d->count = mem_array(n, sizeof *d->count);
	add_up(d, h);
}

void heap_dominators_release(struct heap_dominators *d)
{
	free(d->idom);
	free(d->order);
	free(d->retained);
	free(d->count);
	free(d->top);
	*d = (struct heap_dominators){0};
}
