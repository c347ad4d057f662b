/* SPDX-License-Identifier: MIT
 *
 * Anonymous mappings, with mmap=1: one record for each, in the domain mmap. Requested are the bytes
 * asked for, real is whole pages. The C library's own, for malloc and stacks of threads, do not
 * come through here.
 */
#include "lib/recorder/hooks/preload.h"

#include "lib/recorder/base/signal_guard.h"

#include <errno.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { ROOM = 16 }; /* records of one call, but of one over many mappings */

static uint64_t pages(uint64_t n)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	return (n + page - 1) & ~(page - 1);
}

/* A handler that has interrupted us is not recorded, and does not wait for us. */
static __thread bool mapping __attribute__((tls_model("initial-exec")));

static bool wanted(void)
{
	return cap_on() && cap.settings.mmap && !cap_self.depth && !mapping;
}

/* Collectors map memory while other threads are stopped by a signal: none must be stopped with the
 * lock, nor wait for the writer with it and without signals. */
static void begin(sigset_t *before)
{
	const struct cap_ring *ring = cap_open(ROOM);

	if (ring)
		cap_close(ring);
	mapping = true;
	cap_hold_signals(before);
	cap_lock(&cap.mappings.lock);
}

static void end(const sigset_t *before)
{
	cap_unlock(&cap.mappings.lock);
	cap_release_signals(before);
	mapping = false;
}

static const void *pointer(uint64_t address)
{
	return (const void *)(uintptr_t)address;
}

/* The old mappings of these addresses end; what remains of them stays with the call that made it. */
static bool forget(uint64_t lo, uint64_t hi, struct cap_where where)
{
	struct cap_range gone, rest[2];
	bool any = false;

	while (cap_mappings_remove(&cap.mappings, lo, hi, &gone, rest)) {
		any = true;
		cap_free(pointer(gone.lo), DOMAIN_MMAP);
		for (unsigned i = 0; i < 2; i++)
			if (rest[i].lo < rest[i].hi)
				cap_alloc_mapping(pointer(rest[i].lo), rest[i].hi - rest[i].lo,
						  rest[i].hi - rest[i].lo, rest[i].stack, where);
	}
	return any;
}

static void remember(uint64_t lo, size_t n, struct cap_where where)
{
	struct cap_range *row = cap_mappings_add(&cap.mappings, lo, lo + pages(n), 0);

	if (row)
		row->stack = cap_alloc_mapping(pointer(lo), n, pages(n), 0, where);
}

static void *mmap_call(void *at, size_t n, int prot, int flags, int fd, int64_t offset)
{
#ifdef SYS_mmap2 /* of 32-bit machines: in units of 4096, whatever a page is */
	uint64_t units = (uint64_t)offset / 4096;

	if (offset % 4096 || units != (unsigned long)units) {
		errno = EINVAL;
		return MAP_FAILED;
	}
	return (void *)syscall(SYS_mmap2, at, n, prot, flags, fd, (unsigned long)units);
#else
	return (void *)syscall(SYS_mmap, at, n, prot, flags, fd, (long)offset);
#endif
}

static void *mmap_map(void *at, size_t n, int prot, int flags, int fd, int64_t offset,
		      struct cap_where where)
{
	bool on = wanted();
	sigset_t before;
	void *p;

	/* A mapping over others must be seen before another thread can have their addresses. */
	if (on)
		begin(&before);
	p = mmap_call(at, n, prot, flags, fd, offset);
	if (prot & PROT_EXEC)
		cap_code_changed(&cap.code);
	if (on) {
		int error = errno;

		if (p != MAP_FAILED) {
			uint64_t lo = (uintptr_t)p;

			forget(lo, lo + pages(n), where);
			if (flags & MAP_ANONYMOUS)
				remember(lo, n, where);
		}
		end(&before);
		errno = error;
	}
	return p;
}

CAP_HOOK(void *, mmap, (void *at, size_t n, int prot, int flags, int fd, off_t offset))
{
	return mmap_map(at, n, prot, flags, fd, offset, CAP_HERE);
}

/* What programs call by that name, or mean by mmap where off_t has 32 bits and they want 64. */
CAP_HOOK(void *, mmap64, (void *at, size_t n, int prot, int flags, int fd, int64_t offset))
{
	return mmap_map(at, n, prot, flags, fd, offset, CAP_HERE);
}

CAP_HOOK(int, munmap, (void *p, size_t n))
{
	bool on = wanted();
	sigset_t before;
	long result;

	if (!on)
		return (int)syscall(SYS_munmap, p, n);
	begin(&before);
	result = syscall(SYS_munmap, p, n);
	if (!result)
		forget((uintptr_t)p, (uintptr_t)p + pages(n), CAP_HERE);
	end(&before);
	return (int)result;
}

CAP_HOOK(void *, mremap, (void *p, size_t old, size_t n, int flags, ...))
{
	void *at = NULL, *to;
	bool on = wanted();
	sigset_t before;
	va_list list;

	va_start(list, flags);
	if (flags & MREMAP_FIXED)
		at = va_arg(list, void *);
	va_end(list);
	if (on)
		begin(&before);
	to = (void *)syscall(SYS_mremap, p, old, n, flags, at);
	if (on) {
		int error = errno;

		if (to != MAP_FAILED) {
			uint64_t lo = (uintptr_t)p;
			bool ours = forget(lo, lo + pages(old), CAP_HERE);

			forget((uintptr_t)to, (uintptr_t)to + pages(n), CAP_HERE);
			if (ours)
				remember((uintptr_t)to, n, CAP_HERE);
		}
		end(&before);
		errno = error;
	}
	return to;
}
