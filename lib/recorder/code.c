/* SPDX-License-Identifier: MIT */
#include "lib/recorder/code.h"

#include "lib/recorder/base/maps.h"
#include "lib/recorder/base/memory.h"
#include "lib/recorder/base/signal_guard.h"
#include "lib/recorder/capture.h"
#include "lib/recorder/stacks/cfi.h"

#include <errno.h>
#include <time.h>

/* LOWEST: nothing is mapped below it (vm.mmap_min_addr, its usual value). */
enum { LOOK_NS = 100000000, LOOK_SHARE = 50, LOWEST = 1 << 16 };
enum kind { NOWHERE, DATA, CODE, UNKNOWN };

static enum kind cap_code_search(const struct cap_code_table *t, uintptr_t at)
{
	uint32_t lo = 0, hi = atomic_load_explicit(&t->n, memory_order_relaxed);
	const bool full = hi == CAP_CODE_RANGES;
	uintptr_t first;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (atomic_load_explicit(&t->ranges[mid].hi, memory_order_relaxed) <= at)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == atomic_load_explicit(&t->n, memory_order_relaxed))
		return full ? UNKNOWN : NOWHERE;
	first = atomic_load_explicit(&t->ranges[lo].lo, memory_order_relaxed);
	return at < (first & ~(uintptr_t)1) ? NOWHERE : first & 1 ? CODE : DATA;
}

static enum kind find(const struct cap_code *c, uintptr_t at)
{
	for (int tries = 0; tries < 4; tries++) {
		uint32_t looks = atomic_load_explicit(&c->looks, memory_order_acquire);
		enum kind kind = looks ? cap_code_search(&c->table[looks % 2], at) : UNKNOWN;

		atomic_thread_fence(memory_order_acquire);
		if (atomic_load_explicit(&c->looks, memory_order_relaxed) == looks)
			return kind;
	}
	return UNKNOWN;
}

static void add(struct cap_code_table *t, uintptr_t lo, uintptr_t hi, bool code)
{
	uint32_t n = atomic_load_explicit(&t->n, memory_order_relaxed);
	struct cap_code_range *last = n ? &t->ranges[n - 1] : NULL;

	if (last && atomic_load_explicit(&last->hi, memory_order_relaxed) == lo &&
	    (atomic_load_explicit(&last->lo, memory_order_relaxed) & 1) == code) {
		atomic_store_explicit(&last->hi, hi, memory_order_relaxed);
	} else if (n < CAP_CODE_RANGES) {
		atomic_store_explicit(&t->ranges[n].lo, lo | code, memory_order_relaxed);
		atomic_store_explicit(&t->ranges[n].hi, hi, memory_order_relaxed);
		atomic_store_explicit(&t->n, n + 1, memory_order_relaxed);
	}
}

static void cap_code_line(void *arg, const char *p, const char *end)
{
	uintptr_t lo, hi;

	(void)end;
	p = cap_maps_hex(p, &lo);
	if (*p != '-')
		return;
	p = cap_maps_hex(p + 1, &hi);
	if (*p == ' ' && p[1] != '\n' && p[2] != '\n')
		add(arg, lo, hi, p[3] == 'x');
}

static bool fill(struct cap_code *c)
{
	uint32_t looks = atomic_load_explicit(&c->looks, memory_order_relaxed) + 1;
	struct cap_code_table *t;

	looks += !looks;
	t = &c->table[looks % 2];
	if (!t->ranges)
		t->ranges = cap_map(CAP_CODE_RANGES * sizeof *t->ranges);
	if (!t->ranges)
		return false;
	atomic_thread_fence(memory_order_release);
	atomic_store_explicit(&t->n, 0, memory_order_relaxed);
	if (!cap_maps_read(c->text, sizeof c->text, cap_code_line, t) ||
	    !atomic_load_explicit(&t->n, memory_order_relaxed))
		return false;
	atomic_store_explicit(&c->looks, looks, memory_order_release);
	return true;
}

static int64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* No signal comes in between: its handler might wait for a thread that waits for what we find. */
bool cap_code_look(struct cap_code *c)
{
	int64_t from = cpu_ns(), took;
	int error = errno;
	sigset_t before;
	bool done;

	cap_hold_signals(&before);
	if (!cap_trylock(&c->lock)) {
		cap_release_signals(&before);
		return false;
	}
	atomic_store(&c->wanted, false);
	atomic_store(&c->changed, false);
	done = fill(c);
	atomic_store(&c->failed, !done);
	took = cpu_ns() - from;
	atomic_store(&c->due,
		     cap_now() + (took * LOOK_SHARE > LOOK_NS ? took * LOOK_SHARE : LOOK_NS));
	cap_unlock(&c->lock);
	cap_release_signals(&before);
	errno = error;
	return done;
}

void cap_code_changed(struct cap_code *c)
{
	atomic_store_explicit(&c->changed, true, memory_order_relaxed);
}

void cap_code_tick(struct cap_code *c)
{
	if (atomic_load_explicit(&c->wanted, memory_order_relaxed) && cap_now() >= c->due)
		cap_code_look(c);
}

void cap_code_fork(struct cap_code *c)
{
	cap_lock_reset(&c->lock);
}

/* Has it come since the list was read, as far as is known? */
static bool is_new(const struct cap_code *c, enum kind kind, uintptr_t pc)
{
	if (atomic_load_explicit(&c->failed, memory_order_relaxed))
		return false;
	return atomic_load_explicit(&c->changed, memory_order_relaxed) ||
	       (kind == NOWHERE && cfi_of_module(pc));
}

bool cap_code_ask(struct cap_code *c, struct cap_code_pages *seen, uintptr_t pc)
{
	uintptr_t at = pc - 1, page = (at >> CAP_CODE_SHIFT) + 1;
	enum kind kind;

	if (at < LOWEST)
		return false;
	kind = find(c, at);
	if (kind < CODE && is_new(c, kind, pc) && cap_code_look(c)) {
		kind = find(c, at);
	} else if (kind < CODE && !atomic_load_explicit(&c->wanted, memory_order_relaxed)) {
		atomic_store_explicit(&c->wanted, true, memory_order_relaxed);
	}
	if (kind == CODE)
		seen->page[page % CAP_CODE_PAGES] = page;
	return kind >= CODE;
}
