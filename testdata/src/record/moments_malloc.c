/* SPDX-License-Identifier: MIT
 *
 * An allocator for moments.c that may be interrupted by a handler that allocates: a counter moves
 * on, and nothing is given out again. It counts its calls in allocator_calls.
 */
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

void *malloc(size_t n);
void free(void *p);
void *calloc(size_t n, size_t size);
void *realloc(void *p, size_t n);
void *memalign(size_t align, size_t n);
void *aligned_alloc(size_t align, size_t n);
int posix_memalign(void **p, size_t align, size_t n);
size_t malloc_usable_size(void *p);

extern atomic_ulong allocator_calls;
atomic_ulong allocator_calls;

static _Alignas(4096) unsigned char room[256 << 20];
static atomic_size_t used;

/* Before each block is its size. */
static void *take(size_t align, size_t n)
{
	size_t at, to;

	allocator_calls++;
	if (align < 16)
		align = 16;
	at = atomic_fetch_add(&used, (n + 15) / 16 * 16 + 16 + align);
	to = (at + 16 + align - 1) / align * align;
	if (to + n > sizeof room)
		return NULL;
	memcpy(room + to - sizeof n, &n, sizeof n);
	return room + to;
}

size_t malloc_usable_size(void *p)
{
	size_t n = 0;

	if (p)
		memcpy(&n, (char *)p - sizeof n, sizeof n);
	return n;
}

void *malloc(size_t n)
{
	return take(16, n);
}

void *memalign(size_t align, size_t n)
{
	return take(align, n);
}

void *aligned_alloc(size_t align, size_t n)
{
	return take(align, n);
}

int posix_memalign(void **p, size_t align, size_t n)
{
	*p = take(align, n);
	return *p ? 0 : 12;
}

void *calloc(size_t n, size_t size)
{
	return take(16, n * size); /* zero: nothing has been here */
}

void *realloc(void *p, size_t n)
{
	void *to = take(16, n);
	size_t old = malloc_usable_size(p);

	if (to && p)
		memcpy(to, p, old < n ? old : n);
	return to;
}

void free(void *p)
{
	(void)p;
}
