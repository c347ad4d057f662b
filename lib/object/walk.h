/* SPDX-License-Identifier: MIT
 *
 * The step from a frame to its caller's by what the file of its code says: the unwind tables of PE files for x64 and
 * arm64, the STACK records of Breakpad's symbol files for x86, x86-64, arm64 and arm.
 */
#ifndef TM_OBJECT_WALK_H
#define TM_OBJECT_WALK_H

#include "lib/base/frame_walk.h"
#include "lib/object/object.h"

/* base: where the file is loaded. s becomes the caller's frame, which lies higher on the stack; of a leaf of arm where
 * the thread stopped, it may lie there too. False, and s stays: the file has no tables for the processor of s or they are
 * damaged, the memory is not there, or the stack would not go on. Not for one object in several threads at once. */
bool object_walk(const struct object *o, uint64_t base, const struct frame_memory *memory,
		 struct frame_state *s);

#endif
