/* SPDX-License-Identifier: MIT
 *
 * Mach-O files, thin and universal, read into struct object_image. Facts: Apple's "OS X ABI Mach-O File
 * Format Reference" and the structures that mach-o/loader.h, fat.h and nlist.h document; names of
 * debug sections from LLVM's "Source Level Debugging" and the DWARF standard (a Mach-O section's
 * name has 16 bytes, so .debug_str_offsets is __debug_str_offs).
 *
 * What is not the same: a symbol has no size (its end is a guess, up to the next one), loses the
 * underscore that Mach-O puts before every name, and no segment is kept but those that are loaded
 * from the file: not __PAGEZERO, not __DWARF.
 */
#ifndef TM_OBJECT_MACH_H
#define TM_OBJECT_MACH_H

#include "lib/object/impl.h"

struct cursor;

bool mach_is_fat(const uint8_t head[8]);
bool mach_is_thin(const uint8_t head[8]);
/* f becomes the part of a universal file that is wanted. */
enum status mach_narrow(struct object_image *f, const struct object_want *want, struct err *e);
enum status mach_read(struct object_image *f, const struct object_want *want, struct err *e);
/* The code symbols; of next_symbol's fields. */
struct mach_symbol {
	uint64_t value;
	uint32_t name; /* offset in the names */
	uint8_t section;
	bool code, external, weak;
};
struct mach_symbol mach_next_symbol(struct cursor *c, const struct object_image *f);
enum { MACH_NLIST_32 = 12, MACH_NLIST_64 = 16 };
/* ELF's e_machine of an architecture's name, 0: not known. */
uint16_t mach_machine(const char *arch);

#endif
