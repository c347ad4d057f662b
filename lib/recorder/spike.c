/* SPDX-License-Identifier: MIT
 *
 * What spike.h's macros call. Without a log or a recording of calls they look at one variable.
 */
#include "lib/recorder/spike.h"

#include "lib/recorder/base/floats.h"
#include "lib/recorder/capture.h"
#include "lib/recorder/spike_log.h"
#include "lib/recorder/stacks/sites.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

static bool is_on(void)
{
	return atomic_load_explicit(&cap_spikes.on, memory_order_relaxed);
}

/* The thread's open calls, busy until done; NULL: none, or we have interrupted a hook. */
#define OPEN_CALLS() \
	open_calls((uintptr_t)__builtin_dwarf_cfa(), (uintptr_t)__builtin_return_address(0))

static struct cap_shadow *open_calls(uintptr_t sp, uintptr_t hook)
{
	struct cap_shadow *s = is_on() && cap_shadow ? cap_shadow_at(sp, 0, false) : NULL;

	if (!s || s->busy || !s->timing || !s->n)
		return NULL;
	cap_shadow_busy(s, true);
	cap_shadow_sync(s, sp, hook);
	if (s->n)
		return s;
	cap_shadow_busy(s, false);
	return NULL;
}

static uint32_t id_of(struct tracemill_spike_site *site)
{
	uint32_t id = __atomic_load_n(&site->id, __ATOMIC_RELAXED);

	if (!id) {
		id = cap_site_add(site->name, site->file, site->line);
		__atomic_store_n(&site->id, id, __ATOMIC_RELAXED);
	}
	return id;
}

void tracemill_spike_begin(struct tracemill_spike_site *site, unsigned how, void *caller,
			   struct tracemill_spike_scope *scope)
{
	uintptr_t sp = (uintptr_t)__builtin_dwarf_cfa(),
		  hook = (uintptr_t)__builtin_return_address(0);
	struct cap_shadow *s = is_on() ? cap_shadow_at(sp, (uintptr_t)caller, true) : NULL;
	const struct cap_timed *c;
	bool joined;

	if (!s || s->busy)
		return;
	cap_shadow_busy(s, true);
	c = cap_timing_top(s);
	joined = how & TRACEMILL_SPIKE_FUNCTION && c && !s->over && c->flags & TIMED_FRESH &&
		 c->flags & TIMED_HOOKED && s->calls[s->n - 1].sp == sp &&
		 s->calls[s->n - 1].site == (uintptr_t)caller;
	if ((joined || cap_shadow_enter(s, 0, (uintptr_t)caller, sp, hook)) && cap_timing_of(s)) {
		cap_timing_mark(s, id_of(site), how, joined);
		scope->index = s->n - 1;
		scope->serial = cap_timing_top(s)->serial;
	}
	cap_shadow_busy(s, false);
}

void tracemill_spike_end(const struct tracemill_spike_scope *scope)
{
	uintptr_t sp = (uintptr_t)__builtin_dwarf_cfa();
	struct cap_shadow *s = cap_shadow ? cap_shadow_at(sp, 0, false) : NULL;
	struct cap_timed *c;

	if (!s || s->busy || !s->timing)
		return;
	cap_shadow_busy(s, true);
	c = &s->timing->calls[scope->index < CAP_SHADOW ? scope->index : 0];
	if (scope->index < s->n && c->serial == scope->serial) {
		while (s->n > scope->index + 1) { /* they had no exit */
			cap_timing_drop(s);
			s->n--;
		}
		if (c->flags & TIMED_HOOKED) {
			c->end = cap_time();
			c->flags |= TIMED_ENDED;
		} else {
			cap_timing_exit(s, scope->index);
			s->n = scope->index;
		}
	}
	cap_shadow_busy(s, false);
}

static __attribute__((noinline)) uint64_t limit_of(double ms)
{
	return ms >= 0 && ms < 1e12 ? (uint64_t)(ms * 1e6 + 0.5) : CAP_NEVER;
}

void tracemill_spike_threshold(unsigned whose, double ms)
{
	struct cap_shadow *s;
	struct cap_timed *c;
	uint64_t limit;

	CAP_FLOATS(limit = limit_of(ms));
	if (whose == TRACEMILL_SPIKE_GLOBAL) {
		atomic_store(&cap_spikes.limit, limit);
		return;
	}
	s = OPEN_CALLS();
	if (!s)
		return;
	c = cap_timing_top(s);
	switch (whose) {
	case TRACEMILL_SPIKE_OWN:
		if (!(c->flags & TIMED_GIVEN))
			c->limit = limit;
		break;
	case TRACEMILL_SPIKE_CHILDREN:
		c->children = limit;
		c->flags |= TIMED_CHILDREN;
		break;
	case TRACEMILL_SPIKE_PARENTS:
		while (c-- > s->timing->calls) {
			c->limit = limit;
			c->flags |= TIMED_GIVEN;
		}
		break;
	default: break;
	}
	cap_shadow_busy(s, false);
}

/* Into the pool, behind what it has of this call. */
__attribute__((format(printf, 4, 0))) static void add_text(struct cap_timing *t,
							   struct cap_text *to, bool more,
							   const char *format, va_list list)
{
	unsigned depth = cap_self.depth;
	int error = errno, n;
	char text[CAP_SPIKE_TEXT];
	size_t room;

	cap_self.depth |= CAP_QUIET;
	n = vsnprintf(text, sizeof text, format, list);
	cap_self.depth = depth;
	errno = error;
	if (n < 0)
		return;
	n = n < CAP_SPIKE_TEXT ? n : CAP_SPIKE_TEXT - 1;
	room = CAP_SPIKE_POOL - t->pool;
	if (more && to->n && (size_t)to->at + to->n == t->pool &&
	    (unsigned)n + to->n + 2 < CAP_SPIKE_TEXT && (size_t)n + 2 <= room) {
		t->text[t->pool++] = ';';
		t->text[t->pool++] = ' ';
		to->n = (uint16_t)(to->n + 2);
	} else if ((size_t)n > room || (more && to->n)) {
		atomic_fetch_add(&cap_spikes.untold, 1);
		return;
	} else {
		*to = (struct cap_text){t->pool, 0};
	}
	for (int i = 0; i < n; i++)
		t->text[t->pool++] = text[i];
	to->n = (uint16_t)(to->n + n);
}

void tracemill_spike_describe(const char *format, ...)
{
	struct cap_shadow *s = OPEN_CALLS();
	struct cap_timed *c;
	va_list list;

	if (!s)
		return;
	c = cap_timing_top(s);
	if (!(c->flags & TIMED_HIDDEN)) {
		va_start(list, format);
		add_text(s->timing, &c->describe, false, format, list);
		va_end(list);
		if (c->flags & TIMED_PUT) /* the trace has the call without it */
			atomic_fetch_add(&cap_spikes.untold, 1);
	}
	cap_shadow_busy(s, false);
}

int tracemill_spike_is_over(void)
{
	struct cap_shadow *s = OPEN_CALLS();
	const struct cap_timed *c;
	int64_t took;
	int over;

	if (!s)
		return 0;
	c = cap_timing_top(s);
	took = cap_time() - c->start - c->paused;
	over = !(c->flags & (TIMED_HIDDEN | TIMED_IGNORED | TIMED_PAUSE)) && took > 0 &&
	       (uint64_t)took > c->limit;
	cap_shadow_busy(s, false);
	return over;
}

void tracemill_spike_message(const char *format, ...)
{
	struct cap_shadow *s = OPEN_CALLS();
	va_list list;

	if (!s)
		return;
	va_start(list, format);
	add_text(s->timing, &cap_timing_top(s)->message, true, format, list);
	va_end(list);
	cap_shadow_busy(s, false);
}

void tracemill_spike_thread(int active)
{
	struct cap_shadow *s = is_on() ? cap_shadow_mine() : NULL;
	struct cap_timing *t = s ? cap_timing_of(s) : NULL;

	if (t)
		t->inactive = !active;
}

void tracemill_spike_pause(int on)
{
	uintptr_t sp = (uintptr_t)__builtin_dwarf_cfa();
	struct cap_shadow *s = is_on() ? cap_shadow_at(sp, 0, true) : NULL;

	if (!s || s->busy)
		return;
	cap_shadow_busy(s, true);
	cap_shadow_sync(s, sp, (uintptr_t)__builtin_return_address(0));
	cap_timing_pause(s, on);
	cap_shadow_busy(s, false);
}

void tracemill_spike_log(const char *path)
{
	cap_spike_log_file(path);
}

void tracemill_spike_sink(void (*sink)(const char *text, size_t n))
{
	cap_spike_log_sink(sink);
}

void tracemill_spike_clock(int64_t (*clock)(void))
{
	atomic_store(&cap_clock, clock);
}
