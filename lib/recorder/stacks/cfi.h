/* SPDX-License-Identifier: MIT
 *
 * Call frame information: for a return address, the place of the caller's frame. What compilers write for nearly
 * all code: the frame is at a distance from the stack or the frame pointer, and the return address and the
 * caller's frame pointer are saved at distances from it. Everything else (signal frames) is CFI_OTHER and left
 * to libgcc.
 *
 * Reads the loaded module's own tables, within their segment; does not allocate.
 */
#ifndef TM_RECORDER_STACKS_CFI_H
#define TM_RECORDER_STACKS_CFI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cfi_kind {
	CFI_OTHER,     /* not known by this */
	CFI_FROM_SP,   /* frame = stack pointer + cfa */
	CFI_FROM_FP,   /* frame = frame pointer + cfa */
	CFI_AT_FP,     /* frame = the word at frame pointer + cfa */
	CFI_OUTERMOST, /* no caller */
	CFI_NO_TABLE   /* no module has it, or the module has no tables */
};
enum { CFI_NOT_SAVED = INT16_MIN };

struct cfi_rule {
	int32_t cfa;
	int16_t ra; /* where the return address is, from the frame; CFI_NOT_SAVED */
	int16_t fp; /* where the caller's frame pointer is; CFI_NOT_SAVED: still in the register */
	uint8_t kind;  /* enum cfi_kind */
	bool fp_at_fp; /* fp is from the frame pointer's value here, not from the frame */
};

/* The rule at a return address of the process. glibc's _dl_find_object (2.35 on) says whose code it
 * is, without a lock; elsewhere, and in static programs, dl_iterate_phdr, which takes one of the
 * dynamic linker's. */
struct cfi_rule cfi_find(uint64_t pc);

/* Where the function begins that has called what returns to pc; 0: no table has it. */
uint64_t cfi_function(uint64_t pc);

/* As cfi_find, in an .eh_frame_hdr at hdr, all in memory [.., end). For cfi_find and tests. */
struct cfi_rule cfi_search(const uint8_t *start, const uint8_t *end, const uint8_t *hdr,
			   uint64_t pc);

/* Is the call before pc a module's, as far as _dl_find_object is there to say so? No lock. */
bool cfi_of_module(uint64_t pc);

#endif
