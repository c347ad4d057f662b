/* SPDX-License-Identifier: MIT
 *
 * world: stops its world as collectors do (Boehm's, Mono's): a signal to each thread, whose handler
 * waits. Meanwhile one thread maps and unmaps memory, and calls nothing else. The others allocate
 * and map memory all the time.
 */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { THREADS = 4, ROUNDS = 300, STOP = SIGUSR1, GO = SIGUSR2 };

static sem_t stopped;
static atomic_int round_now;
static atomic_bool over;

static void on_stop(int sig)
{
	int error = errno, mine = round_now;
	sigset_t wait;

	(void)sig;
	sigfillset(&wait);
	sigdelset(&wait, GO);
	sem_post(&stopped);
	while (round_now == mine)
		sigsuspend(&wait);
	errno = error;
}

static void on_go(int sig)
{
	(void)sig;
}

static void *map(size_t n)
{
	return mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void *work(void *arg)
{
	size_t n = 0;

	while (!over) {
		free(malloc(n++ % 1000));
		if (n % 8 == 0)
			munmap(map(8192), 8192);
	}
	return arg;
}

int main(void)
{
	struct sigaction stop = {.sa_handler = on_stop, .sa_flags = SA_RESTART};
	struct sigaction go = {.sa_handler = on_go, .sa_flags = SA_RESTART};
	pthread_t thread[THREADS];
	int rounds = 0;

	sem_init(&stopped, 0, 0);
	/* GO comes in sigsuspend alone: between the look at the round and that it would be lost. */
	sigfillset(&stop.sa_mask);
	sigaction(STOP, &stop, NULL);
	sigaction(GO, &go, NULL);
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&thread[i], NULL, work, NULL))
			return 1;
	for (; rounds < ROUNDS; rounds++) {
		for (int i = 0; i < THREADS; i++)
			pthread_kill(thread[i], STOP);
		for (int i = 0; i < THREADS; i++)
			while (sem_wait(&stopped))
				;
		for (int i = 0; i < 4; i++)
			munmap(map(65536), 65536);
		round_now++;
		for (int i = 0; i < THREADS; i++)
			pthread_kill(thread[i], GO);
	}
	over = true;
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	printf("stopped %d times\n", rounds);
	return 0;
}
