/* SPDX-License-Identifier: MIT
 *
 * Calls on stacks that are not a thread's: fibers, coroutines, handlers on stacks of their own. Each stack
 * has a shadow stack (shadow.h), which follows it from thread to thread, and a row among the threads
 * of the trace.
 *
 * Where the program says which fiber a thread runs (tracemill.h), that is it. Else a stack is known by
 * the addresses of its calls: a call belongs to the stack whose calls are around it; next to one if it
 * is near, or if the last function that is open there made it; else it is the first of a new stack.
 * A switch is seen at the first call, or end of a call, behind it. From then on the time of what
 * is open on the stack that was left goes on without it, as in a pause.
 *
 * Bounded: CAP_FIBERS stacks. One whose calls have all ended gives its place to a new one;
 * where all have open calls, those of the new one are left out and counted.
 */
#ifndef TM_RECORDER_FIBERS_H
#define TM_RECORDER_FIBERS_H

#include "lib/recorder/shadow.h"

enum { CAP_FIBERS = 1024 };

/* The thread's calls go on at sp, which is not on the stack of s, the thread's last: there from now on. A
 * new stack is made with makes; site: where a function that is entered returns to. NULL: none. */
struct cap_shadow *cap_fiber_at(struct cap_shadow *s, uintptr_t sp, uintptr_t site, bool makes);
/* The one whose calls are around sp, with which nothing changes; NULL: not known. */
struct cap_shadow *cap_fiber_look(struct cap_shadow *s, uintptr_t sp);
/* The program says it: key is one of its fiber; NULL: the thread's own stack. name may be NULL. */
void cap_fiber_switch(const void *key, const char *name);
/* The thread ends. */
void cap_fiber_ends(void);
/* In a child of fork: calls that is with each shadow stack of a fiber. */
void cap_fibers_fork(void (*with)(struct cap_shadow *s));

#endif
