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

#include "lib/object/format.h"

/* f becomes the part of a universal file that is wanted, be it an archive; another file stays what it is. */
enum status mach_narrow(struct object_image *f, const struct object_want *want, struct err *e);

/* dsym.c */
bool dsym_find(struct object *o, const struct object_search *s, struct buf *refused);

#endif
