/* SPDX-License-Identifier: MIT
 *
 * The open calls, and the path of each, while enter and exit events are read: reports, comparisons,
 * exports and spikes all use this.
 *
 * A call is open from its enter to its exit, on the thread of both. Its path is itself and the
 * calls that are open around it, interned as a stack of the trace (model.h): the innermost location
 * of its enter's stack below the path of its caller. So what works on stacks that were captured
 * whole works on calls, and memory is O(threads x depth + different paths), whatever the number of
 * events. The location of a call that only a marker names, or whose own location has no name, is
 * one that is called as the marker is. An enter without calls around it keeps the callers that its
 * own stack has.
 *
 * An exit ends the innermost open call of its marker and stack, or of its marker and the same
 * address and name where the map of modules changed meanwhile (one that says neither: the innermost
 * of all), and the calls inside it that have no exit of their own end with it. What no call answers
 * to is counted and ends nothing. Calls deeper than the depth are counted and not kept: their time
 * is that of the deepest one that is. The search for what an exit belongs to goes OPEN_CALLS_SEARCH
 * calls out, and further as long as all such searches together take less than 16 steps for each
 * enter.
 *
 * A pause, and a fiber's time without a thread, is no time of any call (enum enter_value), and what begins
 * in it does not count.
 *
 * Recursion: that a call lies within another of its function is seen on its path (pass_times.c
 * does), since what counts as the same, a function, a file or a module, is the report's.
 */
#ifndef TM_TALLY_OPEN_CALLS_H
#define TM_TALLY_OPEN_CALLS_H

#include "lib/trace/model.h"

enum { OPEN_CALLS_DEPTH = 1 << 16, OPEN_CALLS_SEARCH = 4096 };

struct open_call {
	uint32_t path; /* stack of the trace; the user's, as the next, from open_calls_path */
	uint32_t user; /* what the user keeps of it: a cell, a name */
	uint32_t type, stack; /* as its enter has them */
	int64_t total;        /* ns so far: its own, and of calls that ended in it */
	uint64_t calls, self; /* the user's: in it and in calls that ended in it */
	bool clipped;  /* the user's: some time in it, or in calls that ended in it, was left out */
	uint8_t pause; /* enum enter_value; 0: a call, else no call and no time, nor its callers' */
};

struct open_thread {
	struct open_call *calls; /* outermost first */
	size_t n, cap;
	uint64_t deep; /* open calls that are not kept */
	int64_t last;  /* time of its last event */
	bool has_last;
};

struct open_calls {
	struct open_thread *threads; /* by thread id */
	size_t n, cap;
	size_t depth;      /* that is kept; 0: OPEN_CALLS_DEPTH; set before the first call */
	uint64_t orphans;  /* exits of what was not open */
	uint64_t unclosed; /* calls that ended with one around them */
	uint64_t too_deep; /* enters that were not kept */
	uint64_t backward; /* times that lie before the one before them in their thread */
	uint64_t back_most;
	uint64_t credit;         /* steps that searches may still take */
	struct open_path *paths; /* by path, with the paths of its callees; open_calls.c */
	size_t cap_paths;
	uint32_t *marker_locations; /* by marker: of a call without a location; 0: not asked yet */
	size_t cap_marker_locations;
};

/* Zeroed is empty and valid. Reset: another capture follows. */
void open_calls_reset(struct open_calls *o);
void open_calls_release(struct open_calls *o);
/* What an enter begins: enum enter_value. */
static inline uint8_t open_calls_pause(const struct event *ev)
{
	return ev->has & EV_HAS_VALUE && (ev->value == ENTER_PAUSE || ev->value == ENTER_AWAY)
		   ? (uint8_t)ev->value
		   : ENTER_CALL;
}
/* The enter begins a time off the processor. */
static inline bool open_calls_waits(const struct event *ev)
{
	return ev->has & EV_HAS_VALUE && ev->value == ENTER_WAIT;
}
/* Valid until the call for another thread. */
struct open_thread *open_calls_thread(struct open_calls *o, uint32_t thread);
static inline struct open_call *open_calls_top(const struct open_thread *th)
{
	return th->n ? &th->calls[th->n - 1] : NULL;
}
/* ns since the thread's last event, which is now this one. */
int64_t open_calls_elapsed(struct open_calls *o, struct open_thread *th, int64_t now);

/* What a call of this marker and stack is called by: a location of t, made if missing. */
uint32_t open_calls_location(struct open_calls *o, struct trace *t, uint32_t type, uint32_t stack);
/* The path that such a call has when the thread enters it now. t may get rows. */
uint32_t open_calls_path(struct open_calls *o, const struct open_thread *th, struct trace *t,
			 uint32_t type, uint32_t stack);
/* The same when no paths are wanted: the call's location without callers, but for those that a
 * call without calls around it has itself, and with needs_caller for its caller's. */
uint32_t open_calls_short_path(struct open_calls *o, const struct open_thread *th, struct trace *t,
			       uint32_t type, uint32_t stack, bool needs_caller);
/* False: too deep, it is counted only. */
bool open_calls_enter(struct open_calls *o, struct open_thread *th, const struct open_call *c);
/* How many calls end: 0 for none. They are taken off by open_calls_pop. */
size_t open_calls_exit(struct open_calls *o, struct open_thread *th, const struct trace *t,
		       uint32_t type, uint32_t stack);
/* The innermost call; what it had joins its caller's. */
struct open_call open_calls_pop(struct open_thread *th);

#endif
