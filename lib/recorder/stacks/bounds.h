/* SPDX-License-Identifier: MIT
 *
 * The readable range of the calling thread's stack: from the start of a walk up to the stack's top.
 *
 * pthread_getattr_np would say it, but holds the thread's own lock while it allocates, and a
 * program may be inside of it when it calls us. So the C library is not called here, no lock
 * is taken and nothing is allocated: the top is known (a thread's descriptor, which lies above its
 * frames; of the first thread what the kernel has put there, AT_RANDOM), and from there downwards
 * each page that the thread reaches is tried once. A page that cannot be read lies between two
 * stacks: what is below it is another one, a coroutine's or a signal's.
 *
 * Facts: the C libraries put the descriptor that pthread_self returns at the top of the stack, also
 * of one that the program gave (glibc allocatestack.c, bionic pthread_create.cpp); musl
 * (pthread_create.c) may keep it elsewhere when a thread has a small stack of the program's own,
 * whose bounds are then not known.
 */
#ifndef TM_RECORDER_STACKS_BOUNDS_H
#define TM_RECORDER_STACKS_BOUNDS_H

#include <stdbool.h>
#include <stdint.h>

/* Zeroed: nothing has been looked at. lo == hi: nothing is known to be the thread's. */
struct cap_bounds {
	uintptr_t lo, hi; /* all of [lo, hi) can be read */
	uintptr_t floor;  /* nothing below it is the thread's */
};

/* The first thread's stack is distinguished from others by this; called in it before the process
 * forks. */
void cap_bounds_first_thread(void);
/* For cap_bounds_have. */
bool cap_bounds_reach(struct cap_bounds *b, uintptr_t at);

/* Is at on the calling thread's stack? Then [at, b->hi) can be read. */
static inline bool cap_bounds_have(struct cap_bounds *b, uintptr_t at)
{
	return at - b->lo < b->hi - b->lo || cap_bounds_reach(b, at);
}

#endif
