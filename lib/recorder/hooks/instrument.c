/* SPDX-License-Identifier: MIT
 *
 * The hooks of -finstrument-functions, and the names by which engines that are patched for
 * LoliProfiler and its agent know each other:
 *
 *   get_stack_backtrace(entries, max)   the functions that are open, innermost first
 *   set_loli_ignore_func(f)             f(true), f(false) around what may allocate
 *   loli_set_allocandfree(alloc, free)  the receivers of a pool's blocks; the engine calls them by
 *   loli_alloc_ptr, loli_free_ptr       these two variables
 *
 * An engine without them finds ours, and so does its agent: what that sets is called after ours.
 * An engine that has its own is found in its module's dynamic symbols: its pool reports its blocks
 * to us, and its stacks are those of the shadow stack. In one that calls its own by a symbol that
 * can be preempted, ours come before them.
 *
 * Facts: LoliProfiler's documentation of engine patches, and its agent's use of them.
 */
#include "lib/recorder/base/symbols.h"
#include "lib/recorder/fibers.h"
#include "lib/recorder/hooks/preload.h"
#include "lib/recorder/timing.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>

enum { POOL = 1 }; /* of enum domain */

typedef void (*alloc_told)(void *p, size_t n);
typedef void (*free_told)(void *p);

static _Atomic alloc_told agent_alloc;
static _Atomic free_told agent_free;

static __attribute__((noinline)) void enter_slowly(uintptr_t function, uintptr_t site, uintptr_t sp,
						   uintptr_t hook)
{
	struct cap_shadow *s = cap_shadow_at(sp, site, true);

	if (!s)
		return;
	if (s->busy) {
		atomic_fetch_add_explicit(&cap_shadow_counts.nested, 1, memory_order_relaxed);
		return;
	}
	cap_shadow_busy(s, true);
	if (cap_shadow_enter(s, function, site, sp, hook) && s->timed)
		cap_timing_enter(s);
	cap_shadow_busy(s, false);
}

static __attribute__((noinline)) void exit_slowly(uintptr_t function, uintptr_t site, uintptr_t sp,
						  uintptr_t hook)
{
	struct cap_shadow *s = cap_shadow ? cap_shadow_at(sp, 0, false) : NULL;
	int at;

	if (!s || s->busy)
		return;
	cap_shadow_busy(s, true);
	at = cap_shadow_exit(s, function, site, sp, hook);
	if (at >= 0 && s->timing)
		cap_timing_exit(s, (unsigned)at);
	if (at >= 0)
		s->n = (unsigned)at;
	cap_shadow_busy(s, false);
}

void cap_call_enter(uintptr_t function, uintptr_t site, uintptr_t sp)
{
	enter_slowly(function, site, sp, function);
}

void cap_call_exit(uintptr_t function, uintptr_t site, uintptr_t sp)
{
	exit_slowly(function, site, sp, function);
}

/* The short cut is what cap_shadow_enter does with a call that lies below the last one. */
CAP_EXPORT(void, __cyg_profile_func_enter, (void *function, void *site))
{
	uintptr_t sp = (uintptr_t)__builtin_dwarf_cfa();
	struct cap_shadow *s = cap_shadow;

	if (!s || s->odd || s->n - 1 >= CAP_SHADOW - 1 || s->calls[s->n - 1].sp <= sp ||
	    cap_shadow_foreign(s, sp)) {
		enter_slowly((uintptr_t)function, (uintptr_t)site, sp,
			     (uintptr_t)__builtin_return_address(0));
		return;
	}
	cap_shadow_busy(s, true);
	s->calls[s->n++] = (struct cap_call){(uintptr_t)function, sp, (uintptr_t)site,
					     (uintptr_t)__builtin_return_address(0)};
	cap_shadow_busy(s, false);
}

CAP_EXPORT(void, __cyg_profile_func_exit, (void *function, void *site))
{
	uintptr_t sp = (uintptr_t)__builtin_dwarf_cfa();
	struct cap_shadow *s = cap_shadow;

	if (s && !s->odd && s->n - 1 < CAP_SHADOW - 1 &&
	    s->calls[s->n - 1].function == (uintptr_t)function && s->calls[s->n - 1].sp == sp)
		s->n--;
	else
		exit_slowly((uintptr_t)function, (uintptr_t)site, sp,
			    (uintptr_t)__builtin_return_address(0));
}

/* The agent's own walk of the stack begins at its caller, which is the engine: it is jumped to. */
static void instrument_pool_alloc(void *p, size_t n)
{
	alloc_told agent = atomic_load_explicit(&agent_alloc, memory_order_acquire);

	if (p)
		cap_alloc(p, n, (size_t)CAP_UNKNOWN, POOL, CAP_HERE);
	if (agent)
		CAP_JUMP return agent(p, n);
}

static void instrument_pool_free(void *p)
{
	free_told agent = atomic_load_explicit(&agent_free, memory_order_acquire);

	if (p)
		cap_free(p, POOL);
	if (agent)
		CAP_JUMP return agent(p);
}

extern alloc_told export_alloc_ptr __asm__("loli_alloc_ptr");
extern free_told export_free_ptr __asm__("loli_free_ptr");
CAP_PUBLIC __attribute__((weak)) alloc_told export_alloc_ptr = instrument_pool_alloc;
CAP_PUBLIC __attribute__((weak)) free_told export_free_ptr = instrument_pool_free;

/* By names of our own, since these may be another module's. */
#define NAMED(result, name, parameters) \
	CAP_PUBLIC result name parameters __attribute__((weak, alias("our_" #name)))
NAMED(void, loli_set_allocandfree, (alloc_told alloc, free_told to_free));
NAMED(void, set_loli_ignore_func, (void (*ignore)(bool)));
NAMED(int, get_stack_backtrace, (void **entry, int max));

static __attribute__((used)) void our_loli_set_allocandfree(alloc_told alloc, free_told to_free)
{
	atomic_store(&agent_alloc, alloc == instrument_pool_alloc ? NULL : alloc);
	atomic_store(&agent_free, to_free == instrument_pool_free ? NULL : to_free);
}

static __attribute__((used)) void our_set_loli_ignore_func(void (*ignore)(bool))
{
	cap_shadow_ignore = ignore;
}

static __attribute__((used)) int our_get_stack_backtrace(void **entry, int max)
{
	struct cap_shadow *s = cap_shadow;
	int n = 0;

	if (s && cap_shadow_foreign(s, (uintptr_t)&n))
		s = cap_fiber_look(s, (uintptr_t)&n);

	for (unsigned i = s ? s->n : 0; i && n < max; i--)
		if (s->calls[i - 1].function)
			entry[n++] = (void *)s->calls[i - 1].function;
	return n;
}

/* An engine's hooks: what it does now is not the program's. */
static void instrument_ignored(bool on)
{
	if (on)
		cap_self.depth |= CAP_IGNORED;
	else
		cap_self.depth &= ~(unsigned)CAP_IGNORED;
}

struct engine {
	const void *ours[3];
	void *found[3];
};

static int instrument_look_at(struct dl_phdr_info *info, size_t size, void *arg)
{
	static const char *const names[] = {"get_stack_backtrace", "set_loli_ignore_func",
					    "loli_set_allocandfree"};
	struct engine *e = arg;
	struct cap_symbols s;

	(void)size;
	if (!cap_symbols_of(info, &s))
		return 0;
	for (unsigned i = 0; i < 3; i++) {
		void *p = cap_symbol_find(&s, names[i]);

		if (p && p != e->ours[i] && !e->found[i])
			e->found[i] = p;
	}
	return 0;
}

/* Twice, and in between the dynamic linker has ended what it was loading: what is there both times
 * can be called. */
static void look(struct engine *e)
{
#ifndef CAP_WRAP /* a static program loads nothing */
	struct engine before = *e;
	Dl_info info;

	dl_iterate_phdr(instrument_look_at, &before);
	/* It waits for the lock of dlopen, and leaves what dlerror shall say. */
	dladdr((const void *)instrument_look_at, &info);
	dl_iterate_phdr(instrument_look_at, e);
	for (unsigned i = 0; i < 3; i++)
		if (e->found[i] != before.found[i])
			e->found[i] = NULL;
#else
	dl_iterate_phdr(instrument_look_at, e);
#endif
}

void cap_engine_look(void)
{
	static _Atomic uint64_t reported[3];
	struct engine e = {{(const void *)our_get_stack_backtrace,
			    (const void *)our_set_loli_ignore_func,
			    (const void *)our_loli_set_allocandfree},
			   {NULL}};
	cap_backtrace backtrace = NULL;
	void (*set_ignore)(void (*)(bool)) = NULL;
	void (*set_pool)(alloc_told, free_told) = NULL;
	unsigned depth = cap_self.depth;

	if (!cap_on())
		return;
	cap_self.depth = depth | CAP_QUIET;
	look(&e);
	if (e.found[1] &&
	    atomic_exchange(&reported[1], (uintptr_t)e.found[1]) != (uintptr_t)e.found[1]) {
		memcpy(&set_ignore, &e.found[1], sizeof set_ignore);
		set_ignore(instrument_ignored);
	}
	memcpy(&backtrace, &e.found[0], sizeof backtrace);
	atomic_store(&cap.engine_unwind, backtrace);
	if (e.found[2] &&
	    atomic_exchange(&reported[2], (uintptr_t)e.found[2]) != (uintptr_t)e.found[2]) {
		memcpy(&set_pool, &e.found[2], sizeof set_pool);
		set_pool(instrument_pool_alloc, instrument_pool_free);
	}
	cap_self.depth = depth;
}
