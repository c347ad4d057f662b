/* SPDX-License-Identifier: MIT
 *
 * boehm: threads of libgc, which stops them by signals to collect; every live list is whole
 * afterwards.
 */
#define GC_THREADS
#include <gc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 4, ROUNDS = 60, LIST = 1000 };

struct node {
	struct node *next;
	int value;
};

static void *work(void *arg)
{
	long *sum = arg;

	for (int r = 0; r < ROUNDS; r++) {
		struct node *list = NULL;

		for (int i = 0; i < LIST; i++) {
			struct node *n = GC_MALLOC(sizeof *n);
			void *own = malloc(30);

			n->next = list;
			n->value = i;
			list = n;
			GC_MALLOC(100); /* garbage */
			free(own);
		}
		if (r % 20 == 0)
			GC_gcollect();
		for (; list; list = list->next)
			*sum += list->value;
	}
	return NULL;
}

int main(void)
{
	pthread_t thread[THREADS];
	long sum[THREADS] = {0};

	GC_INIT();
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&thread[i], NULL, work, &sum[i]))
			return 1;
	for (int i = 0; i < THREADS; i++) {
		pthread_join(thread[i], NULL);
		printf("%ld\n", sum[i]);
	}
	return 0;
}
