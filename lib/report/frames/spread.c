/* SPDX-License-Identifier: MIT */
#include "lib/report/frames/spread.h"

#include "lib/base/mem.h"
#include "lib/base/sort.h"
#include "lib/group/chain.h"
#include "lib/group/metric.h"
#include "lib/group/notes.h"
#include "lib/group/rank.h"
#include "lib/report/frames/groups.h"
#include "lib/report/frames/report.h"
#include "lib/stats/quantiles.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	SPREAD_NAME,
	SPREAD_FRAMES,
	SPREAD_TOTAL,
	SPREAD_MEAN,
	SPREAD_MIN,
	SPREAD_MIN_CAPTURE,
	SPREAD_MIN_FRAME,
	SPREAD_LOWER,
	SPREAD_MEDIAN,
	SPREAD_UPPER,
	SPREAD_MAX,
	SPREAD_MAX_CAPTURE,
	SPREAD_MAX_FRAME,
	SPREAD_AT, /* for people; this and what follows: of what has a place */
	SPREAD_FILE,
	SPREAD_LINE,
	SPREAD_MODULE,
	SPREAD_COLUMNS
};

struct spread_frame { /* the first that has a value */
	uint64_t capture;
	int64_t number;
};

struct spread_group { /* zeroed: no frame has it */
	struct quantiles values;
	struct spread_frame min, max;
	uint64_t total;
};

struct frames_spread {
	struct grouped_profile project;
	struct frames_spread_options options;
	struct frame_groups *groups; /* of the present slice */
	struct spread_group *of;     /* by group */
	size_t cap_of;
	uint64_t frames, captures;
	int metric; /* FRAMES_AUTO: none had a value yet */
	struct table table;
	struct table_column columns[SPREAD_COLUMNS];
	uint32_t *ranked;
	struct buf at;
	char title[160];
	const char *notes[1];
};

bool spread_measures(int metric)
{
	return metric < (int)SUMS && !((SUMS_LIVE | SUMS_PEAK) >> metric & 1) &&
	       !frames_signed(metric);
}

static void spread_add(struct spread_group *g, uint64_t v, struct spread_frame frame)
{
	if (!g->values.n || v < g->values.min)
		g->min = frame;
	if (!g->values.n || v > g->values.max)
		g->max = frame;
	quantiles_add(&g->values, v);
	g->total = add_saturating(g->total, v);
}

/* The automatic choice is made once, where something has a value. Time has its first behind the call. */
static int spread_metric(const struct frames_spread *s)
{
	unsigned valued = 0;

	if (s->metric != FRAMES_AUTO)
		return s->metric;
	for (size_t i = 0; i < s->groups->n; i++)
		valued |= sums_valued(&s->groups->sums[i]) |
			  (s->groups->sums[i].has & SUM_BIT(SUM_TIME_SELF));
	for (unsigned m = 0; m < SUMS; m++)
		if (!spread_measures((int)m))
			valued &= ~SUM_BIT(m);
	return valued ? (int)sort_first(valued) : FRAMES_AUTO;
}

static enum status spread_sliced(void *arg, struct trace *t, const struct tally_slice *slice,
				 struct err *e)
{
	struct frames_spread *s = arg;
	struct frame_groups *g = s->groups;
	struct spread_frame frame = {s->captures + 1, slice->number};

	(void)e;
	frame_groups_fill(g, &s->project, t, slice, 0);
	if (slice->kind == SLICE_BEFORE)
		return ST_OK;
	s->frames++;
	s->metric = spread_metric(s);
	for (size_t i = 0; i < g->n && s->metric != FRAMES_AUTO; i++) {
		if (!(g->sums[i].has >> s->metric & 1) || !g->sums[i].v[s->metric])
			continue;
		s->of = mem_grow_zero(s->of, &s->cap_of, (size_t)g->ids[i] + 1, sizeof *s->of);
		spread_add(&s->of[g->ids[i]], g->sums[i].v[s->metric], frame);
	}
	return ST_OK;
}

static void spread_captured(void *arg, struct trace *t)
{
	struct frames_spread *s = arg;

	s->captures++;
	if (s->options.project.captured)
		s->options.project.captured(s->options.project.arg, t);
}

struct frames_spread *spread_new(const struct frames_spread_options *o)
{
	struct frames_spread *s = mem_zalloc(sizeof *s);
	struct grouped_profile_options p = o->project;

	s->options = *o;
	s->metric = o->sort;
	s->groups = frame_groups_new();
	p.slicing = o->every ? SLICE_TIMES : SLICE_FRAMES;
	p.every = o->every;
	p.slice_cells = true;
	p.collapse = frames_together(p.by[0].by);
	p.sliced = spread_sliced;
	p.captured = spread_captured;
	p.arg = s;
	grouped_profile_init(&s->project, &p);
	return s;
}

void spread_free(struct frames_spread *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->cap_of; i++)
		quantiles_release(&s->of[i].values);
	free(s->of);
	free(s->ranked);
	frame_groups_free(s->groups);
	grouped_profile_release(&s->project);
	buf_release(&s->at);
	free(s);
}

struct grouped_profile *spread_project(struct frames_spread *s)
{
	return &s->project;
}

static int spread_order(const void *a, const void *b, void *arg)
{
	const struct frames_spread *s = arg;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	struct group_name p, q;
	int r;

	if (s->of[x].total != s->of[y].total)
		return s->of[x].total > s->of[y].total ? -1 : 1;
	group_name(&s->project, 0, x, &p);
	group_name(&s->project, 0, y, &q);
	r = memcmp(p.name, q.name, p.name_len < q.name_len ? p.name_len : q.name_len);
	if (!r && p.name_len != q.name_len)
		r = p.name_len < q.name_len ? -1 : 1;
	return r ? r : x < y ? -1 : x > y;
}

static void spread_fill(void *arg, size_t i, struct table_row *row)
{
	struct frames_spread *s = arg;
	const struct spread_group *g = &s->of[s->ranked[i]];
	const struct quantiles *q = &g->values;
	struct table_cell *c = row->cells;
	struct group_name n;

	group_name(&s->project, 0, s->ranked[i], &n);
	s->at.len = 0;
	chain_place(&s->at, n.file, n.file_len, n.line);
	c[SPREAD_NAME] = cell_text(n.name, n.name_len);
	c[SPREAD_FRAMES] = cell_number(q->n);
	c[SPREAD_TOTAL] = cell_number(g->total);
	c[SPREAD_MEAN] = cell_number(g->total / q->n + (g->total % q->n >= q->n - q->n / 2));
	c[SPREAD_MIN] = cell_number(q->min);
	c[SPREAD_MIN_CAPTURE] = cell_number(g->min.capture);
	c[SPREAD_MIN_FRAME] = cell_signed(g->min.number);
	c[SPREAD_LOWER] = cell_number(quantiles_at(q, 25));
	c[SPREAD_MEDIAN] = cell_number(quantiles_at(q, 50));
	c[SPREAD_UPPER] = cell_number(quantiles_at(q, 75));
	c[SPREAD_MAX] = cell_number(q->max);
	c[SPREAD_MAX_CAPTURE] = cell_number(g->max.capture);
	c[SPREAD_MAX_FRAME] = cell_signed(g->max.number);
	if (s->table.n_columns == SPREAD_AT)
		return;
	if (s->at.len)
		c[SPREAD_AT] = cell_text(s->at.data, s->at.len);
	if (n.file_len)
		c[SPREAD_FILE] = cell_text(n.file, n.file_len);
	if (n.line)
		c[SPREAD_LINE] = cell_number(n.line);
	if (n.module_len)
		c[SPREAD_MODULE] = cell_text(n.module, n.module_len);
}

/* With its sign if the quantile of any row is not the value of its rank. */
static const char *spread_title(const struct frames_spread *s, unsigned percent, const char *marked)
{
	static const char *const plain[] = {"25 %", "median", "75 %"};

	for (uint32_t i = 0; i < s->cap_of; i++)
		if (s->of[i].values.n && !quantiles_is_exact(&s->of[i].values, percent))
			return marked;
	return plain[percent / 25 - 1];
}

static void spread_add_columns(struct frames_spread *s)
{
	enum key by = s->project.groupings[0].key.by;
	enum column_type value =
	    s->metric == FRAMES_AUTO ? COLUMN_INT : frames_type(NULL, s->metric);
	const char *unit = s->options.every ? "steps" : "frames";
	const struct table_column columns[SPREAD_COLUMNS] = {
	    [SPREAD_NAME] = {key_words[by], key_words[by], COLUMN_TEXT, COLUMN_SHORTEN, 0},
	    [SPREAD_FRAMES] = {"frames", unit, COLUMN_INT, 0, 0},
	    [SPREAD_TOTAL] = {"total", "total", value, COLUMN_SPARE, 0},
	    [SPREAD_MEAN] = {"mean", "mean", value, 0, 0},
	    [SPREAD_MIN] = {"min", "min", value, 0, 0},
	    [SPREAD_MIN_CAPTURE] = {"min_capture", "of capture", COLUMN_INT, COLUMN_NOT_TEXT, 0},
	    [SPREAD_MIN_FRAME] = {"min_frame", "min in", COLUMN_INT, COLUMN_SPARE, 0},
	    [SPREAD_LOWER] = {"lower_quartile", spread_title(s, 25, "25 % ~"), value, COLUMN_SPARE,
			      0},
	    [SPREAD_MEDIAN] = {"median", spread_title(s, 50, "median ~"), value, 0, 0},
	    [SPREAD_UPPER] = {"upper_quartile", spread_title(s, 75, "75 % ~"), value, COLUMN_SPARE,
			      0},
	    [SPREAD_MAX] = {"max", "max", value, 0, 0},
	    [SPREAD_MAX_CAPTURE] = {"max_capture", "of capture", COLUMN_INT, COLUMN_NOT_TEXT, 0},
	    [SPREAD_MAX_FRAME] = {"max_frame", "max in", COLUMN_INT, 0, 0},
	    [SPREAD_AT] = {NULL, "at", COLUMN_TEXT,
			   COLUMN_NOT_CSV | COLUMN_SHORTEN | COLUMN_PATH | COLUMN_SPARE, 0},
	    [SPREAD_FILE] = {"file", NULL, COLUMN_TEXT, COLUMN_NOT_TEXT, 0},
	    [SPREAD_LINE] = {"line", NULL, COLUMN_INT, COLUMN_NOT_TEXT, 0},
	    [SPREAD_MODULE] = {"module", NULL, COLUMN_TEXT, COLUMN_NOT_TEXT, 0}};
	bool placed = by == KEY_SITE || by == KEY_FUNCTION || by == KEY_LOCATION || by == KEY_STACK;

	static const char *const timed[SPREAD_COLUMNS] = {
	    [SPREAD_TOTAL] = "total_ns",   [SPREAD_MEAN] = "mean_ns",
	    [SPREAD_MIN] = "min_ns",       [SPREAD_LOWER] = "lower_quartile_ns",
	    [SPREAD_MEDIAN] = "median_ns", [SPREAD_UPPER] = "upper_quartile_ns",
	    [SPREAD_MAX] = "max_ns"};

	memcpy(s->columns, columns, sizeof columns);
	for (size_t i = 0; i < SPREAD_COLUMNS; i++)
		if (value == COLUMN_TIME && timed[i])
			s->columns[i].key = timed[i];
	s->table.columns = s->columns;
	s->table.n_columns = placed ? SPREAD_COLUMNS : SPREAD_AT;
}

const struct table *spread_table(struct frames_spread *s)
{
	enum key by = s->project.groupings[0].key.by;
	size_t n = 0, shown;

	free(s->ranked);
	s->ranked = mem_array(s->cap_of + 1, sizeof *s->ranked);
	for (uint32_t i = 0; i < s->cap_of; i++)
		if (s->of[i].values.n)
			s->ranked[n++] = i;
	sort_array_by(s->ranked, n, sizeof *s->ranked, spread_order, s);
	shown = s->options.n && s->options.n < n ? (size_t)s->options.n : n;
	spread_add_columns(s);
	snprintf(s->title, sizeof s->title, "%zu of %zu %s over %" PRIu64 " %s: %s%s", shown, n,
		 key_plurals[by], s->frames, s->options.every ? "steps of time" : "frames",
		 s->metric == FRAMES_AUTO ? "nothing has a value" : metric_table[s->metric].title,
		 s->metric == FRAMES_AUTO ? ""
		 : s->options.every       ? " of a step"
					  : " of a frame");
	s->notes[0] = !s->frames ? "no capture has a frame: --every 16ms takes steps of time"
		      : s->options.every
			  ? "each over the steps where it is not 0; 25 %, median and 75 % "
			    "are exact, or within 0.8 % (~)"
			  : "each over the frames where it is not 0; 25 %, median and 75 % "
			    "are exact, or within 0.8 % (~)";
	s->table.name = "spread";
	s->table.title = s->title;
	s->table.n_rows = shown;
	s->table.empty = group_nothing(&s->project);
	s->table.fill = spread_fill;
	s->table.arg = s;
	s->table.notes = s->notes;
	s->table.n_notes = 1;
	return &s->table;
}
