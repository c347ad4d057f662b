/* SPDX-License-Identifier: MIT
 *
 * The table of a function's callers and callees.
 */
#include "lib/report/top/tree.h"

#include "lib/base/arena.h"
#include "lib/base/mem.h"
#include "lib/base/sort.h"
#include "lib/base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum side { THE_FUNCTION, ITS_CALLER, ITS_CALLEE };

#define NOBODY UINT32_MAX /* no caller; as a callee: itself */

struct edge {
	uint32_t of, other; /* functions; NOBODY */
	enum side side;
	uint64_t v;
};

struct peek {
	struct table table;
	const struct grouped_profile *p;
	enum sum sort;
	uint8_t *asked; /* by function: 1 no match, 2 match */
	struct seen {   /* by function: on the stack that is looked at */
		uint32_t stack, callee, caller;
	} * seen;
	uint64_t *total; /* by function that matches */
	uint32_t *touched;
	size_t cap_touched;
	struct edge *edges;
	size_t n, cap;
	struct map64 index[2]; /* (of, other + 1) -> edge + 1 */
	struct table_column columns[5];
	const struct profile_known *known;
	struct arena arena;
	const char *note;
};

static bool matches(struct peek *k, const struct peek_options *o, uint32_t function)
{
	if (!k->asked[function]) {
		k->asked[function] = names_match(&k->p->names, function, o->match) ? 2 : 1;
	}
	return k->asked[function] == 2;
}

static void add(struct peek *k, enum side side, uint32_t of, uint32_t other, uint64_t v)
{
	uint32_t *at =
	    map64_put(&k->index[side == ITS_CALLEE], (uint64_t)of << 32 | (uint32_t)(other + 1));

	if (!*at) {
		VEC_PUSH(k->edges, k->n, k->cap) = (struct edge){of, other, side, 0};
		*at = (uint32_t)k->n;
	}
	k->edges[*at - 1].v = add_saturating(k->edges[*at - 1].v, v);
}

/* From the innermost call out: the first place of a function has its callee, the last its
 * caller. */
static void peek_look_at(struct peek *k, const struct peek_options *o, uint32_t serial,
			 uint32_t stack, uint64_t v)
{
	const struct grouped_profile *p = k->p;
	uint32_t callee = NOBODY, last = NOBODY;
	size_t n = 0;

	for (;; stack = p->stacks.rows[stack].parent) {
		const struct names_location *l =
		    &p->names.locations[p->stacks.rows[stack].location];

		for (uint32_t c = l->first; c < l->first + l->n_calls; c++) {
			uint32_t function = p->names.calls[c].function;

			if (last != NOBODY)
				k->seen[last].caller = function;
			last = NOBODY;
			if (matches(k, o, function)) {
				if (k->seen[function].stack != serial) {
					k->seen[function] = (struct seen){serial, callee, NOBODY};
					VEC_PUSH(k->touched, n, k->cap_touched) = function;
				}
				k->seen[function].caller = NOBODY;
				last = function;
			}
			callee = function;
		}
		if (!stack || !p->stacks.rows[stack].parent)
			break;
	}
	for (size_t i = 0; i < n; i++) {
		uint32_t f = k->touched[i];

		k->total[f] = add_saturating(k->total[f], v);
		add(k, ITS_CALLER, f, k->seen[f].caller, v);
		add(k, ITS_CALLEE, f, k->seen[f].callee, v);
	}
}

static const char *name(const struct peek *k, uint32_t function, size_t *n)
{
	const struct group_names *names = &k->p->names;

	return names_text(names, names->functions[function].display, n);
}

static int peek_by_total(const void *a, const void *b, void *arg)
{
	const struct peek *k = arg;
	const struct edge *x = a, *y = b;
	int r;

	if (x->of != y->of) {
		if (k->total[x->of] != k->total[y->of])
			return k->total[x->of] > k->total[y->of] ? -1 : 1;
		r = strcmp(name(k, x->of, NULL), name(k, y->of, NULL));
		return r ? r : x->of < y->of ? -1 : 1;
	}
	if (x->side != y->side)
		return x->side < y->side ? -1 : 1;
	if (x->v != y->v)
		return x->v > y->v ? -1 : 1;
	if (x->other == NOBODY || y->other == NOBODY)
		return x->other == NOBODY ? -1 : 1;
	r = strcmp(name(k, x->other, NULL), name(k, y->other, NULL));
	return r ? r : x->other < y->other ? -1 : x->other > y->other;
}

static void peek_fill(void *arg, size_t i, struct table_row *r)
{
	static const char *const sides[] = {"function", "called by", "calls"};
	struct peek *k = arg;
	const struct edge *x = &k->edges[i];
	const char *s = x->side == ITS_CALLER ? "(nobody: it is outermost)" : "(nobody: its own)";
	size_t n = strlen(s);

	if (x->other != NOBODY)
		s = name(k, x->other, &n);
	r->depth = x->side != THE_FUNCTION;
	r->cells[0] = cell_number(x->v);
	r->cells[1] =
	    cell_share(x->v, x->side == THE_FUNCTION ? k->p->now.all.v[k->sort] : k->total[x->of]);
	r->cells[2] = cell_text(sides[x->side], strlen(sides[x->side]));
	r->cells[3] = cell_text(s, n);
	s = name(k, x->of, &n);
	r->cells[4] = cell_text(s, n);
}

/* The functions themselves become rows, and only the largest n stay. */
static void peek_make_rows(struct peek *k, uint64_t most)
{
	size_t functions = 0, rows = 0, shown = 0;

	for (uint32_t f = 0; f < k->p->names.n_functions; f++)
		if (k->total[f]) {
			VEC_PUSH(k->edges, k->n, k->cap) =
			    (struct edge){f, f, THE_FUNCTION, k->total[f]};
			functions++;
		}
	if (k->n)
		sort_array_by(k->edges, k->n, sizeof *k->edges, peek_by_total, k);
	for (rows = 0; rows < k->n; rows++) {
		shown += k->edges[rows].side == THE_FUNCTION;
		if (most && shown > most)
			break;
	}
	k->table.n_rows = rows;
	if (most && functions > most) {
		char text[96];
		int n = snprintf(text, sizeof text, "%zu more function%s (-n)",
				 functions - (size_t)most, plural_s(functions - (size_t)most));

		k->note = arena_strndup(&k->arena, text, (size_t)n);
		k->table.notes = &k->note;
		k->table.n_notes = 1;
	}
}

static void add_columns(struct peek *k)
{
	const char *title = metric_titles(&k->arena, k->p, k->known, k->sort).plain;

	/* Self times add up to the time below a function. */
	if (k->sort == SUM_TIME_SELF && !strncmp(title, "self ", 5))
		title += 5;
	k->columns[0] = (struct table_column){
	    .key = metric_table[k->sort].key, .title = title, .type = metric_type(k->sort)};
	k->columns[1] =
	    (struct table_column){.key = "share", .title = "share", .type = COLUMN_PERCENT};
	k->columns[2] = (struct table_column){
	    .key = "relation", .title = "", .type = COLUMN_TEXT, .flags = COLUMN_PROSE};
	k->columns[3] = (struct table_column){.key = "function",
					      .title = "function",
					      .type = COLUMN_TEXT,
					      .flags = COLUMN_TREE | COLUMN_SHORTEN};
	k->columns[4] =
	    (struct table_column){.key = "of", .type = COLUMN_TEXT, .flags = COLUMN_NOT_TEXT};
	k->table.columns = k->columns;
	k->table.n_columns = 5;
}

enum status peek_choose(const struct grouped_profile *p, size_t grouping, int sort, enum sum *to,
			struct err *e)
{
	if (sort_choose(&p->now, &p->now.keys[grouping].known, sort, "stack", to, e))
		return err_failure(e);
	if (*to == SUM_TIME_TOTAL)
		*to = SUM_TIME_SELF;
	if (*to == SUM_LIFETIME || *to == SUM_TIME_MEAN || sum_is_signed(*to))
		return err_set(e, ST_UNSUPPORTED, "%s does not add up over callers",
			       metric_table[*to].title);
	return ST_OK;
}

struct peek *peek_new(const struct grouped_profile *p, const struct peek_options *o, struct err *e)
{
	const struct profile_key *sums = &p->now.keys[o->grouping];
	const struct grouping *g = &p->groupings[o->grouping];
	struct peek *k;
	enum sum sort;

	if (peek_choose(p, o->grouping, o->sort, &sort, e))
		return NULL;
	k = mem_zalloc(sizeof *k);
	*k = (struct peek){.p = p, .sort = sort, .known = &sums->known};
	k->asked = mem_zarray(p->names.n_functions, sizeof *k->asked);
	k->seen = mem_zarray(p->names.n_functions, sizeof *k->seen);
	k->total = mem_zarray(p->names.n_functions, sizeof *k->total);
	for (size_t i = 0; i < g->n; i++) {
		uint64_t v = columns_value(&sums->self, i, k->sort);

		if (v)
			peek_look_at(k, o, (uint32_t)i + 1, g->groups[i].id, v);
	}
	k->table =
	    (struct table){.name = "peek",
			   .title = "callers and callees",
			   .flags = TABLE_TREE,
			   .fill = peek_fill,
			   .empty = "none: nothing has such a name, or filters leave nothing of it",
			   .arg = k};
	add_columns(k);
	peek_make_rows(k, o->n);
	return k;
}

void peek_free(struct peek *k)
{
	if (!k)
		return;
	for (size_t i = 0; i < 2; i++)
		map64_release(&k->index[i]);
	arena_release(&k->arena);
	free(k->asked);
	free(k->seen);
	free(k->total);
	free(k->touched);
	free(k->edges);
	free(k);
}

const struct table *peek_table(const struct peek *k)
{
	return &k->table;
}
