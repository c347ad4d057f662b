/* SPDX-License-Identifier: MIT */
#include "lib/recorder/module_names.h"

#include "lib/recorder/base/memory.h"
#include "lib/recorder/capture.h"
#include "lib/recorder/stacks/sites.h"

enum { NAME_MAX_BYTES = 4096 };

static bool holds(const struct cap_module *m, uint64_t address)
{
	for (unsigned i = 0; i < m->n_segments; i++)
		if (address - m->segment[i].lo < m->segment[i].hi - m->segment[i].lo)
			return true;
	return false;
}

/* The addresses of a module in the trace; to: NULL, they are only counted. */
static size_t gather(const struct cap_module *m, struct cap_named *to)
{
	size_t n = 0;

	for (uint32_t i = 0; cap.pcs.slots && i <= cap.pcs.mask; i++) {
		const struct cap_pc *x = &cap.pcs.slots[i];
		uint64_t address = x->pc & ~CAP_ENTRY;

		if (!x->id || x->pc & CAP_SITE || !holds(m, address))
			continue;
		if (to)
			to[n] =
			    (struct cap_named){.address = address - m->slide - !(x->pc & CAP_ENTRY),
					       .location = x->id};
		n++;
	}
	return n;
}

/* Shell's, with no memory. */
static void module_names_sort(struct cap_named *x, size_t n)
{
	for (size_t gap = n / 2; gap; gap /= 2)
		for (size_t i = gap; i < n; i++) {
			struct cap_named moved = x[i];
			size_t k = i;

			for (; k >= gap && x[k - gap].address > moved.address; k -= gap)
				x[k] = x[k - gap];
			x[k] = moved;
		}
}

/* All texts before all rows, so that they are few chunks. */
static void module_names_put(const struct cap_module *m, struct cap_named *x, size_t n)
{
	char text[NAME_MAX_BYTES];

	for (size_t i = 0; i < n; i++) {
		size_t size;

		if (i && x[i].name == x[i - 1].name) {
			x[i].string = x[i - 1].string;
			continue;
		}
		size = x[i].name ? cap_module_file_name(&m->file, x[i].name, text, sizeof text) : 0;
		if (size)
			x[i].string = (uint32_t)cap_output_string(&cap.out, text, size);
	}
	for (size_t i = 0; i < n; i++) {
		uint8_t *p;

		if (!x[i].string)
			continue;
		p = cap_output_row(&cap.out, CHUNK_LOCATION_NAMES, 1, 24);
		p = cap_uleb(p, x[i].location);
		cap_output_rows(&cap.out, cap_uleb(p, x[i].string));
	}
}

static void name_module(const struct cap_module *m)
{
	size_t n = gather(m, NULL);
	struct cap_named *x = n ? cap_map(n * sizeof *x) : NULL;

	if (!x)
		return;
	gather(m, x);
	module_names_sort(x, n);
	cap_module_file_find(&m->file, x, n);
	module_names_put(m, x, n);
	cap_unmap(x, n * sizeof *x);
}

void cap_module_names_write(bool ended)
{
	struct cap_modules *m = &cap.modules;

	for (uint32_t i = 0; (ended || m->went) && i < m->n; i++) {
		struct cap_module *x = &m->rows[i];
		enum cap_file_state state;

		if (x->named || !x->written || !x->file.map || (!x->gone && !ended))
			continue;
		state = cap_module_file_state(&x->file, x->name);
		if (state != CAP_FILE_WRITTEN_OVER && (x->gone || state != CAP_FILE_THERE))
			name_module(x);
		x->named = true;
		if (x->gone)
			cap_module_file_unmap(&x->file);
	}
	m->went = false;
}
