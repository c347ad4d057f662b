/* SPDX-License-Identifier: MIT */
#include "lib/history/view.h"

#include "lib/base/mem.h"
#include "lib/base/sort.h"
#include "lib/base/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MANY = 16 }; /* columns of the widest table */

struct step_row {
	const struct history_line *line;
	const struct stats_step *step;
};

struct history_view {
	const struct history_runs *runs;
	const struct history_lines *lines;
	struct history_view_options o;
	size_t n_lines; /* that are shown */
	bool decimals;  /* there are counters among them */
	struct table tables[4];
	struct table_column columns[4][MANY];
	struct step_row *steps;
	size_t n_steps, cap_steps;
	struct table_series *series;
	struct arena arena;
	struct buf texts[MANY]; /* of the row being filled */
	const char *notes[8];
	size_t n_notes;
};

enum { RUNS, SERIES, VALUES, STEPS };

static struct table_cell text(const char *s)
{
	return s ? cell_text(s, strlen(s)) : (struct table_cell){.present = false};
}

static const char *keep(struct history_view *v, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static const char *keep(struct history_view *v, const char *format, ...)
{
	char line[600];
	va_list args;

	va_start(args, format);
	vsnprintf(line, sizeof line, format, args);
	va_end(args);
	return arena_strndup(&v->arena, line, strlen(line));
}

static struct table_cell for_people(struct history_view *v, unsigned column,
				    const struct history_line *l, double value, bool is_signed)
{
	struct buf *b = &v->texts[column];

	b->len = 0;
	if (isnan(value))
		return (struct table_cell){.present = false};
	history_value_text(l, value, is_signed, b);
	return cell_text(b->data, b->len);
}

/* Thousandths, whatever the metric: a table may hold several. Of counters all that they have. */
static struct table_cell for_programs(const struct history_view *v, const struct history_line *l,
				      double value)
{
	decimal all;

	if (isnan(value))
		return (struct table_cell){.present = false};
	if (v->decimals && decimal_from_double(value, &all))
		return cell_decimal(l->type == COLUMN_DECIMAL ? all : decimal_round(all, 3));
	return cell_rounded(value * 1000);
}

static const char *unit_of(const struct history_line *l)
{
	return l->type == COLUMN_BYTES ? "bytes" : l->type == COLUMN_TIME ? "ns" : "number";
}

static const char *const nothing[] = {
    [RUNS] = "none: the store has no such run",
    [SERIES] = "none: no run has a value",
    [VALUES] = "none: no run has a value",
    [STEPS] = "none: no series steps",
};

static void set_table(struct history_view *v, unsigned which, const char *name, const char *title,
		      const struct table_column *columns, size_t n, size_t rows,
		      void (*fill)(void *arg, size_t i, struct table_row *r))
{
	bool rules = false;

	for (size_t i = 0; v->lines && i < v->lines->n; i++)
		rules |= v->lines->items[i].rule != NULL;
	memcpy(v->columns[which], columns, n * sizeof *columns);
	for (size_t i = 0; i < n; i++)
		if (!rules && !strcmp(columns[i].key, "rule"))
			v->columns[which][i].flags |= COLUMN_NOT_TEXT;
	for (size_t i = 0; i < n; i++)
		if (v->decimals && columns[i].type == COLUMN_NUMBER &&
		    columns[i].flags & COLUMN_NOT_TEXT)
			v->columns[which][i].type = COLUMN_DECIMAL;
	v->tables[which] = (struct table){.name = name,
					  .title = title,
					  .columns = v->columns[which],
					  .n_columns = n,
					  .n_rows = rows,
					  .empty = nothing[which],
					  .fill = fill,
					  .arg = v};
}

/* --- runs --- */

static void history_view_fill_run(void *arg, size_t i, struct table_row *r)
{
	struct history_view *v = arg;
	const struct history_run *run = &v->runs->items[i];
	struct table_cell *c = r->cells;

	*c++ = cell_signed(run->id);
	*c++ = text(run->date);
	*c++ = text(run->build);
	*c++ = text(run->branch);
	*c++ = text(run->commit);
	*c++ = text(run->machine);
	*c = text(run->status);
	c->mark = !strcmp(run->status, "red")     ? MARK_BAD
		  : !strcmp(run->status, "green") ? MARK_GOOD
						  : MARK_NONE;
	c++;
	*c++ = text(run->labels);
	*c++ = cell_signed(run->captures);
	*c++ = cell_signed(run->frames);
	*c++ = run->duration ? cell_signed(run->duration) : (struct table_cell){.present = false};
	*c++ = cell_signed(run->losses);
	*c++ = text(run->format);
	*c++ = text(run->options);
	*c++ = text(run->file);
	*c = text(run->added);
}

static void history_view_set_runs(struct history_view *v)
{
	static const struct table_column columns[] = {
	    {"run", "run", COLUMN_INT, 0, 0},
	    {"date", "date", COLUMN_TEXT, 0, 0},
	    {"build", "build", COLUMN_TEXT, 0, 0},
	    {"branch", "branch", COLUMN_TEXT, 0, 0},
	    {"commit", "commit", COLUMN_TEXT, COLUMN_SPARE, 0},
	    {"machine", "machine", COLUMN_TEXT, COLUMN_SPARE, 0},
	    {"status", "status", COLUMN_TEXT, 0, 0},
	    {"labels", "labels", COLUMN_TEXT, COLUMN_SPARE, 0},
	    {"captures", "captures", COLUMN_INT, COLUMN_SPARE, 0},
	    {"frames", "frames", COLUMN_INT, COLUMN_SPARE, 0},
	    {"duration_ns", "duration", COLUMN_TIME, COLUMN_SPARE, 0},
	    {"losses", "losses", COLUMN_INT, COLUMN_SPARE, 0},
	    {"format", "format", COLUMN_TEXT, COLUMN_SPARE, 0},
	    {"options", NULL, COLUMN_TEXT, COLUMN_NOT_TEXT, 0},
	    {"file", "file", COLUMN_TEXT, COLUMN_SPARE | COLUMN_SHORTEN | COLUMN_PATH, 0},
	    {"added", NULL, COLUMN_TEXT, COLUMN_NOT_TEXT, 0},
	};

	set_table(v, RUNS, "runs", "runs", columns, sizeof columns / sizeof *columns, v->runs->n,
		  history_view_fill_run);
}

/* --- series and their values --- */

static void ends_of(const struct history_view *v, const struct history_line *l, double *first,
		    double *last)
{
	*first = *last = NAN;
	for (size_t i = 0; i < v->runs->n; i++)
		if (!isnan(l->v[i])) {
			*first = isnan(*first) ? l->v[i] : *first;
			*last = l->v[i];
		}
}

static void history_view_fill_series(void *arg, size_t i, struct table_row *r)
{
	struct history_view *v = arg;
	const struct history_line *l = &v->lines->items[i];
	struct stats_step whole = {.p = 0};
	struct table_cell *c = r->cells;

	ends_of(v, l, &whole.before, &whole.after);
	*c++ = text(l->rule);
	*c++ = text(l->key);
	*c++ = text(l->name);
	*c++ = text(l->metric);
	*c++ = text(unit_of(l));
	*c++ = cell_number(l->present);
	*c++ = for_people(v, 0, l, whole.before, false);
	*c++ = for_people(v, 1, l, whole.after, false);
	*c++ = for_programs(v, l, whole.before);
	*c++ = for_programs(v, l, whole.after);
	*c++ = l->present ? cell_percent(history_step_percent(&whole))
			  : (struct table_cell){.present = false};
	*c = cell_number(l->n_steps);
	c->mark = l->n_steps ? MARK_STRONG : MARK_NONE;
}

static void history_view_set_series(struct history_view *v)
{
	static const struct table_column columns[] = {
	    {"rule", "rule", COLUMN_TEXT, 0, 0},
	    {"key", "key", COLUMN_TEXT, 0, 0},
	    {"name", "name", COLUMN_TEXT, COLUMN_SHORTEN, 0},
	    {"metric", "metric", COLUMN_TEXT, 0, 0},
	    {"unit", NULL, COLUMN_TEXT, COLUMN_NOT_TEXT, 0},
	    {"runs", "runs", COLUMN_INT, 0, 0},
	    {"first_text", "first", COLUMN_TEXT, COLUMN_NOT_CSV, 0},
	    {"last_text", "last", COLUMN_TEXT, COLUMN_NOT_CSV, 0},
	    {"first", NULL, COLUMN_NUMBER, COLUMN_NOT_TEXT, 3},
	    {"last", NULL, COLUMN_NUMBER, COLUMN_NOT_TEXT, 3},
	    {"change_percent", "change", COLUMN_PERCENT, COLUMN_SIGNED, 0},
	    {"steps", "steps", COLUMN_INT, 0, 0},
	};

	set_table(v, SERIES, "series", "series", columns, sizeof columns / sizeof *columns,
		  v->n_lines, history_view_fill_series);
}

static const struct stats_step *step_at(const struct history_line *l, size_t run)
{
	for (size_t i = 0; i < l->n_steps; i++)
		if (l->steps[i].at == run && !l->steps[i].trend)
			return &l->steps[i];
	return NULL;
}

static void history_view_fill_value(void *arg, size_t i, struct table_row *r)
{
	struct history_view *v = arg;
	const struct history_line *l = &v->lines->items[i / v->runs->n];
	const struct history_run *run = &v->runs->items[i % v->runs->n];
	const struct stats_step *step = step_at(l, i % v->runs->n);
	struct table_cell *c = r->cells;

	*c++ = text(l->rule);
	*c++ = text(l->key);
	*c++ = text(l->name);
	*c++ = text(l->metric);
	*c++ = text(unit_of(l));
	*c++ = cell_signed(run->id);
	*c++ = text(run->date);
	*c++ = text(run->build);
	*c++ = text(run->branch);
	*c++ = text(run->status);
	*c++ = for_people(v, 0, l, l->v[i % v->runs->n], false);
	*c++ = for_programs(v, l, l->v[i % v->runs->n]);
	*c = text(!step ? NULL : step->after > step->before ? "up" : "down");
	c->mark = !step ? MARK_NONE : step->after > step->before ? MARK_BAD : MARK_GOOD;
}

static void history_view_set_values(struct history_view *v)
{
	static const struct table_column columns[] = {
	    {"rule", "rule", COLUMN_TEXT, 0, 0},
	    {"key", "key", COLUMN_TEXT, 0, 0},
	    {"name", "name", COLUMN_TEXT, COLUMN_SHORTEN, 0},
	    {"metric", "metric", COLUMN_TEXT, 0, 0},
	    {"unit", NULL, COLUMN_TEXT, COLUMN_NOT_TEXT, 0},
	    {"run", "run", COLUMN_INT, 0, 0},
	    {"date", "date", COLUMN_TEXT, 0, 0},
	    {"build", "build", COLUMN_TEXT, 0, 0},
	    {"branch", "branch", COLUMN_TEXT, COLUMN_SPARE, 0},
	    {"status", "status", COLUMN_TEXT, 0, 0},
	    {"value_text", "value", COLUMN_TEXT, COLUMN_NOT_CSV, 0},
	    {"value", NULL, COLUMN_NUMBER, COLUMN_NOT_TEXT, 3},
	    {"step", "step", COLUMN_TEXT, 0, 0},
	};

	set_table(v, VALUES, "values", "values", columns, sizeof columns / sizeof *columns,
		  v->n_lines * v->runs->n, history_view_fill_value);
}

/* --- steps --- */

static size_t before_of(const struct history_line *l, const struct stats_step *s)
{
	size_t i = s->at;

	while (i-- > s->first)
		if (!isnan(l->v[i]))
			return i;
	return s->first;
}

static size_t runs_in(const struct history_line *l, size_t from, size_t to)
{
	size_t n = 0;

	for (; from < to; from++)
		n += !isnan(l->v[from]);
	return n;
}

static const char *direction_of(const struct stats_step *s)
{
	bool up = s->after > s->before;

	return s->trend ? up ? "trend up" : "trend down" : up ? "up" : "down";
}

static void history_view_fill_step(void *arg, size_t i, struct table_row *r)
{
	struct history_view *v = arg;
	const struct history_line *l = v->steps[i].line;
	const struct stats_step *s = v->steps[i].step;
	const struct history_run *from = &v->runs->items[s->trend ? s->first : before_of(l, s)];
	const struct history_run *to = &v->runs->items[s->at];
	bool up = s->after > s->before;
	struct table_cell *c = r->cells;

	*c = text(direction_of(s));
	c++->mark = up ? MARK_BAD : MARK_GOOD;
	*c++ = text(l->rule);
	*c++ = text(l->key);
	*c++ = text(l->name);
	*c++ = text(l->metric);
	*c++ = text(unit_of(l));
	*c++ = text(from->build);
	*c++ = text(to->build);
	*c++ = cell_signed(from->id);
	*c++ = cell_signed(to->id);
	*c = for_people(v, 0, l, s->after - s->before, true);
	if (!isfinite(history_step_percent(s))) {
		buf_adds(&v->texts[0], " (was 0)");
		*c = cell_text(v->texts[0].data, v->texts[0].len);
	}
	c++;
	*c++ = for_programs(v, l, s->before);
	*c++ = for_programs(v, l, s->after);
	*c++ = cell_percent(history_step_percent(s));
	v->texts[1].len = 0;
	if (s->trend)
		buf_addf(&v->texts[1], "%zu", runs_in(l, s->first, s->last));
	else
		buf_addf(&v->texts[1], "%zu + %zu", runs_in(l, s->first, s->at),
			 runs_in(l, s->at, s->last));
	*c++ = cell_text(v->texts[1].data, v->texts[1].len);
	*c = cell_number((uint64_t)ceil(s->p * 10000));
}

static void history_view_set_steps(struct history_view *v)
{
	static const struct table_column columns[] = {
	    {"direction", "step", COLUMN_TEXT, 0, 0},
	    {"rule", "rule", COLUMN_TEXT, 0, 0},
	    {"key", "key", COLUMN_TEXT, 0, 0},
	    {"name", "name", COLUMN_TEXT, COLUMN_SHORTEN, 0},
	    {"metric", "metric", COLUMN_TEXT, 0, 0},
	    {"unit", NULL, COLUMN_TEXT, COLUMN_NOT_TEXT, 0},
	    {"build_before", "last build before", COLUMN_TEXT, 0, 0},
	    {"build", "first build with it", COLUMN_TEXT, 0, 0},
	    {"run_before", NULL, COLUMN_INT, COLUMN_NOT_TEXT, 0},
	    {"run", NULL, COLUMN_INT, COLUMN_NOT_TEXT, 0},
	    {"change_text", "difference", COLUMN_TEXT, COLUMN_NOT_CSV, 0},
	    {"before", NULL, COLUMN_NUMBER, COLUMN_NOT_TEXT, 3},
	    {"after", NULL, COLUMN_NUMBER, COLUMN_NOT_TEXT, 3},
	    {"change_percent", "change", COLUMN_PERCENT, COLUMN_SIGNED, 0},
	    {"runs", "runs", COLUMN_TEXT, 0, 0},
	    {"p", "p", COLUMN_NUMBER, 0, 4},
	};

	set_table(v, STEPS, "steps", "steps", columns, sizeof columns / sizeof *columns, v->n_steps,
		  history_view_fill_step);
}

static int history_view_latest_first(const void *a, const void *b)
{
	const struct step_row *x = a, *y = b;
	double px = fabs(history_step_percent(x->step)), py = fabs(history_step_percent(y->step));

	if (x->step->at != y->step->at)
		return x->step->at > y->step->at ? -1 : 1;
	if (px != py)
		return px > py ? -1 : 1;
	return strcmp(x->line->name, y->line->name);
}

const struct stats_step *history_last_rise(const struct history_lines *l,
					   const struct history_line **line)
{
	const struct stats_step *best = NULL;

	for (size_t i = 0; i < l->n; i++)
		for (size_t k = 0; k < l->items[i].n_steps; k++) {
			const struct stats_step *s = &l->items[i].steps[k];
			bool later = !best || s->at > best->at ||
				     (s->at == best->at &&
				      history_step_percent(s) > history_step_percent(best));

			if (s->after > s->before && later && !s->trend) {
				best = s;
				*line = &l->items[i];
			}
		}
	return best;
}

/* --- charts --- */

static void add_marks(struct history_view *v, struct table_series *s, const struct history_line *l)
{
	s->marks = arena_zalloc(&v->arena, (l->n_steps + 1) * sizeof *s->marks);
	for (size_t i = 0; i < l->n_steps; i++) {
		const struct stats_step *step = &l->steps[i];
		struct buf b = BUF_INIT;

		buf_addf(&b, "%s at %s: ", direction_of(step), v->runs->items[step->at].build);
		history_value_text(l, step->before, false, &b);
		buf_adds(&b, " to ");
		history_value_text(l, step->after, false, &b);
		s->marks[s->n_marks++] = (struct series_mark){
		    step->at, step->at, step->after > step->before ? MARK_BAD : MARK_GOOD,
		    arena_strndup(&v->arena, b.data, b.len)};
		buf_release(&b);
	}
}

static void history_view_set_chart(struct history_view *v, struct table_series *s, size_t i)
{
	const struct history_line *l = &v->lines->items[i];
	size_t n = v->runs->n;
	int64_t *x = arena_alloc(&v->arena, (n + 1) * sizeof *x);
	decimal *y = arena_alloc(&v->arena, (n + 1) * sizeof *y);
	const char **labels = arena_zalloc(&v->arena, (n + 1) * sizeof *labels);
	struct series_line *line = arena_zalloc(&v->arena, sizeof *line);
	const char *of = l->rule ? l->rule : l->key;

	for (size_t k = 0; k < n; k++) {
		struct table_cell c = history_cell(l, l->v[k]);

		x[k] = v->runs->items[k].id;
		y[k] = c.present && !c.high ? decimal_of_unsigned(c.number) + (decimal)c.fraction
					    : SERIES_ABSENT;
		if (c.present && !c.high && c.negative)
			y[k] = -y[k];
		labels[k] = v->runs->items[k].build;
	}
	*line = (struct series_line){
	    .key = "value", .title = l->metric, .type = l->type, .decimals = l->decimals, .y = y};
	*s = (struct table_series){.name = keep(v, "chart-%zu", i + 1),
				   .title = keep(v, "%s%s%s", of, strcmp(of, l->name) ? ": " : "",
						 strcmp(of, l->name) ? l->name : ""),
				   .x_title = "run",
				   .x_type = COLUMN_INT,
				   .n_points = n,
				   .x = x,
				   .labels = labels,
				   .cropped = true,
				   .lines = line,
				   .n_lines = 1};
	add_marks(v, s, l);
}

enum { RENAMED_SHOWN = 3 };

void history_renamed_text(const struct history_lines *l, struct buf *to)
{
	if (!l->n_renamed)
		return;
	buf_addf(to, "%zu series %s on under another name (a guess):", l->n_renamed,
		 l->n_renamed == 1 ? "goes" : "go");
	for (size_t i = 0; i < l->n_renamed && i < RENAMED_SHOWN; i++)
		buf_addf(to, "%s %s is %s from build %s on", i ? "," : "", l->renamed[i].was,
			 l->renamed[i].now, l->runs->items[l->renamed[i].run].build);
	if (l->n_renamed > RENAMED_SHOWN)
		buf_addf(to, ", and %zu more", l->n_renamed - RENAMED_SHOWN);
}

static void history_view_add_renamed(struct history_view *v)
{
	struct buf b = BUF_INIT;

	history_renamed_text(v->lines, &b);
	if (b.len)
		v->notes[v->n_notes++] = arena_strndup(&v->arena, b.data, b.len);
	buf_release(&b);
}

/* Series whose last builds are far off, and too few to be a step. */
static void history_view_add_tails(struct history_view *v)
{
	const struct history_line *first = NULL;
	size_t more = 0;
	struct buf b = BUF_INIT;

	for (size_t i = 0; i < v->lines->n; i++) {
		const struct history_line *l = &v->lines->items[i];

		if (l->tail.n && first)
			more++;
		else if (l->tail.n)
			first = l;
	}
	if (!first)
		return;
	buf_addf(&b, "%s: the last ", first->name);
	if (first->tail.n > 1)
		buf_addf(&b, "%zu builds are", first->tail.n);
	else
		buf_adds(&b, "build is");
	buf_addf(&b,
		 " %.3g times the level: %s cannot show whether this is a step or an "
		 "outlier",
		 first->tail.value / first->tail.level,
		 first->tail.n > 1 ? "so few builds" : "one build");
	if (more)
		buf_addf(&b, "; the same holds for %zu more series", more);
	v->notes[v->n_notes++] = arena_strndup(&v->arena, b.data, b.len);
	buf_release(&b);
}

/* How many builds a step needs, where two do not do. */
static const char *builds_needed(struct history_view *v)
{
	const struct history_lines *l = v->lines;

	return l->behind > 2 ? keep(v, "; in %zu builds, a step needs %zu builds at the new level",
				    l->most, l->behind)
			     : "";
}

static void history_view_add_notes(struct history_view *v)
{
	const struct history_lines *l = v->lines;
	size_t builds;

	if (v->n_lines < l->n)
		v->notes[v->n_notes++] =
		    keep(v, "%zu of %zu series are shown; -n 0 shows all", v->n_lines, l->n);
	if (l->asked && v->o.joint)
		v->notes[v->n_notes++] =
		    keep(v, "%zu series %s an error rate of %g, the chance of any false step%s",
			 l->asked, l->asked == 1 ? "has" : "share", v->o.alpha, builds_needed(v));
	else if (l->asked && v->o.alpha > 0)
		v->notes[v->n_notes++] =
		    keep(v,
			 "%zu series %s checked with an error rate of %g%s: %.2g false steps "
			 "are expected without any change",
			 l->asked, l->asked == 1 ? "was" : "were", v->o.alpha,
			 l->asked == 1 ? "" : " each", v->o.alpha * (double)l->asked);
	builds = v->runs->n ? v->runs->items[v->runs->n - 1].nth_build + 1 : 0;
	if (builds && builds < v->runs->n)
		v->notes[v->n_notes++] =
		    keep(v,
			 "%zu runs are of %zu build%s: each build counts once, by the median of "
			 "its runs",
			 v->runs->n, builds, plural_s(builds));
	history_view_add_renamed(v);
	if (l->full)
		v->notes[v->n_notes++] =
		    keep(v, "%zu value%s left out: above the largest number of a store, 2^63-1",
			 l->full, l->full == 1 ? " is" : "s are");
	history_view_add_tails(v);
	if (l->too_short)
		v->notes[v->n_notes++] =
		    keep(v, "%zu series %s fewer than %zu builds: too few to find a step",
			 l->too_short, l->too_short == 1 ? "has" : "have", l->enough);
}

struct history_view *history_view_new(const struct history_runs *runs,
				      const struct history_lines *l,
				      const struct history_view_options *o)
{
	struct history_view *v = mem_zalloc(sizeof *v);

	v->runs = runs;
	v->lines = l;
	for (size_t i = 0; l && i < l->n; i++)
		v->decimals |= l->items[i].type == COLUMN_DECIMAL;
	v->o = *o;
	history_view_set_runs(v);
	if (!l)
		return v;
	v->n_lines = o->top && o->top < l->n ? o->top : l->n;
	for (size_t i = 0; i < l->n; i++)
		for (size_t k = 0; k < l->items[i].n_steps; k++)
			VEC_PUSH(v->steps, v->n_steps, v->cap_steps) =
			    (struct step_row){&l->items[i], &l->items[i].steps[k]};
	if (v->n_steps)
		sort_array(v->steps, v->n_steps, sizeof *v->steps, history_view_latest_first);
	history_view_set_series(v);
	history_view_set_values(v);
	history_view_set_steps(v);
	history_view_add_notes(v);
	v->series = mem_zarray(v->n_lines + 1, sizeof *v->series);
	for (size_t i = 0; i < v->n_lines && o->charts; i++)
		history_view_set_chart(v, &v->series[i], i);
	return v;
}

void history_view_free(struct history_view *v)
{
	if (!v)
		return;
	for (size_t i = 0; i < MANY; i++)
		buf_release(&v->texts[i]);
	arena_release(&v->arena);
	free(v->steps);
	free(v->series);
	free(v);
}

void history_view_runs(struct history_view *v, struct table_document *d)
{
	document_table(d, &v->tables[RUNS]);
}

void history_view_steps(struct history_view *v, struct table_document *d)
{
	document_table(d, &v->tables[STEPS]);
	for (size_t i = 0; i < v->n_notes; i++)
		document_note(d, v->notes[i]);
}

void history_view_trend(struct history_view *v, struct table_document *d)
{
	if (v->o.values && v->o.values_first)
		document_table(d, &v->tables[VALUES]);
	document_table(d, &v->tables[SERIES]);
	for (size_t i = 0; i < v->n_lines && v->o.charts; i++)
		document_series(d, &v->series[i]);
	if (v->o.values && !v->o.values_first)
		document_table(d, &v->tables[VALUES]);
}
