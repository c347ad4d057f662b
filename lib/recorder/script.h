/* SPDX-License-Identifier: MIT
 *
 * What a script's interpreter says to the recorder of its process (lib/recorder/lua and lib/recorder/mono
 * do): the open functions of the script, for stacks of native blocks, and the script's own blocks and
 * calls. For modules of the same version of tracemill; not installed.
 *
 * An open function has the stack pointer that its interpreter had when it called the function. So a native
 * stack is joined with the script's by order of stack pointers: a function of the script comes directly
 * before the interpreter's frame that runs it. A function whose stack pointer is below that of the
 * block's own call has been left without a word (an error), and counts no more.
 *
 * A place is a name, a file and a line. Each function here does nothing, and says 0, where nothing is
 * recorded.
 */
#ifndef TM_RECORDER_SCRIPT_H
#define TM_RECORDER_SCRIPT_H

#include "lib/recorder/tracemill.h"

enum { SCRIPT_DEPTH = 1 << 16 };

/* In a place: a function of C, which has frames of its own in native stacks; where it stands in them is
 * a guess. */
#define SCRIPT_NATIVE ((uint64_t)1 << 32)
#define SCRIPT_GUESS  ((uint64_t)1 << 33)
/* In place of one, of tracemill_script_call: the strand runs no more, until it leaves this. */
#define SCRIPT_AWAY ((uint64_t)UINT32_MAX)

struct script_call {
	uint64_t place; /* 0: not known */
	uintptr_t sp;
};

/* The open functions of one interpreter in one thread: written by the interpreter in this thread, the
 * entry before the number. Beyond SCRIPT_DEPTH they are counted in n and not kept. */
struct script_stack {
	const void *owner; /* the interpreter's; NULL: it has gone */
	struct script_stack *next;
	struct script_stack *first; /* of the thread */
	struct script_stack
	    *running; /* of the first alone: the one whose interpreter runs; NULL: none */
	struct script_stack *under; /* the one that ran when this one began to */
	uint32_t strand; /* where its calls are open; 0: none is, or they are not recorded */
	uint32_t away;   /* the strand that runs no more, since another interpreter runs; 0: none */
	uint32_t n;
	struct script_call call[SCRIPT_DEPTH]; /* outermost first */
};

/* Is the process recorded, and does the recorder know of scripts? */
#define tracemill_script_on() (tracemill_script_begin && tracemill_script_begin())
/* A script says its calls from now on: their times are in ns. */
int tracemill_script_begin(void) TRACEMILL_WEAK;
/* Of this owner in the calling thread; NULL: there is no memory, which is counted. */
struct script_stack *tracemill_script_stack(const void *owner) TRACEMILL_WEAK;
/* The place, made if missing; 0: there is no room, which is counted. file may be NULL. */
uint64_t tracemill_script_place(const char *name, const char *file, uint32_t line) TRACEMILL_WEAK;
/* ns, in the recording's time. */
int64_t tracemill_script_time(void) TRACEMILL_WEAK;
/* The number of a new strand, from 1 on. */
uint32_t tracemill_script_strand(void) TRACEMILL_WEAK;
/* The number of a frame that a script begins, from 0 on: the states of the process count on. */
int64_t tracemill_script_frame(void) TRACEMILL_WEAK;
/* A function is entered, or left, at that time. strand: a row of calls of its own, whose name is the
 * first one that it had. */
void tracemill_script_call(int enters, uint64_t place, int64_t time, uint32_t strand,
			   const char *name) TRACEMILL_WEAK;
/* As tracemill_mark_alloc in the domain lua, with the script's stack; where no function is open, with the
 * native one. */
void tracemill_script_alloc(const void *owner, const void *p, size_t n,
			    const char *type) TRACEMILL_WEAK;
/* As tracemill_mark_typed_alloc, with the script's stack; real bytes are not known. */
void tracemill_script_object(const void *owner, const char *type, size_t requested) TRACEMILL_WEAK;
/* The interpreter runs: another that has called it, or was left by it, does not, and its strand says so. Only to be called
 * when it is not the one that runs. */
void tracemill_script_runs(struct script_stack *s) TRACEMILL_WEAK;
/* Its last call has ended: the one under it goes on. */
void tracemill_script_rests(struct script_stack *s) TRACEMILL_WEAK;
/* So many of the script's blocks or calls are missing. */
void tracemill_script_lost(uint64_t n) TRACEMILL_WEAK;
/* The stack pointers of the calling thread's frames, innermost first, from the caller on; how many. */
unsigned tracemill_script_walk(uintptr_t *sp, unsigned max) TRACEMILL_WEAK;

#endif
