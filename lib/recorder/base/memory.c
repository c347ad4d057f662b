/* SPDX-License-Identifier: MIT */
#include "lib/recorder/base/memory.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The system call itself: mmap may be hooked. */
static void *map(size_t size, int rights, int flags, int fd, uint64_t at)
{
#ifdef SYS_mmap2 /* 32-bit arm and x86, whose SYS_mmap takes a struct, if there is one */
	long p = syscall(SYS_mmap2, NULL, size, rights, flags, fd, (long)(at >> 12));
#else
	long p = syscall(SYS_mmap, NULL, size, rights, flags, fd, (long)at);
#endif
	return p == -1 ? NULL : (void *)p;
}

void *cap_map(size_t size)
{
	return map(size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
		   0);
}

void *cap_map_file(int fd, size_t size)
{
	return map(size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
}

void *cap_map_read(int fd, uint64_t at, size_t size)
{
	return map(size, PROT_READ, MAP_PRIVATE, fd, at);
}

void cap_unmap(void *p, size_t size)
{
	syscall(SYS_munmap, p, size);
}

/* It reads a set of signals before it sees that it shall do nothing with it. This is allowed to every
 * process, unlike process_vm_readv. */
int cap_probe(uintptr_t at)
{
	int error = errno, said;

	syscall(SYS_rt_sigprocmask, -1, at, NULL, 8);
	said = errno;
	errno = error;
	return said;
}
