/* SPDX-License-Identifier: MIT */
#include "lib/report/frames/frames.h"

#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/group/metric.h"
#include "lib/report/frames/slice.h"

#include <stdlib.h>
#include <string.h>

/* From frames_init to frames_release. */
struct frames_slicing {
	int weight; /* frames_weight, once a row has a value; FRAMES_AUTO before */
	struct frame_groups *groups, *stacks;
	uint8_t *seen; /* by stack group */
	size_t cap_seen;
};

const char *frame_metric_word(int metric)
{
	return metric == FRAME_DURATION ? "duration" : metric_table[metric].word;
}

bool frames_is_time(int metric)
{
	return metric == FRAME_DURATION ||
	       (metric >= 0 && metric < FRAME_DURATION && metric_table[metric].unit == SUM_NS);
}

/* A factor or a percentage: [0-9]+(.[0-9]+)? */
static bool factor(const char *s, size_t n, decimal *v)
{
	return n && *s >= '0' && *s <= '9' && !memchr(s, 'e', n) && !memchr(s, 'E', n) &&
	       decimal_parse(s, n, v) <= DECIMAL_ROUNDED;
}

/* 1MiB, 33.4, 33ms in units of the metric. */
static bool limit(const char *s, size_t n, bool time, decimal *v)
{
	return (time ? num_time_decimal(s, n, v) : num_size_decimal(s, n, v)) && *v >= 0;
}

enum status spike_parse(struct spike *s, const char *text, struct err *e)
{
	const char *value = strchr(text, '>');
	size_t n = value ? (size_t)(value - text) : 0;

	*s = (struct spike){.metric = FRAMES_AUTO, .text = text};
	if (value && n > 8 && !memcmp(text, "counter:", 8)) {
		s->counter = text + 8; /* up to the '>' */
		s->metric = FRAMES_AUTO;
	} else if (value) {
		bool duration = n == 8 && !memcmp(text, "duration", n);

		s->metric = duration ? FRAME_DURATION : (int)metric_of_word(text, n);
		if (s->metric == SUMS && !duration)
			return err_set(e, ST_BAD,
				       "'%.*s' is not a metric (a counter is counter:%.*s)", (int)n,
				       text, (int)n, text);
	}
	value = value ? value + 1 : text;
	n = strlen(value);
	if (n > 3 && !strcmp(value + n - 3, "mad")) {
		s->rule = SPIKE_MAD;
		if (factor(value, n - 3, &s->value))
			return ST_OK;
	} else if (n > 1 && value[n - 1] == 'x') {
		s->rule = SPIKE_MEDIAN;
		if (factor(value, n - 1, &s->value))
			return ST_OK;
	} else if (s->counter) {
		/* A counter's unit is not known yet; no unit means times that end in one. */
		if (num_size_decimal(value + (*value == '-'), n - (*value == '-'), &s->value)) {
			s->value = *value == '-' ? -s->value : s->value;
			return ST_OK;
		}
		s->time = true;
		if (num_time_decimal(value, n, &s->value))
			return ST_OK;
	} else if (n > 1 && value[n - 1] == '%' && (s->metric < 0 || frames_is_time(s->metric))) {
		s->rule = SPIKE_SHARE;
		s->metric = s->metric < 0 ? (int)SUM_TIME_SELF : s->metric;
		if (factor(value, n - 1, &s->value))
			return ST_OK;
	} else if (s->metric < 0 && n > 1 && value[n - 1] == 's' &&
		   limit(value, n, true, &s->value)) {
		s->metric = FRAME_DURATION;
		return ST_OK;
	} else if (limit(value, n, frames_is_time(s->metric), &s->value)) {
		return ST_OK;
	}
	return err_set(e, ST_BAD, "'%s' is not a limit such as 1MiB, 500, 33ms, 20%%, 3x or 6mad",
		       value);
}

int frames_metric(const struct frames *f, int metric)
{
	if (metric != FRAMES_AUTO)
		return metric;
	/* Of tables of frames and counters: there is nothing to add up. */
	if (!f->valued && frames_known(f, FRAME_DURATION))
		return FRAME_DURATION;
	return (int)sort_first_valued(f->known, f->valued);
}

bool frames_known(const struct frames *f, int metric)
{
	if (metric >= FRAME_METRICS)
		return frames_counters_known(&f->counters, metric);
	if (metric != FRAME_DURATION)
		return f->known >> metric & 1;
	for (size_t i = 0; i < f->n; i++)
		if (f->rows[i].has_duration)
			return true;
	return false;
}

bool frames_value(const struct frames *f, size_t row, int metric, decimal *v)
{
	uint64_t sum;

	if (metric >= FRAME_METRICS)
		return frames_counters_value(&f->counters, row, metric, v);
	if (metric == FRAME_DURATION) {
		*v = decimal_of(f->rows[row].duration);
		return f->rows[row].has_duration;
	}
	sum = columns_value(&f->sums, row, (enum sum)metric);
	*v = frames_signed(metric) ? decimal_of((int64_t)sum) : decimal_of_unsigned(sum);
	return (columns_has(&f->sums, row) & f->known) >> metric & 1;
}

int frames_weight(const struct frames *f)
{
	const struct frames_slicing *x = f->slicing;

	if (x->weight != FRAMES_AUTO)
		return x->weight;
	return f->sort < FRAME_DURATION && f->sort != FRAMES_AUTO
		   ? f->sort
		   : (int)sort_first_valued(f->known, f->valued);
}

static void keep_tops(struct frames *f, struct frame *row)
{
	struct frame_groups *g = f->slicing->groups;
	int sort = frames_weight(f);

	frame_groups_sort(g, (enum sum)sort);
	row->first_top = (uint32_t)f->n_tops;
	for (size_t i = 0; i < g->n && row->n_tops < f->options.tops; i++) {
		if (!(g->sums[i].has >> sort & 1) || !g->sums[i].v[sort])
			break;
		VEC_PUSH(f->tops, f->n_tops, f->cap_tops) =
		    (struct frame_top){g->ids[i], g->sums[i].v[sort]};
		row->n_tops++;
	}
}

static void find_news(struct frames *f, struct trace *t, const struct tally_slice *s,
		      struct frame *row)
{
	struct frames_slicing *x = f->slicing;
	struct frame_groups *g = x->stacks;
	int sort = frames_weight(f);

	frame_groups_fill(g, &f->project, t, s, 1);
	for (size_t i = 0; i < g->n; i++) {
		uint32_t id = g->ids[i];

		x->seen = mem_grow_zero(x->seen, &x->cap_seen, (size_t)id + 1, 1);
		if (x->seen[id] || !g->sums[i].v[SUM_ENTRIES])
			continue;
		x->seen[id] = 1;
		row->news++;
		VEC_PUSH(f->fresh, f->n_fresh, f->cap_fresh) = (struct frame_new){
		    (uint32_t)f->n, id, g->sums[i].v[SUM_ENTRIES], g->sums[i].v[sort]};
	}
}

static void count_order(struct frames *f, const struct frame *row)
{
	const struct frame *before = f->n ? &f->rows[f->n - 1] : NULL;

	if (row->kind != SLICE_FRAME || !before || before->kind != SLICE_FRAME ||
	    before->capture != row->capture)
		return;
	f->backward += row->number < before->number;
	f->repeated += row->number == before->number;
}

static enum status frames_sliced(void *arg, struct trace *t, const struct tally_slice *s,
				 struct err *e)
{
	struct frames *f = arg;
	struct frames_slicing *x = f->slicing;
	struct frame row = {.number = s->number,
			    .kind = (uint8_t)s->kind,
			    .start = s->start,
			    .duration = s->duration,
			    .has_start = s->has_start,
			    .has_duration = s->has_duration,
			    .has_main = s->has_main,
			    .main = s->main,
			    .capture = (uint32_t)f->project.now.captures + 1};
	struct tally_sums all;
	unsigned known;
	size_t len;
	const char *name = intern_text(&t->strings, s->name, &len);

	(void)e;
	if (s->name)
		row.name = intern_add(&f->names, name, len);
	all = frame_slice_sums(x->groups, &f->project, t, s, &known);
	if (f->options.tops && !filters_any(f->options.project.filters))
		frame_groups_fill(x->groups, &f->project, t, s, 0);
	all.has &= ~tally_unidentified(&f->project.tally, t);
	f->known |= known & ~tally_unidentified(&f->project.tally, t);
	f->valued |= f->known & sums_valued(&all);
	if (x->weight == FRAMES_AUTO && sort_first(f->valued) != SUM_ENTRIES)
		x->weight = frames_weight(f);
	if (t->unordered)
		f->estimated |= all.has & (SUMS_LIVE | SUMS_FREED);
	count_order(f, &row);
	if (f->options.tops)
		keep_tops(f, &row);
	if (f->options.news)
		find_news(f, t, s, &row);
	columns_add(&f->sums, f->n, &all);
	frames_counters_add(&f->counters, t, s, &f->project.tally);
	VEC_PUSH(f->rows, f->n, f->cap) = row;
	return ST_OK;
}

/* Where no frame has a time, the main thread's calls give its duration. */
static void find_durations(struct frames *f)
{
	uint32_t capture = (uint32_t)f->project.now.captures;
	size_t first = f->n;

	for (; first && f->rows[first - 1].capture == capture; first--)
		if (f->rows[first - 1].kind != SLICE_FRAME ? f->rows[first - 1].kind == SLICE_TIME
							   : f->rows[first - 1].has_start)
			return;
	for (size_t i = first; i < f->n; i++)
		if (f->rows[i].kind == SLICE_FRAME && f->rows[i].has_main) {
			f->rows[i].duration = (int64_t)f->rows[i].main;
			f->rows[i].has_duration = f->rows[i].duration >= 0;
			f->by_calls++;
		}
}

static void frames_captured(void *arg, struct trace *t)
{
	struct frames *f = arg;

	find_durations(f);
	f->early += f->options.every ? 0 : f->project.tally.early;
	f->known &= ~profile_unrecorded(&f->project.now.known);
	if (f->options.project.captured)
		f->options.project.captured(f->options.project.arg, t);
}

void frames_init(struct frames *f, const struct frames_options *o)
{
	struct grouped_profile_options p = o->project;

	*f = (struct frames){
	    .options = *o, .sort = o->sort, .slicing = mem_zalloc(sizeof *f->slicing)};
	*f->slicing = (struct frames_slicing){
	    .weight = FRAMES_AUTO, .groups = frame_groups_new(), .stacks = frame_groups_new()};
	p.slicing = o->every ? SLICE_TIMES : SLICE_FRAMES;
	p.every = o->every;
	p.counters = true;
	p.slice_cells = o->tops || o->news || filters_any(p.filters);
	if (o->bare && !o->news)
		p.collapse =
		    o->tops ? frames_together(p.by[0].by) : COLLAPSE_STACKS | COLLAPSE_TYPES;
	p.sliced = frames_sliced;
	p.captured = frames_captured;
	p.arg = f;
	if (o->news) {
		p.by[1] = (struct grouping_key){.by = KEY_STACK};
		p.n_by = 2;
	}
	grouped_profile_init(&f->project, &p);
}

void frames_release(struct frames *f)
{
	grouped_profile_release(&f->project);
	intern_release(&f->names);
	columns_release(&f->sums);
	frames_counters_release(&f->counters);
	if (f->slicing) {
		frame_groups_free(f->slicing->groups);
		frame_groups_free(f->slicing->stacks);
		free(f->slicing->seen);
	}
	free(f->slicing);
	free(f->rows);
	free(f->tops);
	free(f->fresh);
	for (size_t i = 0; i < FRAME_METRICS; i++)
		aggregate_value_release(&f->merged.values[i]);
	*f = (struct frames){.n = 0};
}
