/* SPDX-License-Identifier: MIT
 *
 * A library to preload, whose Nth allocation fails: FAIL_AT=N of the process that was started and
 * of those it forks, each counting for itself. With FAIL_FOR=M so do the M-1 after it.
 * FAIL_COUNT=FILE takes the number of allocations at the end of the process that was started.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* glibc's own names of the functions behind ours */
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);

static atomic_ulong calls;
static unsigned long from = -1ul, length = 1;
static pid_t first;

__attribute__((constructor)) static void begin(void)
{
	const char *at = getenv("FAIL_AT"), *most = getenv("FAIL_FOR");

	first = getpid();
	atomic_store(&calls, 0);
	if (most)
		length = strtoul(most, NULL, 10);
	if (at)
		from = strtoul(at, NULL, 10);
}

__attribute__((destructor)) static void end(void)
{
	const char *path = getenv("FAIL_COUNT");
	unsigned long n = atomic_load(&calls);
	FILE *f = path && getpid() == first ? fopen(path, "we") : NULL;

	if (!f)
		return;
	fprintf(f, "%lu\n", n);
	fclose(f);
}

static int fails(void)
{
	unsigned long n = atomic_fetch_add(&calls, 1) + 1;

	if (n < from || n - from >= length)
		return 0;
	errno = ENOMEM;
	return 1;
}

void *malloc(size_t n)
{
	return fails() ? NULL : __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
	return fails() ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t n)
{
	return n && fails() ? NULL : __libc_realloc(p, n);
}

void *reallocarray(void *p, size_t n, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes)) {
		errno = ENOMEM;
		return NULL;
	}
	return realloc(p, bytes);
}

void *memalign(size_t alignment, size_t n)
{
	return fails() ? NULL : __libc_memalign(alignment, n);
}

void *aligned_alloc(size_t alignment, size_t n)
{
	return memalign(alignment, n);
}

int posix_memalign(void **p, size_t alignment, size_t n)
{
	void *got = memalign(alignment, n);

	if (!got)
		return ENOMEM;
	*p = got;
	return 0;
}
