/* SPDX-License-Identifier: MIT */
#include "lib/report/top/tree.h"

#include "lib/base/arena.h"
#include "lib/base/mem.h"
#include "lib/base/sort.h"
#include "lib/base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node {
	uint32_t parent, function;
	uint64_t self, total;
};

struct tree {
	struct table table;
	const struct grouped_profile *p;
	const struct profile *run;
	struct tree_options options;
	enum sum sort;
	struct node *nodes; /* [0] is all; parents before their children */
	size_t n, cap;
	struct id_set set; /* of nodes but the first */
	struct row_of {
		uint32_t node, depth;
	} * rows;
	struct table_column columns[6];
	struct arena arena;
	const char *notes[2];
	char title[128];
};

enum { COLUMN_OF_TOTAL, COLUMN_OF_SHARE, COLUMN_OF_SELF, COLUMN_OF_SELF_SHARE };

static const struct grouping *stacks(const struct tree *t)
{
	return &t->p->groupings[t->options.grouping];
}

/* What a group has; negative slack is no weight. */
static uint64_t weight(const struct tree *t, size_t group)
{
	uint64_t v = columns_value(&t->run->keys[t->options.grouping].self, group, t->sort);

	return sum_is_signed(t->sort) && (int64_t)v < 0 ? 0 : v;
}

static uint64_t node_hash(const struct node *n)
{
	return hash_u64((uint64_t)n->parent << 32 | n->function);
}

static uint64_t top_tree_node_row_hash(const void *table, uint32_t id)
{
	return node_hash(&((const struct node *)table)[id]);
}

static bool top_tree_node_equal(const void *table, uint32_t id, const void *key)
{
	const struct node *a = &((const struct node *)table)[id], *b = key;

	return a->parent == b->parent && a->function == b->function;
}

static uint32_t child(struct tree *t, uint32_t parent, uint32_t function)
{
	static const struct id_rows rows = {top_tree_node_row_hash, top_tree_node_equal};
	struct node n = {.parent = parent, .function = function};
	uint64_t hash = node_hash(&n);
	uint32_t id = id_set_find(&t->set, &rows, t->nodes, hash, &n);

	if (!id) {
		id = (uint32_t)t->n;
		VEC_PUSH(t->nodes, t->n, t->cap) = n;
		id_set_add(&t->set, &rows, t->nodes, hash, id);
	}
	return id;
}

/* The node of a stack; its callers' are known. */
static uint32_t below(struct tree *t, uint32_t parent, uint32_t location)
{
	const struct group_names *names = &t->p->names;
	const struct names_location *l = &names->locations[location];

	for (uint32_t k = l->first + l->n_calls; k-- > l->first;)
		parent = child(t, parent, names->calls[k].function);
	return parent;
}

/* Callers have smaller stack ids than what they call, and only what leads to a group counts. */
static void top_tree_build_down(struct tree *t)
{
	const struct grouped_profile *p = t->p;
	const struct grouping *g = stacks(t);
	uint32_t *node = mem_zarray(p->stacks.n, sizeof *node);

	for (size_t i = 0; i < g->n; i++)
		if (weight(t, i))
			node[g->groups[i].id] = 1;
	for (size_t i = p->stacks.n; i-- > 1;)
		if (node[i])
			node[p->stacks.rows[i].parent] = 1;
	node[0] = 0;
	for (size_t i = 1; i < p->stacks.n; i++)
		if (node[i])
			node[i] =
			    below(t, node[p->stacks.rows[i].parent], p->stacks.rows[i].location);
	for (size_t i = 0; i < g->n; i++) {
		uint64_t v = weight(t, i);
		uint32_t stack = g->groups[i].id;

		if (v) {
			uint32_t at = stack ? node[stack] : child(t, 0, 0);

			t->nodes[at].self = add_saturating(t->nodes[at].self, v);
		}
	}
	free(node);
	for (size_t i = t->n; i-- > 0;) {
		struct node *x = &t->nodes[i];

		x->total = add_saturating(x->total, x->self);
		if (i)
			t->nodes[x->parent].total =
			    add_saturating(t->nodes[x->parent].total, x->total);
	}
}

static bool is_kept(const struct tree *t, const struct node *x)
{
	struct table_cell share = cell_share(x->total, t->nodes[0].total);

	return x->total && share.present && share.number >= t->options.min_share;
}

struct walker {               /* a stack on its way outwards */
	uint32_t group, next; /* next: walker + 1 of the same node */
	uint32_t stack, call; /* the call that comes next; stack 0: none */
};

static void start_walker(const struct tree *t, struct walker *w)
{
	const struct grouped_profile *p = t->p;

	w->stack = stacks(t)->groups[w->group].id;
	w->call = p->names.locations[p->stacks.rows[w->stack].location].first;
}

/* The function of the next call, and one further out. */
static uint32_t step(const struct tree *t, struct walker *w)
{
	const struct grouped_profile *p = t->p;
	const struct names_location *l = &p->names.locations[p->stacks.rows[w->stack].location];
	uint32_t function = p->names.calls[w->call].function;

	if (++w->call == l->first + l->n_calls) {
		w->stack = p->stacks.rows[w->stack].parent;
		w->call = p->names.locations[p->stacks.rows[w->stack].location].first;
	}
	return function;
}

/* From each node that is kept its stacks go on to the next callers: nothing is made of what
 * lies below too small a node. */
static void top_tree_build_up(struct tree *t)
{
	const struct grouping *g = stacks(t);
	struct walker *walkers = mem_array(g->n + 1, sizeof *walkers);
	uint32_t *first = NULL; /* by node: walker + 1 */
	size_t cap_first = 0;

	first = mem_grow(first, &cap_first, 1, sizeof *first);
	first[0] = 0;
	for (size_t i = 0; i < g->n; i++) {
		uint64_t v = weight(t, i);

		if (!v)
			continue;
		walkers[i] = (struct walker){.group = (uint32_t)i, .next = first[0]};
		start_walker(t, &walkers[i]);
		first[0] = (uint32_t)i + 1;
		t->nodes[0].total = add_saturating(t->nodes[0].total, v);
	}
	for (uint32_t at = 0; at < t->n; at++) {
		if (at && !is_kept(t, &t->nodes[at]))
			continue;
		for (uint32_t i = first[at], next; i; i = next) {
			struct walker *w = &walkers[i - 1];
			uint64_t v = weight(t, w->group);
			size_t before = t->n;
			uint32_t to;

			next = w->next;
			if (at && !w->stack) {
				t->nodes[at].self = add_saturating(t->nodes[at].self, v);
				continue;
			}
			/* Without a stack there is the one row of call 0. */
			to = child(t, at, w->stack ? step(t, w) : 0);
			if (t->n > before) {
				first = mem_grow(first, &cap_first, t->n, sizeof *first);
				first[to] = 0;
			}
			t->nodes[to].total = add_saturating(t->nodes[to].total, v);
			w->next = first[to];
			first[to] = i;
		}
	}
	free(first);
	free(walkers);
}

static int top_tree_by_total(const void *a, const void *b, void *arg)
{
	const struct tree *t = arg;
	const struct node *x = &t->nodes[*(const uint32_t *)a];
	const struct node *y = &t->nodes[*(const uint32_t *)b];
	const struct group_names *names = &t->p->names;
	int r;

	if (x->total != y->total)
		return x->total > y->total ? -1 : 1;
	r = strcmp(names_text(names, names->functions[x->function].display, NULL),
		   names_text(names, names->functions[y->function].display, NULL));
	return r ? r : x < y ? -1 : x > y;
}

/* Rows in pre-order, without recursion: a stack may be a million calls deep. */
static void top_tree_make_rows(struct tree *t)
{
	uint32_t *kept = mem_array(t->n + 1, sizeof *kept);
	uint32_t *first = mem_zarray(t->n, sizeof *first), *next = mem_zarray(t->n, sizeof *next);
	size_t n = 0;
	uint32_t depth = 0;

	for (uint32_t i = 1; i < t->n; i++)
		if (is_kept(t, &t->nodes[i]))
			kept[n++] = i;
	sort_array_by(kept, n, sizeof *kept, top_tree_by_total, t);
	for (size_t i = n; i-- > 0;) {
		uint32_t parent = t->nodes[kept[i]].parent;

		next[kept[i]] = first[parent];
		first[parent] = kept[i];
	}
	t->rows = mem_array(n + 1, sizeof *t->rows);
	t->rows[0] = (struct row_of){0, 0};
	t->table.n_rows = 1;
	for (uint32_t at = first[0]; at;) {
		t->rows[t->table.n_rows++] = (struct row_of){at, depth + 1};
		if (first[at]) {
			at = first[at];
			depth++;
			continue;
		}
		while (at && !next[at]) {
			at = t->nodes[at].parent;
			depth--;
		}
		if (at)
			at = next[at];
	}
	free(kept);
	free(first);
	free(next);
	if (n + 1 < t->n) {
		char text[96];
		int len =
		    snprintf(text, sizeof text, "%zu node%s of less than %u.%02u%% %s left out",
			     t->n - n - 1, plural_s(t->n - n - 1), t->options.min_share / 100,
			     t->options.min_share % 100, t->n - n == 2 ? "is" : "are");

		t->notes[t->table.n_notes++] = arena_strndup(&t->arena, text, (size_t)len);
	}
	t->table.notes = t->notes;
}

static void top_tree_fill(void *arg, size_t i, struct table_row *r)
{
	struct tree *t = arg;
	const struct group_names *names = &t->p->names;
	const struct node *x = &t->nodes[t->rows[i].node];
	uint64_t all = t->nodes[0].total;
	const struct names_function *f = &names->functions[x->function];
	struct table_cell *c = r->cells;
	const char *s = "(all)";
	size_t n = strlen(s);

	r->depth = t->rows[i].depth;
	if (i)
		s = names_text(names, f->display, &n);
	*c++ = cell_number(x->total);
	*c++ = cell_share(x->total, all);
	if (!t->options.bottom_up) {
		*c++ = cell_number(x->self);
		*c++ = cell_share(x->self, all);
	}
	*c++ = cell_text(s, n);
	if (i && f->module) {
		s = names_text(names, f->module, &n);
		*c = cell_text(s, n);
	}
}

static void top_tree_add_columns(struct tree *t)
{
	const struct profile_known *k = &t->run->keys[t->options.grouping].known;
	const struct metric_titles titles = metric_titles(&t->arena, t->p, k, t->sort);
	struct table_column *c = t->columns;

	*c++ = (struct table_column){
	    .key = titles.total_key, .title = titles.total, .type = metric_type(t->sort)};
	*c++ =
	    (struct table_column){.key = "total_share", .title = "total %", .type = COLUMN_PERCENT};
	if (!t->options.bottom_up) {
		*c++ = (struct table_column){.key = metric_table[t->sort].key,
					     .title = titles.self,
					     .type = metric_type(t->sort),
					     .flags = COLUMN_SPARE};
		*c++ = (struct table_column){.key = "share",
					     .title = "self %",
					     .type = COLUMN_PERCENT,
					     .flags = COLUMN_SPARE};
	}
	*c++ = (struct table_column){.key = "function",
				     .title = t->options.bottom_up ? "function, and its callers"
								   : "function, and what it calls",
				     .type = COLUMN_TEXT,
				     .flags = COLUMN_TREE | COLUMN_SHORTEN};
	*c++ =
	    (struct table_column){.key = "module", .type = COLUMN_TEXT, .flags = COLUMN_NOT_TEXT};
	t->table.columns = t->columns;
	t->table.n_columns = (size_t)(c - t->columns);
}

struct tree *tree_new(const struct grouped_profile *p, const struct tree_options *o, struct err *e)
{
	struct tree *t = mem_zalloc(sizeof *t);

	*t = (struct tree){.p = p, .run = &p->now, .options = *o};
	if (sort_choose(t->run, &t->run->keys[o->grouping].known, o->sort, "stack", &t->sort, e)) {
		free(t);
		return NULL;
	}
	if (t->sort == SUM_TIME_TOTAL) /* what the nodes' totals are made of */
		t->sort = SUM_TIME_SELF;
	if (t->sort == SUM_LIFETIME || t->sort == SUM_TIME_MEAN) {
		err_set(e, ST_UNSUPPORTED, "%ss do not add up to a tree",
			metric_table[t->sort].title);
		free(t);
		return NULL;
	}
	VEC_PUSH(t->nodes, t->n, t->cap) = (struct node){0};
	if (o->bottom_up)
		top_tree_build_up(t);
	else
		top_tree_build_down(t);
	snprintf(
	    t->title, sizeof t->title, "%s by %s", o->bottom_up ? "callers" : "calls",
	    metric_heading(&t->arena, p,
			   t->sort == SUM_TIME_SELF && !o->bottom_up ? SUM_TIME_TOTAL : t->sort));
	t->table = (struct table){.name = o->bottom_up ? "bottom-up" : "tree",
				  .title = t->title,
				  .flags = TABLE_TREE,
				  .fill = top_tree_fill,
				  .arg = t};
	id_set_release(&t->set);
	top_tree_add_columns(t);
	top_tree_make_rows(t);
	return t;
}

void tree_free(struct tree *t)
{
	if (!t)
		return;
	id_set_release(&t->set);
	arena_release(&t->arena);
	free(t->nodes);
	free(t->rows);
	free(t);
}

const struct table *tree_table(const struct tree *t)
{
	return &t->table;
}

enum status tree_flame(const struct grouped_profile *p, size_t grouping, int sort, struct flame *f,
		       struct err *e)
{
	struct tree_options o = {.grouping = grouping, .sort = sort};
	struct tree *t = tree_new(p, &o, e);
	struct flame_measure *more = NULL;
	char title[128];
	uint32_t *at, *files;

	if (!t)
		return err_failure(e);
	snprintf(title, sizeof title, "%s%s", metric_heading(&t->arena, p, t->sort),
		 metric_title_mark(&t->run->keys[grouping].known, t->sort));
	if (f->measure) {
		more = flame_measure(f, title, metric_type(t->sort));
	} else {
		f->type = metric_type(t->sort);
		flame_name_measure(f, title);
	}
	at = mem_zarray(t->n, sizeof *at);
	/* A script's function has no module: its file says what it is of. */
	files = mem_zarray(p->names.n_functions, sizeof *files);
	for (size_t i = p->names.n_calls; i-- > 0;)
		if (p->names.calls[i].file)
			files[p->names.calls[i].function] = p->names.calls[i].file;
	for (size_t i = 0; i < t->n; i++) {
		const struct node *x = &t->nodes[i];
		const struct names_function *nf = &p->names.functions[x->function];
		size_t n, n_at = 0;
		const char *s = names_text(&p->names, nf->display, &n), *where = NULL;
		uint32_t of = nf->module ? nf->module : files[x->function];

		if (of)
			where = names_text(&p->names, of, &n_at);
		if (i)
			at[i] = flame_child(f, at[x->parent], s, n, where, n_at);
		if (more && x->self)
			flame_measure_add(more, at[i], x->self);
		else if (!f->n_more && x->self)
			flame_add(f, at[i], x->self, 0);
	}
	free(files);
	free(at);
	tree_free(t);
	return ST_OK;
}
