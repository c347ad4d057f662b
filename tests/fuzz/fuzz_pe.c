/* SPDX-License-Identifier: MIT
 *
 * PE files: headers, names of sections, COFF symbols, exports, imports, the CodeView record, and DWARF in
 * them; and walks over stacks of any bytes by their unwind tables, each step of which must go up.
 */
#include "lib/object/walk.h"
#include "tests/fuzz/object.h"

#include <stdlib.h>

enum { TOP = 1 << 16, PLACES = 64, DEEPEST = 64 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool any_word(void *arg, uint64_t address, uint64_t *v)
{
	const uint64_t *base = arg;

	*v = *base + (address * UINT64_C(0x9e3779b97f4a7c15) >> 48);
	return address < TOP;
}

static void walk(const struct object *o, uint64_t base)
{
	const struct frame_memory memory = {any_word, &base};

	for (uint64_t at = 0; at < PLACES; at++) {
		struct frame_state s = {.pc = base + 0x1000 + at * 3, .r = {[FRAME_RSP] = 0x100}};

		for (unsigned n = 0; n < DEEPEST; n++) {
			uint64_t was = s.r[FRAME_RSP];

			if (!object_walk(o, base, &memory, &s))
				break;
			if (s.r[FRAME_RSP] <= was)
				abort();
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct object *o = NULL;
	struct err e = ERR_INIT;

	if (object_open_memory(&o, data, size, &e) == ST_OK)
		walk(o, object_image_base(o));
	object_free(o);
	return object_check(data, size);
}
