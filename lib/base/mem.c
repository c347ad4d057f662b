/* SPDX-License-Identifier: MIT */
#include "lib/base/mem.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void (*mem_on_failure)(void);

static void fail(void)
{
	if (mem_on_failure)
		mem_on_failure();
	_exit(3);
}

static size_t product(size_t n, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes) || bytes > PTRDIFF_MAX)
		fail();
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
		fail();
	return p;
}

void *mem_zarray(size_t n, size_t size)
{
	void *p = calloc(1, product(n, size));

	if (!p)
		fail();
	return p;
}

void *mem_realloc(void *p, size_t n, size_t size)
{
	p = realloc(p, product(n, size));
	if (!p)
		fail();
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

void *mem_grow(void *p, size_t *cap, size_t need, size_t size)
{
	size_t n = *cap ? *cap : 16;

	while (n < need) {
		if (n > SIZE_MAX / 2)
			fail();
		n *= 2;
	}
	if (n == *cap)
		return p;
	*cap = n;
	return mem_realloc(p, n, size);
}
