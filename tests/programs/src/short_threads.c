/* SPDX-License-Identifier: MIT
 *
 * short_threads N: N threads, eight at a time, each with blocks of its own and one that the first
 * thread frees.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { AT_ONCE = 8, BLOCKS = 4 };

static void *work(void *arg)
{
	char *p[BLOCKS];

	for (int i = 0; i < BLOCKS; i++) {
		p[i] = malloc(10 + (size_t)i * 100);
		if (!p[i])
			abort();
		memset(p[i], i, 10);
	}
	for (int i = 1; i < BLOCKS; i++)
		free(p[i]);
	(void)arg;
	return p[0];
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 100, done = 0;

	while (done < n) {
		pthread_t thread[AT_ONCE];
		void *p;

		for (int i = 0; i < AT_ONCE; i++)
			if (pthread_create(&thread[i], NULL, work, NULL))
				return 1;
		for (int i = 0; i < AT_ONCE; i++, done++) {
			pthread_join(thread[i], &p);
			free(p);
		}
	}
	printf("%d threads\n", done);
	return 0;
}
