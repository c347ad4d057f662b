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
#include "lib/recorder/script.h"

struct lua_function {
	uint32_t location, marker, alone; /* alone: its stack without callers */
	uint32_t name, file;              /* strings; file 0: of C */
	uint64_t place;                   /* the recorder's, where it begins */
	bool hidden;                      /* left out: what it does is its caller's */
	char *texts[2];                   /* of name and file, where the recorder has the trace */
};

struct lua_call {
	uint64_t place;
	const void *pointer;
	uint32_t function; /* + 1 */
	uint32_t stack;    /* at the line where the function begins, or at that line */
	uint32_t line;     /* 0: not known */
	uintptr_t sp;      /* the interpreter's, for script.h */
	bool guess;        /* sp is */
	bool seeded;       /* its entry was before the recording: no event reports its exit */
};

struct coroutine {
	const void *state; /* NULL: gone, and free for another */
	uint32_t thread;
	uint32_t
	    base; /* the stack that it was resumed from; of one that is gone: the next such + 1 */
	struct lua_call *calls;
	size_t n, cap;
	bool away; /* suspended, or it waits for one that it has resumed: its strand says so */
};

struct luacalls {
	struct lua_out *out;                   /* borrowed */
	bool events;                           /* ENTER and EXIT are written */
	struct lua_slots by_pointer, by_state; /* -> functions + 1, coroutines + 1 */
	struct lua_slots by_place;             /* locations -> functions + 1 */
	struct lua_function *functions;
	size_t n_functions, cap_functions;
	struct coroutine *coroutines;
	size_t n_coroutines, cap_coroutines;
	uint32_t gone;  /* a coroutine + 1; 0: none */
	uint64_t seen;  /* coroutines */
	uint32_t first; /* the strand of the first, where the recorder has the trace; 0: none yet */
	uint32_t away;  /* the stack of (switched out), made when it is needed */
	uint32_t away_marker;
	uint32_t *running; /* coroutines that resumed each other, the innermost last */
	size_t n_running, cap_running;
	struct script_stack *
	    joined; /* the open calls, as the recorder of the process sees them; NULL: it does not */
	struct lua_slots places; /* function + line -> the recorder's place */
	uintptr_t sp;            /* of the event that is being handled */
	uintptr_t
	    sp_resumed; /* the same, of what a coroutine runs in, if the event is the first since it goes on */
	bool lines;   /* of each call is known which line runs, not only which calls */
	bool guesses; /* sp is a guess */
	const struct lua_shapes *shapes; /* borrowed; NULL: none */
	struct lua_excludes *excludes;   /* borrowed; NULL: none */
	uint64_t lost;                   /* calls that there was no memory for */
	uint64_t unreturned; /* left by errors, or with a coroutine that was collected */
};

void luacalls_init(struct luacalls *c, struct lua_out *out, bool events);
void luacalls_release(struct luacalls *c); /* accepts a zeroed struct */
/* Every open call ends: now, or with gone at the last event, since its state has ended and no call of it runs. */
void luacalls_close(struct luacalls *c, bool gone);

/* A function's number by an address, 0: not seen yet. */
uint32_t luacalls_find(const struct luacalls *c, const void *pointer);
/* The address, of a closure or of what closures share, is this function's; the number again, 0: no memory. */
uint32_t luacalls_bind(struct luacalls *c, const void *pointer, uint32_t function);
/* The function with that name and place, added where it is new; 0: no memory. file NULL: of C, always new. */
uint32_t luacalls_add(struct luacalls *c, const char *name, const char *file, int line);
/* This address has been freed: it may come again as another function or coroutine. */
void luacalls_forget(struct luacalls *c, const void *pointer);

/* An event of this coroutine: it runs now, and the one that ran is away. */
struct coroutine *luacalls_switch(struct luacalls *c, const void *state);
/* Its innermost call that is known; NULL: none. */
static inline struct lua_call *luacalls_top(const struct coroutine *co)
{
	return co && co->n ? &co->calls[co->n - 1] : NULL;
}
/* It has been resumed by a function of C, of which no hook knows: its calls run here now. */
void luacalls_moved(struct luacalls *c, struct coroutine *co);
/* Leaves calls until the innermost is at that place; all, when none does. */
void luacalls_unwind(struct luacalls *c, struct coroutine *co, uint64_t place);
/* Leaves calls that are behind that place, where places are numbers in order. */
void luacalls_back(struct luacalls *c, struct coroutine *co, uint64_t place);
/* Leaves calls that are at that place or behind it, where places are numbers in order. True: one was there. */
bool luacalls_cut(struct luacalls *c, struct coroutine *co, uint64_t place);
void luacalls_leave(struct luacalls *c, struct coroutine *co); /* the innermost */
void luacalls_gone(struct luacalls *c, struct coroutine *co);  /* the innermost, by an error */
/* Leaves the nth call, and what is behind it. */
void luacalls_end(struct luacalls *c, struct coroutine *co, size_t n);
/* Drops the call below the innermost, which has taken its place by a tail call. */
void luacalls_merge(struct luacalls *c, struct coroutine *co);
/* seeded: it had been called before the recording began, so that there is no event. */
void luacalls_enter(struct luacalls *c, struct coroutine *co, uint64_t place, const void *pointer,
		    uint32_t function, bool seeded);

/* The innermost call calls from that line, which is known of it for as long as that lasts. For one that is joined. */
void luacalls_calls_from(struct luacalls *c, struct coroutine *co, int line);
/* The line of the innermost call that runs becomes that, 0: not known; what it was. */
uint32_t luacalls_change_line(struct luacalls *c, uint32_t line);
/* It is on its own again. */
void luacalls_calls_no_more(struct luacalls *c, struct coroutine *co);

/* The innermost call goes on in that line: its stack, and those of what it calls, have it. */
void luacalls_line(struct luacalls *c, struct coroutine *co, int line);

/* Of what runs now; 0: not known. */
uint32_t luacalls_stack(const struct luacalls *c);
uint32_t luacalls_thread(const struct luacalls *c);

#endif
