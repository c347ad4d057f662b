/* SPDX-License-Identifier: MIT */
#include "lib/recorder/script.h"

#include "lib/recorder/base/memory.h"
#include "lib/recorder/calls.h"
#include "lib/recorder/capture.h"
#include "lib/recorder/stacks/sites.h"
#include "lib/recorder/stacks/unwind.h"
#include "lib/recorder/timing.h"
#include "lib/trace/event.h"

enum { STACKS = 256, INTERPRETERS = 4, WALK = CAP_DEPTH_MAX };

static _Atomic uint32_t made; /* stacks, of all threads */
static _Atomic uint32_t strands;
static _Atomic int64_t script_frames;

int tracemill_script_begin(void)
{
	if (!cap_on())
		return 0;
	if (!atomic_exchange(&cap.scripted, true))
		cap_flush();
	return 1;
}

/* An owner's that has gone is for the next of this thread. */
struct script_stack *tracemill_script_stack(const void *owner)
{
	struct script_stack *s = cap_self.scripts, *unused = NULL;

	for (; s && s->owner != owner; s = s->next)
		if (!s->owner)
			unused = s;
	if (s)
		return s;
	s = unused;
	if (!s && atomic_fetch_add(&made, 1) < STACKS) {
		s = cap_map(sizeof *s);
		if (s) {
			s->next = cap_self.scripts;
			s->first = s->next ? s->next->first : s;
			atomic_signal_fence(memory_order_seq_cst);
			cap_self.scripts = s;
		}
	}
	if (s)
		s->owner = owner;
	else
		atomic_fetch_add_explicit(&cap.unscripted, 1, memory_order_relaxed);
	return s;
}

uint64_t tracemill_script_place(const char *name, const char *file, uint32_t line)
{
	uint32_t id = cap_site_add(name, file, line);

	return id ? CAP_SITE | id : 0;
}

int64_t tracemill_script_time(void)
{
	return cap_time();
}

uint32_t tracemill_script_strand(void)
{
	return atomic_fetch_add_explicit(&strands, 1, memory_order_relaxed) + 1;
}

int64_t tracemill_script_frame(void)
{
	return atomic_fetch_add_explicit(&script_frames, 1, memory_order_relaxed);
}

static uint64_t pc_of(uint64_t place)
{
	if (place == SCRIPT_AWAY)
		return CAP_AWAY;
	return place & ~(SCRIPT_NATIVE | SCRIPT_GUESS);
}

void tracemill_script_call(int enters, uint64_t place, int64_t time, uint32_t strand,
			   const char *name)
{
	struct cap_call_info info = {.pc = pc_of(place), .time = time};

	if (!place || !cap_on())
		return;
	info.fiber = (struct cap_fiber_row){CAP_STRAND, strand, name ? cap_name_id(name, NULL) : 0};
	if (!enters)
		info.value = INT64_MAX;
	else if (place == SCRIPT_AWAY)
		info.value = ENTER_AWAY;
	cap_call_put(enters ? CAP_ENTER : CAP_EXIT, &info);
}

static void script_goes_away(struct script_stack *s, int64_t time)
{
	if (!s || !s->owner || !s->strand || s->away)
		return;
	s->away = s->strand;
	tracemill_script_call(1, SCRIPT_AWAY, time, s->away, NULL);
}

static void script_comes_back(struct script_stack *s, int64_t time)
{
	if (!s || !s->away)
		return;
	tracemill_script_call(0, SCRIPT_AWAY, time, s->away, NULL);
	s->away = 0;
}

static void script_take_out(const struct script_stack *s)
{
	struct script_stack **at = &s->first->running;

	while (*at && *at != s)
		at = &(*at)->under;
	if (*at)
		*at = s->under;
}

void tracemill_script_runs(struct script_stack *s)
{
	int64_t now = cap_time();

	script_goes_away(s->first->running, now);
	script_take_out(s);
	s->under = s->first->running;
	s->first->running = s;
	script_comes_back(s, now);
}

void tracemill_script_rests(struct script_stack *s)
{
	int64_t now = cap_time();

	script_comes_back(s, now);
	script_take_out(s);
	script_comes_back(s->first->running, now);
}

static uint32_t kept(const struct script_stack *s)
{
	return s->n < SCRIPT_DEPTH ? s->n : SCRIPT_DEPTH;
}

/* Of the owner's alone: its own blocks are no business of other interpreters in the thread. */
static uint32_t stack_of_owner(struct cap_ring *ring, const void *owner)
{
	const struct script_stack *s = cap_self.scripts;
	unsigned n = 0;

	while (s && s->owner != owner)
		s = s->next;
	for (uint32_t i = s ? kept(s) : 0; i-- && n <= cap.settings.depth;)
		if (s->call[i].place)
			ring->pc[n++] = pc_of(s->call[i].place);
	if (!n)
		return 0;
	return cap_stacks_id(&cap.stacks, &ring->last, ring->pc, cap_within_depth(ring, n));
}

void tracemill_script_alloc(const void *owner, const void *p, size_t n, const char *type)
{
	struct cap_ring *ring;
	uint32_t stack;

	if (!p)
		return;
	cap_timing_flush();
	ring = cap_open(1);
	if (!ring)
		return;
	stack = cap.settings.stacks == CAP_STACKS_NONE ? 0 : stack_of_owner(ring, owner);
	cap_put_alloc(ring, p, n, (size_t)CAP_UNKNOWN, DOMAIN_LUA,
		      type ? cap_name_id(type, NULL) : 0, stack, CAP_HERE);
	cap_close(ring);
}

void tracemill_script_object(const void *owner, const char *type, size_t requested)
{
	struct cap_ring *ring;
	uint32_t stack;

	cap_timing_flush();
	ring = cap_open(1);
	if (!ring)
		return;
	stack = cap.settings.stacks == CAP_STACKS_NONE ? 0 : stack_of_owner(ring, owner);
	cap_put_typed(ring, type, requested, (size_t)CAP_UNKNOWN, stack);
	cap_close(ring);
}

void tracemill_script_lost(uint64_t n)
{
	atomic_fetch_add_explicit(&cap.unscripted, n, memory_order_relaxed);
}

unsigned tracemill_script_walk(uintptr_t *sp, unsigned max)
{
	unsigned depth = cap_own_begin(), n;
	uint64_t pc[WALK];

	n = cap_unwind_tables(__builtin_return_address(0), pc, sp, max < WALK ? max : WALK);
	cap_self.depth = depth;
	return n;
}

/* The functions that are open, of all interpreters of the thread, innermost first. */
struct open_calls {
	const struct script_stack *stack[INTERPRETERS];
	uint32_t left[INTERPRETERS];
	unsigned n;
};

static void open_calls_begin(struct open_calls *o, const struct script_stack *s, uintptr_t here)
{
	o->n = 0;
	for (; s && o->n < INTERPRETERS; s = s->next) {
		uint32_t left = s->owner ? kept(s) : 0;

		while (left && s->call[left - 1].sp < here)
			left--;
		o->stack[o->n] = s;
		o->left[o->n] = left;
		o->n += left > 0;
	}
}

/* The next, if its stack pointer is at most sp. */
static const struct script_call *next_below(struct open_calls *o, uintptr_t sp)
{
	const struct script_call *best = NULL;
	unsigned of = 0;

	for (unsigned i = 0; i < o->n; i++) {
		const struct script_call *c;

		if (!o->left[i])
			continue;
		c = &o->stack[i]->call[o->left[i] - 1];
		if (c->sp <= sp && (!best || c->sp < best->sp)) {
			best = c;
			of = i;
		}
	}
	if (best)
		o->left[of]--;
	return best;
}

struct joined {
	uint64_t *pc;
	unsigned n, max;
	bool guessed;
};

/* Those that stand before a frame with this stack pointer. */
static void join_below(struct joined *j, struct open_calls *o, uintptr_t sp)
{
	const struct script_call *c;

	while (j->n < j->max && (c = next_below(o, sp))) {
		if (!c->place || c->place & SCRIPT_NATIVE)
			continue;
		j->guessed |= (c->place & SCRIPT_GUESS) != 0;
		j->pc[j->n++] = pc_of(c->place);
	}
}

unsigned cap_script_join(struct cap_ring *ring, uintptr_t here, unsigned n, unsigned max)
{
	struct joined j = {.pc = ring->joined, .max = max};
	struct open_calls open;
	unsigned native = 0;

	open_calls_begin(&open, cap_self.scripts, here);
	while (native < n && j.n < max) {
		join_below(&j, &open, ring->sp[native]);
		if (j.n < max)
			j.pc[j.n++] = ring->pc[native++];
	}
	/* The walk ended early: they are farther out on the same stack. */
	if (native == n && n < max && j.n < max && cap_bounds_have(&ring->bounds, here)) {
		unsigned before = j.n;

		join_below(&j, &open, ring->bounds.hi);
		j.guessed |= j.n > before;
	}
	if (j.guessed)
		atomic_fetch_add_explicit(&cap.guessed, 1, memory_order_relaxed);
	return j.n;
}
