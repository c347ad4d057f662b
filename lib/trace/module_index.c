/* SPDX-License-Identifier: MIT */
#include "lib/trace/module_index.h"

#include "lib/base/mem.h"
#include "lib/base/sort.h"

#include <stdlib.h>

/* A module is there during an interval of (process, epoch), taken as one number. A segment tree
 * over these keeps in each node the ranges that are there during all of the node's interval, cut
 * into pieces that do not overlap. With one process and one epoch it has one node of use. */
struct piece {
	uint64_t lo, hi;
	uint32_t module, range;
};

struct node {
	struct piece *pieces; /* ascending, disjoint once built */
	size_t n, cap;
};

struct module_index {
	const struct trace *t;
	uint64_t *bounds; /* of (process, epoch) intervals, ascending, unique */
	size_t n_bounds;
	struct node *nodes; /* [1, 2 * n_leaves): the tree, leaves last */
	size_t n_leaves;
};

static uint64_t when(uint32_t process, uint32_t epoch)
{
	return (uint64_t)process << 32 | epoch;
}

static uint64_t first_of(const struct module *m)
{
	return when(m->process, m->epoch_lo);
}

static uint64_t last_of(const struct module *m)
{
	return when(m->process, m->epoch_hi ? m->epoch_hi - 1 : UINT32_MAX);
}

static int module_index_u64_order(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* How many bounds are at or before key: the number of its leaf. */
static size_t leaf(const struct module_index *x, uint64_t key)
{
	return BISECT(i, 0, x->n_bounds, x->bounds[i] <= key);
}

static void module_index_find_bounds(struct module_index *x)
{
	size_t n = 0;

	x->bounds = mem_array(x->t->n_modules * 2, sizeof *x->bounds);
	for (size_t i = 1; i < x->t->n_modules; i++) {
		const struct module *m = &x->t->modules[i];

		if (!m->n_ranges)
			continue;
		x->bounds[n++] = first_of(m);
		if (last_of(m) != UINT64_MAX)
			x->bounds[n++] = last_of(m) + 1;
	}
	sort_array(x->bounds, n, sizeof *x->bounds, module_index_u64_order);
	for (size_t i = 0; i < n; i++)
		if (!x->n_bounds || x->bounds[x->n_bounds - 1] != x->bounds[i])
			x->bounds[x->n_bounds++] = x->bounds[i];
}

static void add_ranges(struct node *node, const struct module *m, uint32_t id)
{
	for (uint32_t r = 0; r < m->n_ranges; r++)
		if (m->ranges[r].lo < m->ranges[r].hi)
			VEC_PUSH(node->pieces, node->n, node->cap) =
			    (struct piece){m->ranges[r].lo, m->ranges[r].hi, id, r};
}

static bool before(const struct piece *a, const struct piece *b)
{
	return a->module != b->module ? a->module < b->module : a->range < b->range;
}

static int module_index_piece_order(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;

	if (x->lo != y->lo)
		return x->lo < y->lo ? -1 : 1;
	return before(x, y) ? -1 : before(y, x);
}

static void heap_push(struct piece *heap, size_t n, const struct piece *p)
{
	for (; n && before(p, &heap[(n - 1) / 2]); n = (n - 1) / 2)
		heap[n] = heap[(n - 1) / 2];
	heap[n] = *p;
}

/* Takes the first out; n is how many remain. */
static void heap_pop(struct piece *heap, size_t n)
{
	struct piece p = heap[n];
	size_t i = 0;

	for (size_t child; (child = 2 * i + 1) < n; i = child) {
		if (child + 1 < n && before(&heap[child + 1], &heap[child]))
			child++;
		if (before(&p, &heap[child]))
			break;
		heap[i] = heap[child];
	}
	heap[i] = p;
}

/* Goes up the addresses; the heap holds the ranges begun, the first module's on top. */
static void module_index_cut(struct node *node)
{
	struct piece *heap = mem_array(node->n, sizeof *heap);
	struct node out = {0};
	size_t n_heap = 0, i = 0;
	uint64_t at = 0;

	sort_array(node->pieces, node->n, sizeof *node->pieces, module_index_piece_order);
	while (n_heap || i < node->n) {
		uint64_t next;

		if (!n_heap)
			at = node->pieces[i].lo;
		for (; i < node->n && node->pieces[i].lo <= at; i++)
			heap_push(heap, n_heap++, &node->pieces[i]);
		if (heap[0].hi <= at) {
			heap_pop(heap, --n_heap);
			continue;
		}
		next = heap[0].hi;
		if (i < node->n && node->pieces[i].lo < next)
			next = node->pieces[i].lo;
		VEC_PUSH(out.pieces, out.n, out.cap) =
		    (struct piece){at, next, heap[0].module, heap[0].range};
		at = next;
	}
	free(heap);
	free(node->pieces);
	*node = out;
}

struct module_index *module_index_new(const struct trace *t)
{
	struct module_index *x = mem_zalloc(sizeof *x);

	x->t = t;
	module_index_find_bounds(x);
	x->n_leaves = x->n_bounds + 1;
	x->nodes = mem_zarray(2 * x->n_leaves, sizeof *x->nodes);
	for (uint32_t id = 1; id < t->n_modules; id++) {
		const struct module *m = &t->modules[id];
		size_t from, end;

		if (!m->n_ranges || first_of(m) > last_of(m))
			continue;
		from = leaf(x, first_of(m)) + x->n_leaves;
		end = leaf(x, last_of(m)) + 1 + x->n_leaves;
		for (; from < end; from /= 2, end /= 2) {
			if (from & 1)
				add_ranges(&x->nodes[from++], m, id);
			if (end & 1)
				add_ranges(&x->nodes[--end], m, id);
		}
	}
	for (size_t i = 1; i < 2 * x->n_leaves; i++)
		if (x->nodes[i].n)
			module_index_cut(&x->nodes[i]);
	return x;
}

void module_index_free(struct module_index *x)
{
	if (!x)
		return;
	for (size_t i = 1; i < 2 * x->n_leaves; i++)
		free(x->nodes[i].pieces);
	free(x->nodes);
	free(x->bounds);
	free(x);
}

static const struct piece *piece_at(const struct node *node, uint64_t addr)
{
	size_t lo = BISECT(i, 0, node->n, node->pieces[i].hi <= addr);

	return lo < node->n && node->pieces[lo].lo <= addr ? &node->pieces[lo] : NULL;
}

const struct module *module_index_at(const struct module_index *x, uint32_t process, uint32_t epoch,
				     uint64_t addr, const struct map_range **range)
{
	const struct piece *best = NULL;
	const struct module *m;

	for (size_t i = leaf(x, when(process, epoch)) + x->n_leaves; i; i /= 2) {
		const struct piece *p = piece_at(&x->nodes[i], addr);

		if (p && (!best || before(p, best)))
			best = p;
	}
	if (!best)
		return NULL;
	m = &x->t->modules[best->module];
	*range = &m->ranges[best->range];
	return m;
}
