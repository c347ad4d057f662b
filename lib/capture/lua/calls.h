/* SPDX-License-Identifier: MIT
 *
 * Who is running, of Lua's functions, as the call and return hooks tell it: a stack for each
 * coroutine, the coroutines that have resumed each other, and the functions by their addresses.
 * Knows nothing of Lua's headers.
 *
 * A place is where Lua keeps a call (its CallInfo, or the number of it). Errors leave calls
 * without a return, so each event says where it stands, and what is no more is dropped then.
 */
#ifndef TM_CAPTURE_LUA_CALLS_H
#define TM_CAPTURE_LUA_CALLS_H

#include "lib/capture/lua/out.h"

struct function {
	uint32_t location, marker, alone; /* alone: its stack without callers */
};

struct frame {
	uint64_t place;
	const void *pointer;
	uint32_t function; /* + 1 */
	uint32_t stack;
	bool seeded; /* its entry was before the recording: no event tells its exit */
};

struct coroutine {
	const void *state; /* NULL: gone, and free for another */
	uint32_t thread;
	uint32_t
	    base; /* the stack that it was resumed from; of one that is gone: the next such + 1 */
	struct frame *frames;
	size_t n, cap;
};

struct calls {
	struct out *out;                             /* borrowed */
	bool events;                                 /* ENTER and EXIT are written */
	struct table by_pointer, by_state, by_place; /* -> functions + 1, coroutines + 1 */
	struct function *functions;
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

void calls_init(struct calls *c, struct out *out, bool events);
void calls_release(struct calls *c); /* accepts a zeroed struct */

/* A function's number, 0: not seen yet. Then calls_same, where file is not NULL: another closure of
 * what is defined there has been seen. If none has, it is told with calls_add. */
uint32_t calls_find(const struct calls *c, const void *pointer);
uint32_t calls_same(struct calls *c, const void *pointer, const char *file, int line);
uint32_t calls_add(struct calls *c, const void *pointer, const char *name, const char *file,
		   int line);
/* This address has been freed: it may come again as another function or coroutine. */
void calls_forget(struct calls *c, const void *pointer);

/* An event of this coroutine: it runs now. */
struct coroutine *calls_switch(struct calls *c, const void *state);
/* Its innermost call that is known; NULL: none. */
static inline struct frame *calls_top(const struct coroutine *co)
{
	return co && co->n ? &co->frames[co->n - 1] : NULL;
}
/* Leaves calls until the innermost stands at that place; all, when none does. */
void calls_unwind(struct calls *c, struct coroutine *co, uint64_t place);
/* Leaves calls that stand at that place or behind it, where places are numbers in order. */
void calls_cut(struct calls *c, struct coroutine *co, uint64_t place);
void calls_leave(struct calls *c, struct coroutine *co); /* the innermost */
/* Drops the call below the innermost, which has taken its place by a tail call. */
void calls_merge(struct calls *c, struct coroutine *co);
/* seeded: it had been called before the recording began, so that there is no event. */
void calls_enter(struct calls *c, struct coroutine *co, uint64_t place, const void *pointer,
		 uint32_t function, bool seeded);

/* Of what runs now; 0: not known. */
uint32_t calls_stack(const struct calls *c);
uint32_t calls_thread(const struct calls *c);

#endif
