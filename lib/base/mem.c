/* SPDX-License-Identifier: MIT */
#include "lib/base/mem.h"

#include "lib/base/resource_scope.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LARGE = 1 << 20 };

void (*mem_on_failure)(void);

void mem_exhausted(void)
{
#ifdef TM_LIBRARY
	resource_scope_leave(RESOURCE_SCOPE_NO_MEMORY);
#endif
	if (mem_on_failure)
		mem_on_failure();
	_exit(3);
}

static size_t product(size_t n, size_t size)
{
	size_t bytes;

	resource_scope_poll();
	if (__builtin_mul_overflow(n, size, &bytes) || bytes > PTRDIFF_MAX)
		mem_exhausted();
	return bytes ? bytes : 1;
}

void *mem_alloc(size_t size)
{
	return mem_array(1, size);
}

void *mem_zalloc(size_t size)
{
	return mem_zarray(1, size);
}

void *mem_array(size_t n, size_t size)
{
	void *p = malloc(product(n, size));

	if (!p)
		mem_exhausted();
	return p;
}

void *mem_zarray(size_t n, size_t size)
{
	void *p = calloc(1, product(n, size));

	if (!p)
		mem_exhausted();
	return p;
}

void *mem_realloc(void *p, size_t n, size_t size)
{
	p = realloc(p, product(n, size));
	if (!p)
		mem_exhausted();
	return p;
}

char *mem_strdup(const char *s)
{
	return mem_strndup(s, strlen(s));
}

char *mem_strndup(const char *s, size_t n)
{
	char *p = mem_alloc(n + 1);

	if (n)
		memcpy(p, s, n);
	p[n] = '\0';
	return p;
}

/* To a new block with room for n elements, of which the first used ones are copied. */
static void *moved(void *p, size_t used, size_t n, size_t size)
{
	void *to = mem_array(n, size);

	if (used)
		memcpy(to, p, used * size);
	free(p);
	return to;
}

/* In checked builds, where arrays move at some of their pushes: see mem.h. */
static bool is_time_to_move(size_t need)
{
	return MEM_MOVES && need % (need / 64 + 1) == 0;
}

void *mem_grow(void *p, size_t *cap, size_t need, size_t size)
{
	size_t n = *cap ? *cap : 16, had = *cap;

	while (n < need) {
		if (n > SIZE_MAX / 2)
			mem_exhausted();
		n += n > LARGE / size ? n / 4 + 1 : n;
	}
	*cap = n;
	if (is_time_to_move(need) || (MEM_MOVES && n != had))
		return moved(p, had, n, size);
	return n == had ? p : mem_realloc(p, n, size);
}

void *mem_push(void *p, size_t *cap, size_t n, size_t size)
{
	if (n >= *cap)
		return mem_grow(p, cap, n + 1, size);
	return is_time_to_move(n + 1) ? moved(p, n, *cap, size) : p;
}

void *mem_grow_zero(void *p, size_t *cap, size_t need, size_t size)
{
	size_t old = *cap;

	if (need <= old)
		return p;
	p = mem_grow(p, cap, need, size);
	memset((char *)p + old * size, 0, (*cap - old) * size);
	return p;
}
