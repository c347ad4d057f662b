/* SPDX-License-Identifier: MIT
 *
 * The code of a module, and the check of return addresses: is the instruction before one a call?
 *
 * A call is recognized by its encoding at its end, without decoding the bytes before it, since a
 * batch of addresses asks hundreds of thousands of times and linear decoding of x86 would have to
 * begin at a function's start. So where x86 code is looked up at an address that ends no
 * instruction, a few answers are wrong; code_chance measures how many. A direct call counts only
 * when it stays in the module's code.
 *
 * Encodings: Intel's Software Developer's Manual vol. 2 (E8, FF /2); Arm's Architecture Reference
 * Manuals (BL, BLX, BLR, BLRAA...; and `mov lr, pc` before a jump, as ARMv4 calls).
 */
#ifndef TM_DISASM_CODE_H
#define TM_DISASM_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum code_arch {
	CODE_NONE, /* no other function here says anything about it */
	CODE_X86,
	CODE_X86_64,
	CODE_ARM, /* A32 and T32: either may precede an address */
	CODE_ARM64,
};

struct code_part {
	uint64_t lo, size; /* link-time address */
	const uint8_t *data;
};

struct disasm_code {
	enum code_arch arch;
	struct code_part *parts; /* sorted by lo, not overlapping; owned */
	size_t n;
	uint64_t size; /* of all parts */
};

/* Takes a copy of parts; the bytes stay borrowed. */
void code_init(struct disasm_code *c, enum code_arch arch, const struct code_part *parts, size_t n);
void code_release(struct disasm_code *c); /* accepts a zeroed struct */

unsigned code_alignment(enum code_arch arch); /* of instructions: 1, 2 or 4 */
/* The part that holds addr or ends at it, NULL: none. */
const struct code_part *code_part_at(const struct disasm_code *c, uint64_t addr);
bool code_holds(const struct disasm_code *c, uint64_t addr);

/* True when the instruction that ends at addr is a call. The Thumb bit of addr must be clear. */
bool code_call_before(const struct disasm_code *c, uint64_t addr);
/* The same for what is called: true and *target for a direct call or jump (also the tail call of an
 * instrumented exit) that ends at addr, where jumps says whether those count. */
bool code_target_before(const struct disasm_code *c, uint64_t addr, bool jumps, uint64_t *target);

/* All addresses in order that follow a call: *sites is the caller's (mem.h). */
size_t code_sites(const struct disasm_code *c, uint64_t **sites);

/* How often code_call_before says yes of n random addresses, aligned as instructions are. The same
 * code gives the same answer. */
uint64_t code_chance(const struct disasm_code *c, uint64_t n);

#endif
