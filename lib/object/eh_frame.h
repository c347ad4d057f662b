/* SPDX-License-Identifier: MIT
 *
 * The entries of .eh_frame and .debug_frame: which ranges of code they describe, each of which is a function or a
 * part of one. Linux Standard Base, "Exception Frames"; DWARF 5, section 6.4.
 */
#ifndef TM_OBJECT_EH_FRAME_H
#define TM_OBJECT_EH_FRAME_H

#include <stdbool.h>
#include <stdint.h>

/* The bytes of a section, borrowed; addr is where they are in memory. */
struct eh_frame {
	const uint8_t *data;
	uint64_t size, addr;
	bool is_64, big_endian;
	bool debug; /* .debug_frame, else .eh_frame */
};

struct eh_frame_entry {
	uint64_t lo, hi; /* hi > lo */
	bool fragment;   /* it begins with the frame set up: .cold */
};

typedef void eh_frame_found(void *arg, const struct eh_frame_entry *entry);

/* All entries of functions, in the section's order; false: it is damaged, and what was found before that counts. */
bool eh_frame_read(const struct eh_frame *f, eh_frame_found *found, void *arg);
/* The one at this offset; false: there is no such entry. */
bool eh_frame_at(const struct eh_frame *f, uint64_t offset, struct eh_frame_entry *entry);

#endif
