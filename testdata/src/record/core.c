/* SPDX-License-Identifier: MIT
 *
 * core SETTINGS: the recorder without its hooks, driven by 6 threads that hand out and give back
 * numbers as if they were addresses of blocks of 10 bytes, with frames, counters, flushes and looks
 * at the modules between. For ThreadSanitizer, whose own hooks ours would come before. Prints
 * "allocs N frees N".
 */
#include "lib/recorder/capture.h"
#include "testdata/gen/lcg.h"

#include <pthread.h>
#include <stdio.h>

enum { THREADS = 6, ROUNDS = 20000, SLOTS = 64 };

static _Atomic uint64_t slot[SLOTS], returned[SLOTS], next_address = 0x100000;
static _Atomic unsigned long allocs, frees;

/* An address that was given back is handed out again, by whichever thread is next. */
static uint64_t hand_out(uint64_t random)
{
	uint64_t p = atomic_exchange(&returned[random % SLOTS], 0);

	return p ? p : atomic_fetch_add(&next_address, 16);
}

static void give_back(uint64_t random, uint64_t p)
{
	uint64_t none = 0;

	atomic_compare_exchange_strong(&returned[random % SLOTS], &none, p);
}

static void *work(void *arg)
{
	uint64_t random = (uintptr_t)arg * 977 + 5;

	for (int i = 0; i < ROUNDS; i++) {
		uint64_t p;

		lcg(&random);
		p = hand_out(random >> 40);
		cap_alloc((const void *)(uintptr_t)p, 10, 16, 0, CAP_HERE);
		allocs++;
		p = atomic_exchange(&slot[random >> 50 & (SLOTS - 1)], p);
		if (p) {
			cap_free((const void *)(uintptr_t)p, 0);
			frees++;
			give_back(random >> 30, p);
		}
		if (i % 1000 == 0)
			cap_mark_reading("round", NULL, (int64_t)i, 0);
		if (i % 5000 == 1)
			cap_modules_look();
		if (i % 5000 == 2)
			cap_flush();
	}
	cap_mark_frame(NULL, (int64_t)(uintptr_t)arg);
	return NULL;
}

int main(int argc, char **argv)
{
	struct cap_settings settings;
	pthread_t id[THREADS];

	if (argc < 2 || !cap_settings_parse(&settings, argv[1]) || !cap_start(&settings))
		return 2;
	atomic_store(&cap.ready, true);
	for (uintptr_t round = 0; round < 2; round++) {
		for (uintptr_t i = 0; i < THREADS; i++)
			if (pthread_create(&id[i], NULL, work, (void *)(round * THREADS + i)))
				return 2;
		for (int i = 0; i < THREADS; i++)
			pthread_join(id[i], NULL);
	}
	cap_finish(NULL);
	printf("allocs %lu frees %lu\n", (unsigned long)allocs, (unsigned long)frees);
	return 0;
}
