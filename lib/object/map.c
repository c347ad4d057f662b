/* SPDX-License-Identifier: MIT */
#include "lib/object/map.h"

#include "lib/base/mem.h"
#include "lib/base/resource_scope.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The handler goes through all pieces without a lock, so they stay in the list for ever; a closed
 * one has lo == hi and is used again. */
struct map_piece {
	_Atomic uintptr_t lo, hi;
	atomic_bool lost;
	bool used;
	int fd; /* the caller's */
	const uint8_t *data;
	uint64_t offset; /* of data, in the file */
	struct map_piece *_Atomic next;
};

static struct map_piece *_Atomic pieces;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t installed = PTHREAD_ONCE_INIT;
static struct sigaction before;
static uintptr_t page;

static bool is_ours(uintptr_t at)
{
	for (struct map_piece *m = atomic_load(&pieces); m; m = atomic_load(&m->next)) {
		if (at < atomic_load(&m->lo) || at >= atomic_load(&m->hi))
			continue;
		atomic_store(&m->lost, true);
		return true;
	}
	return false;
}

static void object_map_on_bus_error(int sig, siginfo_t *info, void *context)
{
	uintptr_t at = (uintptr_t)info->si_addr;
	void *zeroes = MAP_FAILED;
	int saved = errno;

	if (info->si_code > 0 && is_ours(at))
		zeroes = mmap((void *)(at & ~(page - 1)), page, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	if (zeroes != MAP_FAILED) {
		errno = saved;
		return;
	}
	if (before.sa_flags & SA_SIGINFO)
		before.sa_sigaction(sig, info, context);
	else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN)
		before.sa_handler(sig);
	else if (info->si_code > 0 || before.sa_handler == SIG_DFL)
		/* when the instruction (or kill) is tried again, it ends the program */
		sigaction(SIGBUS, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
	errno = saved;
}

static void object_map_install(void)
{
	struct sigaction a = {.sa_sigaction = object_map_on_bus_error,
			      .sa_flags = SA_SIGINFO | SA_NODEFER};

	sigemptyset(&a.sa_mask);
	sigaction(SIGBUS, NULL, &before);
	sigaction(SIGBUS, &a, NULL);
}

static void object_map_begin(void)
{
	page = (uintptr_t)sysconf(_SC_PAGESIZE);
#ifndef TM_LIBRARY /* there it is for the program to say */
	map_guard();
#endif
}

void map_guard(void)
{
	static pthread_once_t guarded = PTHREAD_ONCE_INIT;

	pthread_once(&guarded, object_map_install);
}

/* A page of them, for ever; one is returned. NULL: there is no memory. */
static struct map_piece *more_pieces(void)
{
	struct map_piece *m =
	    mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (m == MAP_FAILED)
		return NULL;
	for (size_t i = 0; i < page / sizeof *m; i++) {
		atomic_store(&m[i].next, atomic_load(&pieces));
		atomic_store(&pieces, &m[i]);
	}
	return m;
}

static struct map_piece *object_map_add_piece(uintptr_t lo, uintptr_t hi)
{
	struct map_piece *m;

	pthread_mutex_lock(&lock);
	for (m = atomic_load(&pieces); m && m->used; m = atomic_load(&m->next))
		;
	if (!m)
		m = more_pieces();
	if (!m) {
		pthread_mutex_unlock(&lock);
		return NULL;
	}
	m->used = true;
	atomic_store(&m->lost, false);
	atomic_store(&m->lo, lo);
	atomic_store(&m->hi, hi);
	pthread_mutex_unlock(&lock);
	return m;
}

static uint8_t *map_private(void *at, uint64_t n, int flags, int fd, uint64_t offset)
{
	void *p = mmap(at, (size_t)n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE | flags,
		       fd, (off_t)offset);

	if (p == MAP_FAILED)
		return NULL;
	return p;
}

static void object_map_end_piece(void *m)
{
	map_close(m);
}

struct map_piece *map_open(int fd, uint64_t offset, uint64_t n, uint8_t **data)
{
	uint64_t before_it, in_file, whole;
	struct map_piece *m;
	uint8_t *reserved;

	pthread_once(&installed, object_map_begin);
	before_it = offset & (page - 1);
	if (n > SIZE_MAX / 4 || offset > INT64_MAX)
		return NULL;
	in_file = (before_it + n + page - 1) & ~(uint64_t)(page - 1);
	whole = (before_it + n + 1 + page - 1) & ~(uint64_t)(page - 1);
	reserved = map_private(NULL, whole, MAP_ANONYMOUS, -1, 0);
	if (!reserved)
		return NULL;
	if (!map_private(reserved, in_file, MAP_FIXED, fd, offset - before_it)) {
		munmap(reserved, (size_t)whole);
		return NULL;
	}
	m = object_map_add_piece((uintptr_t)reserved, (uintptr_t)reserved + whole);
	if (!m) {
		munmap(reserved, (size_t)whole);
		return NULL;
	}
	resource_scope_hold(m, object_map_end_piece);
	*data = reserved + before_it;
	(*data)[n] = 0;
	m->fd = fd;
	m->data = *data;
	m->offset = offset;
	return m;
}

void map_copy(struct map_piece *m, const uint8_t *from, size_t n, uint8_t *to)
{
	off_t at = (off_t)(m->offset + (uint64_t)(from - m->data));

	while (n) {
		ssize_t got = pread(m->fd, to, n, at);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0) {
			atomic_store(&m->lost, true);
			memset(to, 0, n);
			return;
		}
		to += got;
		at += got;
		n -= (size_t)got;
	}
}

/* The last page has the NUL, and is kept. */
void map_drop(struct map_piece *m)
{
	uintptr_t lo = atomic_load(&m->lo), hi = atomic_load(&m->hi);

	madvise((void *)lo, hi - lo - page, MADV_DONTNEED);
}

bool map_intact(const struct map_piece *m)
{
	return !atomic_load(&m->lost);
}

void map_close(struct map_piece *m)
{
	uintptr_t lo, hi;

	if (!m)
		return;
	resource_scope_forget(m);
	pthread_mutex_lock(&lock);
	lo = atomic_load(&m->lo);
	hi = atomic_load(&m->hi);
	atomic_store(&m->hi, 0);
	atomic_store(&m->lo, 0);
	m->used = false;
	pthread_mutex_unlock(&lock);
	munmap((void *)lo, hi - lo);
}
