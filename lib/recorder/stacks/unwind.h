/* SPDX-License-Identifier: MIT
 *
 * Return addresses of the calling thread's stack, innermost first.
 */
#ifndef TM_RECORDER_STACKS_UNWIND_H
#define TM_RECORDER_STACKS_UNWIND_H

#include "lib/recorder/stacks/cfi.h"

#include <stdint.h>

/* Is there a chain of frames, (caller's frame, return address) each? Not on 32-bit arm, where every
 * compiler and instruction set has its own. And does cfi.h know the machine's registers? Else
 * libgcc's unwinder does it all, which on 32-bit arm reads .ARM.exidx. */
#if defined(__x86_64__) || defined(__aarch64__)
enum { CAP_HAS_FP = 1, CAP_HAS_CFI = 1 };
#elif defined(__i386__)
enum { CAP_HAS_FP = 1, CAP_HAS_CFI = 0 };
#else
enum { CAP_HAS_FP = 0, CAP_HAS_CFI = 0 };
#endif

/* The address that a return address is: without pointer authentication (arm64) and without the bit
 * for Thumb (arm), which the unwinders leave out too. */
static inline uintptr_t cap_code(uintptr_t ra)
{
#if defined(__aarch64__)
	return ra & (((uintptr_t)1 << 48) - 1);
#elif defined(__arm__)
	return ra & ~(uintptr_t)1;
#else
	return ra;
#endif
}

/* By the chain of frame pointers from frame on, which is __builtin_frame_address(0) of the hook;
 * 0 where there is no CAP_HAS_FP. Reads only within [frame, hi), the thread's stack (bounds.h), and
 * only upwards; ends at the first frame that is not there. */
unsigned cap_unwind_fp(const void *frame, uintptr_t hi, uint64_t *pc, unsigned max);
/* The same with the stack pointer of each function when it made its call. */
unsigned cap_unwind_fp_at(const void *frame, uintptr_t hi, uint64_t *pc, uintptr_t *sp,
			  unsigned max);

/* What cfi_find said of the addresses that a thread saw last. Zeroed is empty. */
enum { CAP_RULES = 2048 };
struct cap_rules {
	struct {
		uint64_t pc;
		struct cfi_rule rule;
	} row[CAP_RULES];
};

/* By unwind tables. The hook's caller is at pc[0] already; its frame is at cfa, which is where the
 * stack pointer is when the hook returns, and fp is the frame pointer then. Reads only within
 * [cfa, hi), the thread's stack (bounds.h). A frame that would be elsewhere ends the walk, since
 * the frame pointer may be no such thing; 0: one that cfi.h does not know. */
unsigned cap_unwind_cfi(struct cap_rules *rules, uintptr_t cfa, uintptr_t fp, uintptr_t hi,
			uint64_t *pc, unsigned max);
unsigned cap_unwind_cfi_at(struct cap_rules *rules, uintptr_t cfa, uintptr_t fp, uintptr_t hi,
			   uint64_t *pc, uintptr_t *sp, unsigned max);

/* The same with libgcc's unwinder, which knows everything and takes ten times as long. What is
 * inside of the caller, the return address of the hook, is left out; if that is not found, or is
 * the unwinder's own, it is all there is. sp may be NULL. */
unsigned cap_unwind_tables(const void *caller, uint64_t *pc, uintptr_t *sp, unsigned max);
/* Looks where the unwinder is; before any thread walks. */
void cap_unwind_start(void);
/* Has the dynamic linker bind now what the unwinder calls; not from within the unwinder. At its first use
 * in a hook the linker would save the processor's registers on the stack (3 KiB and more with AVX-512),
 * for which a signal's may have no room. */
void cap_unwind_bind(void);

#endif
