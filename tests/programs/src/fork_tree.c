/* SPDX-License-Identifier: MIT
 *
 * fork_tree: 100 processes, each the parent of up to three more; a second thread allocates while
 * they fork. The status of each is how many there are from it on.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ALL = 100, CHILDREN = 3 };

static atomic_bool stop;

static void *busy(void *arg)
{
	while (!stop)
		free(malloc(100));
	return arg;
}

static int grow(int id)
{
	int here = 1, status;
	pid_t child[CHILDREN];
	void *p[50];

	for (int i = 0; i < 50; i++)
		p[i] = malloc(10 + (size_t)i);
	for (int i = 0; i < CHILDREN; i++) {
		int next = id * CHILDREN + i + 1;

		child[i] = next < ALL ? fork() : -1;
		if (!child[i])
			_exit(grow(next));
	}
	for (int i = 0; i < CHILDREN; i++)
		if (child[i] > 0 && waitpid(child[i], &status, 0) > 0)
			here += WIFEXITED(status) ? WEXITSTATUS(status) : 0;
	for (int i = 0; i < 50; i++)
		free(p[i]);
	return here;
}

int main(void)
{
	pthread_t thread;
	int all;

	if (pthread_create(&thread, NULL, busy, NULL))
		return 1;
	all = grow(0);
	stop = true;
	pthread_join(thread, NULL);
	printf("%d processes\n", all);
	return all != ALL;
}
