/* SPDX-License-Identifier: MIT
 *
 * As much of a C library as the example needs where there is none: emscripten and WASI have theirs. Nothing is given back.
 */
#include "stdlib.h"
#include "string.h"

#include <stdint.h>

enum { HEAD = 16, PAGE = 65536, GROW = 16 };

extern unsigned char __heap_base; /* the linker's */

void *memcpy(void *to, const void *from, size_t n)
{
	for (size_t i = 0; i < n; i++)
		((char *)to)[i] = ((const char *)from)[i];
	return to;
}

void *memset(void *to, int byte, size_t n)
{
	for (size_t i = 0; i < n; i++)
		((char *)to)[i] = (char)byte;
	return to;
}

void *malloc(size_t n)
{
	static uintptr_t top;
	size_t *p;

	if (!top)
		top = ((uintptr_t)&__heap_base + HEAD - 1) / HEAD * HEAD;
	p = (size_t *)top;
	top += HEAD + (n + HEAD - 1) / HEAD * HEAD;
	while (top > (uintptr_t)__builtin_wasm_memory_size(0) * PAGE)
		if (__builtin_wasm_memory_grow(0, GROW) == (size_t)-1)
			return NULL;
	*p = n;
	return (char *)p + HEAD;
}

void *calloc(size_t n, size_t each)
{
	void *p = malloc(n * each);

	return p ? memset(p, 0, n * each) : NULL;
}

void *realloc(void *old, size_t n)
{
	void *p = malloc(n);
	size_t had = old ? *(size_t *)((char *)old - HEAD) : 0;

	return p && old ? memcpy(p, old, had < n ? had : n) : p;
}

void free(void *p)
{
	(void)p;
}
