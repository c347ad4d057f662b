/* SPDX-License-Identifier: MIT */
#include "lib/recorder/timing.h"

#include "lib/recorder/base/memory.h"
#include "lib/recorder/calls.h"
#include "lib/recorder/capture.h"
#include "lib/recorder/spike.h"
#include "lib/recorder/spike_log.h"
#include "lib/recorder/stacks/sites.h"
#include "lib/trace/event.h"

struct cap_spikes cap_spikes = {.limit = 1000000};
int64_t (*_Atomic cap_clock)(void);

void cap_spikes_start(void)
{
	atomic_store(&cap_spikes.on, true);
	if (cap_shadow)
		cap_shadow->timed = true;
}

int64_t cap_time(void)
{
	int64_t (*clock)(void) = atomic_load_explicit(&cap_clock, memory_order_relaxed);

	return clock ? cap.start + clock() : cap_now();
}

struct cap_timing *cap_timing_of(struct cap_shadow *s)
{
	struct cap_timing *t = s->timing;

	if (t)
		return t;
	t = cap_map(sizeof *t);
	for (unsigned i = 0; t && i < s->n; i++)
		t->calls[i].flags = TIMED_HIDDEN; /* their beginning is not known */
	s->timing = t;
	s->timed = t != NULL;
	return t;
}

void cap_timing_end(struct cap_shadow *s)
{
	struct cap_timing *t = s->timing;

	if (!t)
		return;
	t->pauses = t->listed = t->pool = 0;
	t->inactive = false;
}

static struct cap_timed *below(struct cap_shadow *s, unsigned i)
{
	return i ? &s->timing->calls[i - 1] : NULL;
}

/* What a call is by default: like its caller says. */
static void timing_begin(struct cap_shadow *s, int64_t now)
{
	struct cap_timing *t = s->timing;
	struct cap_timed *c = &t->calls[s->n - 1], *parent = below(s, s->n - 1);

	*c = (struct cap_timed){.start = now,
				.limit =
				    atomic_load_explicit(&cap_spikes.limit, memory_order_relaxed),
				.flags = TIMED_PENDING | TIMED_FRESH,
				.pool = t->pool};
	t->serial += t->serial == UINT32_MAX ? 2 : 1;
	c->serial = t->serial;
	if (t->pauses || t->inactive)
		c->flags |= TIMED_HIDDEN;
	if (!parent)
		return;
	c->path = parent->path;
	c->visible = parent->visible;
	if (parent->flags & TIMED_CHILDREN) {
		c->children = c->limit = parent->children;
		c->flags |= TIMED_CHILDREN;
	}
	if (parent->flags & TIMED_CHILDREN_IGNORED)
		c->flags |= TIMED_IGNORED | TIMED_CHILDREN_IGNORED;
	if (parent->flags & (TIMED_PAUSE | TIMED_UNDER))
		c->flags |= TIMED_HIDDEN | TIMED_UNDER;
}

/* Its name in hashes and records. */
static uint64_t identity(const struct cap_shadow *s, unsigned i)
{
	uint64_t function = s->calls[i].function;

	if (s->timing->calls[i].flags & TIMED_PAUSE)
		return CAP_SITE;
	return function ? CAP_ENTRY | function : CAP_SITE | s->timing->calls[i].site;
}

static uint64_t mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * 0x9e3779b97f4a7c15;
	return h ^ h >> 29;
}

static bool is_recorded(const struct cap_timed *c)
{
	unsigned how = cap.settings.calls;

	return cap_on() && (how == CAP_CALLS_ALL ||
			    (how == CAP_CALLS_MARKERS && c->flags & (TIMED_MARKED | TIMED_PAUSE)));
}

void cap_timing_put(struct cap_shadow *s)
{
	struct cap_timed *c = cap_timing_top(s);
	struct cap_timed *parent;
	struct cap_call_info info;

	if (!c || !(c->flags & TIMED_PENDING))
		return;
	c->flags &= (uint16_t)~TIMED_PENDING;
	if (c->flags & TIMED_HIDDEN)
		return;
	parent = below(s, s->n - 1);
	c->path = mix(parent ? parent->path : 0, identity(s, s->n - 1));
	c->visible = (parent ? parent->visible : 0) + 1;
	if (c->site && s->calls[s->n - 1].function)
		cap_site_of_function(s->calls[s->n - 1].function, c->site);
	if (!is_recorded(c))
		return;
	info = (struct cap_call_info){.fiber = s->fiber,
				      .pc = identity(s, s->n - 1),
				      .time = c->start,
				      .value = (c->flags & TIMED_PAUSE) != 0,
				      .text = &s->timing->text[c->describe.at],
				      .n = c->describe.n};
	if (cap_call_put(CAP_ENTER, &info))
		c->flags |= TIMED_PUT;
}

static void happened(struct cap_shadow *s)
{
	struct cap_timed *c = cap_timing_top(s);

	if (!c)
		return;
	cap_timing_put(s);
	c->flags &= (uint16_t)~TIMED_FRESH;
}

void cap_timing_enter(struct cap_shadow *s)
{
	if (!cap_timing_of(s))
		return;
	s->n--;
	happened(s);
	s->n++;
	timing_begin(s, cap_time());
	s->timing->calls[s->n - 1].flags |= TIMED_HOOKED;
}

void cap_timing_mark(struct cap_shadow *s, uint32_t site, unsigned how, bool joined)
{
	struct cap_timed *c;

	if (!joined) {
		s->n--;
		happened(s);
		s->n++;
		timing_begin(s, cap_time());
	}
	c = cap_timing_top(s);
	c->site = site;
	c->flags |= TIMED_MARKED;
	c->flags &= (uint16_t)~TIMED_FRESH;
	if (how & TRACEMILL_SPIKE_IGNORE)
		c->flags |= TIMED_IGNORED;
	if (how & TRACEMILL_SPIKE_IGNORE_CHILDREN)
		c->flags |= TIMED_CHILDREN_IGNORED;
	if (how & TRACEMILL_SPIKE_PAUSE)
		c->flags |= TIMED_PAUSE;
}

/* The innermost call that began before the pause: its time, and that of its callers, goes on
 * without the pause from since to now. */
static void timing_add_pause(struct cap_shadow *s, int64_t now)
{
	struct cap_timing *t = s->timing;
	unsigned i = s->n;

	while (i && t->calls[i - 1].flags & TIMED_HIDDEN)
		i--;
	if (i) {
		struct cap_call_info info = {.fiber = s->fiber,
					     .pc = s->out ? CAP_AWAY : CAP_SITE,
					     .time = t->pause,
					     .value = s->out ? ENTER_AWAY : ENTER_PAUSE};

		t->calls[i - 1].paused += now - t->pause;
		if (is_recorded(&(struct cap_timed){.flags = TIMED_PAUSE}) &&
		    cap_call_put(CAP_ENTER, &info)) {
			info.time = now;
			info.value = INT64_MAX;
			cap_call_put(CAP_EXIT, &info);
		}
	}
	t->pause = now;
}

void cap_timing_pause(struct cap_shadow *s, bool on)
{
	struct cap_timing *t = cap_timing_of(s);
	int64_t now = cap_time();

	if (!t)
		return;
	happened(s);
	if (on && !t->pauses++)
		t->pause = now;
	if (!on && t->pauses && !--t->pauses)
		timing_add_pause(s, now);
}

static void leave(struct cap_shadow *s, unsigned at)
{
	struct cap_timing *t = s->timing;
	struct cap_timed *c = &t->calls[at], *parent = below(s, at);

	t->pool = c->pool;
	if (parent && parent->visible < t->listed)
		t->listed = parent->visible;
	if (!parent)
		t->listed = 0;
}

/* The limit as later judges see it. */
static int64_t limit_of(const struct cap_timed *c)
{
	return c->flags & (TIMED_IGNORED | TIMED_PAUSE) || c->limit > INT64_MAX ? INT64_MAX
										: (int64_t)c->limit;
}

/* The last call, which is at, ends. */
static void timing_end(struct cap_shadow *s, unsigned at, int64_t now)
{
	struct cap_timing *t = s->timing;
	struct cap_timed *c = &t->calls[at], *parent = below(s, at);
	int64_t total, judged;

	cap_timing_put(s);
	if (c->flags & TIMED_HIDDEN) {
		leave(s, at);
		return;
	}
	if (t->pauses)
		timing_add_pause(s, now);
	total = now - c->start;
	judged = total - c->paused;
	if (c->flags & TIMED_PUT) {
		struct cap_call_info info = {.fiber = s->fiber,
					     .pc = identity(s, at),
					     .time = now,
					     .value = limit_of(c),
					     .text = &t->text[c->message.at],
					     .n = c->message.n};

		cap_call_put(CAP_EXIT, &info);
	}
	if (total >= 0 && !(c->flags & (TIMED_IGNORED | TIMED_PAUSE)) && judged > 0 &&
	    (uint64_t)judged > c->limit && atomic_load(&cap_spikes.log)) {
		cap_spike_log(s, (uint64_t)judged);
		t->listed = c->visible;
	}
	if (parent)
		parent->paused += c->flags & TIMED_PAUSE ? total : c->paused;
	leave(s, at);
}

void cap_timing_exit(struct cap_shadow *s, unsigned at)
{
	timing_end(s, at, cap_time());
}

void cap_timing_drop(struct cap_shadow *s)
{
	unsigned at = s->n - 1;
	struct cap_timed *c = &s->timing->calls[at], *parent = below(s, at);

	if (c->flags & TIMED_ENDED) {
		timing_end(s, at, c->end);
		return;
	}
	cap_timing_put(s);
	if (!(c->flags & TIMED_HIDDEN))
		atomic_fetch_add_explicit(&cap_spikes.lost, 1, memory_order_relaxed);
	if (c->flags & TIMED_PUT) {
		struct cap_call_info info = {.fiber = s->fiber,
					     .pc = identity(s, at),
					     .time = CAP_NO_TIME,
					     .value = limit_of(c)};

		cap_call_put(CAP_EXIT, &info);
	}
	if (parent && !(c->flags & TIMED_HIDDEN))
		parent->paused += c->paused;
	leave(s, at);
}
