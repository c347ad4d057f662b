/* SPDX-License-Identifier: MIT */
#include "lib/recorder/stacks/bounds.h"

#include "lib/recorder/base/memory.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

/* PAGE: or a part of one. LEAP: how far from what is known a thread's frame may be, which bounds
 * the search. BLIND: how far from its top where the kernel does not say (a filter of system calls
 * in between); no thread's stack is smaller. */
enum { PAGE = 4096, LEAP = 64 << 20, BLIND = 8 << 10 };

static _Atomic uintptr_t first; /* the first thread; 0: it has not been seen */

void cap_bounds_first_thread(void)
{
	if (syscall(SYS_gettid) == (long)getpid())
		atomic_store(&first, (uintptr_t)pthread_self());
}

static uintptr_t top(void)
{
	uintptr_t self = (uintptr_t)pthread_self();

	if (!atomic_load_explicit(&first, memory_order_relaxed))
		cap_bounds_first_thread();
	return self == atomic_load_explicit(&first, memory_order_relaxed)
		   ? (uintptr_t)getauxval(AT_RANDOM)
		   : self;
}

static bool is_readable(uintptr_t at, uintptr_t top)
{
	int said = cap_probe(at);

	return said == EINVAL || (said != EFAULT && top - at <= BLIND);
}

bool cap_bounds_reach(struct cap_bounds *b, uintptr_t at)
{
	uintptr_t page = at & ~(uintptr_t)(PAGE - 1);

	if (!b->hi)
		b->lo = b->hi = top();
	if (at >= b->hi || at < b->floor || b->lo - at > LEAP)
		return false;
	for (uintptr_t next = at; next < b->lo; next = page += PAGE)
		if (!is_readable(next, b->hi)) {
			b->floor = page + PAGE;
			return false;
		}
	b->lo = at & ~(uintptr_t)(PAGE - 1);
	return true;
}
