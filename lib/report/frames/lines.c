/* SPDX-License-Identifier: MIT */
#include "lib/report/frames/lines.h"

#include "lib/base/mem.h"
#include "lib/group/chain.h"
#include "lib/group/metric.h"
#include "lib/group/rank.h"
#include "lib/report/frames/groups.h"
#include "lib/report/frames/report.h"

#include <stdlib.h>
#include <string.h>

struct lines_point { /* what a slice has of a group */
	uint32_t slice, group;
	uint64_t value;
};

struct lines_group {
	uint32_t group;
	unsigned __int128 weight; /* the sum of its values; of what is live, the most that it was */
};

struct frames_lines {
	struct grouped_profile project;
	struct frames_lines_options options;
	struct frame_groups *groups;
	struct lines_point *points;
	size_t n_points, cap_points;
	int64_t *x, *start; /* by slice */
	size_t n_slices, cap_x, cap_start;
	bool before, timed, known; /* before: slice 0 is what came before the first frame */

	struct table_series series;
	struct series_line lines[FRAMES_LINES_MOST + 1];
	decimal *y[FRAMES_LINES_MOST + 1];
	char keys[FRAMES_LINES_MOST + 1][16];
	char title[160];
	struct arena arena;
};

static bool lines_are_live(const struct frames_lines *l)
{
	return SUMS_LIVE >> l->options.metric & 1;
}

static enum status frames_lines_sliced(void *arg, struct trace *t, const struct tally_slice *s,
				       struct err *e)
{
	struct frames_lines *l = arg;
	struct frame_groups *g = l->groups;
	enum sum m = l->options.metric;
	uint8_t state[SUMS];

	(void)e;
	frame_groups_fill(g, &l->project, t, s, 0);
	if (l->project.now.captures)
		return ST_OK;
	tally_states(&l->project.tally, t, DOMAINS, state);
	l->known |= state[m] != METRIC_ABSENT;
	l->x = mem_grow(l->x, &l->cap_x, l->n_slices + 1, sizeof *l->x);
	l->start = mem_grow(l->start, &l->cap_start, l->n_slices + 1, sizeof *l->start);
	l->before |= s->kind == SLICE_BEFORE;
	if (s->kind != SLICE_BEFORE)
		l->timed &= s->has_start;
	l->x[l->n_slices] = s->number;
	l->start[l->n_slices] = s->has_start ? s->start : 0;
	for (size_t i = 0; i < g->n; i++) {
		if (!(g->sums[i].has >> m & 1))
			continue;
		l->points = mem_grow(l->points, &l->cap_points, l->n_points + 1, sizeof *l->points);
		l->points[l->n_points++] =
		    (struct lines_point){(uint32_t)l->n_slices, g->ids[i], g->sums[i].v[m]};
	}
	l->n_slices++;
	return ST_OK;
}

static void frames_lines_captured(void *arg, struct trace *t)
{
	const struct frames_lines *l = arg;

	if (l->options.project.captured)
		l->options.project.captured(l->options.project.arg, t);
}

struct frames_lines *frames_lines_new(const struct frames_lines_options *o)
{
	struct frames_lines *l = mem_zalloc(sizeof *l);
	struct grouped_profile_options p = o->project;

	l->options = *o;
	l->groups = frame_groups_new();
	l->timed = true;
	p.slicing = o->every ? SLICE_TIMES : SLICE_FRAMES;
	p.every = o->every;
	p.slice_cells = true;
	p.collapse = frames_together(p.by[0].by);
	p.sliced = frames_lines_sliced;
	p.captured = frames_lines_captured;
	p.arg = l;
	grouped_profile_init(&l->project, &p);
	return l;
}

void frames_lines_free(struct frames_lines *l)
{
	if (!l)
		return;
	grouped_profile_release(&l->project);
	frame_groups_free(l->groups);
	free(l->points);
	free(l->x);
	free(l->start);
	for (size_t i = 0; i <= FRAMES_LINES_MOST; i++)
		free(l->y[i]);
	arena_release(&l->arena);
	free(l);
}

struct grouped_profile *frames_lines_project(struct frames_lines *l)
{
	return &l->project;
}

static int lines_compare(const void *a, const void *b)
{
	const struct lines_group *p = a, *q = b;

	if (p->weight != q->weight)
		return p->weight < q->weight ? 1 : -1;
	return p->group < q->group ? -1 : p->group > q->group;
}

/* *line gets 1 + the line of each group; how many there are, without that of the others. */
static size_t lines_choose(struct frames_lines *l, uint32_t *line, size_t n_groups)
{
	size_t most = l->options.n ? (size_t)l->options.n : FRAMES_LINES_SHOWN, n = 0;
	struct lines_group *w = mem_zarray(n_groups + 1, sizeof *w);
	struct buf title = BUF_INIT;

	for (size_t i = 0; i < n_groups; i++)
		w[i].group = (uint32_t)i;
	for (size_t i = 0; i < l->n_points; i++) {
		const struct lines_point *p = &l->points[i];
		unsigned __int128 *to = &w[p->group].weight;

		*to = !lines_are_live(l) ? *to + p->value : *to > p->value ? *to : p->value;
	}
	qsort(w, n_groups, sizeof *w, lines_compare);
	for (; n < n_groups && n < most && w[n].weight; n++)
		line[w[n].group] = (uint32_t)n + 1;
	/* One alone is no others. */
	if (n < n_groups && w[n].weight && n < FRAMES_LINES_MOST &&
	    (n + 1 == n_groups || !w[n + 1].weight)) {
		line[w[n].group] = (uint32_t)n + 1;
		n++;
	}
	for (size_t i = 0; i < n; i++) {
		struct group_name name;

		title.len = 0;
		if (l->options.places) {
			chain_group(&title, &l->project, 0, w[i].group);
		} else {
			group_name(&l->project, 0, w[i].group, &name);
			buf_add(&title, name.name, name.name_len);
		}
		snprintf(l->keys[i], sizeof l->keys[i], "line_%u", (unsigned)i + 1);
		l->lines[i].key = l->keys[i];
		l->lines[i].title = arena_strndup(&l->arena, title.data, title.len);
	}
	if (n < n_groups && w[n].weight) {
		l->lines[n].key = "others";
		l->lines[n].title = "(others)";
		for (size_t i = n; i < n_groups; i++)
			line[w[i].group] = (uint32_t)n + 1;
		n++;
	}
	buf_release(&title);
	free(w);
	return n;
}

static void lines_draw(struct frames_lines *l, const uint32_t *line, size_t n, size_t n_groups)
{
	uint64_t *last = mem_zarray(n_groups + 1, sizeof *last),
		 *sum = mem_zarray(n + 1, sizeof *sum);
	size_t first = l->before ? 1 : 0;

	for (size_t i = 0; i < n; i++) {
		free(l->y[i]); /* of a call before */
		l->y[i] = mem_zarray(l->n_slices + 1, sizeof *l->y[i]);
	}
	for (size_t s = 0, k = 0; s < l->n_slices; s++) {
		if (!lines_are_live(l))
			memset(sum, 0, n * sizeof *sum);
		for (; k < l->n_points && l->points[k].slice == s; k++) {
			const struct lines_point *p = &l->points[k];
			uint64_t before = lines_are_live(l) ? last[p->group] : 0;

			if (line[p->group])
				sum[line[p->group] - 1] += p->value - before;
			last[p->group] = p->value;
		}
		for (size_t i = 0; i < n && s >= first; i++)
			l->y[i][s - first] = decimal_of_unsigned(sum[i]);
	}
	free(last);
	free(sum);
}

const struct table_series *frames_lines_series(struct frames_lines *l)
{
	const struct metric_row *m = &metric_table[l->options.metric];
	enum key by = l->project.groupings[0].key.by;
	size_t n_groups = l->project.groupings[0].n, n, first = l->before ? 1 : 0;
	uint32_t *line;

	if (!l->known || l->n_slices <= first)
		return NULL;
	line = mem_zarray(n_groups + 1, sizeof *line);
	n = lines_choose(l, line, n_groups);
	lines_draw(l, line, n, n_groups);
	free(line);
	for (size_t i = 0; i < n; i++) {
		l->lines[i].type = frames_type(NULL, (int)l->options.metric);
		l->lines[i].y = l->y[i];
	}
	snprintf(l->title, sizeof l->title, "%s%s by %s", m->title,
		 metric_title_mark(&l->project.now.known, l->options.metric), key_words[by]);
	l->series = (struct table_series){.name = "lines",
					  .title = l->title,
					  .x_title = l->timed ? "time" : "frame",
					  .x_type = l->timed ? COLUMN_TIME : COLUMN_INT,
					  .n_points = l->n_slices - first,
					  .x = (l->timed ? l->start : l->x) + first,
					  .lines = l->lines,
					  .n_lines = n};
	return &l->series;
}
