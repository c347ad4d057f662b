/* SPDX-License-Identifier: MIT
 *
 * stacks: allocations on stacks that are small or not the thread's: threads of PTHREAD_STACK_MIN
 * bytes, coroutines on 16 KiB of heap, a handler on an alternate stack of the size that SIGSTKSZ
 * had. Says too whether malloc and free took less than 2.5 KiB of a stack. (glibc's own take 0.2
 * KiB; heaptrack's 4 KiB.)
 */
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

enum {
	COROUTINES = 200,
	SMALL = 16384,
	OLD_SIGSTKSZ = 8192,
	SWITCHES = 20,
	PAINT = 0xa5,
	LITTLE = 2560
};

static ucontext_t back, co[COROUTINES];
static int handled, switched;

static int down(int n)
{
	int below;
	char *p = malloc(20 + (size_t)n);

	if (!p)
		abort();
	memset(p, 1, 20);
	below = n ? down(n - 1) : 0;
	below += p[0];
	free(p);
	return below;
}

static void *small_thread(void *arg)
{
	*(int *)arg = down(20);
	return NULL;
}

static void coroutine(int id)
{
	for (int i = 0; i < SWITCHES; i++) {
		switched += down(10) == 11;
		swapcontext(&co[id], &back);
	}
}

static void painted(void)
{
	free(malloc(100));
}

/* Bytes of a stack that are not as they were. */
static int taken(void)
{
	char *stack = malloc(SMALL);
	int clean = 0;

	memset(stack, PAINT, SMALL);
	getcontext(&co[0]);
	co[0].uc_stack.ss_sp = stack;
	co[0].uc_stack.ss_size = SMALL;
	co[0].uc_link = &back;
	makecontext(&co[0], painted, 0);
	swapcontext(&back, &co[0]);
	while (clean < SMALL && (unsigned char)stack[clean] == PAINT)
		clean++;
	free(stack);
	return SMALL - clean;
}

static void on_signal(int sig)
{
	(void)sig;
	handled += down(10) == 11;
}

static void *alternate(void *arg)
{
	stack_t s = {.ss_sp = malloc(OLD_SIGSTKSZ), .ss_size = OLD_SIGSTKSZ}, before;

	if (sigaltstack(&s, &before))
		abort();
	for (int i = 0; i < 100; i++)
		raise(SIGUSR1);
	sigaltstack(&before, NULL);
	free(s.ss_sp);
	return arg;
}

int main(void)
{
	struct sigaction sa = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
	pthread_attr_t attr;
	pthread_t thread;
	int depth = 0;
	char *stack[COROUTINES];

	sigaction(SIGUSR1, &sa, NULL);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, (size_t)sysconf(_SC_THREAD_STACK_MIN));
	for (int i = 0; i < 50; i++) {
		if (pthread_create(&thread, &attr, small_thread, &depth))
			return 1;
		pthread_join(thread, NULL);
	}
	if (pthread_create(&thread, NULL, alternate, NULL))
		return 1;
	pthread_join(thread, NULL);
	for (int i = 0; i < COROUTINES; i++) {
		stack[i] = malloc(SMALL);
		getcontext(&co[i]);
		co[i].uc_stack.ss_sp = stack[i];
		co[i].uc_stack.ss_size = SMALL;
		co[i].uc_link = &back;
		makecontext(&co[i], (void (*)(void))coroutine, 1, i);
	}
	for (int k = 0; k <= SWITCHES; k++)
		for (int i = 0; i < COROUTINES; i++)
			swapcontext(&back, &co[i]);
	for (int i = 0; i < COROUTINES; i++)
		free(stack[i]);
	printf("depth %d, handled %d, switched %d\n", depth, handled, switched);
	taken(); /* what is bound and found once */
	printf("little: %d\n", taken() < LITTLE);
	return 0;
}
