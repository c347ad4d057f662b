/* SPDX-License-Identifier: MIT
 *
 * leaves: the first thread ends by pthread_exit, and others go on; the last one ends the process.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void *work(void *arg)
{
	for (int i = 0; i < 1000; i++) {
		free(malloc(100));
		if (i % 100 == 0)
			usleep(1000);
	}
	if (puts("a thread has done its work") < 0)
		abort();
	return arg;
}

int main(void)
{
	pthread_t thread;

	for (int i = 0; i < 4; i++)
		if (pthread_create(&thread, NULL, work, NULL))
			return 1;
	pthread_exit(NULL);
}
