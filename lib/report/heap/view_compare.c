/* SPDX-License-Identifier: MIT
 *
 * The table of two snapshots side by side.
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
	BASE_COUNT,
	NEW_COUNT,
	COUNT_CHANGE,
	BASE_SIZE,
	NEW_SIZE,
	SIZE_CHANGE,
	BASE_RETAINED,
	NEW_RETAINED,
	RETAINED_CHANGE,
};

static const struct heap_group nothing;

static const struct heap_group *side(const struct heap_view *v, const struct heap_row *r, int k)
{
	uint32_t at = k ? r->b : r->a;

	return at == HEAP_NONE ? &nothing : &v->groups[k].items[at];
}

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a < b ? b - a : a - b;
}

/* The metric that is sorted by. */
static uint64_t value(const struct heap_view *v, const struct heap_group *g)
{
	switch (v->sort) {
	case HEAP_SORT_COUNT: return g->count;
	case HEAP_SORT_RETAINED: return v->sizes ? g->retained : g->retained_count;
	default: return g->size;
	}
}

static uint64_t key(const struct heap_view *v, const struct heap_row *r)
{
	return r->a == HEAP_NONE ? v->groups[1].items[r->b].key : v->groups[0].items[r->a].key;
}

/* The largest change first, whichever way; then the largest on either side; then by name. All of
 * it is the same with the sides swapped. */
static int view_compare_row_order(const void *pa, const void *pb, void *arg)
{
	const struct heap_view *v = arg;
	const struct heap_row *rows[2] = {pa, pb};
	uint64_t change[2], most[2], counts[2];
	const char *s, *t;
	size_t n, m;
	int order;

	for (int i = 0; i < 2; i++) {
		const struct heap_group *a = side(v, rows[i], 0), *b = side(v, rows[i], 1);
		uint64_t x = value(v, a), y = value(v, b);

		change[i] = distance(x, y);
		most[i] = x > y ? x : y;
		counts[i] = distance(a->count, b->count);
	}
	if (change[0] != change[1])
		return change[0] > change[1] ? -1 : 1;
	if (counts[0] != counts[1])
		return counts[0] > counts[1] ? -1 : 1;
	if (most[0] != most[1])
		return most[0] > most[1] ? -1 : 1;
	s = heap_group_name(&v->groups[0], key(v, rows[0]), &n);
	t = heap_group_name(&v->groups[0], key(v, rows[1]), &m);
	order = memcmp(s, t, n < m ? n : m);
	return order ? order : n < m ? -1 : n > m;
}

static struct table_cell view_compare_metric(const struct heap_view *v, enum what what,
					     const struct heap_group *a, const struct heap_group *b)
{
	uint64_t x = v->sizes ? a->retained : a->retained_count;
	uint64_t y = v->sizes ? b->retained : b->retained_count;
	bool unsized_a = a->count && !a->sized, unsized_b = b->count && !b->sized;

	/* Objects without sizes are not of size 0; no objects at all are. */
	if ((unsized_a && (what == BASE_SIZE || what == SIZE_CHANGE)) ||
	    (unsized_b && (what == NEW_SIZE || what == SIZE_CHANGE)))
		return (struct table_cell){.present = false};
	switch (what) {
	case BASE_COUNT: return cell_number(a->count);
	case NEW_COUNT: return cell_number(b->count);
	case COUNT_CHANGE: return cell_difference(a->count, b->count);
	case BASE_SIZE: return cell_number(a->size);
	case NEW_SIZE: return cell_number(b->size);
	case SIZE_CHANGE: return cell_difference(a->size, b->size);
	case BASE_RETAINED: return cell_number(x);
	case NEW_RETAINED: return cell_number(y);
	case RETAINED_CHANGE: return cell_difference(x, y);
	default: return (struct table_cell){.present = false};
	}
}

static void view_compare_fill(void *arg, size_t i, struct table_row *r)
{
	struct heap_view *v = arg;
	const struct heap_row *row = &v->rows[i];
	const char *s;
	size_t n;

	for (size_t k = 0; k < v->table.n_columns; k++)
		switch (v->whats[k]) {
		case RANK: r->cells[k] = cell_number(i + 1); break;
		case NAME:
			s = heap_group_name(&v->groups[0], key(v, row), &n);
			r->cells[k] = cell_text(s, n);
			break;
		default:
			r->cells[k] =
			    view_compare_metric(v, v->whats[k], side(v, row, 0), side(v, row, 1));
			break;
		}
}

static void pair(struct heap_view *v)
{
	size_t cap = 0;

	for (uint32_t i = 0; i < v->groups[0].n; i++) {
		const struct heap_group *g =
		    heap_groups_find(&v->groups[1], v->groups[0].items[i].key);

		VEC_PUSH(v->rows, v->n_rows, cap) =
		    (struct heap_row){i, g ? (uint32_t)(g - v->groups[1].items) : HEAP_NONE};
	}
	for (uint32_t i = 0; i < v->groups[1].n; i++)
		if (!heap_groups_find(&v->groups[0], v->groups[1].items[i].key))
			VEC_PUSH(v->rows, v->n_rows, cap) = (struct heap_row){HEAP_NONE, i};
}

static void view_compare_add_columns(struct heap_view *v)
{
	const char *word = heap_key_words[v->options.by];
	enum column_type type = v->sizes ? COLUMN_BYTES : COLUMN_INT;

	heap_column(v, RANK, (struct table_column){"rank", "#", COLUMN_INT, 0, 0});
	if (v->sizes) {
		heap_column(
		    v, BASE_SIZE,
		    (struct table_column){"base_size", "size A", COLUMN_BYTES, COLUMN_SPARE, 0});
		heap_column(v, NEW_SIZE,
			    (struct table_column){"new_size", "size B", COLUMN_BYTES, 0, 0});
		heap_column(
		    v, SIZE_CHANGE,
		    (struct table_column){"size_change", "change", COLUMN_BYTES, COLUMN_SIGNED, 0});
	}
	heap_column(v, BASE_COUNT,
		    (struct table_column){"base_count", "count A", COLUMN_INT, COLUMN_SPARE, 0});
	heap_column(v, NEW_COUNT, (struct table_column){"new_count", "count B", COLUMN_INT, 0, 0});
	heap_column(v, COUNT_CHANGE,
		    (struct table_column){"count_change", "change", COLUMN_INT, COLUMN_SIGNED, 0});
	if (v->retained) {
		heap_column(
		    v, BASE_RETAINED,
		    (struct table_column){v->sizes ? "base_retained" : "base_retained_count",
					  "retained A", type, COLUMN_SPARE, 0});
		heap_column(v, NEW_RETAINED,
			    (struct table_column){v->sizes ? "new_retained" : "new_retained_count",
						  "retained B", type, COLUMN_SPARE, 0});
		heap_column(
		    v, RETAINED_CHANGE,
		    (struct table_column){v->sizes ? "retained_change" : "retained_count_change",
					  "retained change", type, COLUMN_SIGNED, 0});
	}
	heap_column(v, NAME, (struct table_column){word, word, COLUMN_TEXT, COLUMN_SHORTEN, 0});
}

static void add_totals(struct heap_view *v, size_t n_all)
{
	char text[64];
	int n = snprintf(text, sizeof text, "(all %zu)", n_all);

	for (size_t k = 0; k < v->table.n_columns; k++)
		if (v->whats[k] == NAME)
			v->totals[k] =
			    cell_text(arena_strndup(&v->arena, text, (size_t)n), (size_t)n);
		else if (v->whats[k] < BASE_RETAINED)
			v->totals[k] = view_compare_metric(v, v->whats[k], &v->groups[0].all,
							   &v->groups[1].all);
	v->table.totals = v->totals;
	v->table.n_totals = 1;
}

struct heap_view *heap_view_compare(const struct heap_set *s, const struct heap_part *parts,
				    const struct heap_view_options *o)
{
	struct heap_view *v = heap_view_new(s, parts, 2, o);
	size_t all, changed = 0;

	for (int k = 0; k < 2; k++) {
		heap_groups_init(&v->groups[k], s, o->by, o->owners);
		heap_groups_add(&v->groups[k], &parts[k]);
	}
	heap_retained_known(v);
	pair(v);
	all = v->n_rows;
	sort_array_by(v->rows, all, sizeof *v->rows, view_compare_row_order, v);
	for (size_t i = 0; i < all; i++) {
		const struct heap_group *a = side(v, &v->rows[i], 0);
		const struct heap_group *b = side(v, &v->rows[i], 1);

		changed += a->count != b->count || a->size != b->size;
	}
	if (o->n && o->n < all)
		v->n_rows = o->n;
	v->table.name = "compare";
	v->table.n_rows = v->n_rows;
	v->table.fill = view_compare_fill;
	view_compare_add_columns(v);
	add_totals(v, all);
	heap_title(v, "%s to %s: top %zu of %zu %s by change of %s, %zu of which changed",
		   parts[0].h->label, parts[1].h->label, v->n_rows, all,
		   heap_key_counted(o->by, all), heap_sort_words[v->sort], changed);
	heap_notes(v);
	return v;
}
