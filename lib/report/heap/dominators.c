/* SPDX-License-Identifier: MIT */
#include "lib/report/heap/dominators.h"

#include "lib/base/mem.h"
#include "lib/base/pages.h"

#include <stdlib.h>
#include <string.h>

/* What is far ahead is asked of the memory early: nearly all time is waiting for it. */
enum { AHEAD = 8, AHEAD_OUT = 8, AHEAD_ACROSS = 16 };

/* Vertices go by their numbers in the order of a depth-first search from the root, which is 0. A
 * reference either goes on to what is new, or to what is beneath its source in the search's tree,
 * where it only lowers a semidominator, or across: only these are kept, by their target. */
struct search {
	const struct heap *h;
	uint32_t n;         /* found so far, the root included */
	uint32_t n_reached; /* of them by a path from the root; 0: not known yet */
	uint32_t *number;   /* object -> number, 0: not found (but the root's is 0) */
	uint32_t *vertex;   /* number -> object */
	uint32_t *parent;   /* then the dominator */
	uint32_t *next;     /* the reference to follow next; then the semidominator */
	uint32_t *least;    /* the semidominator, as far as it is known without those across */
	uint32_t *across; /* how many references across lead here; then where those before it end */
	size_t n_across;
	uint32_t *from; /* of references across, by target */
	struct up {
		uint32_t to;    /* upwards: the path compressed; then a skip in the dominators */
		uint32_t least; /* semidominator on the way there; then the depth */
	} * up;
	uint32_t *path;
	size_t cap_path;
};

static void found(struct search *f, uint32_t object, uint32_t parent)
{
	const struct heap *h = f->h;
	uint32_t first = h->out_start[object], end = h->out_start[object + 1];

	f->vertex[f->n] = object;
	f->parent[f->n] = f->least[f->n] = parent;
	f->across[f->n] = 0;
	f->next[f->n] = first;
	f->number[object] = f->n++;
	for (uint32_t r = first; r < end && r < first + AHEAD_OUT; r++)
		__builtin_prefetch(&f->number[h->out[r]]);
}

/* Not from what no root reaches to what one reaches. While the latter is searched, n_reached is 0; it is the same later, as
 * all that is found until then is reached. */
static bool is_across(const struct search *f, uint32_t from, uint32_t to)
{
	return to < from && (to >= f->n_reached || from < f->n_reached);
}

/* A reference to what was found before. */
static void dominators_again(struct search *f, uint32_t from, uint32_t to)
{
	if (to >= from) {
		if (f->least[to] > from)
			f->least[to] = from;
		return;
	}
	if (!is_across(f, from, to))
		return;
	f->n_across++;
	f->across[to]++;
}

/* All that can be reached from the vertex that was just found. */
static void dominators_descend(struct search *f)
{
	const struct heap *h = f->h;
	uint32_t first = f->n - 1, top = first;

	for (;;) {
		uint32_t r = f->next[top], end = h->out_start[f->vertex[top] + 1];

		for (; r < end; r++) {
			uint32_t to = h->out[r];

			if (!f->number[to])
				break;
			dominators_again(f, top, f->number[to]);
		}
		if (r < end) {
			f->next[top] = r + 1;
			found(f, h->out[r], top);
			top = f->n - 1;
		} else if (top == first) {
			return;
		} else {
			top = f->parent[top];
		}
	}
}

static void dominators_search(struct search *f)
{
	const struct heap *h = f->h;
	bool *held = mem_zarray((size_t)h->n + 1, sizeof *held);

	for (uint32_t r = 0; r < h->n_references; r++)
		held[h->out[r]] = true;
	found(f, 0, 0);
	dominators_descend(f);
	f->n_reached = f->n;
	for (uint32_t i = 1; i <= h->n; i++)
		if (!f->number[i] && !held[i]) {
			found(f, i, 0);
			dominators_descend(f);
		}
	for (uint32_t i = 1; i <= h->n; i++)
		if (!f->number[i]) {
			found(f, i, 0);
			dominators_descend(f);
		}
	free(held);
}

/* The least semidominator on v's way up to the last vertex that is not done. */
static uint32_t eval(struct search *f, uint32_t v, uint32_t last)
{
	struct up *up = f->up;
	size_t depth = 0;

	for (uint32_t u = v; up[u].to > last; u = up[u].to)
		VEC_PUSH(f->path, depth, f->cap_path) = u;
	while (depth) {
		struct up *u = &up[f->path[--depth]], *a = &up[u->to];

		if (a->least < u->least)
			u->least = a->least;
		u->to = a->to;
	}
	return up[v].least;
}

/* They are looked for again, by the final numbers: a list of them would need more memory than all else here. */
static void dominators_sort_across(struct search *f)
{
	const struct heap *h = f->h;
	uint32_t at = 0;

	f->from = pages_array(f->n_across, sizeof *f->from);
	for (uint32_t w = 0; w < f->n; w++) {
		at += f->across[w];
		f->across[w] = at;
	}
	for (uint32_t w = f->n; w-- > 0;) {
		uint32_t first = h->out_start[f->vertex[w]], r = h->out_start[f->vertex[w] + 1];

		while (r-- > first) {
			uint32_t to = f->number[h->out[r]];

			if (is_across(f, w, to))
				f->from[--f->across[to]] = w;
		}
	}
}

static void semidominators(struct search *f)
{
	uint32_t *semi = f->next, i = (uint32_t)f->n_across;

	for (uint32_t w = f->n - 1; w > 0; w--) {
		uint32_t least = f->least[w];

		for (; i > f->across[w]; i--) {
			uint32_t u = eval(f, f->from[i - 1], w);

			least = u < least ? u : least;
			if (i <= 2 * AHEAD_ACROSS)
				continue;
			__builtin_prefetch(&f->up[f->from[i - 2 * AHEAD_ACROSS]]);
			/* What is not done yet leads down to where nothing needs to be looked at. */
			u = f->from[i - AHEAD_ACROSS];
			if (u > w)
				__builtin_prefetch(&f->up[f->up[u].to]);
		}
		semi[w] = least;
		f->up[w] = (struct up){f->parent[w], least};
	}
}

/* The dominator of w is the lowest vertex above its parent in the tree of dominators that is not
 * below its semidominator (Georgiadis). It is looked for with one more link each, to a vertex that
 * is farther up by Myers' skew binary numbers, so that a path of any length is O(log n). */
static void dominators(struct search *f)
{
	struct up *up = f->up;
	uint32_t *idom = f->parent, *semi = f->next;

	up[0] = (struct up){0, 0};
	for (uint32_t w = 1; w < f->n; w++) {
		uint32_t d = idom[w], far, depth;

		while (d > semi[w])
			d = up[d].to >= semi[w] ? up[d].to : idom[d];
		idom[w] = d;
		far = up[d].to;
		depth = up[d].least;
		if (depth - up[far].least == up[far].least - up[up[far].to].least)
			d = up[far].to;
		up[w] = (struct up){d, depth + 1};
	}
}

void heap_dominators_init(struct heap_dominators *d, const struct heap *h)
{
	size_t n = (size_t)h->n + 1;
	struct search f = {.h = h};

	f.number = memset(pages_array(n, sizeof *f.number), 0, n * sizeof *f.number);
	f.vertex = pages_array(n, sizeof *f.vertex);
	f.parent = pages_array(n, sizeof *f.parent);
	f.next = pages_array(n, sizeof *f.next);
	f.least = pages_array(n, sizeof *f.least);
	f.across = pages_array(n, sizeof *f.across);
	dominators_search(&f);
	*d = (struct heap_dominators){.top = mem_zarray(n, sizeof *d->top)};
	for (uint32_t w = 1; w < f.n; w++)
		d->top[f.vertex[w]] = !f.parent[w];
	dominators_sort_across(&f);
	free(f.number);
	f.up = pages_array(n, sizeof *f.up);
	semidominators(&f);
	free(f.least);
	free(f.across);
	free(f.from);
	free(f.path);
	dominators(&f);
	free(f.up);
	free(f.next);
	d->idom = pages_array(n, sizeof *d->idom);
	d->idom[0] = 0;
	for (uint32_t w = 1; w < f.n; w++)
		d->idom[f.vertex[w]] = f.vertex[f.parent[w]];
	free(f.parent);
	/* Without the root, which is the first. */
	memmove(f.vertex, f.vertex + 1, (n - 1) * sizeof *f.vertex);
	d->order = f.vertex;
}

void heap_dominators_release(struct heap_dominators *d)
{
	free(d->idom);
	free(d->order);
	free(d->top);
	*d = (struct heap_dominators){0};
}

void heap_held_init(struct heap_held *s, const struct heap_dominators *d, const struct heap *h)
{
	size_t n = (size_t)h->n + 1;

	*s = (struct heap_held){pages_array(n, sizeof *s->bytes), pages_array(n, sizeof *s->count)};
	for (uint32_t i = 0; i <= h->n; i++) {
		s->bytes[i] = h->flags[i] & HEAP_SIZED ? heap_size(h, i) : 0;
		s->count[i] = h->flags[i] & HEAP_LISTED ? 1 : 0;
	}
	for (uint32_t k = h->n; k-- > 0;) {
		uint32_t v = d->order[k], up = d->idom[v];
		uint64_t sum = s->bytes[up] + s->bytes[v];

		if (k >= 2 * AHEAD)
			__builtin_prefetch(&d->idom[d->order[k - 2 * AHEAD]]);
		if (k >= AHEAD) {
			__builtin_prefetch(&s->bytes[d->order[k - AHEAD]]);
			__builtin_prefetch(&s->bytes[d->idom[d->order[k - AHEAD]]], 1);
			__builtin_prefetch(&s->count[d->order[k - AHEAD]]);
		}
		s->bytes[up] = sum < s->bytes[v] ? UINT64_MAX : sum;
		s->count[up] += s->count[v];
	}
}

void heap_held_release(struct heap_held *s)
{
	free(s->bytes);
	free(s->count);
	*s = (struct heap_held){0};
}
