/* SPDX-License-Identifier: MIT
 *
 * Source maps, of a module with one function.
 */
#include "lib/base/buf.h"
#include "lib/base/mem_budget.h"
#include "lib/object/source_map.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint8_t module[] = {0, 'a', 's', 'm', 1, 0,  0, 0, 1, 4, 1, 0x60, 0,
					 0, 3,   2,   1,   0, 10, 6, 1, 4, 0, 1, 1,    11};
	char *text = (char *)mem_budget_grow(NULL, size + 1);
	struct err e = ERR_INIT;
	struct source_place p;
	struct object *o;
	struct buf why = BUF_INIT;

	if (!text || object_open_memory(&o, module, sizeof module, &e))
		abort();
	memcpy(text, data, size);
	text[size] = 0;
	if (source_map_take(o, text, &why))
		for (uint64_t at = 0; at < 8; at++)
			if (source_map_at(o, at, &p) &&
			    (!p.line || !p.column || strlen(p.root) + strlen(p.file) > size))
				abort();
	object_free(o);
	buf_release(&why);
	return 0;
}
