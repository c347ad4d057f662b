/* SPDX-License-Identifier: MIT
 *
 * stress [ROUNDS]: four threads that allocate, resize and free blocks of 16 to 1039 bytes, each
 * ROUNDS times (default: a million), half of them another thread's, below six calls. For
 * tests/bench/record.sh. What it asks for is the same each time.
 */
#include "testdata/gen/lcg.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

enum { THREADS = 4, KEPT = 1024 };

static _Atomic(void *) shared[KEPT];
static long rounds = 1000000;

__attribute__((noinline)) static void *make(size_t n, int depth)
{
	void *volatile p = depth ? make(n, depth - 1) : malloc(n);

	return p;
}

static void *work(void *arg)
{
	uint64_t seed = (uintptr_t)arg * 7919 + 1;
	void *own[KEPT] = {0};

	for (long i = 0; i < rounds; i++) {
		size_t n, k;

		lcg(&seed);
		n = (size_t)(seed >> 40) % 1024 + 16;
		k = (size_t)(seed >> 30) % KEPT;
		if (i % 2) {
			free(atomic_exchange(&shared[k], make(n, 5)));
		} else if (i % 8 == 0) {
			own[k] = realloc(own[k], n);
		} else {
			free(own[k]);
			own[k] = make(n, 5);
		}
	}
	for (int k = 0; k < KEPT; k++)
		free(own[k]);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t id[THREADS];

	if (argc > 1)
		rounds = strtol(argv[1], NULL, 10);
	for (uintptr_t i = 0; i < THREADS; i++)
		if (pthread_create(&id[i], NULL, work, (void *)i))
			return 1;
	for (int i = 0; i < THREADS; i++)
		pthread_join(id[i], NULL);
	return 0;
}
