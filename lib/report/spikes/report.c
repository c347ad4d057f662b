/* SPDX-License-Identifier: MIT */
#include "lib/report/spikes/report.h"

#include "lib/base/mem.h"
#include "lib/base/sort.h"
#include "lib/base/text.h"
#include "lib/group/notes.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const spikes_sort_words[] = {"worst", "count", "sum", "p95", NULL};

static const char others[] = "[others]";

/* --- cells that both tables have --- */

static struct table_cell string_cell(const struct spikes_report *r, uint32_t string)
{
	size_t n;
	const char *s = names_text(&r->g->functions->names, string, &n);

	return string && n ? cell_text(s, n) : (struct table_cell){.present = false};
}

static struct table_cell owner_cell(const struct spikes_report *r, uint32_t rank)
{
	const char *name = owners_name(r->s->options.owners, rank);

	if (!r->s->options.owners)
		return (struct table_cell){.present = false};
	return cell_text(name, strlen(name));
}

/* Outermost first, with ';' between. */
static struct table_cell spikes_report_stack_cell(struct spikes_report *r,
						  const struct spike_group *group)
{
	const struct spike_groups *g = r->g;
	uint32_t *path = NULL, outer = 0;
	uint64_t left = 0;
	uint32_t at = stack_cut_at(&r->cut, group->node, &outer, &left);
	size_t depth = 0, cap = 0;

	for (uint32_t i = group->node; i; i = i == at ? outer : g->nodes[i].parent)
		VEC_PUSH(path, depth, cap) = i;
	r->chain.len = 0;
	while (depth) {
		uint32_t node = path[--depth];
		size_t n;
		const char *s = spike_function_name(g->functions, g->nodes[node].function, &n);

		if (node == at)
			buf_addf(&r->chain, "%s[%" PRIu64 " call%s left out]",
				 r->chain.len ? ";" : "", left, plural_s(left));
		if (r->chain.len)
			buf_addc(&r->chain, ';');
		buf_add(&r->chain, s, n);
	}
	free(path);
	return r->chain.len ? cell_text(r->chain.data, r->chain.len)
			    : (struct table_cell){.present = false};
}

/* function, file, line, module, stack */
enum { PLACE_CELLS = 5 };

static void place_cells(struct spikes_report *r, const struct spike_group *group,
			struct table_cell *c)
{
	uint32_t function = spike_group_function(r->g, group);
	const struct spike_function *f = &r->g->functions->items[function];
	size_t n;
	const char *name = spike_function_name(r->g->functions, function, &n);

	if (!group->node) {
		c[0] = cell_text(others, sizeof others - 1);
		return;
	}
	c[0] = cell_text(name, n);
	c[1] = string_cell(r, f->file);
	if (f->line)
		c[2] = cell_number(f->line);
	c[3] = string_cell(r, f->module);
	c[4] = spikes_report_stack_cell(r, group);
}

static struct table_column *add_places(struct table_column *c)
{
	static const char *const keys[] = {"file", "line", "module", "stack"};

	*c++ = (struct table_column){
	    .key = "function", .title = "function", .type = COLUMN_TEXT, .flags = COLUMN_SHORTEN};
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		*c++ = (struct table_column){.key = keys[i],
					     .type = i == 1 ? COLUMN_INT : COLUMN_TEXT,
					     .flags = COLUMN_NOT_TEXT};
	return c;
}

static struct table_column column(const char *key, const char *title, enum column_type type,
				  bool people)
{
	return (struct table_column){
	    .key = key, .title = title, .type = type, .flags = people ? 0 : COLUMN_NOT_TEXT};
}

/* Lines beneath a row, of r->text, which holds them with NULs between. */
static void set_lines(struct spikes_report *r, struct table_row *row)
{
	const char *p = buf_at(&r->text, 0), *end = p + r->text.len;
	size_t n = 0, all = 0;

	for (; p < end; p += strlen(p) + 1, all++)
		if (n < SPIKES_LINES)
			r->lines[n++] = p;
	row->details = r->lines;
	row->n_details = n;
	if (all > n) {
		snprintf(r->more, sizeof r->more, "... %zu more line%s", all - n,
			 plural_s(all - n));
		row->more = r->more;
	}
}

static void add_texts(struct spikes_report *r, const char *text)
{
	for (; text && *text; text += strcspn(text, "\n"), text += *text == '\n') {
		buf_add(&r->text, text, strcspn(text, "\n"));
		buf_addc(&r->text, '\0');
	}
}

static void spikes_report_add_stack_lines(struct spikes_report *r, const struct spike_group *group)
{
	const struct spike_functions *fs = r->g->functions;
	uint32_t path[SPIKES_LINES - 8];
	size_t depth = r->g->nodes[group->node].depth, n = 0;

	for (uint32_t i = group->node; i && n < sizeof path / sizeof *path;
	     i = r->g->nodes[i].parent)
		path[n++] = r->g->nodes[i].function;
	if (depth > n || group->cut) {
		buf_addf(&r->text, "(%zu%s outer calls)", depth - n, group->cut ? " and more" : "");
		buf_addc(&r->text, '\0');
	}
	while (n) {
		const struct spike_function *f = &fs->items[path[--n]];
		size_t len;
		const char *s = names_text(&fs->names, f->name, &len);

		buf_addf(&r->text, "%zu) ", depth - 1 - n);
		buf_add(&r->text, s, len);
		s = names_text(&fs->names, f->file, &len);
		if (f->file && len) {
			buf_adds(&r->text, "  ");
			buf_add(&r->text, s, len);
			if (f->line)
				buf_addf(&r->text, ":%" PRIu32, f->line);
		}
		buf_addc(&r->text, '\0');
	}
}

/* --- spikes that are alike --- */

static void spikes_report_fill_spikes(void *arg, size_t i, struct table_row *row)
{
	struct spikes_report *r = arg;
	const struct spike_group *group = &r->g->items[r->order[i]];
	struct table_cell *c = row->cells;

	*c++ = cell_number(group->n);
	if (group->totals.n) {
		c[0] = cell_number(group->totals.max);
		c[1] = cell_number(quantiles_at(&group->totals, 95));
		c[2] = cell_number(quantiles_at(&group->totals, 50));
		c[3] = cell_number(group->sum);
	}
	c += 4;
	if (group->worst.has_self)
		*c = cell_number(group->worst.self);
	c++;
	if (!group->worst.unmeasured)
		*c = cell_number(group->worst.limit);
	c++;
	if (group->worst.has_frame)
		*c = cell_signed(group->worst.frame);
	c++;
	if (group->worst.has_time)
		*c = cell_signed(group->worst.time);
	c++;
	*c++ = string_cell(r, group->thread);
	*c++ = owner_cell(r, group->owner);
	place_cells(r, group, c);
	if (r->s->waits)
		c[PLACE_CELLS] = cell_number(group->worst.waited);
	r->text.len = 0;
	spikes_report_add_stack_lines(r, group);
	add_texts(r, group->worst.text);
	set_lines(r, row);
}

/* Whether a percentile of any row is not the value of its rank. */
static bool has_estimates(const struct spikes_report *r, unsigned percent)
{
	for (size_t i = 0; i < r->spikes.n_rows; i++)
		if (!quantiles_is_exact(&r->g->items[r->order[i]].totals, percent))
			return true;
	return false;
}

static void add_spikes_columns(struct spikes_report *r)
{
	struct table_column *c = r->spikes_columns;

	*c++ = column("count", "count", COLUMN_INT, true);
	*c++ = column("worst_ns", "worst", COLUMN_TIME, true);
	*c++ = column("p95_ns", has_estimates(r, 95) ? "p95 ~" : "p95", COLUMN_TIME, true);
	*c++ =
	    column("median_ns", has_estimates(r, 50) ? "median ~" : "median", COLUMN_TIME, false);
	*c++ = column("sum_ns", "sum", COLUMN_TIME, true);
	*c++ = column("self_ns", "worst self", COLUMN_TIME, true);
	*c++ = column("limit_ns", "limit", COLUMN_TIME, true);
	*c++ = column("frame", "frame", COLUMN_INT, r->s->frames > 0);
	*c++ = column("start_ns", NULL, COLUMN_TIME, false);
	*c++ = column("thread", "thread", COLUMN_TEXT, true);
	*c++ = column("owner", "owner", COLUMN_TEXT, r->s->options.owners != NULL);
	c = add_places(c);
	*c++ = column("waiting_ns", "waiting", COLUMN_TIME, r->s->waits);
	r->spikes.n_columns = (size_t)(c - r->spikes_columns);
}

static uint64_t value(const struct spike_group *group, enum spikes_sort sort)
{
	switch (sort) {
	case SPIKES_BY_COUNT: return group->n;
	case SPIKES_BY_SUM: return group->sum;
	case SPIKES_BY_P95: return quantiles_at(&group->totals, 95);
	default: return group->totals.max;
	}
}

struct sorting {
	const struct spike_groups *g;
	enum spikes_sort sort;
};

static int spikes_report_compare_groups(const void *a, const void *b, void *arg)
{
	const struct sorting *by = arg;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	uint64_t v = value(&by->g->items[x], by->sort), w = value(&by->g->items[y], by->sort);

	if (v != w)
		return v > w ? -1 : 1;
	return x < y ? -1 : x > y;
}

static const char *line(struct spikes_report *r, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

static const char *line(struct spikes_report *r, const char *fmt, ...)
{
	char text[512];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	return arena_strndup(&r->arena, text, n < (int)sizeof text ? (size_t)n : sizeof text - 1);
}

static const char *spikes_none(const struct spikes *s)
{
	const struct tally_selection *of = s->options.selection;

	return s->calls ? "none: no call that was judged took longer than it may"
			: nothing_left(filters_any(s->options.filters), of && !selection_all(of));
}

static void spikes_report_add_spikes(struct spikes_report *r, enum spikes_sort sort, uint64_t n)
{
	struct sorting by = {r->g, sort};
	size_t k = 0;

	r->order = mem_array(r->g->n, sizeof *r->order);
	for (size_t i = 0; i < r->g->n; i++)
		if (r->g->items[i].n)
			r->order[k++] = (uint32_t)i;
	sort_array_by(r->order, k, sizeof *r->order, spikes_report_compare_groups, &by);
	r->spikes = (struct table){.name = "spikes",
				   .columns = r->spikes_columns,
				   .n_rows = n && n < k ? (size_t)n : k,
				   .fill = spikes_report_fill_spikes,
				   .empty = spikes_none(r->s),
				   .arg = r,
				   .notes = r->notes};
	r->spikes.title =
	    line(r, "%" PRIu64 " spike%s in %zu stack%s%s%s%s", r->g->spikes,
		 plural_s(r->g->spikes), k, plural_s(k), sort ? ", by " : "",
		 sort    ? spikes_sort_words[sort]
		 : k > 1 ? ", worst first"
			 : "",
		 r->spikes.n_rows < k ? line(r, ", %zu shown", r->spikes.n_rows) : "");
	add_spikes_columns(r);
}

/* --- the worst, one by one --- */

static void spikes_report_fill_worst(void *arg, size_t i, struct table_row *row)
{
	struct spikes_report *r = arg;
	const struct spike_one *one = &r->g->worst[i];
	const struct spike_group *group = &r->g->items[one->group];
	struct table_cell *c = row->cells;

	if (!one->unmeasured)
		*c = cell_number(one->total);
	c++;
	if (one->has_self)
		*c = cell_number(one->self);
	c++;
	if (!one->unmeasured)
		*c = cell_number(one->limit);
	c++;
	if (one->peak)
		*c = cell_text("PEAK", 4);
	c++;
	*c++ = cell_number(one->calls);
	*c++ = cell_number(one->capture);
	if (one->has_frame)
		*c = cell_signed(one->frame);
	c++;
	if (one->has_time)
		*c = cell_signed(one->time);
	c++;
	*c++ = string_cell(r, group->thread);
	*c++ = owner_cell(r, group->owner);
	place_cells(r, group, c);
	if (one->text)
		c[PLACE_CELLS] = cell_text(one->text, strlen(one->text));
	if (r->s->waits)
		c[PLACE_CELLS + 1] = cell_number(one->waited);
	r->text.len = 0;
	add_texts(r, one->text);
	set_lines(r, row);
}

static void spikes_report_add_worst(struct spikes_report *r)
{
	struct table_column *c = r->worst_columns;
	bool merged = r->s->merged, times = false;

	for (size_t i = 0; i < r->g->n_worst; i++)
		times |= r->g->worst[i].has_time;
	*c++ = column("total_ns", "total", COLUMN_TIME, true);
	*c++ = column("self_ns", "self", COLUMN_TIME, true);
	*c++ = column("limit_ns", "limit", COLUMN_TIME, true);
	*c++ = (struct table_column){"peak", "new peak", COLUMN_TEXT, COLUMN_PROSE, 0};
	*c++ = column("calls", "mean of", COLUMN_INT, merged);
	*c++ = column("capture", "capture", COLUMN_INT, r->s->captures > 1);
	*c++ = column("frame", "frame", COLUMN_INT, r->s->frames > 0);
	*c++ = column("start_ns", "start", COLUMN_TIME, times);
	*c++ = column("thread", "thread", COLUMN_TEXT, true);
	*c++ = column("owner", "owner", COLUMN_TEXT, r->s->options.owners != NULL);
	c = add_places(c);
	*c++ = column("text", NULL, COLUMN_TEXT, false);
	*c++ = column("waiting_ns", "waiting", COLUMN_TIME, r->s->waits);
	r->worst = (struct table){.name = "worst",
				  .columns = r->worst_columns,
				  .n_columns = (size_t)(c - r->worst_columns),
				  .n_rows = r->g->n_worst,
				  .fill = spikes_report_fill_worst,
				  .empty = spikes_none(r->s),
				  .arg = r};
	r->worst.title = line(r, "the worst %zu of %" PRIu64 " spike%s", r->g->n_worst,
			      r->g->spikes, plural_s(r->g->spikes));
}

/* --- by owner --- */

static void spikes_report_fill_owners(void *arg, size_t i, struct table_row *row)
{
	struct spikes_report *r = arg;
	const struct spikes_owner *o = &r->owner_rows[i];
	const struct spike_group *group = &r->g->items[o->worst_group];
	struct table_cell *c = row->cells;
	size_t shown = 0, all = 0;

	*c++ = cell_text(o->name, strlen(o->name));
	*c++ = cell_number(o->spikes);
	*c++ = cell_number(o->groups);
	if (o->measured) {
		c[0] = cell_number(o->worst);
		c[1] = cell_number(o->sum);
	}
	c += 2;
	place_cells(r, group, c);
	r->text.len = 0;
	for (size_t k = 0; k < r->spikes.n_rows; k++) {
		const struct spike_group *one = &r->g->items[r->order[k]];
		size_t n;
		const char *name;

		if (strcmp(owners_name(r->s->options.owners, one->owner), o->name) != 0)
			continue;
		all++;
		if (shown == 10)
			continue;
		shown++;
		name = spike_function_name(r->g->functions, spike_group_function(r->g, one), &n);
		if (one->totals.n)
			time_text(&r->text, one->totals.max);
		buf_addf(&r->text, "  %" PRIu64 " x  ", one->n);
		buf_add(&r->text, one->node ? name : others, one->node ? n : sizeof others - 1);
		buf_addc(&r->text, '\0');
	}
	set_lines(r, row);
	if (all > shown) {
		snprintf(r->more, sizeof r->more, "... %zu more stack%s", all - shown,
			 plural_s(all - shown));
		row->more = r->more;
	}
}

static int spikes_report_compare_owners(const void *a, const void *b)
{
	const struct spikes_owner *x = a, *y = b;

	if (x->sum != y->sum)
		return x->sum > y->sum ? -1 : 1;
	return strcmp(x->name, y->name);
}

static void spikes_report_add_owners(struct spikes_report *r)
{
	struct table_column *c = r->owners_columns;

	for (size_t i = 0; i < r->g->n; i++) {
		const struct spike_group *group = &r->g->items[i];
		const char *name = owners_name(r->s->options.owners, group->owner);
		struct spikes_owner *o;
		size_t k = 0;

		if (!group->n)
			continue;
		while (k < r->n_owners && strcmp(r->owner_rows[k].name, name) != 0)
			k++;
		if (k == r->n_owners)
			VEC_PUSH(r->owner_rows, r->n_owners, r->cap_owners) =
			    (struct spikes_owner){.name = name};
		o = &r->owner_rows[k];
		o->spikes += group->n;
		o->groups++;
		o->sum += group->sum;
		o->measured |= group->totals.n > 0;
		if (group->totals.max > o->worst || o->groups == 1) {
			o->worst = group->totals.max;
			o->worst_group = (uint32_t)i;
		}
	}
	if (r->n_owners)
		sort_array(r->owner_rows, r->n_owners, sizeof *r->owner_rows,
			   spikes_report_compare_owners);
	*c++ = column("owner", "owner", COLUMN_TEXT, true);
	*c++ = column("count", "spikes", COLUMN_INT, true);
	*c++ = column("stacks", "stacks", COLUMN_INT, true);
	*c++ = column("worst_ns", "worst", COLUMN_TIME, true);
	*c++ = column("sum_ns", "sum", COLUMN_TIME, true);
	c = add_places(c);
	r->owners = (struct table){.name = "owners",
				   .title = "whose they are",
				   .columns = r->owners_columns,
				   .n_columns = (size_t)(c - r->owners_columns),
				   .n_rows = r->n_owners,
				   .fill = spikes_report_fill_owners,
				   .arg = r};
}

static void spikes_report_add_notes(struct spikes_report *r)
{
	const struct spikes *s = r->s;

	r->notes[r->n_notes++] =
	    line(r, "%" PRIu64 " of %" PRIu64 " call%s took longer than the limit", s->found,
		 s->calls, plural_s(s->calls));
	if (!s->calls)
		r->notes[r->n_notes++] =
		    "the captures have no calls with times; to record them, build with "
		    "-finstrument-functions and run tm-record --calls all";
	if (s->options.hook_cost)
		r->notes[r->n_notes++] = "times are estimated: without --hook-cost for each call "
					 "below";
	if (s->unmeasured)
		r->notes[r->n_notes++] =
		    line(r,
			 "%" PRIu64
			 " spikes were logged without a time: how long they took is not known",
			 s->unmeasured);
	if (s->filtered)
		r->notes[r->n_notes++] = line(r, "filters leave out %" PRIu64 " spike%s",
					      s->filtered, plural_s(s->filtered));
	if (r->g->items[0].n)
		r->notes[r->n_notes++] = line(
		    r,
		    "[others]: %" PRIu64 " spike%s of further stacks, which are too many to list",
		    r->g->items[0].n, plural_s(r->g->items[0].n));
	if (has_estimates(r, 95))
		r->notes[r->n_notes++] = "p95 and median are estimated (~): at most 0.8 % off";
	r->spikes.n_notes = r->n_notes;
}

/* Of the rows of its tables, each from the root. */
static void spikes_report_cut_stacks(struct spikes_report *r)
{
	const struct spike_groups *g = r->g;
	char text[STACK_CUT_NOTE];

	for (size_t i = 1; i < g->n_nodes; i++) {
		size_t n;

		spike_function_name(g->functions, g->nodes[i].function, &n);
		stack_cut_add(&r->cut, g->nodes[i].parent, 1, n);
	}
	for (size_t i = 0; i < r->spikes.n_rows; i++)
		stack_cut_show(&r->cut, g->items[r->order[i]].node);
	for (size_t i = 0; i < g->n_worst; i++)
		stack_cut_show(&r->cut, g->items[g->worst[i].group].node);
	for (size_t i = 0; i < r->n_owners; i++)
		stack_cut_show(&r->cut, g->items[r->owner_rows[i].worst_group].node);
	if (stack_cut_choose(&r->cut)) {
		stack_cut_note(&r->cut, text);
		r->notes[r->n_notes++] = line(r, "%s", text);
		r->spikes.n_notes = r->n_notes;
	}
}

struct spikes_report *spikes_report_new(const struct spikes *s, struct spike_groups *g,
					enum spikes_sort sort, uint64_t n)
{
	struct spikes_report *r = mem_zalloc(sizeof *r);

	r->s = s;
	r->g = g;
	spike_groups_sort(g);
	spikes_report_add_spikes(r, sort, n);
	spikes_report_add_worst(r);
	if (s->options.owners)
		spikes_report_add_owners(r);
	spikes_report_add_notes(r);
	spikes_report_cut_stacks(r);
	return r;
}

void spikes_report_free(struct spikes_report *r)
{
	if (!r)
		return;
	free(r->order);
	free(r->owner_rows);
	buf_release(&r->text);
	buf_release(&r->chain);
	stack_cut_release(&r->cut);
	arena_release(&r->arena);
	free(r);
}

void spikes_report_add(const struct spikes_report *r, struct table_document *d)
{
	document_table(d, &r->spikes);
	document_table(d, &r->worst);
	if (r->s->options.owners)
		document_table(d, &r->owners);
}
