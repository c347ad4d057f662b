/* SPDX-License-Identifier: MIT */
#include "lib/recorder/shadow.h"

#include "lib/recorder/base/memory.h"
#include "lib/recorder/capture.h"
#include "lib/recorder/fibers.h"
#include "lib/recorder/spike_log.h"
#include "lib/recorder/stacks/sites.h"
#include "lib/recorder/thread_exit.h"

#include <errno.h>
#include <stddef.h>

/* libgcc and LLVM's libunwind have it; not for 32-bit arm. For machines that cfi.h does not know:
 * GCC's of before 13 has a lock in there, and allocates under it. */
extern void *_Unwind_FindEnclosingFunction(void *pc) __attribute__((weak));
enum { NEAR = 1 << 16 }; /* without it, or tables: how large a function may be */

struct cap_shadow_counts cap_shadow_counts;
__thread struct cap_shadow *cap_shadow __attribute__((tls_model("initial-exec")));
__thread struct cap_shadow *cap_shadow_own __attribute__((tls_model("initial-exec")));
void (*cap_shadow_ignore)(bool);

static struct cap_lock lock;
static struct cap_shadow *unused; /* of lock */

static void count(_Atomic uint64_t *n)
{
	atomic_fetch_add_explicit(n, 1, memory_order_relaxed);
}

void cap_shadow_ends(void)
{
	struct cap_shadow *s = cap_shadow_own;
	sigset_t before;

	cap_fiber_ends();
	if (!s)
		return;
	cap_shadow = cap_shadow_own = NULL;
	cap_timing_end(s);
	if (!cap_lock_held(&lock, &before))
		return;
	s->next = unused;
	unused = s;
	cap_unlock_held(&lock, &before);
}

struct cap_shadow *cap_shadow_new(void)
{
	struct cap_shadow *s = NULL;
	sigset_t before;

	if (cap_lock_held(&lock, &before)) {
		s = unused;
		if (s)
			unused = s->next;
		cap_unlock_held(&lock, &before);
	}
	if (!s)
		s = cap_map(sizeof *s);
	if (!s)
		return NULL;
	s->n = s->over = 0;
	s->odd = 0;
	s->timed = atomic_load(&cap_spikes.on);
	s->bounds = (struct cap_bounds){0};
	s->fiber = (struct cap_fiber_row){0};
	s->out = false;
	atomic_store(&s->runner, 0);
	return s;
}

struct cap_shadow *cap_shadow_mine(void)
{
	void (*ignore)(bool) = cap_shadow_ignore;
	unsigned depth = cap_self.depth;
	int error = errno;

	if (cap_shadow)
		return cap_shadow;
	if (depth & CAP_QUIET)
		return NULL; /* we are being called by what this calls */
	cap_self.depth = depth | CAP_QUIET;
	if (ignore)
		ignore(true);
	cap_shadow = cap_shadow_own = cap_shadow_new();
	if (cap_shadow) {
		atomic_store(&cap_shadow->runner, cap_shadow_me());
		cap_thread_exit_register();
	}
	if (ignore)
		ignore(false);
	cap_self.depth = depth;
	errno = error;
	return cap_shadow;
}

/* A hook that was interrupted is the thread's as long as the thread is where it was. */
struct cap_shadow *cap_shadow_at(uintptr_t sp, uintptr_t site, bool makes)
{
	struct cap_shadow *s = cap_shadow_mine();
	bool mine = s && atomic_load_explicit(&s->runner, memory_order_relaxed) == cap_shadow_me();

	if (!s || (mine && (s->busy || !cap_shadow_foreign(s, sp))))
		return s;
	return cap_fiber_at(s, sp, site, makes);
}

static void starts_hold(struct cap_shadow *s)
{
	uint32_t flushed = atomic_load_explicit(&cap.stacks.flushed, memory_order_relaxed);

	if (s->starts_of == flushed)
		return;
	for (unsigned i = 0; i < CAP_STARTS; i++)
		s->starts[i].pc = 0;
	s->starts_of = flushed;
}

/* Where the function begins that has pc; 0: not known. */
static uintptr_t start_of(struct cap_shadow *s, uintptr_t pc)
{
	size_t i = (pc ^ pc >> 9) % CAP_STARTS;

	if (s->starts[i].pc != pc) {
		uintptr_t start = 0;

		if (CAP_HAS_CFI)
			start = (uintptr_t)cfi_function(pc);
		else if (_Unwind_FindEnclosingFunction)
			start = (uintptr_t)_Unwind_FindEnclosingFunction((void *)pc);
		s->starts[i].start = start;
		s->starts[i].pc = pc;
	}
	return s->starts[i].start;
}

static bool is_in(struct cap_shadow *s, uintptr_t pc, uintptr_t function)
{
	uintptr_t start = start_of(s, pc);

	return start ? start == function : pc - function < NEAR;
}

static bool is_same(struct cap_shadow *s, uintptr_t pc, uintptr_t other)
{
	uintptr_t start;

	starts_hold(s);
	start = start_of(s, pc);
	return start ? start == start_of(s, other) : pc - other + NEAR < 2 * NEAR;
}

bool cap_shadow_calls(struct cap_shadow *s, uintptr_t site)
{
	uintptr_t function = s->n ? s->calls[s->n - 1].function : 0;

	starts_hold(s);
	return function && is_in(s, site, function);
}

/* The calls from n on are over, and have reported no exit. */
static void drop(struct cap_shadow *s, unsigned n)
{
	while (s->n > n) {
		count(&cap_shadow_counts.skipped);
		if (s->timing)
			cap_timing_drop(s);
		s->n--;
		s->over = 0;
	}
}

/* What the real stack says after a longjmp: of the calls, outermost first, those are open whose
 * return addresses are on it, in this order. pc[0] is where the hook returns to; the first skip are
 * not of our calls. */
static void shadow_compare(struct cap_shadow *s, uintptr_t hook, unsigned skip)
{
	uint64_t *pc = s->walked;
	unsigned n = cap_walk_tables((const void *)hook, pc, CAP_DEPTH_MAX), at = n, live = 0;

	s->jumped = false;
	if (n == CAP_DEPTH_MAX)
		return; /* not all of it */
	for (unsigned i = 0; i < s->n; i++) {
		const struct cap_call *c = &s->calls[i];

		if (!i || c[-1].sp != c->sp || c[-1].site != c->site) {
			while (at > skip && pc[at - 1] != c->site)
				at--;
			if (at <= skip)
				break;
			at--;
		}
		live = i + 1;
	}
	if (live)
		drop(s, live);
}

static bool shadow_enter_slowly(struct cap_shadow *s, uintptr_t site, uintptr_t sp, uintptr_t hook)
{
	if (s->jumped)
		shadow_compare(s, hook, 2);
	if (s->over && s->n && sp <= s->calls[s->n - 1].sp) {
		s->over++;
		count(&cap_shadow_counts.deep);
		return false;
	}
	s->over = 0;
	while (s->n) {
		const struct cap_call *top = &s->calls[s->n - 1];

		/* Of the same machine frame, which may have moved its stack pointer. */
		if (top->sp > sp ||
		    (top->site == site && top->hook != hook && is_same(s, top->hook, hook)))
			break;
		drop(s, s->n - 1);
	}
	if (s->n == CAP_SHADOW) {
		s->over = 1;
		count(&cap_shadow_counts.deep);
		return false;
	}
	return true;
}

bool cap_shadow_enter(struct cap_shadow *s, uintptr_t function, uintptr_t site, uintptr_t sp,
		      uintptr_t hook)
{
	struct cap_call *c = &s->calls[s->n];

	if (s->over || s->jumped || s->n == CAP_SHADOW || (s->n && c[-1].sp <= sp)) {
		if (!shadow_enter_slowly(s, site, sp, hook))
			return false;
		c = &s->calls[s->n];
	}
	c->function = function;
	c->sp = s->n && c[-1].sp < sp ? c[-1].sp : sp;
	c->site = site;
	c->hook = hook;
	s->n++;
	return true;
}

/* The exit's stack pointer is its function's own; but it is that of its caller where the compiler
 * has made a jump of the last call, to the hook, which then returns to the site. */
static int shadow_exit_slowly(struct cap_shadow *s, uintptr_t function, uintptr_t site,
			      uintptr_t sp, uintptr_t hook)
{
	const struct cap_call *top = s->n ? &s->calls[s->n - 1] : NULL;
	bool tail = hook == site;
	unsigned i = s->n, found = CAP_SHADOW;

	if (s->over && top &&
	    (sp < top->sp || (sp == top->sp && (tail || top->function != function)))) {
		s->over--;
		return -1;
	}
	s->over = 0;
	for (; i && (s->calls[i - 1].sp < sp || (!tail && s->calls[i - 1].sp == sp)); i--)
		if (s->calls[i - 1].function == function)
			found = i - 1;
	/* A function that has moved its stack pointer since. */
	for (; i && found == CAP_SHADOW && s->calls[i - 1].site == site; i--)
		if (s->calls[i - 1].function == function)
			found = i - 1;
	if (found == CAP_SHADOW) {
		count(&cap_shadow_counts.orphans);
		while (s->n && s->calls[s->n - 1].sp < sp)
			drop(s, s->n - 1);
		return -1;
	}
	drop(s, found + 1);
	return (int)found;
}

int cap_shadow_exit(struct cap_shadow *s, uintptr_t function, uintptr_t site, uintptr_t sp,
		    uintptr_t hook)
{
	if (s->n && !s->over) {
		const struct cap_call *top = &s->calls[s->n - 1];

		if (top->function == function && top->sp == sp)
			return (int)s->n - 1;
	}
	return shadow_exit_slowly(s, function, site, sp, hook);
}

/* The child's trace does not have their enters. */
static void forget_enters(struct cap_shadow *s)
{
	for (unsigned i = 0; s && s->timing && i < s->n; i++)
		s->timing->calls[i].flags &= (uint16_t)~TIMED_PUT;
}

void cap_shadow_fork(void)
{
	cap_lock_reset(&lock);
	cap_lock_reset(&cap_sites.lock);
	cap_spike_log_fork();
	forget_enters(cap_shadow_own);
	cap_fibers_fork(forget_enters);
}

void cap_shadow_jump(void)
{
	if (cap_shadow && atomic_load(&cap_shadow->runner) == cap_shadow_me()) {
		cap_shadow->jumped = true;
		cap_shadow->busy = false; /* a handler that does not return */
	}
}

void cap_shadow_caught(uintptr_t sp)
{
	struct cap_shadow *s = cap_shadow ? cap_shadow_at(sp, 0, false) : NULL;

	if (!s || s->busy)
		return;
	cap_shadow_busy(s, true);
	while (s->n && s->calls[s->n - 1].sp < sp)
		drop(s, s->n - 1);
	cap_shadow_busy(s, false);
}

void cap_shadow_sync(struct cap_shadow *s, uintptr_t sp, uintptr_t hook)
{
	if (s->jumped)
		shadow_compare(s, hook, 1);
	while (s->n && s->calls[s->n - 1].sp < sp)
		drop(s, s->n - 1);
}

/* Has the function of this call, whose stack pointer is at its usual place, called what returns to
 * pc? That is right too where the compiler has moved the call out of the function (.cold). */
static bool has_called(const struct cap_call *c, uintptr_t pc)
{
#if defined __x86_64__ || defined __i386__
	return *(const uintptr_t *)(c->sp - sizeof pc) == pc;
#else
	(void)c;
	(void)pc;
	return false;
#endif
}

/* The stack of an allocation, innermost first: caller, which is a return address, and what it was
 * called by, as return addresses. Where the compiler reported nothing of who called a function
 * (a callback of a library), its caller is there with CAP_ENTRY. cfa: the caller's stack pointer.
 */
static unsigned shadow_stack(struct cap_shadow *s, uintptr_t caller, uintptr_t cfa, uint64_t *pc,
			     unsigned max)
{
	uintptr_t last = caller;
	unsigned n = 1, i;

	pc[0] = caller;
	if (s->jumped && !s->busy)
		shadow_compare(s, caller, 1);
	starts_hold(s);
	i = s->n;
	while (i && s->calls[i - 1].sp < cfa)
		i--;
	while (i && n < max) {
		const struct cap_call *c = &s->calls[--i];
		uintptr_t function = c->function;

		/* The outermost one of a machine frame is its function; others are inlined. */
		for (; i && s->calls[i - 1].sp == c->sp && s->calls[i - 1].site == c->site; i--)
			if (s->calls[i - 1].function)
				function = s->calls[i - 1].function;
		if (!function)
			continue;
		if (!has_called(c, last) && !is_in(s, last, function))
			pc[n++] = CAP_ENTRY | function;
		if (n < max)
			pc[n++] = last = c->site;
	}
	return n;
}

/* The same of entries that the caller has gathered, innermost first. */
static unsigned shadow_join(struct cap_shadow *s, uintptr_t caller, void *const *entry, unsigned n,
			    uint64_t *pc, unsigned max)
{
	unsigned at = 1, i = 0;

	pc[0] = caller;
	starts_hold(s);
	if (n && is_in(s, caller, (uintptr_t)entry[0]))
		i = 1;
	while (i < n && at < max)
		pc[at++] = CAP_ENTRY | (uintptr_t)entry[i++];
	return at;
}

/* The engine's own hooks (recorder/hooks/instrument.c) may know of calls that ours have not
 * seen. */
unsigned cap_shadow_of(struct cap_where where, void **entry, uint64_t *pc, unsigned max)
{
	cap_backtrace theirs = atomic_load_explicit(&cap.engine_unwind, memory_order_relaxed);
	struct cap_shadow *s;
	int n;

	if (theirs)
		cap_self.depth = CAP_QUIET;
	n = theirs ? theirs(entry, (int)max) : 0;
	cap_self.depth = 0; /* what follows may be the thread's first call */
	s = cap_shadow_mine();
	cap_self.depth = CAP_BUSY;
	if (s && (cap_shadow_foreign(s, (uintptr_t)where.cfa) ||
		  atomic_load(&s->runner) != cap_shadow_me()))
		s = cap_fiber_look(s, (uintptr_t)where.cfa);
	if (!s) {
		pc[0] = (uintptr_t)where.caller;
		return 1;
	}
	if (n > 0 && (unsigned)n > s->n)
		return shadow_join(s, (uintptr_t)where.caller, entry, (unsigned)n, pc, max);
	return shadow_stack(s, (uintptr_t)where.caller, (uintptr_t)where.cfa, pc, max);
}
