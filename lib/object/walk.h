/* SPDX-License-Identifier: MIT
 *
 * The step from a frame to its caller's, by the unwind tables of the file that has the frame's code.
 */
#ifndef TM_OBJECT_WALK_H
#define TM_OBJECT_WALK_H

#include "lib/base/frame_walk.h"
#include "lib/object/object.h"

/* base: where the file is loaded. s becomes the caller's frame. False, and s stays: it is no PE file for x64, its tables are
 * damaged, the memory is not there, or the stack would not go on. */
bool object_walk(const struct object *o, uint64_t base, const struct frame_memory *memory,
		 struct frame_state *s);

#endif
