/* SPDX-License-Identifier: MIT
 *
 * The table of paths from the roots to objects.
 */
#include "lib/report/heap/view_impl.h"

#include "lib/base/mem.h"
#include "lib/base/sort.h"
#include "lib/base/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum what { OBJECT, TYPE, NAME, SIZE, STEPS, PATH, THROUGH };

/* A row is an object (a) and the reference that its path ends with (b); HEAP_NONE: no root reaches
 * it. */
struct end {
	uint64_t steps;
	uint32_t order, reference;
};

static int view_paths_end_order(const void *pa, const void *pb)
{
	const struct end *a = pa, *b = pb;

	if (a->steps != b->steps)
		return a->steps < b->steps ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

/* The objects, and of each where its references begin in `ends`. */
struct gathered {
	uint32_t *objects;
	size_t n;
	struct map64 index; /* object -> place + 1 */
	struct end **ends;
	size_t *n_ends, *cap_ends;
};

static void view_paths_gather(struct heap_view *v, struct gathered *g, size_t *all)
{
	const struct heap_part *p = v->parts;
	const struct heap *h = p->h;
	size_t cap_objects = 16, cap_keys = 16, n_keys = 0;
	uint64_t *keys = mem_array(cap_keys, sizeof *keys);

	g->objects = mem_array(cap_objects, sizeof *g->objects);
	for (uint32_t i = 1; i <= h->n; i++) {
		if (!heap_counts(p, i))
			continue;
		VEC_PUSH(g->objects, g->n, cap_objects) = i;
		/* Nearest first; what is not reached last. */
		VEC_PUSH(keys, n_keys, cap_keys) =
		    p->paths.distance[i] ? UINT64_MAX - p->paths.distance[i] : 0;
	}
	*all = g->n;
	g->n = heap_best(g->objects, keys, g->n, v->options.n);
	free(keys);
	g->ends = mem_zarray(g->n + 1, sizeof *g->ends);
	g->n_ends = mem_zarray(g->n + 1, sizeof *g->n_ends);
	g->cap_ends = mem_zarray(g->n + 1, sizeof *g->cap_ends);
	for (size_t i = 0; i < g->n; i++)
		*map64_put(&g->index, g->objects[i]) = (uint32_t)i + 1;
	for (uint32_t i = 0; i <= h->n; i++) {
		if (i && !p->paths.distance[i])
			continue;
		for (uint32_t r = h->out_start[i]; r < h->out_start[i + 1]; r++) {
			uint32_t at = map64_get(&g->index, h->out[r]);
			uint64_t steps = (uint64_t)p->paths.distance[i] + 1;

			if (!at-- || h->out[r] == i)
				continue;
			/* The one that the shortest path takes is the first of its length. */
			VEC_PUSH(g->ends[at], g->n_ends[at], g->cap_ends[at]) =
			    (struct end){steps, r == p->paths.via[h->out[r]] ? 0 : r + 1, r};
		}
	}
}

static void make_rows(struct heap_view *v, const struct gathered *g, size_t k)
{
	size_t cap = 0;

	for (size_t i = 0; i < g->n; i++) {
		size_t n = g->n_ends[i];

		if (n)
			sort_array(g->ends[i], n, sizeof **g->ends, view_paths_end_order);
		for (size_t j = 0; j < n && (!k || j < k); j++)
			VEC_PUSH(v->rows, v->n_rows, cap) =
			    (struct heap_row){g->objects[i], g->ends[i][j].reference};
		if (!n)
			VEC_PUSH(v->rows, v->n_rows, cap) =
			    (struct heap_row){g->objects[i], HEAP_NONE};
		free(g->ends[i]);
	}
}

static void set_path(struct heap_view *v, const struct heap_row *row, uint64_t *steps)
{
	const struct heap_part *p = v->parts;
	uint32_t from;

	v->path.len = 0;
	*steps = 0;
	if (row->b == HEAP_NONE)
		return;
	from = heap_source(p->h, row->b);
	*steps = (uint64_t)p->paths.distance[from] + 1;
	if (from) {
		heap_path_text(&v->path, v->s, p->h, &p->paths, from);
		heap_step_text(&v->path, v->s, heap_reference_name(p->h, row->b));
		return;
	}
	heap_root_text(&v->path, v->s, p->h, heap_reference_name(p->h, row->b), row->a);
}

static void view_paths_fill(void *arg, size_t i, struct table_row *r)
{
	struct heap_view *v = arg;
	const struct heap_row *row = &v->rows[i];
	const struct heap *h = v->parts->h;
	uint64_t steps;
	const char *s;
	size_t n;

	set_path(v, row, &steps);
	v->text.len = 0;
	buf_addf(&v->text, "0x%" PRIx64, heap_id(h, row->a));
	for (size_t k = 0; k < v->table.n_columns; k++) {
		struct table_cell *c = &r->cells[k];

		switch ((enum what)v->whats[k]) {
		case OBJECT: *c = cell_text(v->text.data, v->text.len); break;
		case TYPE:
			s = heap_text(v->s, heap_type(h, row->a), &n);
			if (n)
				*c = cell_text(s, n);
			break;
		case NAME:
			s = heap_text(v->s, heap_name(h, row->a), &n);
			if (n)
				*c = cell_text(s, n);
			break;
		case SIZE:
			if (h->flags[row->a] & HEAP_SIZED)
				*c = cell_number(heap_size(h, row->a));
			break;
		case STEPS:
			if (steps)
				*c = cell_number(steps);
			break;
		case PATH:
			if (steps)
				*c = cell_text(v->path.data, v->path.len);
			break;
		case THROUGH:
			v->through.len = 0;
			if (steps < 2)
				break;
			heap_path_objects(&v->through, v->s, h, &v->parts->paths,
					  heap_source(h, row->b));
			buf_adds(&v->through, " -> ");
			heap_step_text(&v->through, v->s, heap_reference_name(h, row->b));
			*c = cell_text(v->through.data, v->through.len);
			break;
		}
	}
}

struct heap_view *heap_view_paths(const struct heap_set *s, const struct heap_part *parts,
				  const struct heap_view_options *o, size_t k)
{
	struct heap_view *v = heap_view_new(s, parts, 1, o);
	struct gathered g = {0};
	size_t all;

	view_paths_gather(v, &g, &all);
	make_rows(v, &g, k);
	v->table.name = "paths";
	v->table.n_rows = v->n_rows;
	v->table.fill = view_paths_fill;
	heap_column(v, OBJECT, (struct table_column){"object", "object", COLUMN_TEXT, 0, 0});
	heap_column(v, TYPE, (struct table_column){"type", "type", COLUMN_TEXT, COLUMN_SHORTEN, 0});
	heap_column(v, NAME, (struct table_column){"name", "name", COLUMN_TEXT, COLUMN_SHORTEN, 0});
	if (v->sizes)
		heap_column(v, SIZE,
			    (struct table_column){"size", "size", COLUMN_BYTES, COLUMN_SPARE, 0});
	heap_column(v, STEPS, (struct table_column){"distance", "steps", COLUMN_INT, 0, 0});
	heap_column(v, PATH,
		    (struct table_column){"path", "kept by", COLUMN_TEXT, COLUMN_SHORTEN, 0});
	heap_column(v, THROUGH,
		    (struct table_column){"through", NULL, COLUMN_TEXT, COLUMN_NOT_TEXT, 0});
	heap_title(v, "%s: what keeps %zu of %zu object%s, shortest path first", o->what, g.n, all,
		   plural_s(all));
	free(g.objects);
	map64_release(&g.index);
	free(g.ends);
	free(g.n_ends);
	free(g.cap_ends);
	return v;
}
