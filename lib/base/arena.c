/* SPDX-License-Identifier: MIT */
#include "lib/base/arena.h"

#include "lib/base/mem.h"
#include "lib/base/pages.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct arena_block {
	struct arena_block *next;
	size_t size;
};

enum { ALIGN = 16, FIRST = 8 << 10, LARGE = 1 << 20, LARGEST = 4 << 20 };

static void *from_new_block(struct arena *a, size_t size)
{
	size_t want = a->head ? a->head->size * 2 : FIRST;
	struct arena_block *b;

	if (want >= LARGE - ALIGN)
		want = LARGEST - ALIGN;
	if (want < size)
		want = size;
	b = pages_alloc(ALIGN + want);
	b->next = a->head;
	b->size = want;
	a->head = b;
	a->total += ALIGN + want;
	a->pos = (char *)b + ALIGN + size;
	a->end = (char *)b + ALIGN + want;
	return (char *)b + ALIGN;
}

void *arena_alloc(struct arena *a, size_t size)
{
	size_t skip = -(uintptr_t)a->pos & (ALIGN - 1); /* texts end anywhere */

	if (size > PTRDIFF_MAX / 2)
		return mem_alloc(SIZE_MAX); /* ends the program as out of memory */
	if (!a->pos || size + skip > (size_t)(a->end - a->pos))
		return from_new_block(a, size);
	a->pos += skip + size;
	return a->pos - size;
}

void *arena_zalloc(struct arena *a, size_t size)
{
	return memset(arena_alloc(a, size), 0, size);
}

char *arena_strndup(struct arena *a, const char *s, size_t n)
{
	char *p = a->pos;

	if (p && n < (size_t)(a->end - p))
		a->pos += n + 1;
	else
		p = arena_alloc(a, n + 1);
	if (n)
		memcpy(p, s, n);
	p[n] = '\0';
	return p;
}

void arena_release(struct arena *a)
{
	while (a->head) {
		struct arena_block *b = a->head;

		a->head = b->next;
		free(b);
	}
	*a = (struct arena)ARENA_INIT;
}
