/* SPDX-License-Identifier: MIT
 *
 * A lock that works before the C library is ready, inside malloc and after a fork: one word, taken
 * by spinning, then yielding, then sleeping (a thread of a lower priority may have it).
 *
 * A hook that takes one holds the signals back meanwhile, so that the thread is not stopped
 * while it has the lock: collectors stop the world by signals, and then allocate. (Not that of
 * live.h, which is taken for every block that is sampled.) And a thread may be gone with a lock
 * (cancelled asynchronously) or be stopped by a debugger: so a hook waits for at most
 * CAP_PATIENCE_MS; the caller does without, and counts it. Once a thread has given a lock up,
 * others do not wait until it is free again.
 */
#ifndef TM_RECORDER_BASE_LOCK_H
#define TM_RECORDER_BASE_LOCK_H

#include "lib/recorder/base/signal_guard.h"

#include <stdatomic.h>
#include <stdbool.h>

enum { CAP_PATIENCE_MS = 1000, CAP_FOREVER = 0 };

struct cap_lock {
	atomic_uint held;
	atomic_uint given_up; /* a thread has, since it was taken */
};

static inline bool cap_trylock(struct cap_lock *l)
{
	return !atomic_load_explicit(&l->held, memory_order_relaxed) &&
	       !atomic_exchange_explicit(&l->held, 1, memory_order_acquire);
}

/* Waits so many ms at most; false: given up. */
bool cap_lock_wait(struct cap_lock *l, unsigned ms);

static inline void cap_lock(struct cap_lock *l)
{
	if (!cap_trylock(l))
		cap_lock_wait(l, CAP_FOREVER);
}

static inline void cap_unlock(struct cap_lock *l)
{
	if (atomic_load_explicit(&l->given_up, memory_order_relaxed))
		atomic_store_explicit(&l->given_up, 0, memory_order_relaxed);
	atomic_store_explicit(&l->held, 0, memory_order_release);
}

/* False: given up. */
static inline bool cap_lock_soon(struct cap_lock *l)
{
	return cap_trylock(l) || cap_lock_wait(l, CAP_PATIENCE_MS);
}

/* In a hook; false: given up, and no signals are held. */
static inline bool cap_lock_held(struct cap_lock *l, sigset_t *before)
{
	cap_hold_signals(before);
	if (cap_lock_soon(l))
		return true;
	cap_release_signals(before);
	return false;
}

static inline void cap_unlock_held(struct cap_lock *l, const sigset_t *before)
{
	cap_unlock(l);
	cap_release_signals(before);
}

/* In a copy of the process, whose other threads are not there. */
static inline void cap_lock_reset(struct cap_lock *l)
{
	atomic_store(&l->held, 0);
	atomic_store(&l->given_up, 0);
}

#endif
