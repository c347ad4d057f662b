/* SPDX-License-Identifier: MIT
 *
 * moments MODE: the recorder is called at moments when its host can do least, by one thread or by
 * several that hold each other up. Nothing is allocated before the mode begins. At its end it
 * prints "blocks N": how many blocks of 123 bytes it has asked for and freed; with an allocator
 * that counts (moments_malloc.c, and MOMENTS_CALLS in the environment) also how often that was
 * called since main began.
 */
#include "testdata/src/record/moments.h"

#include <dlfcn.h>
#include <fenv.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

atomic_ulong blocks;
atomic_int held;
static bool elsewhere;            /* in a child, whose blocks do not count */
static const atomic_ulong *calls; /* of the allocator; NULL: not counted */
static unsigned long calls_before;

void block(void)
{
	void *volatile p = malloc(elsewhere ? 7 : 123); /* no compiler leaves the pair out */

	if (!p)
		_exit(9);
	if (!elsewhere)
		blocks++;
	free(p);
}

static void tell(void)
{
	unsigned long of_allocator = calls ? *calls - calls_before : 0;
	char line[100];
	int n = snprintf(line, sizeof line, "blocks %lu\ncalls %lu\n", (unsigned long)blocks,
			 of_allocator);

	if (write(STDERR_FILENO, line, (size_t)n) != n)
		_exit(9);
}

void *in_thread(void *(*f)(void *), void *arg)
{
	pthread_t id;
	void *result = NULL;

	if (pthread_create(&id, NULL, f, arg) || pthread_join(id, &result))
		_exit(9);
	return result;
}

/* glibc allocates in there, with the thread's own lock held. */
static void *asks(void *arg)
{
	pthread_attr_t attr;

	if (!pthread_getattr_np(pthread_self(), &attr))
		pthread_attr_destroy(&attr);
	block();
	return arg;
}

static void bounds(void)
{
	asks(NULL);
}

static void bounds2(void)
{
	in_thread(asks, NULL);
}

/* The dynamic linker's lock is held around the callback. */
static int seen(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)info, (void)size, (void)arg;
	block();
	return 1;
}

static void *iterates(void *arg)
{
	dl_iterate_phdr(seen, NULL);
	return arg;
}

static void phdr(void)
{
	iterates(NULL);
	in_thread(iterates, NULL);
}

/* One thread has the dynamic linker's lock and wants ours, the other has ours and allocates from
 * places that the recorder has not seen. */
static pthread_mutex_t ours = PTHREAD_MUTEX_INITIALIZER;

static int wants(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)info, (void)size, (void)arg;
	held = 1;
	while (held != 2)
		;
	pthread_mutex_lock(&ours);
	block();
	pthread_mutex_unlock(&ours);
	return 1;
}

static void *iterates_and_waits(void *arg)
{
	dl_iterate_phdr(wants, NULL);
	return arg;
}

static int order(const void *a, const void *b)
{
	block();
	return *(const int *)a - *(const int *)b;
}

static void crossed(void)
{
	int numbers[] = {3, 1, 2};
	pthread_t id;

	if (pthread_create(&id, NULL, iterates_and_waits, NULL))
		_exit(9);
	while (!held)
		;
	pthread_mutex_lock(&ours);
	held = 2;
	block();
	qsort(numbers, 3, sizeof *numbers, order);
	pthread_mutex_unlock(&ours);
	pthread_join(id, NULL);
}

/* A module whose constructor and destructor allocate (moments_module.c); loaded by two threads. */
static void *loads(void *arg)
{
	for (int i = 0; i < 5; i++) {
		void *module = dlopen("./moments_module.so", RTLD_NOW);
		unsigned *count;

		if (!module) {
			fprintf(stderr, "%s\n", dlerror());
			_exit(9);
		}
		count = dlsym(module, "module_blocks");
		blocks += *count + 1; /* and that of the destructor */
		*count = 0;
		if (arg)
			block();
		dlclose(module);
	}
	return NULL;
}

static void dl(void)
{
	loads(NULL);
	in_thread(loads, &blocks);
}

static void handler_in_child(void)
{
	elsewhere = true;
	block();
}

static void *forks(void *arg)
{
	for (int i = 0; i < 5; i++) {
		pid_t pid = fork();

		if (!pid) {
			block();
			_exit(0);
		}
		waitpid(pid, NULL, 0);
		block();
	}
	return arg;
}

static void atfork(void)
{
	if (pthread_atfork(block, block, handler_in_child))
		_exit(9);
	forks(NULL);
	in_thread(forks, NULL);
}

static void late(void)
{
	block();
	tell();
}

static void at_exit(void)
{
	atexit(late);
}

__attribute__((destructor)) static void at_the_end(void)
{
	if (held == 77)
		block();
}

static void destructor(void)
{
	held = 77;
	blocks++; /* its block comes after the word */
}

static void *once_more(void *arg)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, block);
	return arg;
}

static void once(void)
{
	in_thread(once_more, NULL);
	once_more(NULL);
}

/* The streams' locks are held, one by another thread. */
static void *prints(void *arg)
{
	flockfile(stderr);
	held = 1;
	for (int i = 0; i < 10000; i++)
		block();
	while (held != 2)
		;
	funlockfile(stderr);
	return arg;
}

static void stdio(void)
{
	pthread_t id;

	if (pthread_create(&id, NULL, prints, NULL))
		_exit(9);
	while (!held)
		;
	flockfile(stdout);
	for (int i = 0; i < 10000; i++)
		block();
	funlockfile(stdout);
	held = 2;
	pthread_join(id, NULL);
}

/* Tables of code that was made at run time: GCC's unwinder of before 13 sorts them when it is first
 * asked, and allocates with its own lock held. */
static _Unwind_Reason_Code count_frames(struct _Unwind_Context *context, void *arg)
{
	(void)context, (void)arg;
	return _URC_NO_REASON;
}

extern void __register_frame(void *) __attribute__((weak));

static void frames(void)
{
	enum { MADE = 50, CIE = 24, FDE = 28 };
	static unsigned char table[CIE + MADE * FDE + 4];
	static const unsigned char cie[CIE] = {20, 0, 0,    0,  0, 0, 0,    0, 1, 'z',  'R',
					       0,  1, 0x78, 16, 1, 0, 0x0c, 7, 8, 0x90, 1};
	unsigned char *p = table + CIE;

	if (sizeof(void *) == 8 && __register_frame) {
		memcpy(table, cie, CIE);
		for (unsigned i = 0; i < MADE; i++, p += FDE) {
			uint32_t length = FDE - 4, back = (uint32_t)(p + 4 - table);
			uint64_t at = 0x10000000 + (MADE - i) * 64, n = 64;

			memcpy(p, &length, 4);
			memcpy(p + 4, &back, 4);
			memcpy(p + 8, &at, 8);
			memcpy(p + 16, &n, 8);
		}
		__register_frame(table);
	}
	_Unwind_Backtrace(count_frames, NULL);
	block();
}

static ucontext_t back_from_frames;

static void frames_elsewhere(void)
{
	static char stack[1 << 18];
	ucontext_t there;

	getcontext(&there);
	there.uc_stack.ss_sp = stack;
	there.uc_stack.ss_size = sizeof stack;
	there.uc_link = &back_from_frames;
	makecontext(&there, frames, 0);
	swapcontext(&back_from_frames, &there);
	block();
}

/* What the program asks of floating point: no flag is raised, nor does it stop at one. */
static void floats(void)
{
	feclearexcept(FE_ALL_EXCEPT);
	for (int i = 0; i < 1000; i++)
		block();
	if (fetestexcept(FE_ALL_EXCEPT))
		fprintf(stderr, "flags 0x%x\n", (unsigned)fetestexcept(FE_ALL_EXCEPT));
#ifdef __x86_64__
	feenableexcept(FE_ALL_EXCEPT);
#endif
	for (int i = 0; i < 1000; i++)
		block();
}

static void exits(int sig)
{
	(void)sig;
	block();
	tell();
	exit(3);
}

static void leave(void)
{
	signal(SIGUSR1, exits);
	block();
	raise(SIGUSR1);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
		bool told;
		bool hidden; /* not in the list: its script knows what it is to be */
	} modes[] = {
	    {"bounds", bounds, false},
	    {"bounds2", bounds2, false},
	    {"phdr", phdr, false},
	    {"crossed", crossed, false},
	    {"dl", dl, false},
	    {"atfork", atfork, false},
	    {"atexit", at_exit, true},
	    {"destructor", destructor, false},
	    {"tls", moment_tls, false},
	    {"keys", moment_keys, false},
	    {"signals", moment_signals, false},
	    {"once", once, false},
	    {"stdio", stdio, false},
	    {"cancel", moment_cancel, false},
	    {"contexts", moment_contexts, false},
	    {"leave", leave, true},
	    {"objects", moment_objects, false},
	    {"frames", frames, false},
	    {"frames2", frames_elsewhere, false},
	    {"floats", floats, false},
	    {"keys2", moment_keys2, false},
	    {"suspend", moment_suspend, false, true},
	    {"interrupted", moment_interrupted, false, true},
	};
	const size_t n = sizeof modes / sizeof *modes;
	size_t i = 0;

	while (i < n && (argc < 2 || strcmp(modes[i].name, argv[1]) != 0))
		i++;
	for (size_t k = 0; i == n && k < n; k++)
		if (!modes[k].hidden)
			puts(modes[k].name);
	if (i == n)
		return 2;
	if (getenv("MOMENTS_CALLS")) {
		calls = dlsym(RTLD_DEFAULT, "allocator_calls");
		calls_before = calls ? *calls : 0;
	}
	modes[i].run();
	if (!modes[i].told)
		tell();
	return 0;
}
