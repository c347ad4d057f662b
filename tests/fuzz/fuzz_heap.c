/* SPDX-License-Identifier: MIT
 *
 * A trace as snapshots: every view of them, every row.
 */
#include "lib/base/mem.h"
#include "lib/report/heap/sets.h"
#include "lib/report/heap/view.h"
#include "tests/fuzz/reading.h"

static volatile uint64_t sink;

static void look(struct heap_view *v)
{
	const struct table *t = heap_view_table(v);

	for (size_t i = 0; i < t->n_rows; i++) {
		struct table_cell *cells = mem_zarray(t->n_columns, sizeof *cells);
		struct table_row row = {.cells = cells};

		t->fill(t->arg, i, &row);
		for (size_t k = 0; k < t->n_columns; k++) /* read all of it, for the sanitizers */
			if (cells[k].text)
				sink ^= hash_bytes(cells[k].text, cells[k].len);
		free(cells);
	}
	heap_view_free(v);
}

static void look_at(const struct heap_set *s, struct heap_part *parts, size_t n)
{
	struct heap_view_options o = {.what = "x"};

	for (unsigned by = HEAP_BY_TYPE; by < HEAP_BY_OWNER; by++) {
		o.by = (enum heap_key)by;
		look(heap_view_groups(s, parts, n, &o));
	}
	look(heap_view_objects(s, parts, n, &o));
	look(heap_view_referrers(s, parts, &o));
	look(heap_view_paths(s, parts, &o, 2));
	look(heap_view_same(s, parts, &o));
	if (n > 1)
		look(heap_view_compare(s, parts, &o));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct import_options o = {.format = "trace"};
	struct err e = ERR_INIT;
	struct reading_sink checked;
	struct heap_set s;
	struct input in;
	bool lossy;

	heap_set_init(&s);
	reading_sink_init(&checked, NULL, &s.sink);
	checked.trace = true; /* or anything else */
	input_memory(&in, "fuzz", data, n, &e);
	capture_read(&in, &o, &checked.sink, &lossy, &e);
	input_close(&in);
	if (s.n) {
		struct heap_part parts[3];

		for (size_t i = 0; i < 3; i++)
			heap_part_init(&parts[i], &s, &s.heaps[i < s.n ? i : 0], true);
		look_at(&s, parts, 2);
		for (unsigned op = 0; op < HEAP_OPS; op++)
			heap_sets(parts, (enum heap_op)op, (enum heap_same)(op % 3));
		look_at(&s, parts, 1);
		for (size_t i = 0; i < 3; i++)
			heap_part_release(&parts[i]);
	}
	heap_set_release(&s);
	return 0;
}
