/* SPDX-License-Identifier: MIT
 *
 * blocks MODE: a program that knows what it allocates, to be recorded. It prints one line with
 * write(2), since stdio allocates:
 *
 *     allocs A frees F requested R real B live L
 *
 * in which realloc of a block is a free and an allocation. Modes:
 *   family    every function of malloc's family
 *   threads   8 threads that allocate and free each other's blocks
 *   short     many threads, one after the other
 *   frames    10 frames with 100 * (number + 1) blocks each, and a counter
 *   random    100000 blocks of sizes from a fixed generator
 *   fork      a child that allocates too, whose blocks are not counted, and ends by _exit
 *   exec      the family, then exec of itself as "frames"
 *   failed    blocks, an exec that fails, then as many again
 *   abort, kill, exit, handler: blocks, then the end of that name
 *   mmap      mappings, cut and moved
 *   nested    a signal handler that allocates, again and again
 *   idle      blocks, then sleeps until it is killed
 */
#include "lib/recorder/tracemill.h"
#include "testdata/gen/lcg.h"

#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static atomic_ulong allocs, frees, requested, real, live;

static void *got(void *p, size_t n)
{
	if (!p)
		_exit(9);
	allocs++;
	requested += n;
	real += malloc_usable_size(p);
	live += malloc_usable_size(p);
	return p;
}

static void *gone(void *p)
{
	if (p) {
		frees++;
		live -= malloc_usable_size(p);
	}
	return p;
}

static void tell(void)
{
	char line[200];
	int n =
	    snprintf(line, sizeof line, "allocs %lu frees %lu requested %lu real %lu live %lu\n",
		     allocs, frees, requested, real, live);

	if (write(STDERR_FILENO, line, (size_t)n) != n)
		_exit(9);
}

__attribute__((noinline)) static void family(void)
{
	static void *keep[1000];
	void *p = NULL;

	for (int i = 0; i < 1000; i++) {
		size_t n = (size_t)i * 7 + 1;

		switch (i % 7) {
		case 0: p = got(malloc(n), n); break;
		case 1: p = got(calloc(n, 3), n * 3); break;
		case 2: p = got(aligned_alloc(64, n * 64), n * 64); break;
		case 3: p = got(memalign(256, n), n); break;
		case 4:
			if (posix_memalign(&p, 128, n))
				_exit(9);
			got(p, n);
			break;
		case 5:
			p = got(realloc(NULL, n), n);
			p = got(realloc(gone(p), n * 9), n * 9);
			break;
		case 6:
			p = got(malloc(n), n);
			p = got(reallocarray(gone(p), n, 2), n * 2);
			break;
		}
		keep[i] = p;
	}
	for (int i = 0; i < 1000; i += 2)
		free(gone(keep[i]));
	free(NULL);
}

enum { THREADS = 8, PASSED = 64, ROUNDS = 20000 };
static _Atomic(void *) passed[PASSED];

static void *pass(void *arg)
{
	uint64_t seed = (uintptr_t)arg * 7919 + 1;

	for (int i = 0; i < ROUNDS; i++) {
		size_t n;

		lcg(&seed);
		n = (size_t)(seed >> 40) % 500 + 1;
		free(gone(atomic_exchange(&passed[(seed >> 33) % PASSED], got(malloc(n), n))));
	}
	return NULL;
}

/* pthread_create allocates, which the truth is not to know: one thread's worth is recognized by its
 * caller. */
static void threads(void)
{
	pthread_t id[THREADS];

	for (uintptr_t i = 0; i < THREADS; i++)
		pthread_create(&id[i], NULL, pass, (void *)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(id[i], NULL);
}

static void *one(void *arg)
{
	free(gone(got(malloc(100), 100)));
	return arg;
}

static void short_ones(int n)
{
	for (int i = 0; i < n; i++) {
		pthread_t id;

		if (!pthread_create(&id, NULL, one, NULL))
			pthread_join(id, NULL);
	}
}

__attribute__((noinline)) static void blocks(int n)
{
	for (int i = 0; i < n; i++) {
		void *p = got(malloc(50), 50);

		if (i % 2)
			free(gone(p));
	}
}

static void frames(void)
{
	for (int i = 0; i < 10; i++) {
		tracemill_frame();
		tracemill_counter("enemies", i * 3);
		blocks(100 * (i + 1));
	}
}

static void randoms(void)
{
	uint64_t seed = 42;

	for (int i = 0; i < 100000; i++) {
		size_t n;
		void *p;

		lcg(&seed);
		n = (size_t)(seed >> 40) % 4000 + 1;
		p = got(malloc(n), n);
		if (seed >> 63)
			free(gone(p));
	}
}

static void child(void)
{
	pid_t pid = fork();

	if (!pid) {
		for (int i = 0; i < 77; i++) {
			void *volatile p = malloc(13);

			if (!p)
				_exit(9);
		}
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

static void maps(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *p = mmap(NULL, 10 * page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *q = mmap(NULL, 5 * page - 1, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	munmap(p + 2 * page, 3 * page); /* 2 and 5 remain */
	q = mremap(q, 5 * page, 50 * page, MREMAP_MAYMOVE);
	munmap(p, page * 2);
	if (q == MAP_FAILED)
		_exit(9);
}

static void leave(int sig)
{
	(void)sig;
	exit(3);
}

static atomic_int handled;

static void allocate(int sig)
{
	void *volatile p =
	    malloc(24); /* not allowed; but allocators and recorders must live with it */

	(void)sig;
	handled++;
	free(p);
}

/* The handler interrupts what allocates nothing but hooks of ours: malloc itself is not reentrant.
 */
static void nested(void)
{
	struct itimerval often = {{0, 200}, {0, 200}};

	signal(SIGALRM, allocate);
	setitimer(ITIMER_REAL, &often, NULL);
	for (int i = 0; handled < 100; i++)
		tracemill_counter("spin", i);
	memset(&often, 0, sizeof often);
	setitimer(ITIMER_REAL, &often, NULL);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "family";
	int n = argc > 2 ? atoi(argv[2]) : 1000;

	if (!strcmp(mode, "family"))
		family();
	else if (!strcmp(mode, "threads"))
		threads();
	else if (!strcmp(mode, "short"))
		short_ones(n);
	else if (!strcmp(mode, "frames"))
		frames();
	else if (!strcmp(mode, "random"))
		randoms();
	else if (!strcmp(mode, "mmap"))
		maps();
	else if (!strcmp(mode, "nested"))
		nested();
	else
		blocks(n);
	if (!strcmp(mode, "fork"))
		child();
	if (!strcmp(mode, "failed")) {
		execl("/nowhere/at/all", "x", (char *)NULL);
		blocks(n);
	}
	tell();
	if (!strcmp(mode, "exec"))
		execl(argv[0], argv[0], "frames", (char *)NULL);
	if (!strcmp(mode, "abort"))
		abort();
	if (!strcmp(mode, "kill") || !strcmp(mode, "idle")) {
		tracemill_flush();
		if (!strcmp(mode, "kill"))
			kill(getpid(), SIGKILL);
		pause();
	}
	if (!strcmp(mode, "exit"))
		_exit(0);
	if (!strcmp(mode, "handler")) {
		signal(SIGUSR1, leave);
		raise(SIGUSR1);
	}
	return 0;
}
