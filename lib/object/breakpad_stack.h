/* SPDX-License-Identifier: MIT
 *
 * The STACK records of Breakpad's .sym files, by which a frame becomes its caller's.
 */
#ifndef TM_OBJECT_BREAKPAD_STACK_H
#define TM_OBJECT_BREAKPAD_STACK_H

#include "lib/base/frame_walk.h"
#include "lib/object/source.h"

/* base: where the module is loaded. The records are read at the first step, into source->stack: not for several threads at
 * once. s, of the file's processor, becomes the caller's frame. False, and s stays: no record covers its code, the record is
 * damaged, or memory or registers that it needs are not known. */
bool breakpad_walk(struct object_source *source, uint64_t base, const struct frame_memory *memory,
		   struct frame_state *s);
void breakpad_stack_free(struct breakpad_stack *b); /* accepts NULL */

#endif
