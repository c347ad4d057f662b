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
