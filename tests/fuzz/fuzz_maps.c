/* SPDX-License-Identifier: MIT
 *
 * /proc/PID/maps and smaps (formats/maps.c).
 */
#include "formats/reader.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct err e = ERR_INIT;
	struct trace *t = trace_new();
	struct smaps sizes = {.n = 0};
	struct cursor in;

	cursor_init(&in, data, n, 0, &e);
	if (maps_read(&in, t, &sizes, &e) && !e.msg[0])
		abort();
	/* Modules are made of ranges that do not overlap, wherever they are from. */
	for (size_t i = 1; i < t->n_modules; i++)
		for (uint32_t k = 0; k < t->modules[i].n_ranges; k++) {
			const struct map_range *r = &t->modules[i].ranges[k];

			if (r->lo >= r->hi || (k && r[-1].hi > r->lo) ||
			    trace_module_at(t, 0, 0, r->lo) != &t->modules[i])
				abort();
		}
	/* No name has more than all of them. */
	for (size_t i = 1; i < sizes.n; i++)
		for (int k = 0; k < SMAPS_KEYS; k++)
			if (sizes.items[i].kb[k] > sizes.items[0].kb[k])
				abort();
	smaps_release(&sizes);
	trace_free(t);
	return 0;
}
