/* SPDX-License-Identifier: MIT
 *
 * depths: a program that knows the stack of each block. For every depth D of 1 to 40 it allocates D
 * blocks of 1000 + D bytes in leaf(), called by D calls of down() that call each other, called by
 * rounds(), in the main thread and in a second one; and some from a handler on a stack of its own.
 * Nothing else asks for blocks of 1001 to 1040 bytes. Functions that call each other are not
 * inlined, nor do calls become jumps; half of the calls have frames of a size that is not fixed.
 */
#include <alloca.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTHS = 40 };

static void *volatile kept;
static volatile int behind;

__attribute__((noinline)) static void leaf(int depth)
{
	for (int i = 0; i < depth; i++)
		kept = malloc(1000 + (size_t)depth);
	behind++;
}

__attribute__((noinline)) static void down(int left, int depth)
{
	volatile char *room = alloca((size_t)(left % 2 ? 16 : left * 24 + 8));

	room[0] = (char)left;
	if (left > 1)
		down(left - 1, depth);
	else
		leaf(depth);
	behind += room[0];
}

__attribute__((noinline)) static void rounds(void)
{
	for (int depth = 1; depth <= DEPTHS; depth++)
		down(depth, depth);
	behind++;
}

static void *thread(void *arg)
{
	rounds();
	behind++;
	return arg;
}

static void handler(int sig)
{
	(void)sig;
	kept = malloc(2000);
	behind++;
}

int main(void)
{
	static char other[1 << 16];
	stack_t stack = {.ss_sp = other, .ss_size = sizeof other};
	struct sigaction act;
	pthread_t id;

	memset(&act, 0, sizeof act);
	act.sa_handler = handler;
	act.sa_flags = SA_ONSTACK;
	sigaltstack(&stack, NULL);
	sigaction(SIGUSR1, &act, NULL);
	rounds();
	if (!pthread_create(&id, NULL, thread, NULL))
		pthread_join(id, NULL);
	raise(SIGUSR1);
	return 0;
}
