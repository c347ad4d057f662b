/* SPDX-License-Identifier: MIT
 *
 * The interface between a reader of dumps, which has the memory of a stack, and code that has the unwind tables of
 * binaries: a frame, and the step to its caller's. Neither side knows the other.
 */
#ifndef TM_BASE_FRAME_WALK_H
#define TM_BASE_FRAME_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum frame_processor { FRAME_NO_PROCESSOR, FRAME_X86_64, FRAME_X86, FRAME_ARM64, FRAME_ARM };

/* Numbers of registers: x86-64 rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8 to r15; x86 the first eight; arm64 x0 to x30,
 * sp; arm r0 to r15. */
enum {
	FRAME_RSP = 4,
	FRAME_RBP = 5,
	FRAME_ARM_SP = 13,
	FRAME_ARM_LR = 14,
	FRAME_ARM64_FP = 29,
	FRAME_ARM64_LR = 30,
	FRAME_ARM64_SP = 31,
	FRAME_REGISTERS = 32
};

struct frame_state {
	uint8_t processor; /* enum frame_processor */
	bool is_caller;    /* pc is behind a call, not where the thread stopped */
	uint32_t known;    /* bit i: r[i] is known */
	/* Bytes of arguments that the callee takes off the stack, which x86's tables do not count in the frame. */
	uint32_t arguments;
	uint64_t pc, r[FRAME_REGISTERS];
};

/* The word at an address of the dump, of 4 or 8 bytes as the processor has it. False: it does not have it. */
struct frame_memory {
	bool (*word)(void *arg, uint64_t address, uint64_t *v);
	void *arg;
};

/* Where the frame's code lies. */
struct frame_module {
	const char *name;  /* with its folder */
	const uint8_t *id; /* its build-id or GUID, n_id bytes */
	size_t n_id;
	bool is_partial; /* the first bytes of a build-id */
	uint64_t base;
};

/* A frame becomes its caller's. False: there is no file of the module, or its tables do not say; the state stays. */
struct frame_walker {
	bool (*step)(void *arg, const struct frame_module *m, const struct frame_memory *memory,
		     struct frame_state *s);
	void *arg;
};

static inline unsigned frame_word(const struct frame_state *s)
{
	return s->processor == FRAME_X86 || s->processor == FRAME_ARM ? 4 : 8;
}

/* The number of the stack pointer. */
static inline unsigned frame_sp(const struct frame_state *s)
{
	return s->processor == FRAME_ARM64 ? FRAME_ARM64_SP
	       : s->processor == FRAME_ARM ? FRAME_ARM_SP
					   : FRAME_RSP;
}

#endif
