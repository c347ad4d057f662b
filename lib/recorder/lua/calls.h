/* SPDX-License-Identifier: MIT
 *
 * The running Lua functions, from the call and return hooks: a stack for each coroutine, the
 * coroutines that have resumed each other, and the functions by their addresses. Knows nothing of
 * Lua's headers.
 *
 * A place is where Lua keeps a call (its CallInfo, or the number of it). Errors leave calls
 * without a return, so each event says its place, and calls that are gone are dropped then.
 */
#ifndef TM_RECORDER_LUA_CALLS_H
#define TM_RECORDER_LUA_CALLS_H

#include "lib/recorder/lua/out.h"

struct lua_function {
	uint32_t location, marker, alone; /* alone: its stack without callers */
	uint32_t name, file;              /* strings; file 0: of C */
};

struct lua_call {
	uint64_t place;
	const void *pointer;
	uint32_t function; /* + 1 */
	uint32_t stack;    /* at the line where the function begins, or at that line */
	uint32_t line;     /* 0: not known */
	bool seeded;       /* its entry was before the recording: no event reports its exit */
};

struct coroutine {
	const void *state; /* NULL: gone, and free for another */
	uint32_t thread;
	uint32_t
	    base; /* the stack that it was resumed from; of one that is gone: the next such + 1 */
	struct lua_call *calls;
	size_t n, cap;
};

struct luacalls {
	struct lua_out *out;                             /* borrowed */
	bool events;                                     /* ENTER and EXIT are written */
	struct lua_slots by_pointer, by_state, by_place; /* -> functions + 1, coroutines + 1 */
	struct lua_function *functions;
	size_t n_functions, cap_functions;
	struct coroutine *coroutines;
	size_t n_coroutines, cap_coroutines;
	uint32_t gone;     /* a coroutine + 1; 0: none */
	uint64_t seen;     /* coroutines */
	uint32_t *running; /* coroutines that resumed each other, the innermost last */
	size_t n_running, cap_running;
	uint64_t lost;       /* calls that there was no memory for */
	uint64_t unreturned; /* left by errors, or with a coroutine that was collected */
};

void luacalls_init(struct luacalls *c, struct lua_out *out, bool events);
void luacalls_release(struct luacalls *c); /* accepts a zeroed struct */

/* A function's number, 0: not seen yet. Then luacalls_same, where file is not NULL: another closure
 * of what is defined there has been seen. If none has, it is added with luacalls_add. */
uint32_t luacalls_find(const struct luacalls *c, const void *pointer);
uint32_t luacalls_same(struct luacalls *c, const void *pointer, const char *file, int line);
uint32_t luacalls_add(struct luacalls *c, const void *pointer, const char *name, const char *file,
		      int line);
/* This address has been freed: it may come again as another function or coroutine. */
void luacalls_forget(struct luacalls *c, const void *pointer);

/* An event of this coroutine: it runs now. */
struct coroutine *luacalls_switch(struct luacalls *c, const void *state);
/* Its innermost call that is known; NULL: none. */
static inline struct lua_call *luacalls_top(const struct coroutine *co)
{
	return co && co->n ? &co->calls[co->n - 1] : NULL;
}
/* Leaves calls until the innermost is at that place; all, when none does. */
void luacalls_unwind(struct luacalls *c, struct coroutine *co, uint64_t place);
/* Leaves calls that are behind that place, where places are numbers in order. */
void luacalls_back(struct luacalls *c, struct coroutine *co, uint64_t place);
/* Leaves calls that are at that place or behind it, where places are numbers in order. True: one was there. */
bool luacalls_cut(struct luacalls *c, struct coroutine *co, uint64_t place);
void luacalls_leave(struct luacalls *c, struct coroutine *co); /* the innermost */
/* Drops the call below the innermost, which has taken its place by a tail call. */
void luacalls_merge(struct luacalls *c, struct coroutine *co);
/* seeded: it had been called before the recording began, so that there is no event. */
void luacalls_enter(struct luacalls *c, struct coroutine *co, uint64_t place, const void *pointer,
		    uint32_t function, bool seeded);

/* The innermost call goes on in that line: its stack, and those of what it calls, have it. */
void luacalls_line(struct luacalls *c, struct coroutine *co, int line);

/* Of what runs now; 0: not known. */
uint32_t luacalls_stack(const struct luacalls *c);
uint32_t luacalls_thread(const struct luacalls *c);

#endif
