/* SPDX-License-Identifier: MIT */
#include "lib/base/pages.h"

#include "lib/base/mem.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { PAGE = 2 << 20 };

void *pages_try(size_t bytes)
{
	enum { WORTH_IT = PAGE / 2 };
	void *p;

	if (bytes > PTRDIFF_MAX - PAGE)
		return NULL;
	if (MEM_MOVES || bytes < WORTH_IT)
		return malloc(bytes ? bytes : 1);
	bytes = (bytes + PAGE - 1) & ~(size_t)(PAGE - 1);
	p = aligned_alloc(PAGE, bytes);
	if (p)
		madvise(p, bytes, MADV_HUGEPAGE);
	return p;
}

void *pages_alloc(size_t bytes)
{
	void *p = pages_try(bytes);

	if (!p)
		mem_exhausted();
	return p;
}

void *pages_array(size_t n, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes))
		mem_exhausted();
	return pages_alloc(bytes);
}
