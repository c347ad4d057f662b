/* SPDX-License-Identifier: MIT
 *
 * malloc and its family.
 */
#include "lib/recorder/hooks/preload.h"

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#ifdef CAP_WRAP
/* Those that were not named to the linker are NULL, and our hooks for them are not called. musl has each
 * in an object of its own, which a weak reference does not take out of the archive: there all that it has
 * must be named. */
#define WEAK_REAL(result, name, parameters) \
	extern result real_##name parameters __asm__("__real_" #name) __attribute__((weak))
#if defined __GLIBC__ || defined __BIONIC__
#define REAL WEAK_REAL
#else
#define REAL(result, name, parameters) extern result real_##name parameters __asm__("__real_" #name)
#endif
REAL(void *, malloc, (size_t));
REAL(void *, calloc, (size_t, size_t));
REAL(void *, realloc, (void *, size_t));
REAL(void *, reallocarray, (void *, size_t, size_t));
REAL(void, free, (void *));
REAL(void *, memalign, (size_t, size_t));
REAL(void *, aligned_alloc, (size_t, size_t));
REAL(int, posix_memalign, (void **, size_t, size_t));
REAL(void *, valloc, (size_t));
WEAK_REAL(void *, pvalloc, (size_t));

static const struct cap_next cap_next = {
    .malloc = real_malloc,
    .calloc = real_calloc,
    .realloc = real_realloc,
    .reallocarray = real_reallocarray,
    .free = real_free,
    .memalign = real_memalign,
    .aligned_alloc = real_aligned_alloc,
    .posix_memalign = real_posix_memalign,
    .valloc = real_valloc,
    .pvalloc = real_pvalloc,
    .malloc_usable_size = malloc_usable_size,
};
#endif

bool cap_malloc_ready(void)
{
#ifndef CAP_WRAP
	if (!cap_next.malloc)
		cap_next_find(false);
#endif
	return cap_next.malloc;
}

/* False: there is no malloc. */
static inline bool found(void)
{
	bool ready = cap_malloc_ready();

	if (atomic_load_explicit(&cap.state, memory_order_relaxed) == CAP_UNSTARTED && ready &&
	    !cap_self.depth)
		cap_preload_start();
	return ready;
}

size_t cap_usable(const void *p)
{
	return cap_next.malloc_usable_size ? cap_next.malloc_usable_size((void *)(uintptr_t)p) : 0;
}

static inline void *report_block(void *p, size_t requested, struct cap_where where)
{
	struct cap_new *outer = &cap_self.outer;

	if (!p)
		return p;
	if (outer->open && outer->depth == cap_self.depth) {
		outer->block = p;
		if (requested >= outer->size && requested <= outer->most) {
			requested = outer->size;
			where = outer->where;
		}
	}
	if (!cap_passes(requested))
		cap_alloc(p, requested, cap_usable(p), 0, where);
	return p;
}

/* An allocator may have one of its functions call another by its public name, which is ours. */
static inline unsigned hush(void)
{
	unsigned depth = cap_self.depth;

	cap_self.depth = depth | CAP_QUIET;
	return depth;
}

static inline void *report_block_now(unsigned depth, void *p, size_t n, struct cap_where where)
{
	cap_self.depth = depth;
	return report_block(p, n, where);
}

CAP_HOOK(void *, malloc, (size_t n))
{
	return found() ? report_block(cap_next.malloc(n), n, CAP_HERE) : NULL;
}

CAP_HOOK(void *, calloc, (size_t n, size_t size))
{
	unsigned depth;

	if (!found())
		return NULL;
	depth = hush();
	return report_block_now(depth, cap_next.calloc(n, size), n * size, CAP_HERE);
}

CAP_HOOK(void, free, (void *p))
{
	if (!p || !found())
		return;
	if (cap_self.freed == p)
		cap_self.freed = NULL;
	else
		cap_free(p, 0);
	cap_next.free(p);
}

static void *malloc_reallocate(void *p, size_t n, struct cap_where where)
{
	struct cap_move m;
	unsigned depth;
	void *to;

	if (!p || !n) {
		if (p) /* frees, or gives a block of no bytes: as the allocator has it */
			cap_free(p, 0);
		depth = hush();
		return report_block_now(depth, cap_next.realloc(p, n), n, where);
	}
	m = cap_move(p);
	depth = hush();
	to = cap_next.realloc(p, n);
	cap_self.depth = depth;
	cap_moved(&m, to, n, to ? cap_usable(to) : 0, where);
	return to;
}

CAP_HOOK(void *, realloc, (void *p, size_t n))
{
	return found() ? malloc_reallocate(p, n, CAP_HERE) : NULL;
}

CAP_HOOK(void *, reallocarray, (void *p, size_t n, size_t size))
{
	size_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes)) {
		errno = ENOMEM;
		return NULL;
	}
	return found() ? malloc_reallocate(p, bytes, CAP_HERE) : NULL;
}

static void *aligned(void *(*f)(size_t, size_t), size_t align, size_t n, struct cap_where where)
{
	unsigned depth = hush();

	return report_block_now(depth, f ? f(align, n) : NULL, n, where);
}

CAP_HOOK(void *, memalign, (size_t align, size_t n))
{
	return found() ? aligned(cap_next.memalign, align, n, CAP_HERE) : NULL;
}

CAP_HOOK(void *, aligned_alloc, (size_t align, size_t n))
{
	if (!found())
		return NULL;
	/* bionic has it since API 28 */
	return aligned(cap_next.aligned_alloc ? cap_next.aligned_alloc : cap_next.memalign, align,
		       n, CAP_HERE);
}

CAP_HOOK(int, posix_memalign, (void **p, size_t align, size_t n))
{
	unsigned depth;
	int error;

	if (!found())
		return ENOMEM;
	depth = hush();
	error = cap_next.posix_memalign(p, align, n);
	report_block_now(depth, error ? NULL : *p, n, CAP_HERE);
	return error;
}

static void *paged(void *(*f)(size_t), size_t n, struct cap_where where)
{
	unsigned depth = hush();

	return report_block_now(depth, f ? f(n) : NULL, n, where);
}

CAP_HOOK(void *, valloc, (size_t n))
{
	return found() ? paged(cap_next.valloc, n, CAP_HERE) : NULL;
}

CAP_HOOK(void *, pvalloc, (size_t n))
{
	return found() ? paged(cap_next.pvalloc, n, CAP_HERE) : NULL;
}
