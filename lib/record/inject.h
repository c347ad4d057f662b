/* SPDX-License-Identifier: MIT
 *
 * Calls of functions in another process, by ptrace. One of its threads is stopped where it holds no lock of an
 * allocator's or the dynamic linker's. It makes the calls on a stack of their own, and goes on where it was. The
 * other threads run all the while, so what the call waits for comes.
 *
 * Such a place is: code of the program itself or of a library that is no allocator; or a system call
 * that waits for something outside of the process. Not within a handler of a signal, which may have
 * interrupted anything, and not while the dynamic linker has its list in hand. Waiting for another
 * thread, and system calls that are not begun again by themselves when they are interrupted, come
 * second.
 *
 * Sources: ptrace(2), signal(7) on system calls that end with EINTR; System V ABI's supplement for
 * AMD64, 3.2.2 (the stack), 3.2.1 (registers that are kept).
 */
#ifndef TM_RECORD_INJECT_H
#define TM_RECORD_INJECT_H

#include "lib/record/running.h"

struct inject {
	const struct running *process;
	pid_t thread;
	struct inject_registers *kept; /* what the thread had */
	uint64_t stack, argument;      /* lowest address, and where the next text goes */
	int error;
};

/* Stops a thread. ST_UNSUPPORTED: not allowed, or there was none at such a place for seconds. */
enum status inject_begin(struct inject *x, const struct running *r, struct err *e);
/* A text for the calls, in the process; 0: no room. */
uint64_t inject_text(struct inject *x, const char *text);
/* What the function returns. ST_UNSUPPORTED: it did not, in half a minute, or crashed, or the process
 * has ended: then no other call is to follow. */
enum status inject_call(struct inject *x, uint64_t function, const uint64_t arguments[6],
			uint64_t *result, struct err *e);
/* Lets the thread go on. */
void inject_end(struct inject *x);

#endif
