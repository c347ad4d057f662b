/* SPDX-License-Identifier: MIT */
#include "lib/recorder/fibers.h"

#include "lib/recorder/capture.h"
#include "lib/recorder/timing.h"

#include <stddef.h>

/* NEAR: bytes between two calls of one stack, whatever lies between them; FAR: of the one that the thread is on,
 * or where no call is open; DEEP: of an allocation, below the calls of the one that it is on. */
enum { NEAR = 1024, FAR = 4096, DEEP = 256 << 10 };

struct fiber {
	struct cap_shadow *shadow;
	const void *key;  /* of the program; NULL: its stack alone is known */
	uintptr_t lo, hi; /* the stack pointers of its calls */
	uint32_t name;
};

static struct {
	struct cap_lock lock;
	uint32_t n, numbers;
	struct fiber rows[CAP_FIBERS + 1]; /* [0] unused */
} fibers;

/* The calling thread stops running from, and runs to. With the lock: no other thread goes on with from
 * meanwhile. */
static void fibers_change(struct cap_shadow *from, struct cap_shadow *to)
{
	uintptr_t me = cap_shadow_me();

	if (from == to)
		return;
	if (from && atomic_load(&from->runner) == me) {
		if (from->timing && !from->out) {
			cap_timing_pause(from, true);
			from->out = true; /* which says what the pause is when it ends */
		}
		if (from != cap_shadow_own)
			atomic_store(&from->runner, 0);
	}
	if (to->timing && to->out)
		cap_timing_pause(to, false);
	to->out = false;
	to->timed = atomic_load(&cap_spikes.on);
	atomic_store(&to->runner, me);
	cap_shadow = to;
}

/* A place for a new one. */
static uint32_t fibers_place(void)
{
	if (fibers.n < CAP_FIBERS)
		return ++fibers.n;
	for (uint32_t i = 1; i <= fibers.n; i++)
		if (!fibers.rows[i].shadow->n && !atomic_load(&fibers.rows[i].shadow->runner))
			return i;
	return 0;
}

static struct fiber *fibers_new(const void *key, const char *name)
{
	uint32_t i = fibers_place();
	struct fiber *f = &fibers.rows[i];
	struct cap_shadow *s = i ? f->shadow : NULL;

	if (i && !s)
		s = cap_shadow_new();
	if (!s) {
		fibers.n -= i && !f->shadow;
		return NULL;
	}
	*f = (struct fiber){.shadow = s, .key = key, .name = name ? cap_name_id(name, NULL) : 0};
	s->out = false;
	s->fiber = (struct cap_fiber_row){i, ++fibers.numbers, f->name};
	return f;
}

/* Below what is known of a stack its last function calls, or what that has called. */
static bool belongs(struct fiber *f, uintptr_t sp, uintptr_t site, uintptr_t far)
{
	if (far < NEAR || (far < FAR && (f->shadow == cap_shadow || !f->shadow->n)))
		return true;
	return sp < f->lo && site && cap_shadow_calls(f->shadow, site);
}

static struct fiber *fibers_find(uintptr_t sp, uintptr_t site)
{
	struct fiber *best = NULL;
	uintptr_t least = UINTPTR_MAX;

	for (uint32_t i = 1; i <= fibers.n; i++) {
		struct fiber *f = &fibers.rows[i];
		uintptr_t far = sp < f->lo ? f->lo - sp : sp > f->hi ? sp - f->hi : 0;

		if (!f->key && far < least) {
			best = f;
			least = far;
		}
	}
	return best && belongs(best, sp, site, least) ? best : NULL;
}

/* What is not on it is asked for again. */
static void reaches(struct fiber *f, uintptr_t sp)
{
	f->lo = !f->lo || sp < f->lo ? sp : f->lo;
	f->hi = sp > f->hi ? sp : f->hi;
	f->shadow->bounds = (struct cap_bounds){.lo = f->lo, .hi = f->hi + 1, .floor = f->lo};
}

struct cap_shadow *cap_fiber_at(struct cap_shadow *s, uintptr_t sp, uintptr_t site, bool makes)
{
	struct cap_shadow *own = cap_shadow_own, *to = NULL;
	struct fiber *f = NULL;
	sigset_t before;

	if (!cap_lock_held(&fibers.lock, &before))
		return NULL;
	if (own && !cap_shadow_foreign(own, sp)) {
		to = own;
	} else {
		f = fibers_find(sp, site);
		if (!f && makes)
			f = fibers_new(NULL, NULL);
		if (f)
			reaches(f, sp);
		to = f ? f->shadow : NULL;
	}
	if (to)
		fibers_change(s, to);
	cap_unlock_held(&fibers.lock, &before);
	if (!to && makes)
		atomic_fetch_add_explicit(&cap_shadow_counts.foreign, 1, memory_order_relaxed);
	return to;
}

struct cap_shadow *cap_fiber_look(struct cap_shadow *s, uintptr_t sp)
{
	struct cap_shadow *own = cap_shadow_own;
	struct fiber *f;
	sigset_t before;
	bool mine = atomic_load(&s->runner) == cap_shadow_me();

	if (own && !cap_shadow_foreign(own, sp))
		return own;
	if (!cap_lock_held(&fibers.lock, &before))
		return NULL;
	f = fibers_find(sp, 0);
	cap_unlock_held(&fibers.lock, &before);
	if (f)
		return f->shadow;
	return mine && s != own && sp < s->bounds.hi && s->bounds.hi - sp < DEEP ? s : NULL;
}

static struct fiber *fibers_named(const void *key, const char *name)
{
	uint32_t id = name ? cap_name_id(name, NULL) : 0;

	for (uint32_t i = 1; i <= fibers.n; i++) {
		struct fiber *f = &fibers.rows[i];
		uintptr_t runner = atomic_load(&f->shadow->runner);

		/* Another fiber at the same address; or a thread runs it that has not said that it
		 * stopped: that keeps what it has. */
		if (f->key == key && f->name == id && (!runner || runner == cap_shadow_me()))
			return f;
	}
	return fibers_new(key, name);
}

void cap_fiber_switch(const void *key, const char *name)
{
	struct cap_shadow *s = cap_shadow_mine();
	struct fiber *f = NULL;
	sigset_t before;

	if (!s || s->busy || !cap_lock_held(&fibers.lock, &before))
		return;
	if (key)
		f = fibers_named(key, name);
	if (f)
		f->shadow->bounds = (struct cap_bounds){.hi = UINTPTR_MAX}; /* wherever it is */
	if (f || !key)
		fibers_change(s, f ? f->shadow : cap_shadow_own);
	cap_unlock_held(&fibers.lock, &before);
	if (!f && key)
		atomic_fetch_add_explicit(&cap_shadow_counts.foreign, 1, memory_order_relaxed);
}

void cap_fiber_ends(void)
{
	struct cap_shadow *s = cap_shadow;
	sigset_t before;

	if (!s || s == cap_shadow_own || !cap_lock_held(&fibers.lock, &before))
		return;
	fibers_change(s, cap_shadow_own);
	cap_unlock_held(&fibers.lock, &before);
}

void cap_fibers_fork(void (*with)(struct cap_shadow *s))
{
	cap_lock_reset(&fibers.lock);
	for (uint32_t i = 1; i <= fibers.n; i++)
		with(fibers.rows[i].shadow);
}
