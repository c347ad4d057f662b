/* SPDX-License-Identifier: MIT */
#include "lib/base/pages.h"

#include <stdint.h>
#include <sys/mman.h>

void pages_fill_soon(void *p, size_t bytes)
{
	enum { PAGE = 2 << 20 };
	uintptr_t from = ((uintptr_t)p + PAGE - 1) & ~(uintptr_t)(PAGE - 1);
	uintptr_t to = ((uintptr_t)p + bytes) & ~(uintptr_t)(PAGE - 1);

	if (from < to)
		madvise((void *)from, to - from, MADV_HUGEPAGE);
}

void pages_read_soon(const void *p, size_t bytes)
{
	enum { PAGE = 4096, POPULATE_READ = 22 /* Linux 5.14: MADV_POPULATE_READ */ };
	uintptr_t from = (uintptr_t)p & ~(uintptr_t)(PAGE - 1);

	/* older systems, and places that cannot be read, say so, and nobody minds */
	madvise((void *)from, (uintptr_t)p + bytes - from, POPULATE_READ);
}
