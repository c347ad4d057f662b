/* SPDX-License-Identifier: MIT
 *
 * The tree of dominators: beneath each object what it alone holds.
 *
 * A node is an object, HEAP_MANY or more of one type and name, or the small ones of a type under one
 * node (view.h). Beneath such a group is what its objects hold, put together so again. What has less
 * than the least share is no node, and what lies below it is not looked at. No recursion: a list
 * may be a million objects deep. 17 bytes per object, 64 per node; at most 32 more for each
 * object that is looked at.
 */
#include "lib/report/heap/view_impl.h"

#include "lib/base/mem.h"
#include "lib/tally/sums.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum what { NAME, RETAINED, SHARE, RETAINED_COUNT, SIZE, COUNT, ID, TYPE, PATH };
enum kind { ALL, NOT_REACHED, ALIKE, OF_TYPE };

struct node {
	uint32_t parent, type;
	uint32_t member; /* the first; the rest by dominator_tree.member */
	uint32_t n, listed, sized;
	uint64_t size, retained, count;
	uint8_t kind;
};

struct dominator_tree {
	struct heap_view *v;
	const struct heap_part *p;
	struct node *nodes; /* parents before their children */
	size_t n, cap;
	uint32_t *child, *sibling; /* by object, of the whole tree; 0: no more */
	uint32_t *member;          /* object -> the next of its node */
	bool *holds;               /* by object: it is chosen, or dominates one that is */
	uint32_t *alike;           /* by object, from 1: those of one type and name have the same */
	/* Node above with the kind of alike ones, or with the type -> node + 1. */
	struct map64 alikes, types;
	uint64_t left, left_bytes; /* objects that are in no row */
};

static uint64_t value(const struct heap_view *v, uint64_t retained, uint64_t count)
{
	return v->sort == HEAP_SORT_COUNT || !v->sizes ? count : retained;
}

static struct table_cell share(const struct heap_view *v, uint64_t retained, uint64_t count)
{
	const struct heap_held *all = v->held;

	return cell_share(value(v, retained, count), value(v, all->bytes[0], all->count[0]));
}

/* Without anything to have a share of, all of it is shown. */
static bool is_large(const struct heap_view *v, uint64_t retained, uint64_t count)
{
	struct table_cell c = share(v, retained, count);

	return !c.present || c.number >= v->options.min_share;
}

static void dominator_tree_links(struct dominator_tree *t)
{
	const struct heap_dominators *d = &t->p->dominators;
	struct map64 kinds = MAP64_INIT;
	uint32_t n = t->p->h->n;

	t->alike = mem_zarray((size_t)n + 1, sizeof *t->alike);
	t->child = mem_zarray((size_t)n + 1, sizeof *t->child);
	t->sibling = mem_zarray((size_t)n + 1, sizeof *t->sibling);
	t->member = mem_zarray((size_t)n + 1, sizeof *t->member);
	t->holds = mem_zarray((size_t)n + 1, sizeof *t->holds);
	for (uint32_t k = n; k-- > 0;) { /* what is dominated is behind its dominator */
		uint32_t i = d->order[k];

		t->holds[i] |= heap_counts(t->p, i);
		t->holds[d->idom[i]] |= t->holds[i];
	}
	for (uint32_t i = 1; i <= n; i++) {
		uint32_t *place = map64_put(&kinds, (uint64_t)heap_type(t->p->h, i) << 32 |
							heap_name(t->p->h, i));

		if (!*place)
			*place = (uint32_t)kinds.n;
		t->alike[i] = *place;
	}
	map64_release(&kinds);
	for (uint32_t i = n; i > 0; i--)
		if (t->holds[i]) {
			t->sibling[i] = t->child[d->idom[i]];
			t->child[d->idom[i]] = i;
		}
}

/* A node beneath `parent` for what `key` says, which holds no object yet when it is new. */
static uint32_t dominator_tree_node(struct dominator_tree *t, struct map64 *index, uint32_t parent,
				    uint32_t key, uint8_t kind)
{
	uint32_t *place = map64_put(index, (uint64_t)parent << 32 | key);

	if (!*place) {
		VEC_PUSH(t->nodes, t->n, t->cap) = (struct node){.parent = parent, .kind = kind};
		*place = (uint32_t)t->n;
	}
	return *place - 1;
}

static void dominator_tree_put(struct dominator_tree *t, uint32_t at, uint32_t i)
{
	const struct heap *h = t->p->h;
	const struct heap_held *held = t->v->held;
	struct node *x = &t->nodes[at];

	t->member[i] = x->member;
	x->member = i;
	x->type = heap_type(h, i);
	x->n++;
	x->listed += (h->flags[i] & HEAP_LISTED) != 0;
	x->retained = add_saturating(x->retained, held->bytes[i]);
	x->count += held->count[i];
	if (h->flags[i] & HEAP_SIZED) {
		x->sized++;
		x->size = add_saturating(x->size, heap_size(h, i));
	}
}

/* A child of a node, with those that are like it. */
static void dominator_tree_child(struct dominator_tree *t, uint32_t parent, uint32_t i)
{
	bool reached = parent || t->p->paths.distance[i];
	uint32_t at = dominator_tree_node(t, &t->alikes, parent, reached ? t->alike[i] : 0,
					  reached ? ALIKE : NOT_REACHED);

	dominator_tree_put(t, at, i);
}

/* Many that are alike stay together, but for one that has more than all the others; of few the
 * large ones are alone, and the rest is with others of the type. */
static void dominator_tree_split(struct dominator_tree *t, uint32_t at)
{
	const struct heap_held *held = t->v->held;
	const struct node x = t->nodes[at];
	uint64_t all = value(t->v, x.retained, x.count);
	uint32_t first = 0;
	bool many = x.n >= HEAP_MANY && is_large(t->v, x.retained, x.count);

	if (x.kind == NOT_REACHED)
		return;
	t->nodes[at] = (struct node){.parent = x.parent, .kind = ALIKE};
	for (uint32_t i = x.member, next; i; i = next) { /* they were put in front of each other */
		next = t->member[i];
		t->member[i] = first;
		first = i;
	}
	for (uint32_t i = first, next, to; i; i = next) {
		uint64_t own = value(t->v, held->bytes[i], held->count[i]);

		next = t->member[i];
		if (many ? own > all - own : is_large(t->v, held->bytes[i], held->count[i])) {
			to = (uint32_t)t->n;
			VEC_PUSH(t->nodes, t->n, t->cap) =
			    (struct node){.parent = x.parent, .kind = ALIKE};
		} else {
			to = many ? at
				  : dominator_tree_node(t, &t->types, x.parent, x.type, OF_TYPE);
		}
		dominator_tree_put(t, to, i);
	}
}

/* What lies directly beneath a node. */
static void dominator_tree_expand(struct dominator_tree *t, uint32_t at)
{
	const struct node x = t->nodes[at];
	uint32_t from = (uint32_t)t->n, to;

	if (x.kind == ALL)
		for (uint32_t i = t->child[0]; i; i = t->sibling[i])
			dominator_tree_child(t, at, i);
	for (uint32_t m = x.member, next; m; m = next) {
		next = t->member[m];
		if (x.kind == NOT_REACHED) /* its members are what is beneath it */
			dominator_tree_child(t, at, m);
		else
			for (uint32_t i = t->child[m]; i; i = t->sibling[i])
				dominator_tree_child(t, at, i);
	}
	to = (uint32_t)t->n;
	for (uint32_t k = from; k < to; k++)
		dominator_tree_split(t, k);
	to = (uint32_t)t->n;
	t->n = from;
	for (uint32_t k = from; k < to; k++) {
		const struct node y = t->nodes[k];

		if (y.n && is_large(t->v, y.retained, y.count)) {
			t->nodes[t->n++] = y;
		} else {
			t->left += y.count;
			t->left_bytes = add_saturating(t->left_bytes, y.retained);
		}
	}
}

/* Rows in pre-order of the best o->n nodes: a node has at least what those beneath it have. */
static void dominator_tree_rows(struct dominator_tree *t)
{
	struct heap_view *v = t->v;
	uint32_t *best = mem_array(t->n, sizeof *best), depth = 1;
	uint64_t *keys = mem_array(t->n, sizeof *keys);
	uint32_t *first = mem_zarray(t->n, sizeof *first), *next = mem_zarray(t->n, sizeof *next);
	size_t n = t->n - 1;

	for (uint32_t i = 0; i < n; i++) {
		best[i] = i + 1;
		keys[i] = value(v, t->nodes[i + 1].retained, t->nodes[i + 1].count);
	}
	n = heap_best(best, keys, n, v->options.n);
	for (size_t i = n; i-- > 0;) {
		uint32_t parent = t->nodes[best[i]].parent;

		next[best[i]] = first[parent];
		first[parent] = best[i];
	}
	v->rows = mem_array(n + 1, sizeof *v->rows);
	v->rows[v->n_rows++] = (struct heap_row){0, 0};
	for (uint32_t at = first[0]; at;) {
		v->rows[v->n_rows++] = (struct heap_row){at, depth};
		if (first[at]) {
			at = first[at];
			depth++;
			continue;
		}
		for (; at && !next[at]; depth--)
			at = t->nodes[at].parent;
		at = next[at];
	}
	free(best);
	free(keys);
	free(first);
	free(next);
}

static void view_dominators_name(struct heap_view *v, const struct node *x)
{
	const struct heap *h = v->parts->h;
	const char *s;
	size_t n;

	v->text.len = 0;
	if (x->kind < ALIKE) {
		buf_adds(&v->text, x->kind == ALL ? "(all)" : "[not reached]");
		return;
	}
	if (x->n > 1)
		buf_addf(&v->text, "%u x ", x->n);
	s = heap_text(v->s, x->type, &n);
	if (n)
		buf_add(&v->text, s, n);
	else
		buf_adds(&v->text, x->listed ? "[no type]" : "[not listed]");
	s = heap_text(v->s, heap_name(h, x->member), &n);
	if ((x->n == 1 || x->kind == ALIKE) && n) {
		buf_addc(&v->text, ' ');
		buf_add(&v->text, s, n);
	}
}

static void view_dominators_fill(void *arg, size_t i, struct table_row *r)
{
	struct heap_view *v = arg;
	const struct node *x = &((const struct node *)v->own)[v->rows[i].a];
	const struct heap *h = v->parts->h;
	bool objects = x->kind >= ALIKE, one = objects && x->n == 1;
	struct table_cell none = {.present = false};
	char id[32];
	size_t n, n_name;
	const char *s;

	r->depth = v->rows[i].b;
	view_dominators_name(v, x);
	n_name = v->text.len;
	buf_add(&v->text, id, (size_t)snprintf(id, sizeof id, "0x%" PRIx64, heap_id(h, x->member)));
	v->path.len = 0;
	if (one)
		heap_path_text(&v->path, v->s, h, &v->parts->paths, x->member, false);
	for (size_t k = 0; k < v->table.n_columns; k++) {
		struct table_cell *c = &r->cells[k];

		*c = none;
		switch ((enum what)v->whats[k]) {
		case NAME: *c = cell_text(v->text.data, n_name); break;
		case RETAINED: *c = cell_number(x->retained); break;
		case SHARE: *c = share(v, x->retained, x->count); break;
		case RETAINED_COUNT: *c = cell_number(x->count); break;
		case SIZE: *c = objects && x->sized ? cell_number(x->size) : none; break;
		case COUNT: *c = objects ? cell_number(x->listed) : none; break;
		case ID:
			*c = one ? cell_text(v->text.data + n_name, v->text.len - n_name) : none;
			break;
		case TYPE:
			s = heap_text(v->s, x->type, &n);
			*c = objects && n ? cell_text(s, n) : none;
			break;
		case PATH: *c = v->path.len ? cell_text(v->path.data, v->path.len) : none; break;
		}
	}
}

static void view_dominators_columns(struct heap_view *v)
{
	bool bytes = v->sizes && v->sort != HEAP_SORT_COUNT;
	struct table_column share = {bytes ? "retained_percent" : "retained_count_percent", "%",
				     COLUMN_PERCENT, 0, 0};

	if (v->sizes)
		heap_column(v, RETAINED,
			    (struct table_column){"retained", "retained", COLUMN_BYTES, 0, 0});
	if (bytes)
		heap_column(v, SHARE, share);
	heap_column(v, RETAINED_COUNT,
		    (struct table_column){"retained_count", "objects", COLUMN_INT, 0, 0});
	if (!bytes)
		heap_column(v, SHARE, share);
	if (v->sizes)
		heap_column(v, SIZE,
			    (struct table_column){"size", "size", COLUMN_BYTES, COLUMN_SPARE, 0});
	heap_column(v, COUNT, (struct table_column){"count", "count", COLUMN_INT, COLUMN_SPARE, 0});
	heap_column(v, NAME,
		    (struct table_column){"name", "object, and what it alone holds", COLUMN_TEXT,
					  COLUMN_TREE | COLUMN_SHORTEN, 0});
	heap_column(v, TYPE,
		    (struct table_column){"type", "type", COLUMN_TEXT, COLUMN_NOT_TEXT, 0});
	heap_column(v, ID, (struct table_column){"object", "object", COLUMN_TEXT, 0, 0});
	heap_column(v, PATH,
		    (struct table_column){"path", "shortest path", COLUMN_TEXT, COLUMN_SHORTEN, 0});
}

static void dominator_tree_release(struct dominator_tree *t)
{
	free(t->child);
	free(t->sibling);
	free(t->member);
	free(t->holds);
	free(t->alike);
	map64_release(&t->alikes);
	map64_release(&t->types);
}

struct heap_view *heap_view_dominators(const struct heap_set *s, const struct heap_part *parts,
				       const struct heap_view_options *o)
{
	struct heap_view *v = heap_view_new(s, parts, 1, o);
	struct dominator_tree t = {.v = v, .p = parts};
	unsigned min = o->min_share;

	v->table.name = "dominators";
	v->table.flags = TABLE_TREE;
	v->table.fill = view_dominators_fill;
	view_dominators_columns(v);
	if (v->retained) {
		heap_view_hold(v);
		VEC_PUSH(t.nodes, t.n, t.cap) = (struct node){
		    .kind = ALL, .retained = v->held->bytes[0], .count = v->held->count[0]};
		dominator_tree_links(&t);
		for (uint32_t at = 0; at < t.n; at++)
			dominator_tree_expand(&t, at);
		dominator_tree_rows(&t);
		v->own = t.nodes;
		heap_title(v, "%s: what holds it: top %zu of %zu dominators by %s", o->what,
			   v->n_rows - 1, t.n - 1,
			   v->sort == HEAP_SORT_COUNT || !v->sizes ? "retained objects"
								   : "retained");
		dominator_tree_release(&t);
	} else {
		heap_title(v, "%s: what holds it", o->what);
	}
	v->table.n_rows = v->n_rows;
	v->text.len = 0;
	size_text(&v->text, t.left_bytes);
	if (t.left)
		heap_note(v,
			  "what retains less than %u.%02u%% is left out: %" PRIu64 " objects%s%s",
			  min / 100, min % 100, t.left, v->sizes ? ", " : "",
			  v->sizes ? buf_str(&v->text) : "");
	heap_notes(v);
	return v;
}
