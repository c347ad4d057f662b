/* SPDX-License-Identifier: MIT
 *
 * The step from a frame of Windows' code to its caller's by .pdata, for each processor that has it.
 */
#ifndef TM_OBJECT_PE_WALK_H
#define TM_OBJECT_PE_WALK_H

#include "lib/base/frame_walk.h"
#include "lib/object/pe.h"

/* rva: where the code of s is. False, and s stays: the tables are damaged, the memory is not there, or the stack would
 * not go on. */
bool pe_walk_x64(const struct object_image *f, uint32_t rva, const struct frame_memory *memory,
		 struct frame_state *s);
bool pe_walk_arm64(const struct object_image *f, uint32_t rva, const struct frame_memory *memory,
		   struct frame_state *s);

#endif
