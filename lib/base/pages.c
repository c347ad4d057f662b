/* SPDX-License-Identifier: MIT */
#include "lib/base/pages.h"

#include "lib/base/mem.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { PAGE = 2 << 20 };

void *pages_alloc(size_t bytes)
{
	enum { WORTH_IT = PAGE / 2 };
	void *p;

	if (MEM_MOVES || bytes < WORTH_IT || bytes > PTRDIFF_MAX - PAGE)
		return mem_alloc(bytes);
	bytes = (bytes + PAGE - 1) & ~(size_t)(PAGE - 1);
	p = aligned_alloc(PAGE, bytes);
	if (!p)
		mem_exhausted();
	madvise(p, bytes, MADV_HUGEPAGE);
	return p;
}

void *pages_array(size_t n, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes))
		mem_exhausted();
	return pages_alloc(bytes);
}

void pages_fill_soon(void *p, size_t bytes)
{
	uintptr_t from = ((uintptr_t)p + PAGE - 1) & ~(uintptr_t)(PAGE - 1);
	uintptr_t to = ((uintptr_t)p + bytes) & ~(uintptr_t)(PAGE - 1);

	if (from < to)
		madvise((void *)from, to - from, MADV_HUGEPAGE);
}

void pages_read_soon(const void *p, size_t bytes)
{
	enum { SMALL = 4096, POPULATE_READ = 22 /* Linux 5.14: MADV_POPULATE_READ */ };
	uintptr_t from = (uintptr_t)p & ~(uintptr_t)(SMALL - 1);

	/* older systems, and places that cannot be read, say so, and nobody minds */
	madvise((void *)from, (uintptr_t)p + bytes - from, POPULATE_READ);
}
