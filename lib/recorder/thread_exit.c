/* SPDX-License-Identifier: MIT */
#include "lib/recorder/thread_exit.h"

#include "lib/recorder/capture.h"

#include <pthread.h>

#ifdef __GLIBC__
enum { KEYS = 32 };
#else /* musl and bionic have room for all in the descriptor */
enum { KEYS = INT32_MAX };
#endif
enum { NONE, MAKING, THERE, TOO_LATE };

static pthread_key_t key;
static _Atomic int state;

/* Late frees of the thread take a ring again, and then this is called again. */
static void thread_exit_run(void *arg)
{
	struct cap_ring *ring;

	(void)arg;
	cap_thread_ends();
	ring = cap_self.ring;
	cap_self.ring = NULL;
	if (ring)
		cap_ring_give_back(ring);
	cap_shadow_ends();
}

void cap_thread_exit_register(void)
{
	int none = NONE;

	if (atomic_load_explicit(&state, memory_order_relaxed) == NONE &&
	    atomic_compare_exchange_strong(&state, &none, MAKING)) {
		bool made = !pthread_key_create(&key, thread_exit_run);

		if (made && key >= KEYS) {
			pthread_key_delete(key);
			made = false;
		}
		atomic_store(&state, made ? THERE : TOO_LATE);
	}
	if (atomic_load(&state) == THERE)
		pthread_setspecific(key, &cap_self);
}
