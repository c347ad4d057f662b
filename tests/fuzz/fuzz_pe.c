/* SPDX-License-Identifier: MIT
 *
 * PE files: headers, names of sections, COFF symbols, exports, imports, the CodeView record, and DWARF in
 * them; and walks over stacks of any bytes by their unwind tables, each step of which must go up.
 */
#include "tests/fuzz/object.h"
#include "tests/fuzz/walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct object *o = NULL;
	struct err e = ERR_INIT;

	if (object_open_memory(&o, data, size, &e) == ST_OK)
		for (unsigned p = FRAME_X86_64; p <= FRAME_ARM; p++)
			walk_from(o, (uint8_t)p, object_image_base(o), 0x1000);
	object_free(o);
	return object_check(data, size);
}
