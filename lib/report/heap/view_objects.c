/* SPDX-License-Identifier: MIT
 *
 * The table of a snapshot's objects, largest first.
 */
#include "lib/report/heap/view_impl.h"

#include "lib/base/mem.h"
#include "lib/base/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum what {
	RANK,
	ID,
	TYPE,
	NAME,
	SIZE,
	RETAINED,
	RETAINED_COUNT,
	DISTANCE,
	PATH,
	SNAPSHOT,
};

static uint64_t value(const struct heap_view *v, size_t part, uint32_t i)
{
	switch (v->sort) {
	case HEAP_SORT_SIZE: return heap_size(v->parts[part].h, i);
	case HEAP_SORT_RETAINED: return v->sizes ? v->held[part].bytes[i] : v->held[part].count[i];
	default: return v->retained ? v->held[part].count[i] : 0;
	}
}

/* Which part an index of all is in, and the object there. */
static const struct heap_part *locate(const struct heap_view *v, uint32_t index, uint32_t *object)
{
	const struct heap_part *p = v->parts;

	for (; index > p->h->n; p++)
		index -= p->h->n + 1;
	*object = index;
	return p;
}

static void view_objects_choose(struct heap_view *v)
{
	struct heap_ranking r = HEAP_RANKING(v->options.n);
	uint32_t base = 0;

	for (size_t k = 0; k < v->n_parts; k++) {
		const struct heap_part *p = &v->parts[k];

		for (uint32_t i = 1; i <= p->h->n; i++)
			if (heap_counts(p, i))
				heap_rank(&r, value(v, k, i), base + i);
		base += p->h->n + 1;
	}
	heap_ranked(&r);
	v->n_rows = r.n;
	v->rows = mem_array(v->n_rows ? v->n_rows : 1, sizeof *v->rows);
	for (size_t i = 0; i < v->n_rows; i++)
		v->rows[i].a = r.items[i].index;
	if (v->sort == HEAP_SORT_COUNT && !v->retained)
		heap_title(v, "%s: %zu of %zu object%s", v->options.what, v->n_rows, r.all,
			   plural_s(r.all));
	else
		heap_title(v, "%s: top %zu of %zu object%s by %s", v->options.what, v->n_rows,
			   r.all, plural_s(r.all),
			   v->sort == HEAP_SORT_COUNT ? "retained objects"
						      : heap_sort_words[v->sort]);
	heap_ranking_release(&r);
}

static void view_objects_fill(void *arg, size_t row, struct table_row *r)
{
	struct heap_view *v = arg;
	uint32_t i;
	const struct heap_part *p = locate(v, v->rows[row].a, &i);
	const struct heap *h = p->h;
	struct table_cell none = {.present = false};
	const char *s;
	size_t n;

	v->path.len = v->text.len = 0;
	heap_path_text(&v->path, v->s, h, &p->paths, i, false);
	buf_addf(&v->text, "0x%" PRIx64, heap_id(h, i));
	for (size_t k = 0; k < v->table.n_columns; k++) {
		struct table_cell *c = &r->cells[k];

		*c = none;
		switch ((enum what)v->whats[k]) {
		case RANK: *c = cell_number(row + 1); break;
		case ID: *c = cell_text(v->text.data, v->text.len); break;
		case TYPE:
			s = heap_text(v->s, heap_type(h, i), &n);
			*c = n ? cell_text(s, n) : none;
			break;
		case NAME:
			s = heap_text(v->s, heap_name(h, i), &n);
			*c = n ? cell_text(s, n) : none;
			break;
		case SIZE:
			*c = h->flags[i] & HEAP_SIZED ? cell_number(heap_size(h, i)) : none;
			break;
		case RETAINED: *c = cell_number(v->held[p - v->parts].bytes[i]); break;
		case RETAINED_COUNT: *c = cell_number(v->held[p - v->parts].count[i]); break;
		case DISTANCE:
			*c = p->paths.distance[i] ? cell_number(p->paths.distance[i]) : none;
			break;
		case PATH: *c = v->path.len ? cell_text(v->path.data, v->path.len) : none; break;
		case SNAPSHOT: *c = cell_text(h->label, strlen(h->label)); break;
		}
	}
}

struct heap_view *heap_view_objects(const struct heap_set *s, const struct heap_part *parts,
				    size_t n_parts, const struct heap_view_options *o)
{
	struct heap_view *v = heap_view_new(s, parts, n_parts, o);

	if (v->retained)
		heap_view_hold(v);
	view_objects_choose(v);
	v->table.name = "objects";
	v->table.n_rows = v->n_rows;
	v->table.fill = view_objects_fill;
	heap_column(v, RANK, (struct table_column){"rank", "#", COLUMN_INT, 0, 0});
	if (v->sizes)
		heap_column(v, SIZE, (struct table_column){"size", "size", COLUMN_BYTES, 0, 0});
	if (v->retained && v->sizes)
		heap_column(v, RETAINED,
			    (struct table_column){"retained", "retained", COLUMN_BYTES, 0, 0});
	if (v->retained) {
		heap_column(v, RETAINED_COUNT,
			    (struct table_column){"retained_count", "objects", COLUMN_INT, 0, 0});
		heap_column(
		    v, DISTANCE,
		    (struct table_column){"distance", "steps", COLUMN_INT, COLUMN_SPARE, 0});
	}
	heap_column(v, ID, (struct table_column){"object", "object", COLUMN_TEXT, 0, 0});
	heap_column(v, TYPE, (struct table_column){"type", "type", COLUMN_TEXT, COLUMN_SHORTEN, 0});
	heap_column(v, NAME, (struct table_column){"name", "name", COLUMN_TEXT, COLUMN_SHORTEN, 0});
	heap_column(v, PATH,
		    (struct table_column){"path", "shortest path", COLUMN_TEXT, COLUMN_SHORTEN, 0});
	if (n_parts > 1)
		heap_column(
		    v, SNAPSHOT,
		    (struct table_column){"snapshot", "snapshot", COLUMN_TEXT, COLUMN_SHORTEN, 0});
	return v;
}
