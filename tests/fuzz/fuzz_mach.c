/* SPDX-License-Identifier: MIT
 *
 * Mach-O files, thin and universal, object files, and debug maps.
 */
#include "lib/object/debug_map.h"
#include "tests/fuzz/object.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_map(const uint8_t *data, size_t size)
{
	const struct debug_map *m;
	struct err e = ERR_INIT;
	struct object *o;

	if (object_open_memory(&o, data, size, &e))
		return;
	debug_map_find(o);
	m = object_debug_map(o);
	for (size_t i = 0; m && i < m->n; i++)
		if (m->functions[i].hi < m->functions[i].lo || m->functions[i].file >= m->n_files ||
		    !*m->files[m->functions[i].file].path ||
		    (i && m->functions[i].lo <= m->functions[i - 1].lo))
			abort();
	object_free(o);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	check_map(data, size);
	return object_check(data, size);
}
