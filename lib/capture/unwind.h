/* SPDX-License-Identifier: MIT
 *
 * Return addresses of the calling thread's stack, innermost first.
 */
#ifndef TM_CAPTURE_UNWIND_H
#define TM_CAPTURE_UNWIND_H

#include "lib/capture/cfi.h"

#include <stdint.h>

/* By the chain of frame pointers from frame on, which is __builtin_frame_address(0) of the hook:
 * x86-64, arm64 and others whose frames are (caller's frame, return address). Reads only within
 * [lo, hi), the thread's stack, and only upwards; ends at the first frame that is not there. */
unsigned cap_unwind_fp(const void *frame, uintptr_t lo, uintptr_t hi, uint64_t *pc, unsigned max);

/* What cfi_find said of the addresses that a thread saw last. Zeroed is empty. */
enum { CAP_RULES = 2048 };
struct cap_rules {
	struct {
		uint64_t pc;
		struct cfi_rule rule;
	} row[CAP_RULES];
};

/* By unwind tables. The hook's caller is at pc[0] already; its frame is at cfa, which is where the
 * stack pointer is when the hook returns, and fp is the frame pointer then. Reads the stack only
 * within [lo, hi). 0: a frame that is not told by cfi.h, or not on this stack. */
unsigned cap_unwind_cfi(struct cap_rules *rules, uintptr_t cfa, uintptr_t fp, uintptr_t lo,
			uintptr_t hi, uint64_t *pc, unsigned max);

/* The same with libgcc's unwinder, which knows everything and takes ten times as long. What is
 * inside of the caller, the return address of the hook, is left out; if that is not found, it is
 * all there is. */
unsigned cap_unwind_tables(const void *caller, uint64_t *pc, unsigned max);

/* The stack of the calling thread; lo == hi when nobody says. Allocates, so the hooks must be off
 * for this thread. */
void cap_stack_bounds(uintptr_t *lo, uintptr_t *hi);

#endif
