/* SPDX-License-Identifier: MIT */
#include "lib/report/frames/detail.h"

#include "lib/base/mem.h"
#include "lib/base/sort.h"
#include "lib/base/text.h"
#include "lib/group/metric.h"
#include "lib/group/notes.h"
#include "lib/group/rank.h"
#include "lib/report/frames/report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DETAIL_CALLS = 128, DETAIL_COLUMNS = SUMS + 6 };

struct detail_row { /* a group of the first or second grouping; more: how many are not shown */
	uint32_t group, more;
	bool stack;
};

struct frames_detail {
	const struct grouped_profile *p;
	enum sum sort;
	struct table table;
	struct table_column columns[DETAIL_COLUMNS];
	unsigned sums[SUMS];
	size_t n_sums;
	struct detail_row *rows;
	size_t n, cap;
	struct table_cell totals[DETAIL_COLUMNS];
	struct buf text, chain;
	struct stack_cut cut;
	char note[STACK_CUT_NOTE];
	const char *notes[1 + SUMS];
	char limits[SUMS][64];
	const char *details[DETAIL_CALLS];
	char more[64];
};

void frames_detail_groupings(struct grouped_profile_options *o)
{
	o->by[0] = (struct grouping_key){.by = KEY_TYPE};
	o->by[1] = (struct grouping_key){.by = KEY_STACK, .within = 1};
	o->n_by = 2;
}

static int frames_detail_compare(const void *a, const void *b, void *arg)
{
	const struct ranking *r = arg;
	const struct grouping *g = &r->p->groupings[1];
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	if (g->groups[x].outer != g->groups[y].outer)
		return g->groups[x].outer < g->groups[y].outer ? -1 : 1;
	return rank_order(r, x, y);
}

/* Stacks by their type, each type's largest first: first[type] is where they begin. */
static uint32_t *sorted_stacks(const struct grouped_profile *p, enum sum sort, uint32_t **first)
{
	const struct grouping *g = &p->groupings[1];
	struct ranking r = {.p = p, .run = &p->now, .grouping = 1, .sum = sort};
	uint32_t *ids = mem_array(g->n + 1, sizeof *ids);
	size_t types = p->groupings[0].n;

	for (size_t i = 0; i < g->n; i++)
		ids[i] = (uint32_t)i;
	sort_array_by(ids, g->n, sizeof *ids, frames_detail_compare, &r);
	*first = mem_zarray(types + 1, sizeof **first);
	for (size_t i = 0; i < g->n; i++)
		(*first)[g->groups[ids[i]].outer + 1]++;
	for (size_t i = 0; i < types; i++)
		(*first)[i + 1] += (*first)[i];
	return ids;
}

static void frames_detail_add_rows(struct frames_detail *d, uint64_t n, uint64_t stacks)
{
	struct ranking r = {.p = d->p, .run = &d->p->now, .grouping = 0, .sum = d->sort};
	size_t types = n > SIZE_MAX ? 0 : (size_t)n;
	uint32_t *type = rank_groups(&r, &types), *first;
	uint32_t *ids = sorted_stacks(d->p, d->sort, &first);

	for (size_t i = 0; i < types; i++) {
		uint32_t have = first[type[i] + 1] - first[type[i]];
		uint32_t show = stacks && stacks < have ? (uint32_t)stacks : have;

		VEC_PUSH(d->rows, d->n, d->cap) =
		    (struct detail_row){.group = type[i], .more = have - show};
		for (uint32_t k = 0; k < show; k++)
			VEC_PUSH(d->rows, d->n, d->cap) =
			    (struct detail_row){.group = ids[first[type[i]] + k], .stack = true};
	}
	free(type);
	free(ids);
	free(first);
}

static void add_details(struct frames_detail *d, uint32_t stack, struct table_row *row)
{
	const struct grouped_profile *p = d->p;
	size_t offsets[DETAIL_CALLS], n = 0;

	d->text.len = 0;
	for (; stack; stack = p->stacks.rows[stack].parent) {
		const struct names_location *l =
		    &p->names.locations[p->stacks.rows[stack].location];

		for (uint32_t k = l->first; k < l->first + l->n_calls; k++, n++) {
			const struct names_call *c = &p->names.calls[k];
			size_t len;
			const char *s;

			if (n >= DETAIL_CALLS)
				continue;
			offsets[n] = d->text.len;
			s = names_text(&p->names, p->names.functions[c->function].display, &len);
			buf_add(&d->text, s, len);
			s = names_text(&p->names, c->file, &len);
			if (c->file && len) {
				buf_adds(&d->text, "  ");
				buf_add(&d->text, s, len);
				if (c->line)
					buf_addf(&d->text, ":%" PRIu32, c->line);
			}
			buf_addc(&d->text, '\0');
		}
	}
	row->n_details = n < DETAIL_CALLS ? n : DETAIL_CALLS;
	for (size_t i = 0; i < row->n_details; i++)
		d->details[i] = d->text.data + offsets[i];
	row->details = d->details;
	if (n > DETAIL_CALLS) {
		snprintf(d->more, sizeof d->more, "... %zu more call%s", n - DETAIL_CALLS,
			 plural_s(n - DETAIL_CALLS));
		row->more = d->more;
	}
}

static struct table_cell sum_cell(uint64_t v, enum sum s)
{
	return sum_is_signed(s) ? cell_signed((int64_t)v) : cell_number(v);
}

static void frames_detail_fill(void *arg, size_t i, struct table_row *row)
{
	struct frames_detail *d = arg;
	const struct grouped_profile *p = d->p;
	const struct detail_row *r = &d->rows[i];
	size_t grouping = r->stack, k = d->n_sums;
	const struct profile_columns *c = &p->now.keys[grouping].self;
	const struct group_row *g = &p->groupings[grouping].groups[r->group];
	struct group_name n;

	for (size_t m = 0; m < d->n_sums; m++)
		if (columns_has(c, r->group) >> d->sums[m] & 1)
			row->cells[m] =
			    sum_cell(columns_value(c, r->group, d->sums[m]), d->sums[m]);
	row->depth = r->stack;
	group_name(p, 0, r->stack ? g->outer : r->group, &n);
	row->cells[k] = cell_text(n.name, n.name_len);
	if (!r->stack) {
		row->cells[k + 1] = row->cells[k];
		if (r->more) {
			snprintf(d->more, sizeof d->more, "... %" PRIu32 " more stack%s", r->more,
				 plural_s(r->more));
			row->more = d->more;
		}
		return;
	}
	group_name(p, 1, r->group, &n);
	d->chain.len = 0;
	frames_stack_text(&d->chain, p, &d->cut, g->id);
	row->cells[k + 1] = cell_text(n.name, n.name_len);
	if (n.file_len)
		row->cells[k + 2] = cell_text(n.file, n.file_len);
	if (n.line)
		row->cells[k + 3] = cell_number(n.line);
	row->cells[k + 4] = cell_text(d->chain.data, d->chain.len);
	add_details(d, g->id, row);
}

static void frames_detail_add_columns(struct frames_detail *d)
{
	const struct profile *run = &d->p->now;
	struct table_column *c = d->columns;

	for (unsigned s = 0; s < SUMS; s++) {
		bool known =
		    profile_knows(&run->keys[0].known, s) || profile_knows(&run->keys[1].known, s);
		bool measured = SUMS_MEASURED >> s & 1 && s != SUM_TIME_MEAN;
		bool people = known && (SUMS_BASE >> s & 1 || measured || s == (unsigned)d->sort) &&
			      (s != SUM_ENTRIES || (!profile_knows(&run->known, SUM_COUNT) &&
						    !profile_knows(&run->known, SUM_CALLS)));

		if (!(SUMS_COLUMNS >> s & 1) && !(measured && known))
			continue;

		d->sums[d->n_sums++] = s;
		*c++ = (struct table_column){.key = metric_table[s].key,
					     .title = metric_table[s].title,
					     .type = frames_type(NULL, (int)s),
					     .flags = (people ? 0 : COLUMN_NOT_TEXT) |
						      (sum_is_signed(s) ? COLUMN_SIGNED : 0)};
		if (run->all.has >> s & 1)
			d->totals[d->n_sums - 1] = sum_cell(run->all.v[s], s);
	}
	d->totals[d->n_sums + 1] = cell_text("(all)", 5);
	*c++ = (struct table_column){.key = "type", .type = COLUMN_TEXT, .flags = COLUMN_NOT_TEXT};
	*c++ = (struct table_column){.key = "name",
				     .title = "type, site",
				     .type = COLUMN_TEXT,
				     .flags = COLUMN_TREE | COLUMN_SHORTEN};
	*c++ = (struct table_column){.key = "file", .type = COLUMN_TEXT, .flags = COLUMN_NOT_TEXT};
	*c++ = (struct table_column){.key = "line", .type = COLUMN_INT, .flags = COLUMN_NOT_TEXT};
	*c++ = (struct table_column){.key = "stack", .type = COLUMN_TEXT, .flags = COLUMN_NOT_TEXT};
	d->table.n_columns = (size_t)(c - d->columns);
}

/* Of its rows' stacks, each from the root. */
static void frames_detail_cut_stacks(struct frames_detail *d)
{
	chain_cut_init(&d->cut, d->p);
	for (size_t i = 0; i < d->n; i++)
		if (d->rows[i].stack)
			stack_cut_show(&d->cut, d->p->groupings[1].groups[d->rows[i].group].id);
	if (stack_cut_choose(&d->cut)) {
		stack_cut_note(&d->cut, d->note);
		d->notes[d->table.n_notes++] = d->note;
		d->table.notes = d->notes;
	}
}

static void frames_detail_note_limits(struct frames_detail *d)
{
	const struct profile *run = &d->p->now;

	for (unsigned s = 0; s < SUMS; s++)
		if (sum_is_full(s, run->unfiltered.v[s]) || sum_is_full(s, run->all.v[s])) {
			snprintf(d->limits[s], sizeof d->limits[s],
				 "%s: more than 64 bits can hold", metric_table[s].title);
			d->notes[d->table.n_notes++] = d->limits[s];
			d->table.notes = d->notes;
		}
}

struct frames_detail *frames_detail_new(const struct grouped_profile *p, int sort, uint64_t n,
					uint64_t stacks, const char *title, struct err *e)
{
	const struct profile_known *known = &p->now.keys[0].known;
	struct frames_detail *d;

	if (sort == FRAMES_AUTO)
		sort = (int)sort_first(known_sums(known));
	if (sort == FRAME_DURATION || (p->now.captures && !profile_knows(known, (enum sum)sort))) {
		err_set(e, ST_UNSUPPORTED, "the captures do not say '%s' per type",
			frame_metric_word(sort));
		return NULL;
	}
	d = mem_zalloc(sizeof *d);
	d->p = p;
	d->sort = (enum sum)sort;
	frames_detail_add_rows(d, n, stacks);
	d->table = (struct table){.name = "types",
				  .title = title,
				  .flags = TABLE_TREE,
				  .columns = d->columns,
				  .n_rows = d->n,
				  .fill = frames_detail_fill,
				  .empty = group_nothing(p),
				  .arg = d};
	frames_detail_add_columns(d);
	d->table.totals = d->totals;
	d->table.n_totals = 1;
	frames_detail_cut_stacks(d);
	frames_detail_note_limits(d);
	return d;
}

void frames_detail_free(struct frames_detail *d)
{
	if (!d)
		return;
	free(d->rows);
	buf_release(&d->text);
	buf_release(&d->chain);
	stack_cut_release(&d->cut);
	free(d);
}

const struct table *frames_detail_table(const struct frames_detail *d)
{
	return &d->table;
}
