/* SPDX-License-Identifier: MIT
 *
 * The table of a snapshot's objects by type, site, root or owner.
 */
#include "lib/report/heap/view_impl.h"

#include "lib/base/mem.h"
#include "lib/base/sort.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum what {
	RANK,
	NAME,
	COUNT,
	SIZE,
	SHARE,
	RETAINED,
	RETAINED_COUNT,
	LARGEST,
};

static uint64_t value(const struct heap_view *v, const struct heap_group *g)
{
	switch (v->sort) {
	case HEAP_SORT_COUNT: return g->count;
	case HEAP_SORT_RETAINED: return v->sizes ? g->retained : g->retained_count;
	default: return g->size;
	}
}

static int view_groups_order(const void *pa, const void *pb, void *arg)
{
	const struct heap_view *v = arg;
	const struct heap_group *a = &v->groups[0].items[((const struct heap_row *)pa)->a];
	const struct heap_group *b = &v->groups[0].items[((const struct heap_row *)pb)->a];
	uint64_t x = value(v, a), y = value(v, b);
	const char *s, *t;
	size_t n, m;
	int order;

	if (x != y)
		return x > y ? -1 : 1;
	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	s = heap_group_name(&v->groups[0], a->key, &n);
	t = heap_group_name(&v->groups[0], b->key, &m);
	order = memcmp(s, t, n < m ? n : m);
	return order ? order : n < m ? -1 : n > m;
}

static struct table_cell view_groups_sum_cell(const struct heap_view *v, const struct heap_group *g,
					      enum what what, bool all)
{
	const struct heap_group *whole = &v->groups[0].all;
	struct table_cell none = {.present = false};
	bool sized = v->sizes && g->sized;

	switch (what) {
	case COUNT: return cell_number(g->count);
	case SIZE: return sized ? cell_number(g->size) : none;
	case LARGEST: return sized ? cell_number(g->largest) : none;
	case SHARE:
		if (v->sort == HEAP_SORT_COUNT)
			return cell_share(g->count, whole->count);
		return sized ? cell_share(g->size, whole->size) : none;
	/* What groups retain overlaps: it adds up to nothing. */
	case RETAINED: return !all && v->sizes ? cell_number(g->retained) : none;
	case RETAINED_COUNT: return all ? none : cell_number(g->retained_count);
	default: return none;
	}
}

static void view_groups_fill(void *arg, size_t i, struct table_row *r)
{
	struct heap_view *v = arg;
	const struct heap_group *g = &v->groups[0].items[v->rows[i].a];
	const char *s;
	size_t n;

	for (size_t k = 0; k < v->table.n_columns; k++)
		switch (v->whats[k]) {
		case RANK: r->cells[k] = cell_number(i + 1); break;
		case NAME:
			s = heap_group_name(&v->groups[0], g->key, &n);
			r->cells[k] = cell_text(s, n);
			break;
		default: r->cells[k] = view_groups_sum_cell(v, g, v->whats[k], false); break;
		}
}

static void view_groups_add_columns(struct heap_view *v)
{
	const char *share = v->sort == HEAP_SORT_COUNT ? "count_percent" : "size_percent";

	heap_column(v, RANK, (struct table_column){"rank", "#", COLUMN_INT, 0, 0});
	if (v->sizes) {
		heap_column(v, SIZE, (struct table_column){"size", "size", COLUMN_BYTES, 0, 0});
		heap_column(v, SHARE, (struct table_column){share, "%", COLUMN_PERCENT, 0, 0});
	}
	heap_column(v, COUNT, (struct table_column){"count", "count", COLUMN_INT, 0, 0});
	if (!v->sizes)
		heap_column(v, SHARE,
			    (struct table_column){"count_percent", "%", COLUMN_PERCENT, 0, 0});
	if (v->retained && v->sizes)
		heap_column(v, RETAINED,
			    (struct table_column){"retained", "retained", COLUMN_BYTES, 0, 0});
	if (v->retained)
		heap_column(v, RETAINED_COUNT,
			    (struct table_column){"retained_count", "objects", COLUMN_INT, 0, 0});
	if (v->sizes)
		heap_column(
		    v, LARGEST,
		    (struct table_column){"largest", "largest", COLUMN_BYTES, COLUMN_SPARE, 0});
	heap_column(v, NAME,
		    (struct table_column){heap_key_words[v->options.by],
					  heap_key_words[v->options.by], COLUMN_TEXT,
					  COLUMN_SHORTEN, 0});
}

static void add_totals(struct heap_view *v)
{
	char text[64];
	int n = snprintf(text, sizeof text, "(all %zu)", v->groups[0].n);

	for (size_t k = 0; k < v->table.n_columns; k++)
		v->totals[k] = v->whats[k] == NAME
				   ? cell_text(arena_strndup(&v->arena, text, (size_t)n), (size_t)n)
				   : view_groups_sum_cell(v, &v->groups[0].all, v->whats[k], true);
	v->table.totals = v->totals;
	v->table.n_totals = 1;
}

struct heap_view *heap_view_groups(const struct heap_set *s, const struct heap_part *parts,
				   size_t n_parts, const struct heap_view_options *o)
{
	struct heap_view *v = heap_view_new(s, parts, n_parts, o);
	struct heap_groups *g = &v->groups[0];

	heap_groups_init(g, s, o->by, o->owners);
	for (size_t i = 0; i < n_parts; i++)
		heap_groups_add(g, &parts[i]);
	heap_retained_known(v);
	v->rows = mem_array(g->n ? g->n : 1, sizeof *v->rows);
	for (uint32_t i = 0; i < g->n; i++)
		v->rows[i].a = i;
	sort_array_by(v->rows, g->n, sizeof *v->rows, view_groups_order, v);
	v->n_rows = o->n && o->n < g->n ? o->n : g->n;
	v->table.name = heap_key_plurals[o->by];
	v->table.n_rows = v->n_rows;
	v->table.fill = view_groups_fill;
	view_groups_add_columns(v);
	add_totals(v);
	heap_title(v, "%s: top %zu of %zu %s by %s", o->what, v->n_rows, g->n,
		   heap_key_counted(o->by, g->n), heap_sort_words[v->sort]);
	heap_notes(v);
	return v;
}
