/* SPDX-License-Identifier: MIT
 *
 * The shadow stack of a thread: the calls that are open in it, as compilers' hooks
 * (-finstrument-functions, recorder/hooks/instrument.c) and markers (spike.h) report them. It needs
 * no tables and no frame pointers, and costs a few ns a call.
 *
 * Calls that end by longjmp or an exception report no exit (clang; GCC reports those of
 * exceptions). So a call is kept with the stack pointer of its function: what lies below that of a
 * function that is entered or left is over; but not if both have the same return address and their
 * hooks are called by the same function: then one was inlined there, and reports its calls too.
 * After a longjmp that we have seen the real stack is looked at once. Whatever remains goes with
 * its caller's exit.
 *
 * Bounded: CAP_SHADOW calls. Deeper ones are counted, and their callers stand for them. Nothing
 * here allocates. A signal handler that interrupts a hook is not distinguished from what it
 * interrupted: its calls are left out and counted. Stacks that are not the thread's (fibers, coroutines,
 * sigaltstack) have shadow stacks of their own (fibers.h).
 */
#ifndef TM_RECORDER_SHADOW_H
#define TM_RECORDER_SHADOW_H

#include "lib/recorder/base/settings.h"
#include "lib/recorder/stacks/bounds.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { CAP_SHADOW = 1024, CAP_STARTS = 512 };

/* In a program counter of cap_stacks_id: a function's first byte, no return address. */
#define CAP_ENTRY ((uint64_t)1 << 63)

struct cap_timing;

struct cap_call {
	uintptr_t function; /* its first byte; 0: a marker, without a hook's call */
	uintptr_t sp;       /* the stack pointer of its machine frame */
	uintptr_t site;     /* where that returns to */
	uintptr_t hook;     /* where the hook or marker returns to */
};

/* Of which fiber calls are. */
struct cap_fiber_row {
	uint32_t place;  /* fibers.c's, below CAP_FIBERS + 1; 0: a thread's own stack */
	uint32_t number; /* from 1 */
	uint32_t name;   /* of cap.name; 0: none */
};

struct cap_shadow {
	union {
		struct {
			bool busy;   /* in a hook */
			bool jumped; /* there was a longjmp */
			bool timed;  /* calls are timed */
		};
		uint32_t odd; /* any of these: the hooks' short cut does not hold */
	};
	unsigned n;               /* of calls */
	unsigned over;            /* open calls that are not kept; not 0: n is CAP_SHADOW */
	struct cap_bounds bounds; /* of the stack */
	_Atomic uintptr_t
	    runner; /* the thread that calls on it; 0: none. Set with fibers.c's lock */
	bool out;   /* it is switched out: its calls are paused */
	struct cap_fiber_row fiber;
	struct cap_timing *timing; /* timing.h; NULL: calls are not timed */
	struct cap_shadow *next;   /* when it is unused */
	uint32_t starts_of;        /* flushed of cap.stacks, for which starts holds */
	struct {
		uintptr_t pc, start;
	} starts[CAP_STARTS];
	uint64_t walked[CAP_DEPTH_MAX];    /* the real stack, after a longjmp */
	struct cap_call calls[CAP_SHADOW]; /* outermost first */
};

/* Of all threads: what is not in the stacks. */
struct cap_shadow_counts {
	_Atomic uint64_t deep;    /* calls deeper than CAP_SHADOW */
	_Atomic uint64_t nested;  /* in signal handlers that interrupted a hook */
	_Atomic uint64_t foreign; /* on stacks beyond CAP_FIBERS */
	_Atomic uint64_t orphans; /* exits of what was not open */
	_Atomic uint64_t skipped; /* calls that ended without an exit: no loss */
};
extern struct cap_shadow_counts cap_shadow_counts;

/* Where the thread's last call was; of the thread's own stack. Another thread may go on with the first since. */
extern __thread struct cap_shadow *cap_shadow __attribute__((tls_model("initial-exec")));
extern __thread struct cap_shadow *cap_shadow_own __attribute__((tls_model("initial-exec")));

/* The thread's last, or its own, which is made when it has none; NULL: no memory. */
struct cap_shadow *cap_shadow_mine(void);
struct cap_shadow *cap_shadow_new(void);
/* The one for what happens at sp, to which the thread goes over; NULL: there is no room, which is counted
 * where makes is set, or none. site: where a function that is entered returns to, else 0. */
struct cap_shadow *cap_shadow_at(uintptr_t sp, uintptr_t site, bool makes);
/* Is a return address in the function that was called last? */
bool cap_shadow_calls(struct cap_shadow *s, uintptr_t site);
/* What tells threads apart. */
static inline uintptr_t cap_shadow_me(void)
{
	return (uintptr_t)&cap_shadow;
}
/* A function to be called around it, since it may allocate; NULL: nothing. */
extern void (*cap_shadow_ignore)(bool);

/* sp is the stack pointer of the function that calls the hook, hook where that returns to.
 * Enter: false when the call is not kept. Exit: the call's index, or -1: it was not open. The
 * caller has set busy, and takes the call off by n = index. */
bool cap_shadow_enter(struct cap_shadow *s, uintptr_t function, uintptr_t site, uintptr_t sp,
		      uintptr_t hook);
int cap_shadow_exit(struct cap_shadow *s, uintptr_t function, uintptr_t site, uintptr_t sp,
		    uintptr_t hook);
/* What is open for a function whose stack pointer is sp and which has called what returns to hook.
 */
void cap_shadow_sync(struct cap_shadow *s, uintptr_t sp, uintptr_t hook);
/* The thread ends. */
void cap_shadow_ends(void);
/* In a child of fork. */
void cap_shadow_fork(void);
/* Before a longjmp. */
void cap_shadow_jump(void);
/* An exception has been caught in the frame whose stack pointer is sp: what is below is over. */
void cap_shadow_caught(uintptr_t sp);

/* Not on the thread's stack, if that is known at all. */
static inline bool cap_shadow_foreign(struct cap_shadow *s, uintptr_t sp)
{
	return !cap_bounds_have(&s->bounds, sp) && s->bounds.lo != s->bounds.hi;
}

static inline void cap_shadow_busy(struct cap_shadow *s, bool busy)
{
	atomic_signal_fence(memory_order_seq_cst);
	s->busy = busy;
	atomic_signal_fence(memory_order_seq_cst);
}

#endif
