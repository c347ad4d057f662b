/* SPDX-License-Identifier: MIT
 *
 * The stack of an allocation, as the settings have it: what is beyond --depth, and what leads to no
 * code, is left out and counted.
 */
#include "lib/recorder/capture.h"
#include "lib/recorder/stacks/unwind.h"
#include "lib/recorder/wraps.h"

#include <string.h>

static void count(_Atomic uint64_t *own)
{
	atomic_store_explicit(own, atomic_load_explicit(own, memory_order_relaxed) + 1,
			      memory_order_relaxed);
}

/* Of n locations, what comes before the first that is no code; pc[i] for i < from is known to be.
 */
static unsigned code_of(struct cap_ring *ring, const uint64_t *pc, unsigned from, unsigned n)
{
	for (unsigned i = from; i < n; i++)
		if (!cap_code_is(&cap.code, &ring->pages, (uintptr_t)pc[i])) {
			count(&ring->stray);
			return i;
		}
	return n;
}

/* sp: room for the stack pointers of pc, or NULL. */
static unsigned by_frames(struct cap_ring *ring, struct cap_where where, uint64_t *pc,
			  uintptr_t *sp, unsigned max)
{
	unsigned n = 0;

	if (cap_bounds_have(&ring->bounds, (uintptr_t)where.frame))
		n = sp ? cap_unwind_fp_at(where.frame, ring->bounds.hi, pc, sp, max)
		       : cap_unwind_fp(where.frame, ring->bounds.hi, pc, max);
	if (n)
		return n;
	/* On a stack that is not the thread's: a coroutine's, a signal's. */
	pc[0] = cap_code((uintptr_t)where.caller);
	if (sp)
		sp[0] = (uintptr_t)where.cfa;
	return 1;
}

/* libgcc's unwinder sorts tables that were given to it at run time (__register_frame, by compilers of
 * scripts) when it is first asked, into memory that it allocates, and gives back when they go. */
static unsigned walk_tables(const void *caller, uint64_t *pc, uintptr_t *sp, unsigned max)
{
	unsigned depth = cap_own_begin(), n = cap_unwind_tables(caller, pc, sp, max);

	cap_self.depth = depth;
	return n;
}

unsigned cap_walk_tables(const void *caller, uint64_t *pc, unsigned max)
{
	unsigned n;

	cap_wrap_show();
	n = walk_tables(caller, pc, NULL, max);
	cap_wrap_hide();
	return n;
}

static unsigned by_tables(struct cap_ring *ring, struct cap_where where, uint64_t *pc,
			  uintptr_t *sp, unsigned max)
{
	uintptr_t fp;
	unsigned n;

	if (!CAP_HAS_CFI || !cap_bounds_have(&ring->bounds, (uintptr_t)where.cfa))
		return walk_tables(where.caller, pc, sp, max);
	memcpy(&fp, where.frame, sizeof fp); /* what the hook has saved */
	pc[0] = cap_code((uintptr_t)where.caller);
	n = sp ? cap_unwind_cfi_at(&ring->rules, (uintptr_t)where.cfa, fp, ring->bounds.hi, pc, sp,
				   max)
	       : cap_unwind_cfi(&ring->rules, (uintptr_t)where.cfa, fp, ring->bounds.hi, pc, max);
	if (!n)
		return walk_tables(where.caller, pc, sp, max);
	/* A location that has tables is code. */
	return n > 1 ? code_of(ring, pc, n - 1, n) : n;
}

unsigned cap_within_depth(struct cap_ring *ring, unsigned n)
{
	if (n <= cap.settings.depth)
		return n;
	count(&ring->deep);
	return cap.settings.depth;
}

/* What the stack before had too has been looked at. */
static uint32_t id_of_frames(struct cap_ring *ring, const uint64_t *pc, unsigned n)
{
	unsigned same, fresh, code;

	n = cap_within_depth(ring, n);
	same = cap_stacks_same(&cap.stacks, &ring->last, pc, n);
	fresh = n - same;
	code = fresh > 1 ? code_of(ring, pc, 1, fresh) : fresh;
	if (code < fresh) {
		n = code;
		same = cap_stacks_same(&cap.stacks, &ring->last, pc, n);
	}
	return cap_stacks_rest(&cap.stacks, &ring->last, pc, n, same);
}

/* In a thread that runs a script. */
static __attribute__((noinline)) uint32_t stack_with_script(struct cap_ring *ring,
							    struct cap_where where)
{
	unsigned depth = cap.settings.depth, n;

	if (cap.settings.stacks == CAP_STACKS_FP) {
		n = by_frames(ring, where, ring->pc, ring->sp, depth + 1);
		n = n > 1 ? code_of(ring, ring->pc, 1, n) : n;
	} else {
		n = by_tables(ring, where, ring->pc, ring->sp, depth + 1);
	}
	n = cap_script_join(ring, (uintptr_t)where.cfa, n, depth + 1);
	return cap_stacks_id(&cap.stacks, &ring->last, ring->joined, cap_within_depth(ring, n));
}

static uint32_t stack_of(struct cap_ring *ring, struct cap_where where)
{
	uint32_t flushed = atomic_load_explicit(&cap.stacks.flushed, memory_order_relaxed);
	unsigned depth = cap.settings.depth, n;
	uint64_t *pc = ring->pc;

	if (ring->seen_in != flushed) {
		memset(&ring->rules, 0, sizeof ring->rules);
		memset(&ring->pages, 0, sizeof ring->pages);
	}
	ring->seen_in = flushed;
	if (__builtin_expect(cap_self.scripts != NULL, false) &&
	    cap.settings.stacks != CAP_STACKS_NONE && cap.settings.stacks != CAP_STACKS_SHADOW)
		return stack_with_script(ring, where);
	switch (cap.settings.stacks) {
	case CAP_STACKS_NONE: return 0;
	case CAP_STACKS_FP:
		n = by_frames(ring, where, pc, NULL, depth + 1);
		return id_of_frames(ring, pc, n > depth ? code_of(ring, pc, depth, n) : n);
	case CAP_STACKS_SHADOW: n = cap_shadow_of(where, ring->entry, pc, depth + 1); break;
	default: n = by_tables(ring, where, pc, NULL, depth + 1); break;
	}
	return cap_stacks_id(&cap.stacks, &ring->last, pc, cap_within_depth(ring, n));
}

uint32_t cap_stack_of(struct cap_ring *ring, struct cap_where where)
{
	uint32_t id;

	cap_wrap_show();
	id = stack_of(ring, where);
	cap_wrap_hide();
	return id;
}

void cap_walk_begin(void)
{
	if (cap.settings.stacks == CAP_STACKS_UNWIND || cap.settings.stacks == CAP_STACKS_SHADOW)
		cap_unwind_bind();
}
