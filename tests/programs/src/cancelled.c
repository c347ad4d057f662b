/* SPDX-License-Identifier: MIT
 *
 * cancelled: threads that are cancelled while they allocate. malloc is no cancellation point (POSIX
 * lists them), so each does all of its work first, and ends at its own.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 8, BLOCKS = 40000 };

static atomic_int ended, begun;

static void *work(void *arg)
{
	begun++;
	for (int i = 0; i < BLOCKS; i++)
		free(malloc(50 + (size_t)i % 100));
	ended++;
	for (;;)
		pthread_testcancel();
	return arg;
}

int main(void)
{
	pthread_t thread[THREADS];
	void *how;
	int cancelled = 0;

	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&thread[i], NULL, work, NULL))
			return 1;
	for (int i = 0; i < THREADS; i++)
		pthread_cancel(thread[i]);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(thread[i], &how);
		cancelled += how == PTHREAD_CANCELED;
	}
	printf("%d threads begun, %d did their work, %d cancelled\n", begun, ended, cancelled);
	return 0;
}
