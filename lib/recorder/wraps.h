/* SPDX-License-Identifier: MIT
 *
 * The calls of wrapped functions (hooks/wrap_at.h) that are open in the calling thread: their return addresses on the stack
 * are those of thunks, but while a stack is walked.
 */
#ifndef TM_RECORDER_WRAPS_H
#define TM_RECORDER_WRAPS_H

#include <stdbool.h>
#include <stdint.h>

/* As in hooks/redirect.h. */
#if defined __x86_64__ && defined __LP64__ && defined __linux__ && !defined CAP_WRAP
#ifdef __GLIBC__
#define CAP_CAN_WRAP 1
#endif
#endif

enum { CAP_WRAPS = 4096, CAP_WRAP_THUNK = 24 };

struct cap_wrap { /* of one thunk */
	uintptr_t real, function;
	uintptr_t *slot; /* where the return address lies; NULL: over, by another thread */
	uint32_t
	    under; /* the call before, of the thread; or the next thunk that is free. 0: none */
	bool shown;
};

extern struct cap_wrap *cap_wraps; /* CAP_WRAPS; NULL: nothing is wrapped */
extern uint8_t *cap_wrap_thunks;
extern __thread uint32_t cap_wrap_top __attribute__((tls_model("initial-exec")));

static inline uintptr_t cap_wrap_thunk(uint32_t i)
{
	return (uintptr_t)(cap_wrap_thunks + (uintptr_t)i * CAP_WRAP_THUNK);
}

void cap_wrap_show_all(void);
void cap_wrap_hide_all(void);
/* Around the walk of a stack. */
static inline void cap_wrap_show(void)
{
	if (__builtin_expect(cap_wrap_top != 0, false))
		cap_wrap_show_all();
}
static inline void cap_wrap_hide(void)
{
	if (__builtin_expect(cap_wrap_top != 0, false))
		cap_wrap_hide_all();
}

#endif
