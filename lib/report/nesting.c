/* SPDX-License-Identifier: MIT */
#include "lib/report/nesting.h"

#include "lib/base/mem.h"
#include "lib/report/sums.h"

#include <stdlib.h>
#include <string.h>

static void forget(struct nesting_thread *t)
{
	t->n = 0;
	t->deep = 0;
	t->has_last = false;
}

void nesting_reset(struct nesting *n)
{
	for (size_t i = 0; i < n->n; i++)
		forget(&n->threads[i]);
	n->orphans = n->unclosed = n->too_deep = n->backward = 0;
}

void nesting_release(struct nesting *n)
{
	for (size_t i = 0; i < n->n; i++)
		free(n->threads[i].calls);
	free(n->threads);
	*n = (struct nesting){.n = 0};
}

struct nesting_thread *nesting_thread(struct nesting *n, uint32_t thread)
{
	if (thread >= n->n) {
		n->threads = mem_grow(n->threads, &n->cap, (size_t)thread + 1, sizeof *n->threads);
		memset(n->threads + n->n, 0, (n->cap - n->n) * sizeof *n->threads);
		n->n = n->cap;
	}
	return &n->threads[thread];
}

int64_t nesting_elapsed(struct nesting *n, struct nesting_thread *t, int64_t now)
{
	int64_t ns = 0;

	if (t->has_last && (__builtin_sub_overflow(now, t->last, &ns) || ns < 0)) {
		n->backward++;
		ns = 0;
	}
	t->last = now;
	t->has_last = true;
	return ns;
}

bool nesting_enter(struct nesting *n, struct nesting_thread *t, const struct nesting_call *c)
{
	if (t->n >= NESTING_DEPTH || t->deep) {
		t->deep++;
		n->too_deep++;
		return false;
	}
	VEC_PUSH(t->calls, t->n, t->cap) = *c;
	return true;
}

size_t nesting_exit(struct nesting *n, struct nesting_thread *t, uint32_t type, uint32_t stack)
{
	size_t i = t->n, least = i > NESTING_SEARCH ? i - NESTING_SEARCH : 0;

	if (t->deep) {
		t->deep--;
		return 0;
	}
	if (!type && !stack && i)
		return 1;
	while (i > least && (t->calls[i - 1].type != type || t->calls[i - 1].stack != stack))
		i--;
	if (i == least) {
		n->orphans++;
		return 0;
	}
	n->unclosed += t->n - i;
	return t->n - i + 1;
}

struct nesting_call nesting_pop(struct nesting_thread *t)
{
	struct nesting_call c = t->calls[--t->n];

	if (t->n)
		t->calls[t->n - 1].total = add_signed(t->calls[t->n - 1].total, c.total);
	return c;
}
