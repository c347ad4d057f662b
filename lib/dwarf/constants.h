/* SPDX-License-Identifier: MIT
 *
 * The numbers of DWARF by the names that the standard and vendors gave them: DW_TAG_*, DW_AT_* and
 * so on, from libdwarf's or elfutils' table of them. That header declares nothing else.
 */
#ifndef TM_DWARF_CONSTANTS_H
#define TM_DWARF_CONSTANTS_H

#if __has_include(<libdwarf/dwarf.h>)
#include <libdwarf/dwarf.h>
#else
#include <dwarf.h>
#endif

/* Vendors' that elfutils' table lacks. */
#ifndef DW_AT_GNU_discriminator
#define DW_AT_GNU_discriminator 0x2136
#endif
#ifndef DW_AT_LLVM_tag_offset
#define DW_AT_LLVM_tag_offset 0x3e03
#endif

enum { DW_FORM_VENDOR = 0x1f00 }; /* forms from here on are vendors' */

#endif
