/* SPDX-License-Identifier: MIT
 *
 * A lock that works before the C library is ready, inside malloc and after a fork: one word, taken
 * by spinning and then yielding. What it guards is short, except cap.writing, whose waiters sleep.
 */
#ifndef TM_CAPTURE_LOCK_H
#define TM_CAPTURE_LOCK_H

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

struct cap_lock {
	atomic_uint held;
};

static inline bool cap_trylock(struct cap_lock *l)
{
	return !atomic_load_explicit(&l->held, memory_order_relaxed) &&
	       !atomic_exchange_explicit(&l->held, 1, memory_order_acquire);
}

static inline void cap_lock(struct cap_lock *l)
{
	for (unsigned spins = 0; !cap_trylock(l); spins++)
		if (spins >= 100)
			sched_yield();
}

static inline void cap_unlock(struct cap_lock *l)
{
	atomic_store_explicit(&l->held, 0, memory_order_release);
}

#endif
