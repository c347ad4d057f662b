/* SPDX-License-Identifier: MIT */
#include "lib/managed/jit_map.h"

#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/sort.h"

#include <stdlib.h>

enum { LINE_LIMIT = 1 << 20 };

/* Lines in their order; then by address, and a heap of those that hold the present one. */
struct lines {
	struct line {
		uint64_t lo, hi;
		uint32_t name, order;
	} * all;
	size_t n, cap;
	const struct line **heap; /* the latest first */
	size_t n_heap;
};

static bool hex_word(const char **s, size_t *n, uint64_t *v)
{
	size_t k = *n > 1 && (*s)[0] == '0' && ((*s)[1] | 0x20) == 'x' ? 2 : 0, from = k;

	while (k < *n && (*s)[k] != ' ' && (*s)[k] != '\t')
		k++;
	if (k >= *n || !num_hex(*s + from, k - from, v))
		return false;
	while (k < *n && ((*s)[k] == ' ' || (*s)[k] == '\t'))
		k++;
	*s += k;
	*n -= k;
	return true;
}

static void parse_line(struct jit_map *m, struct lines *l, const char *s, size_t n)
{
	uint32_t order = (uint32_t)l->n;
	uint64_t lo, size;

	if (!n)
		return;
	if (!hex_word(&s, &n, &lo) || !hex_word(&s, &n, &size) || !n || lo + size < lo) {
		m->odd++;
		return;
	}
	m->lines++;
	if (size)
		VEC_PUSH(l->all, l->n, l->cap) =
		    (struct line){lo, lo + size, intern_add(&m->names, s, n), order};
}

static int jit_map_by_address(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	if (x->lo != y->lo)
		return x->lo < y->lo ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

static void swap(struct lines *l, size_t a, size_t b)
{
	const struct line *t = l->heap[a];

	l->heap[a] = l->heap[b];
	l->heap[b] = t;
}

static void push(struct lines *l, const struct line *x)
{
	size_t i = l->n_heap++;

	l->heap[i] = x;
	for (; i && l->heap[(i - 1) / 2]->order < l->heap[i]->order; i = (i - 1) / 2)
		swap(l, i, (i - 1) / 2);
}

static void pop(struct lines *l)
{
	size_t i = 0;

	l->heap[0] = l->heap[--l->n_heap];
	for (;;) {
		size_t k = 2 * i + 1;

		if (k >= l->n_heap)
			return;
		if (k + 1 < l->n_heap && l->heap[k + 1]->order > l->heap[k]->order)
			k++;
		if (l->heap[i]->order >= l->heap[k]->order)
			return;
		swap(l, i, k);
		i = k;
	}
}

static void add_span(struct jit_map *m, size_t *cap, uint64_t lo, uint64_t hi, uint32_t name)
{
	if (m->n && m->spans[m->n - 1].hi == lo && m->spans[m->n - 1].name == name)
		m->spans[m->n - 1].hi = hi;
	else if (lo < hi)
		VEC_PUSH(m->spans, m->n, *cap) = (struct jit_span){lo, hi, name};
}

/* From place to place where a line begins or the one in force ends. */
static void jit_map_into_spans(struct jit_map *m, struct lines *l)
{
	size_t next = 0, cap = 0;
	uint64_t at = 0;

	if (l->n)
		sort_array(l->all, l->n, sizeof *l->all, jit_map_by_address);
	l->heap = mem_array(l->n, sizeof *l->heap);
	while (next < l->n || l->n_heap) {
		const struct line *top;
		uint64_t end;

		while (l->n_heap && l->heap[0]->hi <= at)
			pop(l);
		if (!l->n_heap && next < l->n && l->all[next].lo > at)
			at = l->all[next].lo;
		while (next < l->n && l->all[next].lo <= at)
			push(l, &l->all[next++]);
		if (!l->n_heap)
			continue;
		top = l->heap[0];
		if (top->hi <= at) {
			pop(l);
			continue;
		}
		end = next < l->n && l->all[next].lo < top->hi ? l->all[next].lo : top->hi;
		add_span(m, &cap, at, end, top->name);
		at = end;
	}
}

enum status jit_map_read(struct jit_map *m, struct cursor *in, struct err *e)
{
	struct lines l = {.n = 0};
	const char *line;
	size_t n;

	while ((line = cursor_line(in, &n, LINE_LIMIT)))
		parse_line(m, &l, line, n);
	if (!cursor_failed(in))
		jit_map_into_spans(m, &l);
	free(l.heap);
	free(l.all);
	if (cursor_failed(in))
		return err_failure(e);
	if (!m->lines)
		return err_set(e, ST_BAD, "no line is an address, a size and a name");
	return ST_OK;
}

const char *jit_map_at(const struct jit_map *m, uint64_t addr)
{
	size_t lo = BISECT(i, 0, m->n, m->spans[i].lo <= addr);

	if (!lo || addr >= m->spans[lo - 1].hi)
		return NULL;
	return intern_text(&m->names, m->spans[lo - 1].name, NULL);
}

void jit_map_release(struct jit_map *m)
{
	intern_release(&m->names);
	free(m->spans);
	*m = (struct jit_map){.n = 0};
}
