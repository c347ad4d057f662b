/* SPDX-License-Identifier: MIT
 *
 * The table of paths from the roots to objects.
 */
#include "lib/report/heap/view_impl.h"

#include "lib/base/mem.h"
#include "lib/base/sort.h"
#include "lib/base/text.h"
#include "lib/tally/sums.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum what { OBJECT, TYPE, NAME, SIZE, ELEMENTS, STEPS, PATH, THROUGH };

enum { RANK_SHIFT = 34 };

/* A way to an object: by a reference, of the object that its path ends with. */
struct end {
	uint64_t
	    order; /* rank of the root, steps, and 0 for the one that the object's path takes */
	uint64_t alike;        /* hash of the path, without the numbers of elements */
	uint32_t reference, n; /* n: so many that are alike, of which this is the first */
	uint64_t size;         /* of the objects of these */
};

/* A row is an object (a) and the reference that its path ends with (b); HEAP_NONE: no root reaches it. Behind it: */
struct stands {
	uint64_t size;
	uint32_t n; /* references */
	bool sized, named;
};

/* An object; or HEAP_MANY or more of one type whose paths differ in the numbers of elements alone. */
struct kin {
	uint32_t first, n;
	bool sized, named;
	struct end *ends;
	size_t n_ends, cap_ends;
};

struct gathered {
	struct kin *kin;
	size_t n, cap, all; /* objects */
	uint32_t *of;       /* by object: its kin + 1; 0: it does not count */
	struct map64 names; /* text -> 1: an element's, 2: another */
	uint64_t *alike;    /* by object, of its path; 0: not asked yet */
	uint32_t *way;      /* of the path that is being asked */
	size_t n_way, cap_way;
};

static int view_paths_order(const void *pa, const void *pb)
{
	const struct end *a = pa, *b = pb;

	if (a->order != b->order)
		return a->order < b->order ? -1 : 1;
	return a->reference < b->reference ? -1 : a->reference > b->reference;
}

static int view_paths_alike_order(const void *pa, const void *pb)
{
	const struct end *a = pa, *b = pb;

	return a->alike != b->alike ? (a->alike < b->alike ? -1 : 1) : view_paths_order(pa, pb);
}

static bool names_element(struct gathered *g, const struct heap_set *s, uint32_t name)
{
	uint32_t *known = map64_put(&g->names, name + UINT64_C(1));

	if (!*known) {
		size_t n;
		const char *p = heap_text(s, name, &n);

		*known = heap_is_element(p, n) ? 1 : 2;
	}
	return *known == 1;
}

static uint64_t alike_step(struct gathered *g, const struct heap_set *s, uint64_t before,
			   bool from_root, uint32_t name)
{
	bool element = !from_root && names_element(g, s, name);

	return hash_u64(before + (element ? 1 : name + UINT64_C(2))) | 1;
}

/* Of the path to an object that a root reaches. */
static uint64_t alike_of(struct gathered *g, const struct heap_view *v, uint32_t object)
{
	const struct heap_part *p = v->parts;

	for (g->n_way = 0; object && !g->alike[object];
	     object = heap_source(p->h, p->paths.via[object]))
		VEC_PUSH(g->way, g->n_way, g->cap_way) = object;
	while (g->n_way) {
		uint32_t next = g->way[--g->n_way];

		g->alike[next] = alike_step(g, v->s, object ? g->alike[object] : 0, !object,
					    heap_reference_name(p->h, p->paths.via[next]));
		object = next;
	}
	return g->alike[object];
}

static uint32_t new_kin(struct gathered *g, uint32_t object)
{
	VEC_PUSH(g->kin, g->n, g->cap) = (struct kin){.first = object, .named = true};
	return (uint32_t)g->n;
}

static void add_kin(struct gathered *g, const struct heap *h, uint32_t object, uint32_t place)
{
	struct kin *x = &g->kin[place - 1];

	g->of[object] = place;
	x->n++;
	x->named &= heap_name(h, object) == heap_name(h, x->first);
	x->sized |= (h->flags[object] & HEAP_SIZED) != 0;
}

static uint64_t kin_key(struct gathered *g, const struct heap_view *v, uint32_t object)
{
	return hash_u64(alike_of(g, v, object) + heap_type(v->parts->h, object));
}

static void view_paths_kin(struct heap_view *v, struct gathered *g)
{
	const struct heap_part *p = v->parts;
	const struct heap *h = p->h;
	struct map64 many = MAP64_INIT, places = MAP64_INIT; /* by key: objects; kin + 1 */

	for (uint32_t i = 1; i <= h->n; i++)
		if (heap_counts(p, i) && p->paths.distance[i])
			++*map64_put(&many, kin_key(g, v, i));
	for (uint32_t i = 1; i <= h->n; i++) {
		uint64_t key;
		uint32_t *place, alone = 0;

		if (!heap_counts(p, i))
			continue;
		g->all++;
		place = &alone;
		if (p->paths.distance[i]) {
			key = kin_key(g, v, i);
			if (map64_get(&many, key) >= HEAP_MANY)
				place = map64_put(&places, key);
		}
		if (!*place)
			*place = new_kin(g, i);
		add_kin(g, h, i, *place);
	}
	map64_release(&many);
	map64_release(&places);
}

/* The kin that are shown: nearest first, what is not reached last. */
static uint32_t *choose_kin(struct heap_view *v, const struct gathered *g, size_t *n)
{
	const struct heap_paths *p = &v->parts->paths;
	uint32_t *chosen = mem_array(g->n + 1, sizeof *chosen);
	uint64_t *keys = mem_array(g->n + 1, sizeof *keys);

	for (uint32_t i = 0; i < g->n; i++) {
		uint32_t object = g->kin[i].first;

		chosen[i] = i;
		keys[i] = p->distance[object]
			      ? UINT64_MAX - ((uint64_t)p->rank[object] << 32) - p->distance[object]
			      : 0;
	}
	*n = heap_best(chosen, keys, g->n, v->options.n);
	free(keys);
	return chosen;
}

static void view_paths_ends(struct heap_view *v, struct gathered *g, const bool *shown)
{
	const struct heap_part *p = v->parts;
	const struct heap *h = p->h;

	for (uint32_t i = 0; i <= h->n; i++) {
		if (i && !p->paths.distance[i])
			continue;
		for (uint32_t r = h->out_start[i]; r < h->out_start[i + 1]; r++) {
			uint32_t to = h->out[r], name = heap_reference_name(h, r);
			struct kin *x;
			uint64_t rank;

			if (to == i || !g->of[to] || !shown[g->of[to] - 1])
				continue;
			x = &g->kin[g->of[to] - 1];
			rank = i ? p->paths.rank[i] : heap_root_rank(v->s, name);
			VEC_PUSH(x->ends, x->n_ends, x->cap_ends) = (struct end){
			    .order = rank << RANK_SHIFT |
				     ((uint64_t)p->paths.distance[i] + 1) << 1 |
				     (r != p->paths.via[to]),
			    .alike = alike_step(g, v->s, i ? alike_of(g, v, i) : 0, !i, name),
			    .reference = r,
			    .n = 1};
		}
	}
}

/* Both of one object, by one name of one holder. */
static bool same_way(const struct heap *h, const struct end *a, const struct end *b)
{
	return h->out[a->reference] == h->out[b->reference] &&
	       heap_reference_name(h, a->reference) == heap_reference_name(h, b->reference) &&
	       heap_source(h, a->reference) == heap_source(h, b->reference);
}

static uint64_t ends_size(const struct heap *h, const struct end *ends, size_t n)
{
	uint64_t *objects = mem_array(n, sizeof *objects), size = 0;
	uint32_t *at = mem_array(n, sizeof *at);
	size_t distinct;

	for (size_t i = 0; i < n; i++)
		objects[i] = h->out[ends[i].reference];
	distinct = sort_unique(objects, n, at);
	for (size_t i = 0; i < distinct; i++)
		size = add_saturating(size, heap_size(h, (uint32_t)objects[i]));
	free(objects);
	free(at);
	return size;
}

/* One for all that are alike, where they are many or the same. */
static void fold_ends(const struct heap *h, struct kin *x)
{
	size_t kept = 0;

	sort_array(x->ends, x->n_ends, sizeof *x->ends, view_paths_alike_order);
	for (size_t i = 0, n; i < x->n_ends; i += n) {
		bool same = true, one;

		for (n = 1; i + n < x->n_ends && x->ends[i + n].alike == x->ends[i].alike; n++)
			same &= same_way(h, &x->ends[i], &x->ends[i + n]);
		one = same || n >= HEAP_MANY;
		for (size_t j = 0; j < (one ? 1 : n); j++) {
			struct end end = x->ends[i + j];

			end.n = one ? (uint32_t)n : 1;
			end.size = ends_size(h, &x->ends[i + j], end.n);
			x->ends[kept++] = end;
		}
	}
	x->n_ends = kept;
	sort_array(x->ends, kept, sizeof *x->ends, view_paths_order);
}

static void make_rows(struct heap_view *v, struct gathered *g, size_t k)
{
	const struct heap *h = v->parts->h;
	bool *shown = mem_zarray(g->n + 1, sizeof *shown), ranks = false;
	struct stands *stands = NULL;
	size_t n_shown, n = 0, cap = 0, cap_stands = 0, objects = 0;
	uint32_t *chosen = choose_kin(v, g, &n_shown);

	for (size_t i = 0; i < n_shown; i++)
		shown[chosen[i]] = true;
	view_paths_ends(v, g, shown);
	for (size_t i = 0; i < n_shown; i++) {
		struct kin *x = &g->kin[chosen[i]];
		struct stands behind = {heap_size(h, x->first), 1, x->sized, x->named};

		objects += x->n;
		fold_ends(h, x);
		for (size_t j = 0; j < x->n_ends && (!k || j < k); j++) {
			uint32_t reference = x->ends[j].reference;

			behind.n = x->ends[j].n;
			behind.size = x->ends[j].size;
			ranks |= x->ends[j].order >> RANK_SHIFT !=
				 g->kin[*chosen].ends->order >> RANK_SHIFT;
			VEC_PUSH(v->rows, v->n_rows, cap) =
			    (struct heap_row){h->out[reference], reference};
			VEC_PUSH(stands, n, cap_stands) = behind;
		}
		if (!x->n_ends) {
			VEC_PUSH(v->rows, v->n_rows, cap) = (struct heap_row){x->first, HEAP_NONE};
			VEC_PUSH(stands, n, cap_stands) = behind;
		}
	}
	for (size_t i = 0; i < g->n; i++)
		free(g->kin[i].ends);
	v->own = stands;
	heap_title(v, "%s: what keeps %zu of %zu object%s, %s first", v->options.what, objects,
		   g->all, plural_s(g->all), ranks ? "paths of named roots" : "shortest path");
	free(chosen);
	free(shown);
}

static void set_path(struct heap_view *v, const struct heap_row *row, bool fold, uint64_t *steps)
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
		heap_path_text(&v->path, v->s, p->h, &p->paths, from, fold);
		heap_step_text(&v->path, v->s, heap_reference_name(p->h, row->b), fold);
		return;
	}
	heap_root_text(&v->path, v->s, p->h, heap_reference_name(p->h, row->b), row->a);
}

static void view_paths_fill(void *arg, size_t i, struct table_row *r)
{
	struct heap_view *v = arg;
	const struct heap_row *row = &v->rows[i];
	const struct stands *behind = &((const struct stands *)v->own)[i];
	const struct heap *h = v->parts->h;
	uint64_t steps;
	const char *s;
	size_t n;

	set_path(v, row, behind->n > 1, &steps);
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
			if (n && behind->named)
				*c = cell_text(s, n);
			break;
		case SIZE:
			if (behind->sized)
				*c = cell_number(behind->size);
			break;
		case ELEMENTS:
			if (behind->n > 1)
				*c = cell_number(behind->n);
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
					  heap_source(h, row->b), behind->n > 1);
			buf_adds(&v->through, " -> ");
			heap_step_text(&v->through, v->s, heap_reference_name(h, row->b),
				       behind->n > 1);
			*c = cell_text(v->through.data, v->through.len);
			break;
		}
	}
}

struct heap_view *heap_view_paths(const struct heap_set *s, const struct heap_part *parts,
				  const struct heap_view_options *o, size_t k)
{
	struct heap_view *v = heap_view_new(s, parts, 1, o);
	struct gathered g = {.of = mem_zarray((size_t)parts->h->n + 1, sizeof *g.of),
			     .alike = mem_zarray((size_t)parts->h->n + 1, sizeof *g.alike),
			     .kin = mem_array(1, sizeof *g.kin),
			     .cap = 1};
	bool folded = false;

	view_paths_kin(v, &g);
	make_rows(v, &g, k);
	for (size_t i = 0; i < v->n_rows; i++)
		folded |= ((const struct stands *)v->own)[i].n > 1;
	v->table.name = "paths";
	v->table.n_rows = v->n_rows;
	v->table.fill = view_paths_fill;
	heap_column(v, OBJECT, (struct table_column){"object", "object", COLUMN_TEXT, 0, 0});
	heap_column(v, TYPE, (struct table_column){"type", "type", COLUMN_TEXT, COLUMN_SHORTEN, 0});
	heap_column(v, NAME, (struct table_column){"name", "name", COLUMN_TEXT, COLUMN_SHORTEN, 0});
	if (v->sizes)
		heap_column(v, SIZE,
			    (struct table_column){"size", "size", COLUMN_BYTES, COLUMN_SPARE, 0});
	if (folded)
		heap_column(v, ELEMENTS,
			    (struct table_column){"elements", "elements", COLUMN_INT, 0, 0});
	heap_column(v, STEPS, (struct table_column){"distance", "steps", COLUMN_INT, 0, 0});
	heap_column(v, PATH,
		    (struct table_column){"path", "kept by", COLUMN_TEXT, COLUMN_SHORTEN, 0});
	heap_column(v, THROUGH,
		    (struct table_column){"through", NULL, COLUMN_TEXT, COLUMN_NOT_TEXT, 0});
	free(g.kin);
	free(g.of);
	free(g.alike);
	free(g.way);
	map64_release(&g.names);
	return v;
}
