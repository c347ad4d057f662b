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

enum { FRAME_RSP = 4, FRAME_RBP = 5, FRAME_REGISTERS = 16 };

/* Of x86-64: rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8 to r15. */
struct frame_state {
	uint64_t pc, r[FRAME_REGISTERS];
};

/* The word at an address of the dump. False: it does not have it. */
struct frame_memory {
	bool (*word)(void *arg, uint64_t address, uint64_t *v);
	void *arg;
};

/* Where the frame's code lies. */
struct frame_module {
	const char *name;  /* with its folder */
	const uint8_t *id; /* its build-id, n_id bytes */
	size_t n_id;
	uint64_t base;
};

/* A frame becomes its caller's. False: there is no file of the module, or its tables do not say; the state stays. */
struct frame_walker {
	bool (*step)(void *arg, const struct frame_module *m, const struct frame_memory *memory,
		     struct frame_state *s);
	void *arg;
};

#endif
