/* SPDX-License-Identifier: MIT
 *
 * faults MODE: what recorders have to live with. Each mode prints "blocks N": how many blocks of
 * 123 bytes it has asked for.
 *   corrupt   the frame pointer of the caller, as a function has saved it, points anywhere
 *   early     blocks before main: a constructor's, and one of the table .preinit_array
 *   vfork     children by vfork that exec, that fail to, that end
 *   late      threads that allocate when their data is destroyed, and while the process exits
 *   exits     a handler that exits while the program is inside of the recorder
 *   threads N N threads, one after the other, each with one block; prints its own peak of memory
 *   many N    N threads at once
 */
#include "lib/recorder/tracemill.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static atomic_ulong blocks;

/* No compiler leaves out what it cannot see the use of. */
__attribute__((noinline)) static void *block(void)
{
	void *volatile p = malloc(123);

	if (!p)
		_exit(9);
	blocks++;
	return p;
}

static void tell(void)
{
	char line[100];
	int n = snprintf(line, sizeof line, "blocks %lu\n", (unsigned long)blocks);

	if (write(STDERR_FILENO, line, (size_t)n) != n)
		_exit(9);
}

static void first(int argc, char **argv, char **env)
{
	(void)argc, (void)argv, (void)env;
	free(block());
}

__attribute__((section(".preinit_array"), used)) static void (*const preinit)(int, char **,
									      char **) = first;

__attribute__((constructor)) static void second(void)
{
	free(block());
}

/* What it has saved is its caller's; put back before it returns. */
__attribute__((noinline)) static void with(uintptr_t anything)
{
	uintptr_t *saved = __builtin_frame_address(0), before;

	memcpy(&before, saved, sizeof before);
	memcpy(saved, &anything, sizeof anything);
	__asm__ volatile("" ::: "memory");
	free(block());
	__asm__ volatile("" ::: "memory");
	memcpy(saved, &before, sizeof before);
}

static void corrupt(void)
{
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	/* Far below is within the stack as its limit has it, where nothing is mapped yet. */
	const uintptr_t values[] = {
	    0,
	    1,
	    UINTPTR_MAX,
	    UINTPTR_MAX - 7,
	    16,
	    4096,
	    here,
	    here + 1,
	    here - 16,
	    here - (4 << 20),
	    here + (64 << 20),
	    (uintptr_t)block(),
	    (uintptr_t)corrupt,
	    (uintptr_t)1 << 47,
	};

	for (size_t i = 0; i < sizeof values / sizeof *values; i++)
		with(values[i]);
}

static void children(const char *self)
{
	for (int i = 0; i < 30; i++) {
		pid_t pid = vfork();

		if (!pid) {
			if (i % 3 == 0)
				execl(self, self, "nothing", (char *)NULL);
			if (i % 3 == 1)
				execl("/nowhere/at/all", "x", (char *)NULL);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
		free(block());
	}
}

static void destroy(void *p)
{
	free(p);
	free(block());
}

static pthread_key_t key;

static void *ends_late(void *arg)
{
	pthread_setspecific(key, block());
	return arg;
}

static atomic_bool over;

static void *never_ends(void *arg)
{
	void *volatile p;

	for (;;) {
		p = malloc(77);
		free(p);
	}
	return arg;
}

static void at_exit(void)
{
	over = true;
	free(block());
}

static void late(void)
{
	pthread_t id;

	pthread_key_create(&key, destroy);
	for (int i = 0; i < 100; i++)
		if (!pthread_create(&id, NULL, ends_late, NULL))
			pthread_join(id, NULL);
	atexit(at_exit);
	for (int i = 0; i < 4; i++)
		if (!pthread_create(&id, NULL, never_ends, NULL))
			pthread_detach(id);
	usleep(10000);
	blocks++; /* that of at_exit */
}

static void leave(int sig)
{
	(void)sig;
	exit(7);
}

/* Nothing of malloc's is interrupted, which a handler may not call exit from. */
static void exits(void)
{
	struct itimerval once = {{0, 0}, {0, 3000 + getpid() % 64 * 100}};

	signal(SIGALRM, leave);
	tell();
	setitimer(ITIMER_REAL, &once, NULL);
	for (int i = 0;; i++) {
		tracemill_counter("spin", i);
		if (i % 100 == 0)
			tracemill_flush();
	}
}

static void *one(void *arg)
{
	free(block());
	return arg;
}

static void threads(int n)
{
	struct rusage use;
	pthread_t id;

	for (int i = 0; i < n; i++)
		if (!pthread_create(&id, NULL, one, NULL))
			pthread_join(id, NULL);
	getrusage(RUSAGE_SELF, &use);
	fprintf(stderr, "peak %ld KiB\n", use.ru_maxrss);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool go;

/* With a block in its hands, so that each has been seen while all are there. */
static void *waits(void *arg)
{
	void *p = block();

	pthread_mutex_lock(&mutex);
	while (!go)
		pthread_cond_wait(&changed, &mutex);
	pthread_mutex_unlock(&mutex);
	free(p);
	return arg;
}

static void many(int n)
{
	pthread_t *id = calloc((size_t)n, sizeof *id);
	pthread_attr_t attr;
	int there = 0;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 64 << 10);
	while (there < n && !pthread_create(&id[there], &attr, waits, NULL))
		there++;
	while (blocks < (unsigned)there)
		usleep(1000);
	pthread_mutex_lock(&mutex);
	go = true;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&mutex);
	for (int i = 0; i < there; i++)
		pthread_join(id[i], NULL);
	free(id);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "early";
	int n = argc > 2 ? atoi(argv[2]) : 1000;

	if (!strcmp(mode, "corrupt"))
		corrupt();
	else if (!strcmp(mode, "vfork"))
		children(argv[0]);
	else if (!strcmp(mode, "late"))
		late();
	else if (!strcmp(mode, "exits"))
		exits();
	else if (!strcmp(mode, "threads"))
		threads(n);
	else if (!strcmp(mode, "many"))
		many(n);
	if (strcmp(mode, "nothing") != 0)
		tell();
	return 0;
}
