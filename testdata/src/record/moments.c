/* SPDX-License-Identifier: MIT
 *
 * moments MODE: the recorder is called at moments when its host can do least, by one thread or by
 * several that hold each other up. Nothing is allocated before the mode begins. At its end it
 * prints "blocks N": how many blocks of 123 bytes it has asked for and freed.
 */
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

static atomic_ulong blocks;
static bool elsewhere; /* in a child, whose blocks do not count */

static void block(void)
{
	void *p = malloc(elsewhere ? 7 : 123);

	if (!p)
		_exit(9);
	if (!elsewhere)
		blocks++;
	free(p);
}

static void tell(void)
{
	char line[100];
	int n = snprintf(line, sizeof line, "blocks %lu\n", (unsigned long)blocks);

	if (write(STDERR_FILENO, line, (size_t)n) != n)
		_exit(9);
}

static void *in_thread(void *(*f)(void *), void *arg)
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
static atomic_int held;

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
static void tls(void)
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

static void keys(void)
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

static void signals(void)
{
	signalled(NULL);
	in_thread(signalled, NULL);
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

/* Of what malloc is not a point of cancellation, the recorder is none either: while its ring is
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

static void cancel(void)
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

static void contexts(void)
{
	in_thread(switches, NULL);
	switches(NULL);
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
	} modes[] = {
	    {"bounds", bounds, false},
	    {"bounds2", bounds2, false},
	    {"phdr", phdr, false},
	    {"crossed", crossed, false},
	    {"dl", dl, false},
	    {"atfork", atfork, false},
	    {"atexit", at_exit, true},
	    {"destructor", destructor, false},
	    {"tls", tls, false},
	    {"keys", keys, false},
	    {"signals", signals, false},
	    {"once", once, false},
	    {"stdio", stdio, false},
	    {"cancel", cancel, false},
	    {"contexts", contexts, false},
	    {"leave", leave, true},
	};
	const size_t n = sizeof modes / sizeof *modes;
	size_t i = 0;

	while (i < n && (argc < 2 || strcmp(modes[i].name, argv[1]) != 0))
		i++;
	for (size_t k = 0; i == n && k < n; k++)
		puts(modes[k].name);
	if (i == n)
		return 2;
	modes[i].run();
	if (!modes[i].told)
		tell();
	return 0;
}
