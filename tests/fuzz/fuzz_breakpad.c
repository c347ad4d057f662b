/* SPDX-License-Identifier: MIT
 *
 * Breakpad's symbol files: answers, and walks by their STACK records.
 */
#include "tests/fuzz/source.h"
#include "tests/fuzz/walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct object *o = NULL;
	struct err e = ERR_INIT;

	if (object_open_memory(&o, data, size, &e) == ST_OK)
		for (unsigned p = FRAME_X86_64; p <= FRAME_ARM; p++) {
			walk_from(o, (uint8_t)p, 0x400000, 0);
			walk_from(o, (uint8_t)p, 0x400000, 0x1000);
		}
	object_free(o);
	source_check(data, size, "Breakpad");
	return 0;
}
