/* SPDX-License-Identifier: MIT
 *
 * Instructions, through capstone. One struct disasm per thread.
 */
#ifndef TM_DISASM_DISASM_H
#define TM_DISASM_DISASM_H

#include "lib/base/err.h"
#include "lib/disasm/code.h"

struct disasm;

/* Loads capstone, which disasm_new does otherwise: to be called before a sandbox closes. */
enum status disasm_load(struct err *e);

/* NULL: capstone is not installed, or does not know this processor. thumb: of CODE_ARM, T32. c is borrowed. */
struct disasm *disasm_new(const struct disasm_code *c, bool thumb);
void disasm_free(struct disasm *d); /* accepts NULL */

struct instruction {
	uint64_t addr;
	unsigned size; /* in bytes, at least 1 */
	const char *name,
	    *operands; /* valid until the next call; ".byte" for what is no instruction */
	const uint8_t *bytes;
	bool calls, known; /* known: it is an instruction */
};

/* The instruction at addr, below end; false: no code there. */
bool disasm_at(struct disasm *d, uint64_t addr, uint64_t end, struct instruction *out);

/* How a function begins. What is behind its first call does not matter to a stack walk, and may be
 * anywhere before it: compilers move the prologue behind an early return. */
enum prologue {
	PROLOGUE_NONE,  /* it calls, and has not set up a frame pointer before */
	PROLOGUE_FRAME, /* it calls, and has saved and set rbp, ebp or x29 before */
	PROLOGUE_LEAF,  /* it calls nothing: it is never a caller */
	PROLOGUE_UNKNOWN,
};

/* For x86, x86-64 and arm64; PROLOGUE_UNKNOWN for others and where there is no code. */
enum prologue disasm_prologue(struct disasm *d, uint64_t lo, uint64_t hi);

#endif
