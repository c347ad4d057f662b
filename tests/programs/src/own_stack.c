/* SPDX-License-Identifier: MIT
 *
 * own_stack [thread]: asks where its stack is before it has allocated anything, in the first thread
 * or another, as Rust's, Java's and Boehm's runtimes do.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static void *ask(void *arg)
{
	pthread_attr_t attr;
	void *at;
	size_t n;
	char here;

	if (pthread_getattr_np(pthread_self(), &attr) || pthread_attr_getstack(&attr, &at, &n))
		exit(1);
	printf("%d\n", (char *)at <= &here && &here < (char *)at + n);
	pthread_attr_destroy(&attr);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	(void)argv;
	if (argc < 2)
		ask(NULL);
	else if (pthread_create(&thread, NULL, ask, NULL) || pthread_join(thread, NULL))
		return 1;
	return 0;
}
