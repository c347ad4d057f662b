/* SPDX-License-Identifier: MIT
 *
 * All answers of the fast engine for one file (lib/dwarf/whole.h). Left to the engine (DWARF_ASK) are units that are
 * broken, split or badly nested.
 */
#ifndef TM_DWARF_FAST_WHOLE_H
#define TM_DWARF_FAST_WHOLE_H

#include "lib/dwarf/whole.h"

/* What is to be seen from outside of the .dwo and .dwp files that the units of o may have their
 * functions in: which paths there are, and each one's device, inode, size and time. 0: no unit of o
 * is split. */
uint64_t dwarf_companions(struct object *o);

dwarf_whole_fn dwarf_whole;

#endif
