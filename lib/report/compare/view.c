/* SPDX-License-Identifier: MIT */
#include "lib/report/compare/view.h"

#include "lib/base/mem.h"
#include "lib/base/sort.h"
#include "lib/base/text.h"
#include "lib/group/metric.h"
#include "lib/group/stack_cut.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DETAILS_MAX = 128, SHOWN_DECIMALS = 3 };

enum what {
	WHAT_RANK,
	WHAT_VALUE,
	WHAT_DELTA,
	WHAT_PERCENT,
	WHAT_CHANGE,
	WHAT_NAME,
	WHAT_AT,
	WHAT_FILE,
	WHAT_LINE,
	WHAT_MODULE,
	WHAT_ADDRESS,
	WHAT_STACK,
	WHAT_WAS,
	WHAT_HINT,
};

struct source {
	enum what what;
	enum sum sum;
	uint8_t group;
};

struct compare_view {
	const struct compare *c;
	struct compare_options options;
	enum sum sort;
	struct compare_rows rows;
	struct shown {
		uint32_t row;
		bool has; /* a difference in what is sorted by */
		unsigned __int128 size;
	} * shown;
	size_t n_changed;
	/* Rows of all groups that do not differ in what is sorted by; the one sum in which they do, or SUMS. */
	size_t n_otherwise;
	enum sum otherwise;
	struct table table;
	struct table_column *columns;
	struct source *sources;
	size_t cap_columns, cap_sources;
	struct compare_runs runs;
	struct compare_lines lines;
	struct flame flame;
	struct buf name, at, address, chain, was, hint, detail_text;
	struct stack_cut cut;
	const char *details[DETAILS_MAX];
	char more[64];
};

/* More is worse: memory is what is compared. */
static struct table_cell delta_cell(struct table_cell c)
{
	c.mark = !c.present || (!c.number && !c.fraction && !c.high) ? MARK_NONE
		 : c.negative                                        ? MARK_GOOD
								     : MARK_BAD;
	return c;
}

static struct compare_number row_value(const struct compare_view *v, size_t row, size_t group,
				       enum sum sum)
{
	return compare_value(&v->rows, row, group, sum, v->options.cumulative);
}

/* The last group against the base. */
static struct compare_number row_delta(const struct compare_view *v, size_t row, enum sum sum)
{
	return compare_difference(row_value(v, row, 0, sum),
				  row_value(v, row, v->c->n_groups - 1, sum));
}

/* The first sum in which the groups differ; SUMS: in none. */
static enum sum compare_view_differs_in(const struct compare_view *v, size_t row)
{
	for (enum sum s = 0; s < SUMS; s++) {
		struct compare_number base = row_value(v, row, 0, s);

		/* The same in every format, whatever else it has columns for: lifetimes are noise.
		 */
		if (s != v->sort && !(COMPARE_CHANGES >> s & 1))
			continue;
		/* How many records a format needs to say the same is no change. */
		if (s == SUM_ENTRIES && (row_value(v, row, 0, SUM_CALLS).present ||
					 row_value(v, row, 0, SUM_COUNT).present))
			continue;
		for (size_t g = 1; g < v->c->n_groups; g++) {
			struct compare_number d = compare_difference(base, row_value(v, row, g, s));

			if (d.present && d.v)
				return s;
		}
	}
	return SUMS;
}

static bool compare_view_changed(const struct compare_view *v, size_t row)
{
	return v->rows.rows[row].in != (1u << v->c->n_groups) - 1 ||
	       compare_view_differs_in(v, row) != SUMS;
}

static int compare_view_shown_order(const void *a, const void *b, void *arg)
{
	const struct compare_view *v = arg;
	const struct shown *x = a, *y = b;
	const struct profile_entity *items = v->c->entities->keys[v->options.by].items;

	if (x->has != y->has)
		return x->has ? -1 : 1;
	if (x->size != y->size)
		return x->size > y->size ? -1 : 1;
	return entities_order(v->c->entities, v->options.by, &items[v->rows.rows[x->row].other],
			      &items[v->rows.rows[y->row].other]);
}

static void compare_view_count_otherwise(struct compare_view *v, size_t row)
{
	enum sum s = compare_view_differs_in(v, row);

	if (v->rows.rows[row].in == (1u << v->c->n_groups) - 1)
		v->otherwise = v->n_otherwise++ && v->otherwise != s ? SUMS : s;
}

static void compare_view_choose_rows(struct compare_view *v)
{
	size_t n = 0;

	v->shown = mem_array(v->rows.n + 1, sizeof *v->shown);
	for (uint32_t i = 0; i < v->rows.n; i++) {
		bool is_changed = compare_view_changed(v, i);
		struct compare_number d;

		v->n_changed += is_changed;
		if (!is_changed && !v->options.all)
			continue;
		d = row_delta(v, i, v->sort);
		if (is_changed && d.present && !d.v)
			compare_view_count_otherwise(v, i);
		v->shown[n++] = (struct shown){i, d.present,
					       !d.present ? 0
					       : d.v < 0  ? -(unsigned __int128)d.v
							  : (unsigned __int128)d.v};
	}
	sort_array_by(v->shown, n, sizeof *v->shown, compare_view_shown_order, v);
	v->table.n_rows = v->options.n && v->options.n < n ? (size_t)v->options.n : n;
}

static const char *text(struct compare_view *v, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
static const char *text(struct compare_view *v, const char *fmt, ...)
{
	char line[600];
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(line, sizeof line, fmt, args);
	va_end(args);
	if (n < 0)
		n = 0;
	return arena_strndup(&v->lines.arena, line,
			     (size_t)n < sizeof line ? (size_t)n : sizeof line - 1);
}

static void add_column(struct compare_view *v, struct table_column c, struct source s)
{
	size_t n = v->table.n_columns;

	VEC_PUSH(v->sources, n, v->cap_sources) = s;
	VEC_PUSH(v->columns, v->table.n_columns, v->cap_columns) = c;
}

static enum column_type column_type(const struct compare *c, enum sum s)
{
	return metric_table[s].unit == SUM_NUMBER && compare_decimals(c) ? COLUMN_DECIMAL
									 : metric_type(s);
}

static bool scaled(const struct compare *c, size_t group, enum sum s)
{
	return c->normalize && group < c->n_groups - 1 && !sum_is_mean(s);
}

/* CSV has every metric of allocations always; people see the one that is sorted by, and the change
 * in count. */
static void compare_view_add_metric(struct compare_view *v, enum sum s)
{
	const struct compare *c = v->c;
	bool known = compare_knows(c, v->options.by, s), main = s == v->sort;
	unsigned hidden = COLUMN_NOT_TEXT;
	enum column_type type = column_type(c, s);
	const char *key = metric_table[s].key,
		   *unit = per_titles[sum_is_mean(s) ? PER_RUN : c->per];
	unsigned of_delta = COLUMN_SIGNED | (main                      ? 0u
					     : known && s == SUM_COUNT ? (unsigned)COLUMN_SPARE
								       : hidden);

	for (size_t g = 0; g < c->n_groups; g++)
		add_column(
		    v,
		    (struct table_column){
			.key = !g                 ? text(v, "base_%s", key)
			       : c->n_groups == 2 ? text(v, "new_%s", key)
						  : text(v, "g%zu_%s", g + 1, key),
			.title = text(v, "%s%s %s%s", compare_title(c, s), unit, c->groups[g].label,
				      scaled(c, g, s) ? ", normalized" : ""),
			.type = type,
			.flags = (main ? COLUMN_SPARE : hidden) |
				 (sum_is_signed(s) ? COLUMN_SIGNED : 0u),
			.decimals = SHOWN_DECIMALS},
		    (struct source){WHAT_VALUE, s, (uint8_t)g});
	for (size_t g = 1; g < c->n_groups; g++) {
		bool two = c->n_groups == 2;

		add_column(
		    v,
		    (struct table_column){
			.key = two ? text(v, "delta_%s", key) : text(v, "delta%zu_%s", g + 1, key),
			.title = two ? text(v, "%s%s change", compare_title(c, s), unit)
				     : text(v, "%s%s %s change", compare_title(c, s), unit,
					    c->groups[g].label),
			.type = type,
			.flags = of_delta,
			.decimals = SHOWN_DECIMALS},
		    (struct source){WHAT_DELTA, s, (uint8_t)g});
		add_column(v,
			   (struct table_column){.key = two ? text(v, "percent_%s", key)
							    : text(v, "percent%zu_%s", g + 1, key),
						 .title = "change %",
						 .type = COLUMN_PERCENT,
						 .flags = COLUMN_SIGNED | (main ? 0u : hidden)},
			   (struct source){WHAT_PERCENT, s, (uint8_t)g});
	}
}

static void add_text_column(struct compare_view *v, const char *key, const char *title,
			    unsigned flags, enum what what)
{
	add_column(v,
		   (struct table_column){
		       .key = key,
		       .title = title,
		       .type = what == WHAT_LINE || what == WHAT_RANK ? COLUMN_INT : COLUMN_TEXT,
		       .flags = flags},
		   (struct source){what, 0, 0});
}

/* That it was something else in the base, or that a guess says it was the same. */
static bool compare_view_says_was(const struct compare_row *r)
{
	return r->other != r->entity || (r->guess && r->in & 1 && r->in > 1);
}

static void compare_view_add_columns(struct compare_view *v)
{
	enum key by = v->options.by;
	bool placed = by == KEY_SITE || by == KEY_LOCATION || by == KEY_STACK, was = false,
	     hint = false;

	for (size_t i = 0; i < v->table.n_rows; i++) {
		const struct compare_row *r = &v->rows.rows[v->shown[i].row];

		was |= compare_view_says_was(r);
		hint |= r->hint != COMPARE_NONE;
	}
	add_text_column(v, "rank", "#", 0, WHAT_RANK);
	compare_view_add_metric(v, v->sort);
	for (enum sum s = 0; s < SUMS; s++)
		if (s != v->sort && s != SUM_TIMED &&
		    (!(SUMS_MEASURED >> s & 1) || compare_knows(v->c, by, s)))
			compare_view_add_metric(v, s);
	add_text_column(v, "change", "change", COLUMN_PROSE, WHAT_CHANGE);
	add_text_column(v,
			by == KEY_STACK      ? "site"
			: by == KEY_LOCATION ? "function"
					     : key_words[by],
			by == KEY_STACK ? "site" : key_words[by], COLUMN_SHORTEN, WHAT_NAME);
	if (placed) {
		add_text_column(v, NULL, "at", COLUMN_NOT_CSV | COLUMN_SHORTEN | COLUMN_PATH,
				WHAT_AT);
		add_text_column(v, "file", NULL, COLUMN_NOT_TEXT, WHAT_FILE);
		add_text_column(v, "line", NULL, COLUMN_NOT_TEXT, WHAT_LINE);
	}
	if (placed || by == KEY_FUNCTION)
		add_text_column(v, "module", "module",
				by == KEY_FUNCTION ? COLUMN_SHORTEN : COLUMN_NOT_TEXT, WHAT_MODULE);
	if (by == KEY_LOCATION)
		add_text_column(v, "address", "address", 0, WHAT_ADDRESS);
	if (by == KEY_STACK)
		add_text_column(v, "stack", NULL, COLUMN_NOT_TEXT, WHAT_STACK);
	add_text_column(v, "was", "was", was ? COLUMN_SHORTEN : COLUMN_NOT_TEXT, WHAT_WAS);
	add_text_column(v, "renamed", "renamed?", hint ? COLUMN_SHORTEN : COLUMN_NOT_TEXT,
			WHAT_HINT);
	v->table.columns = v->columns;
}

static void add_string(const struct profile_entities *t, struct buf *to, uint32_t string)
{
	size_t n;
	const char *s = entities_text(t, string, &n);

	buf_add(to, s, n);
}

static void add_place(const struct profile_entities *t, struct buf *to,
		      const struct profile_entity *entity)
{
	if (!entity->file)
		return;
	add_string(t, to, entity->file);
	if (entity->line)
		buf_addf(to, ":%" PRIu32, entity->line);
}

void compare_entity_text(const struct profile_entities *t, const struct profile_entity *entity,
			 struct buf *to)
{
	if (entity->name)
		add_string(t, to, entity->name);
	else
		buf_adds(to, "[unknown]");
	if (entity->inside)
		buf_adds(to, " [runtime only]");
	if (entity->file) {
		buf_adds(to, " (");
		add_place(t, to, entity);
		buf_addc(to, ')');
	}
}

static void add_node(const struct profile_entities *t, struct buf *to, uint32_t node)
{
	add_string(t, to, t->keys[KEY_FUNCTION].items[t->stacks.rows[node].location].name);
}

/* Outermost first in one field, and innermost first as lines beneath the row. */
static void compare_view_make_chain(struct compare_view *v, const struct profile_entity *entity,
				    struct table_row *r)
{
	const struct profile_entities *t = v->c->entities;
	size_t offsets[DETAILS_MAX], n = 0;
	uint32_t *path = NULL, outer = 0;
	size_t cap = 0;
	uint64_t left = 0;
	uint32_t at = stack_cut_at(&v->cut, entity->node, &outer, &left);

	v->chain.len = v->detail_text.len = 0;
	for (uint32_t i = entity->node; i; i = i == at ? outer : t->stacks.rows[i].parent)
		VEC_PUSH(path, n, cap) = i;
	for (size_t i = n; i-- > 0;) {
		if (path[i] == at)
			buf_addf(&v->chain, "%s[%" PRIu64 " call%s left out]",
				 v->chain.len ? ";" : "", left, plural_s(left));
		if (v->chain.len)
			buf_addc(&v->chain, ';');
		add_node(t, &v->chain, path[i]);
	}
	if (!n)
		buf_addf(&v->chain, entity->hash ? "[stack %016" PRIx64 "]" : "[no stack]",
			 entity->hash);
	for (size_t i = 0; i < n && i < DETAILS_MAX; i++) {
		offsets[i] = v->detail_text.len;
		add_node(t, &v->detail_text, path[i]);
		buf_addc(&v->detail_text, '\0');
	}
	r->n_details = n < DETAILS_MAX ? n : DETAILS_MAX;
	for (size_t i = 0; i < r->n_details; i++)
		v->details[i] = v->detail_text.data + offsets[i];
	r->details = v->details;
	n += (size_t)left;
	if (n > DETAILS_MAX) {
		snprintf(v->more, sizeof v->more, "... %zu more call%s", n - DETAILS_MAX,
			 plural_s(n - DETAILS_MAX));
		r->more = v->more;
	}
	free(path);
}

static struct table_cell compare_view_change_cell(const struct compare_view *v, size_t row)
{
	const struct compare_row *r = &v->rows.rows[row];
	uint32_t last = 1u << (v->c->n_groups - 1);
	struct compare_number d;
	const char *word;

	if (r->unknown & (1u | last))
		word = "unknown"; /* an aggregate was pruned of its smallest entities */
	else if (!(r->in & 1))
		word = "new";
	else if (!(r->in & last))
		word = "gone";
	else {
		d = row_delta(v, row, v->sort);
		word = d.present && d.v > 0           ? "grew"
		       : d.present && d.v < 0         ? "shrank"
		       : compare_view_changed(v, row) ? "changed"
						      : "same";
	}
	return cell_text(word, strlen(word));
}

static struct table_cell buf_cell(const struct buf *b)
{
	return b->len ? cell_text(b->data, b->len) : (struct table_cell){.present = false};
}

static struct table_cell text_cell(const struct compare_view *v, uint32_t string)
{
	size_t n;
	const char *s = entities_text(v->c->entities, string, &n);

	return string ? cell_text(s, n) : (struct table_cell){.present = false};
}

static struct table_cell number_cell(struct compare_view *v, size_t row, const struct source *s)
{
	struct compare_number base, value = row_value(v, row, s->group, s->sum);

	if (s->what == WHAT_VALUE)
		return compare_cell(value);
	base = row_value(v, row, 0, s->sum);
	return delta_cell(s->what == WHAT_DELTA ? compare_cell(compare_difference(base, value))
						: compare_percent(base, value));
}

static void compare_view_fill(void *arg, size_t i, struct table_row *r)
{
	struct compare_view *v = arg;
	const struct profile_entities *t = v->c->entities;
	size_t row = v->shown[i].row;
	const struct compare_row *of = &v->rows.rows[row];
	const struct profile_entity *items = t->keys[v->options.by].items,
				    *entity = &items[of->entity];

	v->name.len = v->at.len = v->address.len = v->was.len = v->hint.len = 0;
	if (entity->name)
		add_string(t, &v->name, entity->name);
	else
		buf_adds(&v->name, v->options.by == KEY_TYPE ? "[no type]" : "[no name]");
	if (entity->inside)
		buf_adds(&v->name, " [runtime only]");
	if (of->folded)
		buf_adds(&v->name, " [folded?]");
	add_place(t, &v->at, entity);
	if (entity->has_address)
		buf_addf(&v->address, "0x%" PRIx64, entity->address);
	if (compare_view_says_was(of))
		compare_entity_text(t, &items[of->other], &v->was);
	if (of->hint != COMPARE_NONE)
		compare_entity_text(t, &items[v->rows.rows[of->hint].entity], &v->hint);
	if (v->options.by == KEY_STACK)
		compare_view_make_chain(v, entity, r);
	for (size_t k = 0; k < v->table.n_columns; k++) {
		struct table_cell *c = &r->cells[k];

		switch (v->sources[k].what) {
		case WHAT_RANK: *c = cell_number(i + 1); break;
		case WHAT_CHANGE: *c = compare_view_change_cell(v, row); break;
		case WHAT_NAME: *c = buf_cell(&v->name); break;
		case WHAT_AT: *c = buf_cell(&v->at); break;
		case WHAT_FILE: *c = text_cell(v, entity->file); break;
		case WHAT_LINE:
			if (entity->line)
				*c = cell_number(entity->line);
			break;
		case WHAT_MODULE: *c = text_cell(v, entity->module); break;
		case WHAT_ADDRESS: *c = buf_cell(&v->address); break;
		case WHAT_STACK: *c = buf_cell(&v->chain); break;
		case WHAT_WAS: *c = buf_cell(&v->was); break;
		case WHAT_HINT: *c = buf_cell(&v->hint); break;
		default: *c = number_cell(v, row, &v->sources[k]); break;
		}
	}
}

/* Everything together, whatever the rows shown. */
static void compare_view_add_totals(struct compare_view *v)
{
	struct table_cell *c = arena_zalloc(&v->lines.arena, v->table.n_columns * sizeof *c);
	const char *all = text(v, "(all %zu)", v->rows.n);

	v->table.totals = c;
	v->table.n_totals = 1;
	for (size_t k = 0; k < v->table.n_columns; k++) {
		const struct source *s = &v->sources[k];
		struct compare_number base = compare_total(v->c, 0, s->sum);
		struct compare_number value = compare_total(v->c, s->group, s->sum);

		switch (s->what) {
		case WHAT_VALUE: c[k] = compare_cell(value); break;
		case WHAT_DELTA:
			c[k] = delta_cell(compare_cell(compare_difference(base, value)));
			break;
		case WHAT_PERCENT: c[k] = delta_cell(compare_percent(base, value)); break;
		case WHAT_NAME: c[k] = cell_text(all, strlen(all)); break;
		default: break;
		}
	}
}

static unsigned known_by_all(const struct compare *c, enum key by)
{
	unsigned known = 0;

	for (enum sum s = 0; s < SUMS; s++)
		known |= compare_knows(c, by, s) ? SUM_BIT(s) : 0;
	return known;
}

/* A capture may know real bytes, and its domain that is shown have none. */
static unsigned there_in_any(const struct compare *c, unsigned known)
{
	unsigned has = 0;

	for (size_t g = 0; g < c->n_groups; g++)
		for (size_t i = 0; i < c->groups[g].n; i++)
			has |= c->groups[g].runs[i]->all.has;
	return has & known ? has & known : known;
}

static unsigned valued_in_any(const struct compare *c)
{
	unsigned valued = 0;

	for (size_t g = 0; g < c->n_groups; g++)
		for (size_t i = 0; i < c->groups[g].n; i++)
			valued |= sums_valued(&c->groups[g].runs[i]->all);
	return valued;
}

static bool any_knows(const struct compare *c, enum key by, enum sum sum)
{
	bool any = false;

	for (size_t g = 0; g < c->n_groups; g++)
		for (size_t i = 0; i < c->groups[g].n; i++)
			any |= profile_knows(&c->groups[g].runs[i]->keys[by].known, sum);
	return any;
}

static enum status compare_view_choose_sort(struct compare_view *v, struct err *e)
{
	const struct compare *c = v->c;
	enum key by = v->options.by;
	int sort = v->options.sort;

	if (sort >= SORT_LIVE) {
		enum sum first = sort_family(sort);

		sort = (int)(compare_knows(c, by, first + 2) || !compare_knows(c, by, first + 1)
				 ? first + 2
				 : first + 1);
	}
	if (sort == SORT_AUTO)
		sort =
		    (int)sort_first_valued(there_in_any(c, known_by_all(c, by)), valued_in_any(c));
	v->sort = (enum sum)sort;
	if (!compare_holds(c, by))
		return err_set(e, ST_UNSUPPORTED, "an aggregate has no data by %s", key_words[by]);
	if (!compare_knows(c, by, v->sort))
		return err_set(e, ST_UNSUPPORTED, "%s has '%s' per %s",
			       any_knows(c, by, v->sort) ? "not every run" : "no run",
			       compare_title(c, v->sort), key_words[by]);
	if (c->normalize &&
	    (sum_is_signed(v->sort) || sum_is_mean(v->sort) || !compare_knows_total(c, v->sort)))
		return err_set(e, ST_UNSUPPORTED,
			       "'%s' cannot be normalized: its values do "
			       "not add up",
			       compare_title(c, v->sort));
	for (size_t g = 0; g < c->n_groups; g++)
		for (size_t i = 0; i < c->groups[g].n; i++)
			if (!(compare_divisor(c->groups[g].runs[i], c->per) > 0))
				return err_set(e, ST_UNSUPPORTED, "%s has no %s to divide by",
					       c->groups[g].names[i],
					       c->per == PER_FRAME ? "frames" : "times");
	return ST_OK;
}

static void note_factors(struct compare_view *v)
{
	const struct compare *c = v->c;
	size_t last = c->n_groups - 1;
	long double by;

	for (size_t g = 0; c->normalize && g < last; g++)
		if (compare_factor(c, g, v->sort, &by))
			VEC_PUSH(v->lines.items, v->lines.n, v->lines.cap) =
			    compare_total(c, g, v->sort).v
				? text(v,
				       "normalized: %s of %s is multiplied by %.4Lg, to the total "
				       "of %s",
				       compare_title(c, v->sort), c->groups[g].label, by,
				       c->groups[last].label)
				: text(v, "normalized: %s has no %s to multiply",
				       c->groups[g].label, compare_title(c, v->sort));
}

/* Rows that are there with +0: what differs has no column perhaps. */
static void note_otherwise(struct compare_view *v)
{
	if (v->n_otherwise)
		VEC_PUSH(v->lines.items, v->lines.n, v->lines.cap) =
		    text(v, "%zu %s changed by %s, not by %s: see --sort", v->n_otherwise,
			 v->n_otherwise == 1 ? "row has" : "rows have",
			 v->otherwise == SUMS ? "other metrics" : compare_title(v->c, v->otherwise),
			 compare_title(v->c, v->sort));
}

static void note_guesses(struct compare_view *v)
{
	size_t n = 0;

	for (size_t i = 0; i < v->rows.n; i++)
		n += v->rows.rows[i].guess;
	if (n)
		VEC_PUSH(v->lines.items, v->lines.n, v->lines.cap) =
		    text(v, "%zu %s matched by a guess: the column 'was' has %s in the base", n,
			 n == 1 ? "row is" : "rows are", n == 1 ? "its name" : "their names");
}

/* Of its rows' stacks, each from the root. */
static void compare_view_cut_stacks(struct compare_view *v)
{
	const struct profile_entities *t = v->c->entities;
	const struct profile_entity *items = t->keys[KEY_STACK].items;
	char note[STACK_CUT_NOTE];

	for (size_t i = 1; i < t->stacks.n; i++) {
		const struct profile_stack *node = &t->stacks.rows[i];
		size_t n;

		entities_text(t, t->keys[KEY_FUNCTION].items[node->location].name, &n);
		stack_cut_add(&v->cut, node->parent, 1, n);
	}
	for (size_t i = 0; i < v->table.n_rows; i++)
		stack_cut_show(&v->cut, items[v->rows.rows[v->shown[i].row].entity].node);
	if (stack_cut_choose(&v->cut)) {
		stack_cut_note(&v->cut, note);
		VEC_PUSH(v->lines.items, v->lines.n, v->lines.cap) = text(v, "%s", note);
	}
}

struct compare_view *compare_view_new(const struct compare *c, const struct compare_options *o,
				      struct err *e)
{
	struct compare_view *v = mem_zalloc(sizeof *v);
	const char *normalized = c->normalize ? ", normalized" : "";
	size_t of;

	v->c = c;
	v->options = *o;
	if (compare_view_choose_sort(v, e)) {
		free(v);
		return NULL;
	}
	compare_rows_init(&v->rows, c, o->by);
	v->table = (struct table){.name = "changes", .fill = compare_view_fill, .arg = v};
	compare_view_choose_rows(v);
	compare_view_add_columns(v);
	compare_view_add_totals(v);
	of = o->all ? v->rows.n : v->n_changed;
	v->table.title =
	    text(v, "%zu of %zu %s%s%s by %s%s: %s against %s", v->table.n_rows, of,
		 o->all ? "" : "changed ", key_counted(o->by, of),
		 o->all ? "" : text(v, " (of %zu)", v->rows.n), compare_title(c, v->sort),
		 normalized, c->groups[c->n_groups - 1].label, c->groups[0].label);
	if (!v->rows.n)
		v->table.empty = "none: neither side has such data, or the filters leave nothing";
	note_factors(v);
	note_otherwise(v);
	note_guesses(v);
	compare_notes(c, o->by, v->sort, &v->lines);
	if (o->by == KEY_STACK)
		compare_view_cut_stacks(v);
	v->table.notes = v->lines.items;
	v->table.n_notes = v->lines.n;
	compare_runs_init(&v->runs, c, v->sort);
	if (o->flame && compare_holds(c, KEY_STACK) && compare_knows(c, KEY_STACK, v->sort)) {
		compare_flame(c, v->sort, &v->flame);
		v->flame.title = text(v, "%s by stack%s: %s against %s", compare_title(c, v->sort),
				      normalized, v->flame.new_label, v->flame.base_label);
	}
	return v;
}

void compare_view_add(struct compare_view *v, struct table_document *d)
{
	document_table(d, &v->table);
	document_table(d, &v->runs.table);
	if (v->flame.n_nodes)
		document_flame(d, &v->flame);
}

void compare_view_free(struct compare_view *v)
{
	if (!v)
		return;
	compare_rows_release(&v->rows);
	flame_release(&v->flame);
	free(v->shown);
	free(v->columns);
	free(v->sources);
	free(v->lines.items);
	arena_release(&v->lines.arena);
	buf_release(&v->name);
	buf_release(&v->at);
	buf_release(&v->address);
	buf_release(&v->chain);
	stack_cut_release(&v->cut);
	buf_release(&v->was);
	buf_release(&v->hint);
	buf_release(&v->detail_text);
	free(v);
}
