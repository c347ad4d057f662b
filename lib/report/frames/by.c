/* SPDX-License-Identifier: MIT */
#include "lib/report/frames/by.h"

#include "lib/group/chain.h"
#include "lib/group/metric.h"
#include "lib/group/rank.h"
#include "lib/report/frames/groups.h"
#include "lib/report/frames/report.h"

#include <string.h>

enum { BY_CAPTURE, BY_FRAME, BY_NAME, BY_START, BY_DURATION, BY_SUMS };
/* SUM_BITs. A mean and a total of calls belong to no single frame. */
enum {
	BY_COLUMNS =
	    (SUMS_COLUMNS | SUMS_MEASURED) & ~((SUMS_OF_MOMENTS & SUMS_TIME) | 1 << SUM_PERIOD)
};
enum { BY_KEY = BY_SUMS + __builtin_popcount(BY_COLUMNS), BY_FILE, BY_LINE, BY_MODULE, BY_STACK };

static void frames_by_add_columns(struct frames_by *f)
{
	enum key by = f->options.project.by[0].by;
	struct table_column *c = f->columns;

	c[BY_CAPTURE] = (struct table_column){.key = "capture", .type = COLUMN_INT};
	c[BY_FRAME] = (struct table_column){.key = "frame", .type = COLUMN_INT};
	c[BY_NAME] = (struct table_column){.key = "name", .type = COLUMN_TEXT};
	c[BY_START] = (struct table_column){.key = "start_ns", .type = COLUMN_TIME};
	c[BY_DURATION] = (struct table_column){.key = "duration_ns", .type = COLUMN_TIME};
	for (unsigned s = 0, i = BY_SUMS; s < SUMS; s++)
		if (BY_COLUMNS >> s & 1)
			c[i++] = (struct table_column){.key = metric_table[s].key,
						       .type = frames_type(NULL, (int)s)};
	c[BY_KEY] = (struct table_column){.key = by == KEY_STACK   ? "site"
						 : by == KEY_FRAME ? "group"
								   : key_words[by],
					  .type = COLUMN_TEXT};
	f->table.n_columns = BY_KEY + 1;
	if (by == KEY_SITE || by == KEY_STACK || by == KEY_LOCATION || by == KEY_FUNCTION) {
		c[BY_FILE] = (struct table_column){.key = "file", .type = COLUMN_TEXT};
		c[BY_LINE] = (struct table_column){.key = "line", .type = COLUMN_INT};
		c[BY_MODULE] = (struct table_column){.key = "module", .type = COLUMN_TEXT};
		f->table.n_columns = BY_MODULE + 1;
	}
	if (by == KEY_STACK) {
		c[BY_STACK] = (struct table_column){.key = "stack", .type = COLUMN_TEXT};
		f->table.n_columns = BY_STACK + 1;
	}
	for (size_t i = 0; i < f->table.n_columns; i++)
		c[i].title = c[i].key;
	f->table.name = "frames";
	f->table.columns = c;
}

static void frames_by_group_cells(struct frames_by *f, uint32_t group, struct table_cell *cells)
{
	const struct grouped_profile *p = &f->project;
	struct group_name n;

	group_name(p, 0, group, &n);
	cells[BY_KEY] = cell_text(n.name, n.name_len);
	if (n.file_len)
		cells[BY_FILE] = cell_text(n.file, n.file_len);
	if (n.line)
		cells[BY_LINE] = cell_number(n.line);
	if (n.module_len)
		cells[BY_MODULE] = cell_text(n.module, n.module_len);
	if (p->groupings[0].key.by == KEY_STACK) {
		uint32_t stack = p->groupings[0].groups[group].id;

		f->chain.len = 0;
		chain_cut_more(&f->cut, p);
		stack_cut_next(&f->cut, stack);
		frames_stack_text(&f->chain, p, &f->cut, stack);
		cells[BY_STACK] = cell_text(f->chain.data, f->chain.len);
	}
}

/* The automatic choice stays what it is from the first slice on that has a value. */
static enum sum sort_by(struct frames_by *f, const uint8_t state[SUMS])
{
	unsigned known = 0, valued = 0;

	for (unsigned s = 0; s < SUMS; s++)
		known |= state[s] != METRIC_ABSENT ? SUM_BIT(s) : 0;
	for (size_t i = 0; i < f->groups->n; i++)
		valued |= sums_valued(&f->groups->sums[i]) & known;
	if (f->options.sort == FRAMES_AUTO && sort_first(valued) != SUM_ENTRIES)
		f->options.sort = (int)sort_first(valued);
	return f->options.sort != FRAMES_AUTO ? (enum sum)f->options.sort : sort_first(known);
}

static enum status frames_by_sliced(void *arg, struct trace *t, const struct tally_slice *s,
				    struct err *e)
{
	struct frames_by *f = arg;
	struct frame_groups *g = f->groups;
	uint8_t state[SUMS];
	size_t len;
	const char *name = intern_text(&t->strings, s->name, &len);
	enum status st = ST_OK;

	tally_states(&f->project.tally, t, DOMAINS, state);
	frame_groups_fill(g, &f->project, t, s, 0);
	frame_groups_sort(g, sort_by(f, state));
	for (size_t i = 0; !st && i < g->n && (!f->options.n || i < f->options.n); i++) {
		struct table_cell cells[FRAMES_BY_COLUMNS] = {0};
		struct table_row row = {.cells = cells};
		const struct tally_sums *sums = &g->sums[i];

		cells[BY_CAPTURE] = cell_number(f->project.now.captures + 1);
		if (s->kind != SLICE_BEFORE)
			cells[BY_FRAME] = cell_signed(s->number);
		if (s->name)
			cells[BY_NAME] = cell_text(name, len);
		if (s->has_start)
			cells[BY_START] = cell_signed(s->start);
		if (s->has_duration)
			cells[BY_DURATION] = cell_number((uint64_t)s->duration);
		for (unsigned k = 0, c = BY_SUMS; k < SUMS; c += BY_COLUMNS >> k & 1, k++)
			if ((BY_COLUMNS & sums->has) >> k & 1 && state[k] != METRIC_ABSENT)
				cells[c] = sum_is_signed(k) ? cell_signed((int64_t)sums->v[k])
							    : cell_number(sums->v[k]);
		frames_by_group_cells(f, g->ids[i], cells);
		st = f->options.row(f->options.arg, &row, e);
	}
	return st;
}

static void frames_by_captured(void *arg, struct trace *t)
{
	const struct frames_by *f = arg;

	if (f->options.project.captured)
		f->options.project.captured(f->options.project.arg, t);
}

void frames_by_init(struct frames_by *f, const struct frames_by_options *o)
{
	struct grouped_profile_options p = o->project;

	*f = (struct frames_by){.options = *o, .groups = frame_groups_new()};
	p.slicing = o->every ? SLICE_TIMES : SLICE_FRAMES;
	p.every = o->every;
	p.slice_cells = true;
	p.collapse = frames_together(p.by[0].by);
	p.sliced = frames_by_sliced;
	p.captured = frames_by_captured;
	p.arg = f;
	frames_by_add_columns(f);
	grouped_profile_init(&f->project, &p);
}

void frames_by_release(struct frames_by *f)
{
	grouped_profile_release(&f->project);
	frame_groups_free(f->groups);
	buf_release(&f->chain);
	stack_cut_release(&f->cut);
	*f = (struct frames_by){.groups = NULL};
}
