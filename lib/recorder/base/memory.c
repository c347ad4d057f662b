/* SPDX-License-Identifier: MIT */
#include "lib/recorder/base/memory.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The system call itself: mmap may be hooked. */
static void *map(size_t size, int flags, int fd)
{
#ifdef SYS_mmap2 /* 32-bit arm and x86, whose SYS_mmap takes a struct, if there is one */
	long p = syscall(SYS_mmap2, NULL, size, PROT_READ | PROT_WRITE, flags, fd, 0L);
#else
	long p = syscall(SYS_mmap, NULL, size, PROT_READ | PROT_WRITE, flags, fd, 0L);
#endif
	return p == -1 ? NULL : (void *)p;
}

void *cap_map(size_t size)
{
	return map(size, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
}

void *cap_map_file(int fd, size_t size)
{
	return map(size, MAP_SHARED, fd);
}

void cap_unmap(void *p, size_t size)
{
	syscall(SYS_munmap, p, size);
}
