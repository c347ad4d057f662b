/* SPDX-License-Identifier: MIT
 *
 * The table of equal objects of one type: those with equal contents, and those of which no contents are known, but names
 * and sizes are equal. The latter may be copies, or not.
 */
#include "lib/report/heap/view_impl.h"

#include "lib/base/mem.h"
#include "lib/base/sort.h"
#include "lib/base/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum what { RANK, WASTED, IF_COPIES, COUNT, SIZE, SAME, TYPE, NAME, PATH };

struct same {
	uint32_t first; /* the one nearest to a root */
	uint32_t count;
	uint64_t size; /* of each */
};

/* All of a function's closures have its name, and all of Lua's own functions have one: no name says more. */
static bool is_function(const struct heap_set *s, const struct heap *h, uint32_t i)
{
	size_t n;
	const char *type = heap_text(s, heap_type(h, i), &n);

	return n == 8 && !memcmp(type, "function", n);
}

static bool key_of(const struct heap_set *s, const struct heap *h, uint32_t i, uint64_t *key)
{
	uint64_t what;

	if (h->flags[i] & HEAP_HASHED)
		what = hash_u64(h->hashes[i]) | 1;
	else if (heap_name(h, i) && !is_function(s, h, i))
		what = (uint64_t)heap_name(h, i) << 1;
	else
		return false;
	*key = hash_u64(hash_u64(what + heap_type(h, i)) ^ heap_size(h, i)) +
	       (h->flags[i] & HEAP_SIZED ? 0 : 1);
	return true;
}

/* The bytes of all of them but one. */
static uint64_t wasted(const struct same *x)
{
	uint64_t more = x->count - 1;

	return x->size && more > UINT64_MAX / x->size ? UINT64_MAX : more * x->size;
}

static int view_same_order(const void *pa, const void *pb)
{
	const struct same *a = pa, *b = pb;
	uint64_t x = wasted(a), y = wasted(b);

	if (x != y)
		return x > y ? -1 : 1;
	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	return a->first < b->first ? -1 : a->first > b->first;
}

static void view_same_fill(void *arg, size_t i, struct table_row *r)
{
	struct heap_view *v = arg;
	const struct same *x = &((const struct same *)v->own)[i];
	const struct heap *h = v->parts->h;
	bool sized = h->flags[x->first] & HEAP_SIZED, hashed = h->flags[x->first] & HEAP_HASHED;
	const char *s;
	size_t n;

	v->path.len = 0;
	heap_path_text(&v->path, v->s, h, &v->parts->paths, x->first, false);
	for (size_t k = 0; k < v->table.n_columns; k++) {
		struct table_cell *c = &r->cells[k];

		switch ((enum what)v->whats[k]) {
		case RANK: *c = cell_number(i + 1); break;
		case WASTED:
		case IF_COPIES:
			if (sized && hashed == (v->whats[k] == WASTED))
				*c = cell_number(wasted(x));
			break;
		case COUNT: *c = cell_number(x->count); break;
		case SIZE:
			if (sized)
				*c = cell_number(x->size);
			break;
		case SAME: *c = cell_text(hashed ? "contents" : "name", hashed ? 8 : 4); break;
		case TYPE:
			s = heap_text(v->s, heap_type(h, x->first), &n);
			if (n)
				*c = cell_text(s, n);
			break;
		case NAME:
			s = heap_text(v->s, heap_name(h, x->first), &n);
			if (n)
				*c = cell_text(s, n);
			break;
		case PATH:
			if (v->path.len)
				*c = cell_text(v->path.data, v->path.len);
			break;
		}
	}
}

static void add(struct same *x, const struct heap_part *p, uint32_t i)
{
	uint32_t old = p->paths.distance[x->first], new = p->paths.distance[i];

	x->count++;
	if (new && (!old || new < old))
		x->first = i;
}

/* Of the objects that are equal to others: those beyond the first of each. */
struct sums_of_same {
	size_t things;
	uint64_t objects, bytes;
};

/* Where sizes are known; until the next. */
static const char *bytes_text(struct heap_view *v, uint64_t bytes)
{
	v->text.len = 0;
	if (v->sizes) {
		buf_adds(&v->text, ", ");
		size_text(&v->text, bytes);
	}
	return buf_str(&v->text);
}

static void note_same(struct heap_view *v, const struct sums_of_same *equal,
		      const struct sums_of_same *alike)
{
	if (equal->things || !alike->things)
		heap_note(v, "%" PRIu64 " object%s could be spared%s", equal->objects,
			  plural_s(equal->objects), bytes_text(v, equal->bytes));
	if (alike->things)
		heap_note(v, "same name%s, contents not known: %" PRIu64 " object%s may be %s%s",
			  v->sizes ? " and size" : "", alike->objects, plural_s(alike->objects),
			  alike->objects == 1 ? "a copy" : "copies", bytes_text(v, alike->bytes));
}

struct heap_view *heap_view_same(const struct heap_set *s, const struct heap_part *parts,
				 const struct heap_view_options *o)
{
	struct heap_view *v = heap_view_new(s, parts, 1, o);
	const struct heap *h = parts->h;
	struct map64 index = MAP64_INIT;
	size_t n = 0, cap = 16, several = 0;
	struct same *items = mem_array(cap, sizeof *items);
	struct sums_of_same equal = {.things = 0}, alike = {.things = 0};
	uint64_t key;

	for (uint32_t i = 1; i <= h->n; i++) {
		uint32_t *place;

		if (!heap_counts(parts, i) || !key_of(s, h, i, &key))
			continue;
		place = map64_put(&index, key);
		if (*place) {
			add(&items[*place - 1], parts, i);
			continue;
		}
		VEC_PUSH(items, n, cap) = (struct same){i, 1, heap_size(h, i)};
		*place = (uint32_t)n;
	}
	map64_release(&index);
	for (size_t i = 0; i < n; i++)
		if (items[i].count > 1) {
			struct sums_of_same *to =
			    h->flags[items[i].first] & HEAP_HASHED ? &equal : &alike;

			to->things++;
			to->objects += items[i].count - 1;
			to->bytes += wasted(&items[i]);
			items[several++] = items[i];
		}
	if (several)
		sort_array(items, several, sizeof *items, view_same_order);
	v->own = items;
	v->table.name = "duplicates";
	v->table.n_rows = o->n && o->n < several ? o->n : several;
	v->table.fill = view_same_fill;
	heap_column(v, RANK, (struct table_column){"rank", "#", COLUMN_INT, 0, 0});
	if (v->sizes) {
		heap_column(v, WASTED,
			    (struct table_column){"wasted", "wasted", COLUMN_BYTES,
						  equal.things || !several ? 0u : COLUMN_NOT_TEXT,
						  0});
		heap_column(v, IF_COPIES,
			    (struct table_column){"if_copies", "if copies", COLUMN_BYTES,
						  alike.things ? 0u : COLUMN_NOT_TEXT, 0});
	}
	heap_column(v, COUNT, (struct table_column){"count", "count", COLUMN_INT, 0, 0});
	if (v->sizes)
		heap_column(v, SIZE, (struct table_column){"size", "each", COLUMN_BYTES, 0, 0});
	heap_column(v, SAME, (struct table_column){"same", "same", COLUMN_TEXT, COLUMN_PROSE, 0});
	heap_column(v, TYPE, (struct table_column){"type", "type", COLUMN_TEXT, COLUMN_SHORTEN, 0});
	heap_column(v, NAME, (struct table_column){"name", "name", COLUMN_TEXT, COLUMN_SHORTEN, 0});
	heap_column(
	    v, PATH,
	    (struct table_column){"path", "the first is at", COLUMN_TEXT, COLUMN_SHORTEN, 0});
	heap_title(v, "%s: top %zu of %zu things that %s", o->what, v->table.n_rows, several,
		   !alike.things   ? "are there more than once"
		   : !equal.things ? "may be there more than once"
				   : "are there more than once, or may be");
	note_same(v, &equal, &alike);
	return v;
}
