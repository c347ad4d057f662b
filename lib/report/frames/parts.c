/* SPDX-License-Identifier: MIT
 *
 * The parts in addition to the rows: statistics, runs of spikes, new stacks, the chart.
 */
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/group/notes.h"
#include "lib/group/rank.h"
#include "lib/report/frames/report.h"
#include "lib/report/frames/stats.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool follows(const struct frame *a, const struct frame *b)
{
	return a->capture == b->capture && (b->kind != SLICE_TIME || b->number == a->number + 1);
}

static decimal limit_of(const struct frames_report *r, size_t row, size_t spike)
{
	const struct spike *s = &r->f->options.spikes[spike];

	if (s->rule != SPIKE_SHARE)
		return r->limits[spike];
	return spike_share(decimal_of(r->f->rows[row].duration), s->value);
}

static bool breaks(const struct frames_report *r, size_t row, size_t spike, decimal *v)
{
	const struct spike *s = &r->f->options.spikes[spike];

	if (r->f->rows[row].kind == SLICE_BEFORE || !frames_value(r->f, row, s->metric, v))
		return false;
	return (s->rule != SPIKE_SHARE || r->f->rows[row].has_duration) &&
	       *v > limit_of(r, row, spike);
}

static void frames_parts_find_runs(struct frames_report *r, size_t spike)
{
	struct frames *f = r->f;
	struct frames_run *run = NULL;
	decimal v, worst = 0;

	for (size_t i = 0; i < f->n; i++) {
		if (!breaks(r, i, spike, &v)) {
			run = NULL;
			continue;
		}
		f->rows[i].spikes |= (uint16_t)(1u << spike);
		if (!run || !follows(&f->rows[i - 1], &f->rows[i])) {
			run = &VEC_PUSH(r->runs, r->n_runs, r->cap_runs);
			*run = (struct frames_run){(uint32_t)i, (uint32_t)i, (uint32_t)i,
						   (uint8_t)spike};
			worst = v;
		}
		run->last = (uint32_t)i;
		if (v > worst) {
			worst = v;
			run->worst = (uint32_t)i;
		}
	}
}

enum {
	RUN_RULE,
	RUN_METRIC,
	RUN_LIMIT,
	RUN_CAPTURE,
	RUN_FIRST,
	RUN_LAST,
	RUN_FRAMES,
	RUN_WORST,
	RUN_VALUE,
	RUN_PEOPLE,
	RUN_COLUMNS
};

/* "3.4 KiB > 2.9 KiB"; numbers that look alike when rounded are exact: "3008 B > 3000 B". */
static void frames_parts_add_excess(struct frames_report *r, int metric, decimal value,
				    decimal limit)
{
	enum column_type type = frames_type(r->f, metric);
	const char *unit = type == COLUMN_BYTES ? " B" : type == COLUMN_TIME ? " ns" : "";
	struct buf *b = &r->run_text, of_limit = BUF_INIT;

	b->len = 0;
	frames_value_text(b, r->f, metric, value);
	frames_value_text(&of_limit, r->f, metric, limit);
	if (b->len == of_limit.len && !memcmp(b->data, of_limit.data, b->len)) {
		b->len = of_limit.len = 0;
		decimal_text(b, value);
		buf_adds(b, unit);
		decimal_text(&of_limit, limit);
		buf_adds(&of_limit, unit);
	}
	buf_adds(b, " > ");
	buf_add(b, of_limit.data, of_limit.len);
	buf_release(&of_limit);
}

static struct table_cell title_cell(const char *title)
{
	return cell_text(title, strlen(title));
}

static void frames_parts_fill_run(void *arg, size_t i, struct table_row *row)
{
	struct frames_report *r = arg;
	const struct frames_run *run = &r->runs[i];
	const struct frame *rows = r->f->rows;
	const struct spike *s = &r->f->options.spikes[run->spike];
	decimal v = 0;

	frames_value(r->f, run->worst, s->metric, &v);
	frames_parts_add_excess(r, s->metric, v, limit_of(r, run->worst, run->spike));
	row->cells[RUN_RULE] = cell_text(s->text, strlen(s->text));
	row->cells[RUN_METRIC] = title_cell(frames_title(r, s->metric));
	row->cells[RUN_LIMIT] = cell_decimal(limit_of(r, run->worst, run->spike));
	row->cells[RUN_CAPTURE] = cell_number(rows[run->first].capture);
	row->cells[RUN_FIRST] = cell_signed(rows[run->first].number);
	row->cells[RUN_LAST] = cell_signed(rows[run->last].number);
	row->cells[RUN_FRAMES] = cell_number(run->last - run->first + 1);
	row->cells[RUN_WORST] = cell_signed(rows[run->worst].number);
	row->cells[RUN_VALUE] = cell_decimal(v);
	row->cells[RUN_PEOPLE] = cell_text(r->run_text.data, r->run_text.len);
	row->cells[RUN_PEOPLE].mark = MARK_BAD;
}

enum {
	NEW_CAPTURE,
	NEW_FRAME,
	NEW_ENTRIES,
	NEW_VALUE,
	NEW_SITE,
	NEW_FILE,
	NEW_LINE,
	NEW_STACK,
	NEW_COLUMNS
};

static void frames_parts_fill_new(void *arg, size_t i, struct table_row *row)
{
	struct frames_report *r = arg;
	const struct grouped_profile *p = &r->f->project;
	const struct frame_new *n = &r->f->fresh[i];
	const struct frame *frame = &r->f->rows[n->frame];
	struct group_name name;

	group_name(p, 1, n->group, &name);
	row->cells[NEW_CAPTURE] = cell_number(frame->capture);
	if (frame->kind != SLICE_BEFORE)
		row->cells[NEW_FRAME] = cell_signed(frame->number);
	row->cells[NEW_ENTRIES] = cell_number(n->entries);
	row->cells[NEW_VALUE] = cell_number(n->value);
	row->cells[NEW_SITE] = cell_text(name.name, name.name_len);
	if (name.file_len)
		row->cells[NEW_FILE] = cell_text(name.file, name.file_len);
	if (name.line)
		row->cells[NEW_LINE] = cell_number(name.line);
	r->new_text.len = 0;
	frames_stack_text(&r->new_text, p, &r->new_cut, p->groupings[1].groups[n->group].id);
	row->cells[NEW_STACK] = cell_text(r->new_text.data, r->new_text.len);
}

/* Of its rows' stacks, each from the root. */
static void frames_parts_cut_news(struct frames_report *r)
{
	const struct grouped_profile *p = &r->f->project;
	char text[STACK_CUT_NOTE];

	if (!r->f->n_fresh)
		return;
	chain_cut_init(&r->new_cut, p);
	for (size_t i = 0; i < r->f->n_fresh; i++)
		stack_cut_show(&r->new_cut, p->groupings[1].groups[r->f->fresh[i].group].id);
	if (stack_cut_choose(&r->new_cut)) {
		stack_cut_note(&r->new_cut, text);
		frames_note(r, "%s", text);
	}
}

static void frames_parts_add_news(struct frames_report *r)
{
	static const struct table_column columns[NEW_COLUMNS] = {
	    [NEW_CAPTURE] = {"capture", NULL, COLUMN_INT, COLUMN_NOT_TEXT, 0},
	    [NEW_FRAME] = {"frame", "frame", COLUMN_INT, 0, 0},
	    [NEW_ENTRIES] = {"entries", "entries", COLUMN_INT, 0, 0},
	    [NEW_VALUE] = {"value", "value", COLUMN_INT, 0, 0},
	    [NEW_SITE] = {"site", "site", COLUMN_TEXT, COLUMN_SHORTEN, 0},
	    [NEW_FILE] = {"file", NULL, COLUMN_TEXT, COLUMN_NOT_TEXT, 0},
	    [NEW_LINE] = {"line", NULL, COLUMN_INT, COLUMN_NOT_TEXT, 0},
	    [NEW_STACK] = {"stack", "stack", COLUMN_TEXT, COLUMN_SHORTEN, 0},
	};
	int metric = frames_weight(r->f);

	struct table_column *value = &r->new_columns[NEW_VALUE];

	memcpy(r->new_columns, columns, sizeof columns);
	r->new_columns[NEW_FRAME].title = r->f->options.every ? "step" : "frame";
	value->key = metric_table[metric].key;
	value->title = metric_table[metric].title;
	value->type = frames_type(r->f, metric);
	if (metric == SUM_ENTRIES) {
		value->key = "weight";
		value->flags = COLUMN_NOT_TEXT;
	}
	r->news = (struct table){.name = "new-stacks",
				 .title = r->f->options.every
					      ? "stacks, by the step in which they first appear"
					      : "stacks, by the frame in which they first appear",
				 .columns = r->new_columns,
				 .n_columns = NEW_COLUMNS,
				 .n_rows = r->f->n_fresh,
				 .empty = group_nothing(&r->f->project),
				 .fill = frames_parts_fill_new,
				 .arg = r};
}

static const char *metric_word(const struct spike *s)
{
	return s->metric >= FRAME_METRICS ? "the counter" : frame_metric_word(s->metric);
}

void frames_find_spikes(struct frames_report *r)
{
	static const struct table_column columns[RUN_COLUMNS] = {
	    [RUN_RULE] = {"rule", "rule", COLUMN_TEXT, 0, 0},
	    [RUN_METRIC] = {"metric", NULL, COLUMN_TEXT, COLUMN_NOT_TEXT, 0},
	    [RUN_LIMIT] = {"limit", NULL, COLUMN_DECIMAL, COLUMN_NOT_TEXT, 0},
	    [RUN_CAPTURE] = {"capture", NULL, COLUMN_INT, COLUMN_NOT_TEXT, 0},
	    [RUN_FIRST] = {"first", "first", COLUMN_INT, 0, 0},
	    [RUN_LAST] = {"last", "last", COLUMN_INT, 0, 0},
	    [RUN_FRAMES] = {"frames", "frames", COLUMN_INT, 0, 0},
	    [RUN_WORST] = {"worst_frame", "worst", COLUMN_INT, 0, 0},
	    [RUN_VALUE] = {"worst", NULL, COLUMN_DECIMAL, COLUMN_NOT_TEXT, 0},
	    [RUN_PEOPLE] = {NULL, "with", COLUMN_TEXT, COLUMN_NOT_CSV, 0},
	};
	const struct frames_options *o = &r->f->options;

	for (size_t i = 0; i < o->n_spikes; i++) {
		if (!spike_limit(r->f, &o->spikes[i], &r->limits[i])) {
			if (r->f->n)
				frames_note(r,
					    "--spike %s cannot tell: %s is not known, or its "
					    "median or deviation is not above 0",
					    o->spikes[i].text, metric_word(&o->spikes[i]));
			continue;
		}
		r->limited |= (uint16_t)(1u << i);
		frames_parts_find_runs(r, i);
	}
	memcpy(r->run_columns, columns, sizeof columns);
	r->run_columns[RUN_FRAMES].title = o->every ? "steps" : "frames";
	r->spikes = (struct table){.name = "spikes",
				   .title = o->every ? "runs of consecutive steps above a limit"
						     : "runs of consecutive frames above a limit",
				   .columns = r->run_columns,
				   .n_columns = RUN_COLUMNS,
				   .n_rows = r->n_runs,
				   .empty = o->every ? "none: no step is above a limit"
						     : "none: no frame is above a limit",
				   .fill = frames_parts_fill_run,
				   .arg = r};
	frames_parts_add_news(r);
	frames_parts_cut_news(r);
}

static void frames_parts_fill_statistic(void *arg, size_t i, struct table_row *row)
{
	struct frames_report *r = arg;

	memcpy(row->cells, r->stat_cells[i], r->statistics.n_columns * sizeof *row->cells);
}

static const struct {
	const char *word;
	unsigned percent; /* 0: the mean */
} statistics[FRAMES_STATS] = {{"mean", 0}, {"p50", 50},  {"p90", 90},  {"p95", 95},
			      {"p99", 99}, {"max", 100}, {"min", 1000}};

/* Half away from 0; what is too large becomes the largest. */
static uint64_t rounded(double magnitude)
{
	return magnitude >= 18446744073709551615.0 ? UINT64_MAX : (uint64_t)(magnitude + 0.5);
}

/* Of the frames of all captures that an aggregate was made of: cell has its frame behind it. */
static void frames_parts_merged_statistic(struct frames_report *r, size_t statistic, int metric,
					  struct table_cell *cell)
{
	const struct aggregate_value *v = &r->f->merged.values[metric];
	unsigned percent = statistics[statistic].percent;
	const struct aggregate_place *at = percent == 100  ? &v->max_at
					   : percent > 100 ? &v->min_at
							   : NULL;
	__int128 q = 0;

	if (!v->n)
		return;
	if (!percent)
		q = (v->sum + (v->sum < 0 ? -(__int128)(v->n / 2) : (__int128)(v->n / 2))) /
		    (__int128)v->n;
	else if (!aggregate_value_quantile(v, percent > 100 ? 0 : percent, &q))
		return;
	cell[0] = frames_signed(metric) ? cell_signed((int64_t)q) : cell_number((uint64_t)q);
	if (at && at->has_frame)
		cell[1] = cell_signed(at->frame);
}

/* Whose frame the worst one is. */
static void frames_parts_note_worst(struct frames_report *r)
{
	const struct frames *f = r->f;
	const struct aggregate_value *v;
	const char *name;

	if (!frames_are_merged(f))
		return;
	if (f->merged.captures > 1)
		frames_note(r,
			    "%" PRIu64 " captures: a row is the mean of those that have the frame; "
			    "statistics are of all frames, percentiles within 0.8 %%",
			    f->merged.captures);
	if (r->sort >= FRAME_METRICS)
		return;
	v = &f->merged.values[r->sort];
	name = v->n ? frames_input(f, v->max_at.input) : NULL;
	if (name && v->max_at.has_frame)
		frames_note(r, "most %s: frame %" PRId64 " of %s", frames_title(r, r->sort),
			    v->max_at.frame, name);
}

/* flags: COLUMN_NOT_TEXT, COLUMN_SPARE or none. */
static void frames_parts_add_metric(struct frames_report *r, int metric, unsigned flags)
{
	struct frames *f = r->f;
	struct frames_order o = frames_order_new(f, metric);
	size_t k = r->statistics.n_columns;
	const char *key = frames_key(r, metric);
	struct buf b = BUF_INIT;

	buf_addf(&b, "%s_frame", key);
	r->statistics.n_columns += 2;
	r->stat_columns[k] = (struct table_column){
	    .key = key,
	    .title = frames_title(r, metric),
	    .type = frames_type(r->f, metric),
	    .flags = flags | (metric < FRAME_METRICS && frames_signed(metric) ? COLUMN_SIGNED : 0)};
	r->stat_columns[k + 1] =
	    (struct table_column){.key = arena_strndup(&r->arena, b.data, b.len),
				  .title = f->options.every ? "step" : "frame",
				  .type = COLUMN_INT,
				  .flags = flags};
	buf_release(&b);
	for (size_t i = 0; i < FRAMES_STATS; i++) {
		decimal v = 0;
		size_t row = SIZE_MAX;

		if (frames_are_merged(f) && metric < FRAME_METRICS) {
			frames_parts_merged_statistic(r, i, metric, &r->stat_cells[i][k]);
			continue;
		}

		if (!o.n)
			continue;
		if (!statistics[i].percent)
			v = frames_mean(&o);
		else
			frames_percentile(
			    &o, statistics[i].percent > 100 ? 0 : statistics[i].percent, &v, &row);
		/* Of sums a whole number, half away from 0; of counters as all their means. */
		if (metric < FRAME_METRICS)
			v = decimal_round(v, 0);
		r->stat_cells[i][k] = cell_decimal(v);
		if (row != SIZE_MAX)
			r->stat_cells[i][k + 1] = cell_signed(f->rows[row].number);
	}
	frames_order_release(&o);
}

static int best_live(const struct frames *f)
{
	return frames_known(f, SUM_LIVE_REAL)        ? SUM_LIVE_REAL
	       : frames_known(f, SUM_LIVE_REQUESTED) ? SUM_LIVE_REQUESTED
						     : SUM_LIVE_COUNT;
}

/* "28.9 KiB", "0.25 B", "3.1" */
static void slope_text(struct buf *b, const struct frames_report *r, int metric, double slope)
{
	if (frames_type(r->f, metric) == COLUMN_BYTES && fabs(slope) < 1)
		buf_addf(b, "%.2g B", fabs(slope));
	else if (frames_type(r->f, metric) == COLUMN_BYTES)
		size_text(b, rounded(fabs(slope)));
	else
		buf_addf(b, "%.3g", fabs(slope));
}

/* "1.2 MiB in frame 60 and 400.0 KiB in frame 80" */
static void note_steps(struct frames_report *r, int metric)
{
	const struct frames_growth *to = &r->growth;
	struct buf b = BUF_INIT;

	for (size_t k = 0; k < to->n; k++) {
		const struct frame *row = &r->f->rows[to->steps[k].row];

		buf_adds(&b, !k ? "" : k + 1 < to->n ? ", " : " and ");
		frames_value_text(&b, r->f, metric,
				  to->steps[k].by < 0 ? -to->steps[k].by : to->steps[k].by);
		buf_addf(&b, " in %s %" PRId64, r->f->options.every ? "step" : "frame",
			 row->number);
	}
	if (to->all < 0)
		frames_note(r, "%s falls by %s", metric_table[metric].title, buf_str(&b));
	else
		frames_note(r, "%s grows for good by %s: %.0f %% of its growth",
			    metric_table[metric].title, buf_str(&b),
			    100 * decimal_to_double(to->sum) / decimal_to_double(to->all));
	buf_release(&b);
}

/* How what is live grows: the first sign of a leak. */
static void note_growth(struct frames_report *r)
{
	const struct frames_growth *to = &r->growth;
	const char *unit = r->f->options.every ? "step" : "frame";
	int metric = best_live(r->f);
	struct buf all = BUF_INIT, slope = BUF_INIT;

	if (!frames_known(r->f, metric) || r->f->project.now.captures != 1 ||
	    !frames_growth(r->f, metric, &r->growth))
		return;
	r->has_growth = true;
	if (!to->all) {
		frames_note(r, "%s does not grow for good", metric_table[metric].title);
		return;
	}
	if (to->n) {
		note_steps(r, metric);
		return;
	}
	frames_value_text(&all, r->f, metric, to->all < 0 ? -to->all : to->all);
	slope_text(&slope, r, metric, to->slope);
	frames_note(r,
		    to->all < 0 ? "%s falls by %s: by %s per %s from %s %" PRId64 " to %s %" PRId64
				: "%s grows for good by %s: by %s per %s from %s %" PRId64
				  " to %s %" PRId64,
		    metric_table[metric].title, buf_str(&all), buf_str(&slope), unit, unit,
		    r->f->rows[to->from].number, unit, r->f->rows[to->to].number);
	buf_release(&all);
	buf_release(&slope);
}

void frames_add_statistics(struct frames_report *r)
{
	const struct frames *f = r->f;
	size_t most = 1 + 2 * (FRAME_METRICS + f->counters.n), counters = 0;

	r->stat_columns = arena_zalloc(&r->arena, most * sizeof *r->stat_columns);
	for (size_t i = 0; i < FRAMES_STATS; i++)
		r->stat_cells[i] = arena_zalloc(&r->arena, most * sizeof **r->stat_cells);
	r->statistics =
	    (struct table){.name = "statistics",
			   .title = f->options.every ? "over all steps" : "over all frames",
			   .columns = r->stat_columns,
			   .n_columns = 1,
			   .n_rows = FRAMES_STATS,
			   .fill = frames_parts_fill_statistic,
			   .arg = r};
	r->stat_columns[0] = (struct table_column){
	    .key = "statistic", .title = "statistic", .type = COLUMN_TEXT, .flags = COLUMN_PROSE};
	for (size_t i = 0; i < FRAMES_STATS; i++)
		r->stat_cells[i][0] = cell_text(statistics[i].word, strlen(statistics[i].word));
	frames_parts_add_metric(r, r->sort, 0);
	for (int m = 0; m < FRAME_METRICS; m++) {
		bool people = m == SUM_COUNT || m == best_live(f) ||
			      (m == FRAME_DURATION && !f->options.every);

		if (m != r->sort && m != SUM_LIFETIME && m != SUM_TIMED && frames_known(f, m))
			frames_parts_add_metric(r, m, people ? 0 : COLUMN_NOT_TEXT);
	}
	for (size_t i = 0; i < f->counters.n; i++) {
		int m = FRAME_METRICS + (int)i * COUNTER_STATS;

		if (!frames_counters_shown(&f->counters, i))
			continue;
		counters++; /* as many as the rows have */
		if (m != r->sort)
			frames_parts_add_metric(
			    r, m, counters <= COUNTERS_SHOWN ? COLUMN_SPARE : COLUMN_NOT_TEXT);
	}
	note_growth(r);
	frames_parts_note_worst(r);
}

static bool ascending(const struct frames *f, size_t first)
{
	for (size_t i = first + 1; i < f->n; i++)
		if (f->rows[i].number <= f->rows[i - 1].number ||
		    f->rows[i].kind != f->rows[i - 1].kind)
			return false;
	return true;
}

static decimal *line_of(struct frames_report *r, size_t first, int metric, size_t n)
{
	decimal *y = arena_alloc(&r->arena, n * sizeof *y);

	for (size_t i = 0; i < n; i++)
		if (!frames_value(r->f, first + i, metric, &y[i]))
			y[i] = SERIES_ABSENT;
	return y;
}

/* A line each, but of what is not known or has one already. */
static void add_lines(struct frames_report *r, const int *metrics, size_t n, size_t first)
{
	struct table_series *s = &r->series;
	size_t left_out = 0;

	for (size_t i = 0; i < n; i++) {
		bool again = false;

		for (size_t k = 0; k < i; k++)
			again |= metrics[k] == metrics[i];
		if (again || !frames_known(r->f, metrics[i]))
			continue;
		if (s->n_lines == FRAMES_LINES) {
			left_out++;
			continue;
		}
		r->lines[s->n_lines++] =
		    (struct series_line){.key = frames_key(r, metrics[i]),
					 .title = frames_title(r, metrics[i]),
					 .type = frames_type(r->f, metrics[i]),
					 .y = line_of(r, first, metrics[i], s->n_points)};
	}
	if (left_out)
		frames_note(r, "%zu more counter%s, without a chart here, are columns of the table",
			    left_out, plural_s(left_out));
}

void frames_add_chart(struct frames_report *r)
{
	const struct frames *f = r->f;
	size_t first = f->n && f->rows[0].kind == SLICE_BEFORE, n = f->n - first;
	size_t n_metrics = 0;
	int *metrics = arena_alloc(&r->arena, (3 + f->counters.n) * sizeof *metrics);
	bool numbers = f->project.now.captures == 1 && ascending(f, first);
	int64_t *x = arena_alloc(&r->arena, (n + 1) * sizeof *x);
	int64_t *time = arena_alloc(&r->arena, (n + 1) * sizeof *time);
	bool timed = n;

	for (size_t i = 0; i < n; i++) {
		x[i] = numbers ? f->rows[first + i].number : (int64_t)i;
		time[i] = f->rows[first + i].start;
		timed &= f->rows[first + i].has_start;
	}
	r->series = (struct table_series){.name = "chart",
					  .title = f->options.every ? "over time" : "over frames",
					  .x_title = !numbers           ? "row"
						     : f->options.every ? "step"
									: "frame",
					  .x_type = COLUMN_INT,
					  .n_points = n,
					  .x = x,
					  .time = timed ? time : NULL,
					  .lines = r->lines,
					  .limits = r->series_limits};
	metrics[n_metrics++] = r->sort; /* first: limits are its */
	if (f->options.page && !f->options.every)
		metrics[n_metrics++] = FRAME_DURATION;
	metrics[n_metrics++] = best_live(f);
	for (size_t i = 0; f->options.page && i < f->counters.n; i++)
		if (frames_counters_shown(&f->counters, i))
			metrics[n_metrics++] = FRAME_METRICS + (int)i * COUNTER_STATS;
	add_lines(r, metrics, n_metrics, first);
	for (size_t i = 0; i < f->options.n_spikes; i++)
		if (r->limited >> i & 1 && f->options.spikes[i].metric == r->sort)
			r->series_limits[r->series.n_limits++] =
			    (struct series_limit){0, r->limits[i], f->options.spikes[i].text};
	r->series_marks = mem_array(r->n_runs + 1, sizeof *r->series_marks);
	for (size_t i = 0; i < r->n_runs; i++)
		r->series_marks[i] =
		    (struct series_mark){r->runs[i].first - first, r->runs[i].last - first,
					 MARK_BAD, f->options.spikes[r->runs[i].spike].text};
	r->series.marks = r->series_marks;
	r->series.n_marks = r->n_runs;
}
