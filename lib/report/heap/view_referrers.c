/* SPDX-License-Identifier: MIT
 *
 * The table of referrers, by their type and field.
 */
#include "lib/report/heap/view_impl.h"

#include "lib/base/mem.h"
#include "lib/base/sort.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum what { RANK, REFERENCES, HOLDERS, TYPE, FIELD };

struct referrer {
	uint32_t type, field; /* type HEAP_NONE: a root */
	uint32_t last;        /* the last holder that was counted */
	uint64_t references, holders;
};

struct referrers {
	struct referrer *items;
	size_t n, cap;
	struct map64 index;
	uint32_t *fields; /* text -> the text that stands for it, + 1; 0: not asked yet */
};

/* Elements of one array are one row. */
static uint32_t field_of(struct referrers *r, const struct heap_set *s, uint32_t name)
{
	if (!r->fields[name]) {
		size_t n;
		const char *p = heap_text(s, name, &n);

		r->fields[name] = (heap_is_element(p, n) ? 0 : name) + 1;
	}
	return r->fields[name] - 1;
}

static void add(struct referrers *r, const struct heap_view *v, const struct heap *h, uint32_t from,
		uint32_t name)
{
	uint32_t type = from ? heap_type(h, from) : HEAP_NONE;
	uint32_t field = from ? field_of(r, v->s, name) : name;
	uint32_t *place = map64_put(&r->index, (uint64_t)type << 32 | field);
	struct referrer *x;

	if (!*place) {
		VEC_PUSH(r->items, r->n, r->cap) =
		    (struct referrer){.type = type, .field = field, .last = HEAP_NONE};
		*place = (uint32_t)r->n;
	}
	x = &r->items[*place - 1];
	x->references++;
	x->holders += x->last != from;
	x->last = from;
}

static int view_referrers_order(const void *pa, const void *pb, void *arg)
{
	const struct referrer *a = pa, *b = pb;
	const struct heap_view *v = arg;
	int c;

	if (a->references != b->references)
		return a->references > b->references ? -1 : 1;
	if ((a->type == HEAP_NONE) != (b->type == HEAP_NONE))
		return a->type == HEAP_NONE ? -1 : 1;
	c = a->type == HEAP_NONE
		? 0
		: strcmp(heap_text(v->s, a->type, NULL), heap_text(v->s, b->type, NULL));
	return c ? c : strcmp(heap_text(v->s, a->field, NULL), heap_text(v->s, b->field, NULL));
}

static struct table_cell text_cell(const char *s)
{
	return cell_text(s, strlen(s));
}

static void view_referrers_fill(void *arg, size_t i, struct table_row *r)
{
	struct heap_view *v = arg;
	const struct referrer *x = &((const struct referrer *)v->own)[i];
	const char *type, *field;

	type = x->type == HEAP_NONE ? "[root]" : heap_text(v->s, x->type, NULL);
	field = heap_text(v->s, x->field, NULL);
	if (!*field)
		field = x->type == HEAP_NONE ? "" : "[]";
	for (size_t k = 0; k < v->table.n_columns; k++)
		switch ((enum what)v->whats[k]) {
		case RANK: r->cells[k] = cell_number(i + 1); break;
		case REFERENCES: r->cells[k] = cell_number(x->references); break;
		case HOLDERS:
			if (x->type != HEAP_NONE)
				r->cells[k] = cell_number(x->holders);
			break;
		case TYPE: r->cells[k] = text_cell(*type ? type : "[no type]"); break;
		case FIELD: r->cells[k] = text_cell(field); break;
		}
}

struct heap_view *heap_view_referrers(const struct heap_set *s, const struct heap_part *parts,
				      const struct heap_view_options *o)
{
	struct heap_view *v = heap_view_new(s, parts, 1, o);
	const struct heap *h = parts->h;
	struct referrers r = {0};
	uint64_t references = 0, held = 0;

	r.fields = mem_zarray((size_t)intern_count(&s->texts) + 1, sizeof *r.fields);
	for (uint32_t i = 0; i <= h->n; i++)
		for (uint32_t k = h->out_start[i]; k < h->out_start[i + 1]; k++)
			if (heap_counts(parts, h->out[k])) {
				add(&r, v, h, i, heap_reference_name(h, k));
				references++;
			}
	for (uint32_t i = 1; i <= h->n; i++)
		held += heap_counts(parts, i);
	if (r.n)
		sort_array_by(r.items, r.n, sizeof *r.items, view_referrers_order, v);
	v->own = r.items;
	v->table.name = "referrers";
	v->table.n_rows = o->n && o->n < r.n ? o->n : r.n;
	v->table.fill = view_referrers_fill;
	heap_column(v, RANK, (struct table_column){"rank", "#", COLUMN_INT, 0, 0});
	heap_column(v, REFERENCES,
		    (struct table_column){"references", "references", COLUMN_INT, 0, 0});
	heap_column(v, HOLDERS, (struct table_column){"holders", "holders", COLUMN_INT, 0, 0});
	heap_column(v, TYPE, (struct table_column){"type", "type", COLUMN_TEXT, COLUMN_SHORTEN, 0});
	heap_column(v, FIELD,
		    (struct table_column){"field", "field", COLUMN_TEXT, COLUMN_SHORTEN, 0});
	heap_title(v,
		   "%s: %" PRIu64 " reference%s to %" PRIu64
		   " object%s: top %zu of %zu types and fields",
		   o->what, references, references == 1 ? "" : "s", held, held == 1 ? "" : "s",
		   v->table.n_rows, r.n);
	if (!held)
		heap_note(v, "nothing matches: neither a type nor an object's id");
	map64_release(&r.index);
	free(r.fields);
	return v;
}
