/* SPDX-License-Identifier: MIT
 *
 * The parts of moments.c on threads: thread-specific data, signals, cancellation and contexts.
 */
#include "testdata/src/record/moments.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

static pthread_key_t key;

static void destroy(void *p)
{
	static atomic_int again;

	(void)p;
	block();
	if (++again % 3)
		pthread_setspecific(key, &key);
}

static void *leaves(void *arg)
{
	pthread_setspecific(key, &key);
	return arg;
}

static void *leaves_by_exit(void *arg)
{
	pthread_setspecific(key, &key);
	pthread_exit(arg);
}

/* The thread's only blocks are those of its destructors. */
void moment_tls(void)
{
	if (pthread_key_create(&key, destroy))
		_exit(9);
	for (int i = 0; i < 5; i++) {
		in_thread(leaves, NULL);
		in_thread(leaves_by_exit, NULL);
	}
}

/* More keys than glibc keeps in a thread's descriptor: the next one that is set allocates. */
static void *has_keys(void *arg)
{
	block();
	return arg;
}

void moment_keys(void)
{
	pthread_key_t many[100];

	for (unsigned i = 0; i < 100; i++)
		if (pthread_key_create(&many[i], NULL))
			_exit(9);
	for (unsigned i = 0; i < 100; i++)
		pthread_setspecific(many[i], &key);
	in_thread(has_keys, NULL);
}

static void handler(int sig)
{
	(void)sig;
	block();
}

/* On the handler's own stack, as the thread's first block. */
static void *signalled(void *arg)
{
	static char stack[1 << 16];
	stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
	struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};

	sigaltstack(&other, NULL);
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	block();
	raise(SIGUSR1);
	return arg;
}

void moment_signals(void)
{
	signalled(NULL);
	in_thread(signalled, NULL);
}

/* malloc is no point of cancellation, and the recorder must not be one either: while its ring is
 * full, and in handlers of the cancellation. */
static void cleanup(void *arg)
{
	(void)arg;
	block();
}

static void *cancelled(void *arg)
{
	pthread_cleanup_push(cleanup, NULL);
	held = 1;
	while (held != 2)
		;
	for (int i = 0; i < 20000; i++)
		block();
	held = 3;
	for (;;)
		pause();
	pthread_cleanup_pop(0);
	return arg;
}

void moment_cancel(void)
{
	for (int i = 0; i < 5; i++) {
		pthread_t id;

		held = 0;
		if (pthread_create(&id, NULL, cancelled, NULL))
			_exit(9);
		while (!held)
			;
		pthread_cancel(id);
		held = 2;
		pthread_join(id, NULL);
		if (held != 3)
			fprintf(stderr, "cancelled inside of malloc\n");
	}
}

/* Stacks of the program's own, two at once, and a thread whose first block is on one. */
static __thread ucontext_t back;

static void coroutine(void)
{
	for (int i = 0; i < 10; i++)
		block();
}

static void *switches(void *arg)
{
	static char stacks[2][1 << 16];
	ucontext_t there;

	for (int i = 0; i < 2; i++) {
		getcontext(&there);
		there.uc_stack.ss_sp = stacks[i];
		there.uc_stack.ss_size = sizeof stacks[i];
		there.uc_link = &back;
		makecontext(&there, coroutine, 0);
		swapcontext(&back, &there);
		block();
	}
	return arg;
}

void moment_contexts(void)
{
	in_thread(switches, NULL);
	switches(NULL);
}

/* As C++'s thread_local objects: what is registered with the C library when a thread first uses
 * one, and the memory of a module that was loaded later. */
extern int __cxa_thread_atexit_impl(void (*f)(void *), void *arg, void *module)
    __attribute__((weak));
extern void *__dso_handle;

static void object_goes(void *arg)
{
	(void)arg;
	block();
}

static void *has_objects(void *arg)
{
	unsigned *(*place)(void) = NULL;

	memcpy(&place, &arg, sizeof place);
	if (__cxa_thread_atexit_impl)
		__cxa_thread_atexit_impl(object_goes, NULL, &__dso_handle);
	else
		block();
	if (place)
		++*place();
	block();
	return NULL;
}

void moment_objects(void)
{
	void *module = dlopen("./moments_module.so", RTLD_NOW);
	unsigned *count = module ? dlsym(module, "module_blocks") : NULL;
	void *place = module ? dlsym(module, "module_place") : NULL;

	if (!count || !place)
		_exit(9);
	blocks += *count;
	for (int i = 0; i < 5; i++)
		in_thread(has_objects, place);
	has_objects(place);
	blocks++; /* the first thread's object goes after the word */
	dlclose(module);
	blocks++;
}

/* Many keys before anything else is in the process. */
static void early(int argc, char **argv, char **env)
{
	pthread_key_t some;

	(void)env;
	for (unsigned i = 0; i < 100 && argc > 1 && !strcmp(argv[1], "keys2"); i++)
		if (pthread_key_create(&some, NULL))
			_exit(9);
}
__attribute__((section(".preinit_array"), used)) static void (*const at_first)(int, char **,
									       char **) = early;

void moment_keys2(void)
{
	for (int i = 0; i < 5; i++)
		in_thread(has_keys, NULL);
	block();
}

/* The others are stopped by a signal, wherever they are, and only go on when the collector has
 * ended, which allocates more than there is room for. */
static void nap(long ns)
{
	struct timespec t = {0, ns};

	nanosleep(&t, NULL);
}

static void stops(int sig)
{
	(void)sig;
	held = 1;
	while (held == 1)
		nap(100000);
	held = 3;
}

static void *is_stopped(void *arg)
{
	atomic_int *budget = arg; /* below 0: it is over */

	while (*budget >= 0)
		if (*budget > 0) {
			--*budget;
			block();
		}
	return NULL;
}

__attribute__((noinline)) static void deeper(int n)
{
	if (n)
		deeper(n - 1);
	block();
}

void moment_suspend(void)
{
	static atomic_int budget;
	pthread_t id;

	signal(SIGUSR1, stops);
	if (pthread_create(&id, NULL, is_stopped, &budget))
		_exit(9);
	for (int i = 0; i < 30; i++) {
		held = 0;
		budget = 10000;
		while (budget > 9000 - i * 97)
			;
		pthread_kill(id, SIGUSR1);
		while (held != 1)
			;
		for (int k = 0; k < 100; k++)
			deeper(i + 30);
		held = 2;
		while (held != 3)
			;
	}
	while (budget)
		;
	budget = -1;
	pthread_join(id, NULL);
}

/* A handler that allocates comes again and again while its thread does; of an allocator that may be
 * interrupted. */
static atomic_int came;

static void comes(int sig)
{
	(void)sig;
	came++;
	block();
}

void moment_interrupted(void)
{
	struct itimerval often = {{0, 50}, {0, 50}}, never = {{0, 0}, {0, 0}};

	signal(SIGALRM, comes);
	setitimer(ITIMER_REAL, &often, NULL);
	while (came < 500)
		block();
	setitimer(ITIMER_REAL, &never, NULL);
}
