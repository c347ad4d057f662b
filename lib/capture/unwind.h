/* SPDX-License-Identifier: MIT
 *
 * Return addresses of the calling thread's stack, innermost first.
 */
#ifndef TM_CAPTURE_UNWIND_H
#define TM_CAPTURE_UNWIND_H

#include <stdint.h>

/* By the chain of frame pointers from frame on, which is __builtin_frame_address(0) of the hook:
 * x86-64, arm64 and others whose frames are (caller's frame, return address). Reads only within
 * [lo, hi), the thread's stack, and only upwards; ends at the first frame that is not there. */
unsigned cap_unwind_fp(const void *frame, uintptr_t lo, uintptr_t hi, uint64_t *pc, unsigned max);

/* By unwind tables, with libgcc's unwinder. What is inside of the caller, the return address of the
 * hook, is left out; if it is not found, it is all there is. */
unsigned cap_unwind_tables(const void *caller, uint64_t *pc, unsigned max);

/* The stack of the calling thread; lo == hi when nobody says. Allocates, so the hooks must be off
 * for this thread. */
void cap_stack_bounds(uintptr_t *lo, uintptr_t *hi);

#endif
