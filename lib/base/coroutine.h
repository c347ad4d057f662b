/* SPDX-License-Identifier: MIT
 *
 * A function on a stack of its own, which may wait in the middle and go on later. Unlike a thread it runs
 * only while its caller waits for it, and a process that is forked has it where it stands.
 */
#ifndef TM_BASE_COROUTINE_H
#define TM_BASE_COROUTINE_H

#include <stdbool.h>
#include <stddef.h>

enum { COROUTINE_STACK = 1 << 20 }; /* bytes: enough for what does not recurse */

struct coroutine;

/* run has not begun. Its stack has this many bytes, and takes memory as it is used. */
struct coroutine *coroutine_new(void (*run)(void *arg), void *arg, size_t stack);
/* Until run waits or returns. False: it has returned, now or before. */
bool coroutine_resume(struct coroutine *s);
/* In run: until the next coroutine_resume. */
void coroutine_yield(struct coroutine *s);
/* Of one that has returned or has not begun: what run holds while it waits is not freed. Accepts NULL. */
void coroutine_free(struct coroutine *s);

#endif
