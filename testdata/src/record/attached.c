/* SPDX-License-Identifier: MIT
 *
 * attached SECONDS MODULE MODULE2 - a program that tm-record attaches to. It has 100 blocks of 1000
 * bytes and eight threads, and waits for lines on standard input, for each of which it prints one:
 *
 *   work   the 100 old blocks: 10 grow to 2000 bytes, then all are freed; each thread makes 1000 blocks
 *          of 100 bytes and 100 of 200 (calloc), and frees the first 900; MODULE is loaded by its path
 *          and MODULE2 by its name, and each makes 10 blocks of 333 bytes and frees none
 *   churn  the threads allocate without end, for SECONDS; nothing of it stays
 *   exec   it becomes cat
 *   end    status 7
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 8, OLD = 100, BLOCKS = 1000, ZEROED = 100, FREED = 900 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t told = PTHREAD_COND_INITIALIZER, done = PTHREAD_COND_INITIALIZER;
static int round_of, finished;
static char job;
static double until;

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static __attribute__((noinline)) void work(void)
{
	void *p[BLOCKS];

	for (int i = 0; i < BLOCKS; i++)
		p[i] = malloc(100);
	for (int i = 0; i < ZEROED; i++)
		*(void *volatile *)&p[BLOCKS - 1] = calloc(2, 100);
	for (int i = 0; i < FREED; i++)
		free(p[i]);
}

static __attribute__((noinline)) void churn(void)
{
	for (unsigned i = 0; i % 64 || seconds() < until; i++) {
		char *p = malloc(16 + i % 500);

		*(volatile char *)p = 1;
		free(p);
	}
}

static void *thread(void *arg)
{
	int mine = 0;

	(void)arg;
	for (;;) {
		pthread_mutex_lock(&lock);
		while (round_of == mine)
			pthread_cond_wait(&told, &lock);
		mine = round_of;
		pthread_mutex_unlock(&lock);
		if (job == 'w')
			work();
		else
			churn();
		pthread_mutex_lock(&lock);
		finished++;
		pthread_cond_signal(&done);
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

static void all(char what)
{
	pthread_mutex_lock(&lock);
	job = what;
	finished = 0;
	round_of++;
	pthread_cond_broadcast(&told);
	while (finished < THREADS)
		pthread_cond_wait(&done, &lock);
	pthread_mutex_unlock(&lock);
}

static bool load(const char *module)
{
	void *m = dlopen(module, RTLD_NOW);
	void (*make)(int);

	if (!m) {
		fprintf(stderr, "%s\n", dlerror());
		return false;
	}
	*(void **)&make = dlsym(m, "make");
	usleep(300000); /* what is looked for by its name is seen a little later */
	make(10);
	return true;
}

int main(int argc, char **argv)
{
	void *old[OLD];
	pthread_t t;
	char line[64];

	if (argc < 4)
		return 2;
	for (int i = 0; i < OLD; i++)
		old[i] = malloc(1000);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&t, NULL, thread, NULL);
	printf("ready\n");
	fflush(stdout);
	while (fgets(line, sizeof line, stdin)) {
		if (!strcmp(line, "end\n"))
			return 7;
		if (!strcmp(line, "exec\n"))
			execlp("cat", "cat", (char *)NULL);
		if (!strcmp(line, "work\n")) {
			for (int i = 0; i < OLD / 10; i++)
				old[i] = realloc(old[i], 2000);
			for (int i = 0; i < OLD; i++)
				free(old[i]);
			all('w');
			if (!load(argv[2]) || !load(argv[3]))
				return 1;
		} else {
			until = seconds() + atof(argv[1]);
			all('c');
		}
		printf("did %s", line);
		fflush(stdout);
	}
	return 3;
}
