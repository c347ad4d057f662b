// SPDX-License-Identifier: MIT
//
// Allocations that can be counted by hand. All are of functions that are not inlined; the totals are those that
// tests/sh/counted.sh works out.
#include <cstdlib>
#include <pthread.h>

static void *volatile kept; // so that no allocation is left out

#define APART __attribute__((noinline, noclone))

APART static void many() // 1,000,000 of 10 bytes
{
	for (int i = 0; i < 1000000; i++)
		kept = malloc(10);
}

struct node {
	long words[3];
};

APART static void objects() // 60,000 of 24 bytes, 40,000 of 7 (new[] of chars has no head)
{
	for (int i = 0; i < 60000; i++)
		kept = new node;
	for (int i = 0; i < 40000; i++) {
		char *p = new char[7];
		kept = p;
		delete[] p;
	}
}

APART static void grow() // 1,000 sizes: 16, 32, ... 16,000; each is an allocation of its own
{
	void *p = nullptr;

	for (int i = 1; i <= 1000; i++)
		kept = p = realloc(p, i * 16);
	free(p);
}

APART static void *worker(void *size) // 25,000 of its size, on a thread that is called by it
{
	char name[] = "worker-0";

	name[7] = (char)('0' + (size_t)size / 16);
	pthread_setname_np(pthread_self(), name);
	for (int i = 0; i < 25000; i++) {
		void *p = malloc((size_t)size);
		kept = p;
		free(p);
	}
	return nullptr;
}

int main()
{
	pthread_t threads[4];

	many();
	objects();
	grow();
	for (size_t i = 0; i < 4; i++)
		pthread_create(&threads[i], nullptr, worker, (void *)(16 * (i + 1)));
	for (pthread_t t : threads)
		pthread_join(t, nullptr);
	return 0;
}
