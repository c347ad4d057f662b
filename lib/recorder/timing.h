/* SPDX-License-Identifier: MIT
 *
 * The measuring of each open call on the shadow stack against its limit, without its pauses. When the call ends, it
 * writes an entry of PET's log if the call took too long, and records of its enter and exit if calls are recorded.
 * The texts of calls are in spike.h.
 *
 * An enter's record is put when the next thing happens in its thread, so that it has what a marker
 * at the function's beginning says. A call that is dropped (shadow.h) ends where its marker's scope
 * ended; without one its exit has no time, and it is not judged.
 *
 * A pause is a call named PET_Pause in the trace; one that goes on when its caller ends is split.
 *
 * Everything but what is atomic is the thread's own, and is touched with shadow->busy set.
 */
#ifndef TM_RECORDER_TIMING_H
#define TM_RECORDER_TIMING_H

#include "lib/recorder/shadow.h"

#include <stddef.h>

#define CAP_NEVER UINT64_MAX
enum { CAP_SPIKE_TEXT = 256, CAP_SPIKE_POOL = 16 << 10 };

enum cap_timed_flag {
	TIMED_HOOKED = 1 << 0,   /* a hook has reported it */
	TIMED_MARKED = 1 << 1,   /* a marker */
	TIMED_PENDING = 1 << 2,  /* its enter is not put yet */
	TIMED_PUT = 1 << 3,      /* it is in the trace */
	TIMED_OWN = 1 << 4,      /* limit is its own */
	TIMED_GIVEN = 1 << 5,    /* limit is what a call below it gave */
	TIMED_CHILDREN = 1 << 6, /* children is there */
	TIMED_IGNORED = 1 << 7,
	TIMED_CHILDREN_IGNORED = 1 << 8,
	TIMED_PAUSE = 1 << 9,   /* it is a pause */
	TIMED_HIDDEN = 1 << 10, /* in a pause, or of a thread that is not active, or not timed */
	TIMED_ENDED = 1 << 11,  /* end is there */
	TIMED_FRESH = 1 << 12,  /* nothing has happened in it */
	TIMED_UNDER = 1 << 13   /* below a call that is a pause */
};

struct cap_text {
	uint16_t at, n; /* in the pool */
};

struct cap_timed { /* of the call with the same index */
	int64_t start, end;
	int64_t paused; /* ns in it */
	uint64_t limit, children;
	uint64_t path;    /* hash of what is not hidden, up to here */
	unsigned visible; /* how many are not hidden, with it */
	uint32_t site, serial;
	uint16_t flags, pool; /* of the thread's texts, before it */
	struct cap_text describe, message;
};

struct cap_timing {
	uint32_t serial;
	unsigned pauses, listed;
	bool inactive;
	int64_t pause; /* when it began, or went on */
	uint16_t pool;
	char *log; /* spike_log.c's; NULL: not yet */
	struct cap_timed calls[CAP_SHADOW];
	char text[CAP_SPIKE_POOL];
};

struct cap_spikes {
	_Atomic bool on;         /* calls are timed */
	_Atomic bool log;        /* there is a log or a sink */
	_Atomic uint64_t limit;  /* the global one, ns */
	_Atomic uint64_t lost;   /* exits without a time: calls dropped */
	_Atomic uint64_t untold; /* texts that had no room, or came late */
	_Atomic bool framed;
	_Atomic int64_t frame; /* the last one's number */
};
extern struct cap_spikes cap_spikes;

/* Calls are timed from now on: of this thread, and of those that begin. */
void cap_spikes_start(void);

/* The clock of records: spike.h's, or the monotonic one. */
extern int64_t (*_Atomic cap_clock)(void);
int64_t cap_time(void);

/* Of a shadow stack whose last call has just been put there by a hook; is about to be taken off
 * (at, and all above it are gone); is over without an exit. */
void cap_timing_enter(struct cap_shadow *s);
void cap_timing_exit(struct cap_shadow *s, unsigned at);
void cap_timing_drop(struct cap_shadow *s);
/* Its thread has ended. */
void cap_timing_end(struct cap_shadow *s);
static inline struct cap_timed *cap_timing_top(const struct cap_shadow *s)
{
	return s->timing && s->n ? &s->timing->calls[s->n - 1] : NULL;
}
/* The timing of the thread, made when it has none; NULL: no memory. */
struct cap_timing *cap_timing_of(struct cap_shadow *s);
/* A marker's: what the last call is, when it has just been put there, or joins a hook's. */
void cap_timing_mark(struct cap_shadow *s, uint32_t site, unsigned how, bool joined);
void cap_timing_pause(struct cap_shadow *s, bool on);
/* The last call's enter, if it is still to be put. */
void cap_timing_put(struct cap_shadow *s);
/* The same of the calling thread, before something else is recorded. */
static inline void cap_timing_flush(void)
{
	struct cap_shadow *s = cap_shadow;

	if (!s || !s->timing || s->busy ||
	    atomic_load_explicit(&s->runner, memory_order_relaxed) != cap_shadow_me())
		return;
	cap_shadow_busy(s, true);
	cap_timing_put(s);
	cap_shadow_busy(s, false);
}

#endif
