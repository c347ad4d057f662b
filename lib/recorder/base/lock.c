/* SPDX-License-Identifier: MIT */
#include "lib/recorder/base/lock.h"

#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SPINS = 100, YIELDS = 100 };

/* A ms at most: there is no wake-up. */
static void nap(struct cap_lock *l)
{
	struct {
		long s, ns; /* the kernel's of old */
	} t = {0, 1000000};

	syscall(SYS_futex, &l->held, FUTEX_WAIT_PRIVATE, 1, &t, NULL, 0);
}

bool cap_lock_wait(struct cap_lock *l, unsigned ms)
{
	int error = errno;
	unsigned tries = 0;

	while (!cap_trylock(l)) {
		if (tries < SPINS + YIELDS) {
			if (tries++ >= SPINS)
				sched_yield();
			continue;
		}
		tries += ms != CAP_FOREVER;
		if (ms != CAP_FOREVER &&
		    (atomic_load(&l->given_up) || tries > SPINS + YIELDS + ms)) {
			atomic_store(&l->given_up, 1);
			errno = error;
			return false;
		}
		nap(l);
	}
	errno = error;
	return true;
}
