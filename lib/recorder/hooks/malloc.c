/* SPDX-License-Identifier: MIT
 *
 * malloc and its family.
 */
#include "lib/recorder/hooks/preload.h"

#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

struct functions {
	void *(*malloc)(size_t);
	void *(*calloc)(size_t, size_t);
	void *(*realloc)(void *, size_t);
	void *(*reallocarray)(void *, size_t, size_t);
	void (*free)(void *);
	void *(*memalign)(size_t, size_t);
	void *(*aligned_alloc)(size_t, size_t);
	int (*posix_memalign)(void **, size_t, size_t);
	void *(*valloc)(size_t);
	void *(*pvalloc)(size_t);
	size_t (*usable)(void *);
};

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

static const struct functions next = {
    real_malloc, real_calloc,   real_realloc,       real_reallocarray,
    real_free,   real_memalign, real_aligned_alloc, real_posix_memalign,
    real_valloc, real_pvalloc,  malloc_usable_size,
};
#else
static struct functions next;
#endif

/* What dlsym allocates before we know where from. */
static _Alignas(16) unsigned char early[16 << 10];
static size_t early_used;

static void *early_alloc(size_t n)
{
	size_t at = (early_used + 15) & ~(size_t)15;

	if (n > sizeof early || at > sizeof early - n)
		return NULL;
	early_used = at + n;
	return early + at;
}

static bool is_early(const void *p)
{
	return (uintptr_t)p - (uintptr_t)early < sizeof early;
}

#ifdef CAP_WRAP
static void malloc_find_all(void)
{
}
#else
void *cap_next(const char *name)
{
	unsigned depth = cap_self.depth;
	void *p;

	cap_self.depth = depth | CAP_QUIET;
	p = cap_late ? cap_late_next(name) : dlsym(RTLD_NEXT, name);
	cap_self.depth = depth;
	return p;
}

static void *resolve(void *to, const char *name)
{
	void *p = cap_next(name);

	memcpy(to, &p, sizeof p);
	return p;
}

static __attribute__((noinline)) void malloc_find_all(void)
{
	static bool finding;

	if (finding)
		return;
	finding = true;
	resolve(&next.calloc, "calloc");
	resolve(&next.realloc, "realloc");
	resolve(&next.reallocarray, "reallocarray");
	resolve(&next.free, "free");
	resolve(&next.memalign, "memalign");
	resolve(&next.aligned_alloc, "aligned_alloc");
	resolve(&next.posix_memalign, "posix_memalign");
	resolve(&next.valloc, "valloc");
	resolve(&next.pvalloc, "pvalloc");
	resolve(&next.usable, "malloc_usable_size");
	resolve(&next.malloc, "malloc");
	finding = false;
}
#endif

bool cap_malloc_ready(void)
{
	if (!next.malloc)
		malloc_find_all();
	return next.malloc;
}

/* False: we are being called by what looks for the functions. */
static inline bool found(void)
{
	if (!next.malloc)
		malloc_find_all();
	if (atomic_load_explicit(&cap.state, memory_order_relaxed) == CAP_UNSTARTED &&
	    next.malloc && !cap_self.depth)
		cap_preload_start();
	return next.malloc;
}

size_t cap_usable(const void *p)
{
	return next.usable ? next.usable((void *)(uintptr_t)p) : 0;
}

static inline void *told(void *p, size_t requested, struct cap_where where)
{
	if (!p)
		return p;
	if (cap_self.outer && cap_self.outer_size == requested) {
		where = *cap_self.outer;
		cap_self.outer = NULL;
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

static inline void *told_now(unsigned depth, void *p, size_t n, struct cap_where where)
{
	cap_self.depth = depth;
	return told(p, n, where);
}

CAP_HOOK(void *, malloc, (size_t n))
{
	return found() ? told(next.malloc(n), n, CAP_HERE) : early_alloc(n);
}

CAP_HOOK(void *, calloc, (size_t n, size_t size))
{
	unsigned depth;

	if (!found())
		return n && size > sizeof early / n ? NULL : early_alloc(n * size);
	depth = hush();
	return told_now(depth, next.calloc(n, size), n * size, CAP_HERE);
}

CAP_HOOK(void, free, (void *p))
{
	if (!p || is_early(p) || !found())
		return;
	if (cap_self.freed == p)
		cap_self.freed = NULL;
	else
		cap_free(p, 0);
	next.free(p);
}

static void *moved_from_early(void *p, size_t n, struct cap_where where)
{
	size_t most = sizeof early - (size_t)((unsigned char *)p - early);
	void *to = next.malloc(n);

	if (to)
		memcpy(to, p, n < most ? n : most);
	return told(to, n, where);
}

static void *malloc_reallocate(void *p, size_t n, struct cap_where where)
{
	struct cap_move m;
	unsigned depth;
	void *to;

	if (is_early(p))
		return moved_from_early(p, n, where);
	if (!p || !n) {
		if (p) /* frees, or gives a block of no bytes: as the allocator has it */
			cap_free(p, 0);
		depth = hush();
		return told_now(depth, next.realloc(p, n), n, where);
	}
	m = cap_move(p);
	depth = hush();
	to = next.realloc(p, n);
	cap_self.depth = depth;
	cap_moved(&m, to, n, to ? cap_usable(to) : 0, where);
	return to;
}

CAP_HOOK(void *, realloc, (void *p, size_t n))
{
	return found() ? malloc_reallocate(p, n, CAP_HERE) : p ? NULL : early_alloc(n);
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

	return told_now(depth, f ? f(align, n) : NULL, n, where);
}

CAP_HOOK(void *, memalign, (size_t align, size_t n))
{
	return found() ? aligned(next.memalign, align, n, CAP_HERE) : NULL;
}

CAP_HOOK(void *, aligned_alloc, (size_t align, size_t n))
{
	if (!found())
		return NULL;
	/* bionic has it since API 28 */
	return aligned(next.aligned_alloc ? next.aligned_alloc : next.memalign, align, n, CAP_HERE);
}

CAP_HOOK(int, posix_memalign, (void **p, size_t align, size_t n))
{
	unsigned depth;
	int error;

	if (!found())
		return ENOMEM;
	depth = hush();
	error = next.posix_memalign(p, align, n);
	told_now(depth, error ? NULL : *p, n, CAP_HERE);
	return error;
}

static void *paged(void *(*f)(size_t), size_t n, struct cap_where where)
{
	unsigned depth = hush();

	return told_now(depth, f ? f(n) : NULL, n, where);
}

CAP_HOOK(void *, valloc, (size_t n))
{
	return found() ? paged(next.valloc, n, CAP_HERE) : NULL;
}

CAP_HOOK(void *, pvalloc, (size_t n))
{
	return found() ? paged(next.pvalloc, n, CAP_HERE) : NULL;
}
