/* SPDX-License-Identifier: MIT */
#include "lib/report/frames/report.h"

#include "lib/base/mem.h"
#include "lib/base/sort.h"
#include "lib/base/text.h"
#include "lib/group/metric.h"
#include "lib/group/notes.h"
#include "lib/group/rank.h"
#include "lib/report/frames/stats.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "miku.fps", "miku.pss (kB)", "lua.heap max" */
static const char *frames_report_counter_title(struct frames_report *r, int metric)
{
	const struct frames_counters *c = &r->f->counters;
	size_t counter = counter_of(metric, FRAME_METRICS);
	int stat = (metric - FRAME_METRICS) % COUNTER_STATS;
	const char *unit = frames_counters_unit(c, counter);
	const char *name = frames_counters_name(c, counter);
	size_t len = strlen(name), n = strlen(unit);
	bool reported =
	    counter_column(unit) != COLUMN_DECIMAL || (len >= n && !strcmp(name + len - n, unit));
	struct buf b = BUF_INIT;
	const char *s;

	buf_adds(&b, name);
	if (stat != COUNTER_LAST)
		buf_addf(&b, " %s", counter_stat_words[stat]);
	/* Bytes of a domain are known as those of the one that counts. */
	if (c->items[counter].domain)
		buf_adds(&b, metric_title_mark(&r->f->project.now.known, SUM_REQUESTED));
	if (!reported)
		buf_addf(&b, " (%s)", unit);
	s = arena_strndup(&r->arena, b.data, b.len);
	buf_release(&b);
	return s;
}

const char *frames_key(struct frames_report *r, int metric)
{
	const struct frames_counters *c = &r->f->counters;
	int stat = (metric - FRAME_METRICS) % COUNTER_STATS;
	struct buf b = BUF_INIT;
	const char *s;

	if (metric < FRAME_METRICS)
		return metric == FRAME_DURATION ? "duration_ns" : metric_table[metric].key;
	buf_addf(&b, "counter:%s", frames_counters_name(c, counter_of(metric, FRAME_METRICS)));
	if (stat != COUNTER_LAST)
		buf_addf(&b, ":%s", counter_stat_words[stat]);
	s = arena_strndup(&r->arena, b.data, b.len);
	buf_release(&b);
	return s;
}

const char *frames_title(struct frames_report *r, int metric)
{
	const struct profile_known *k = &r->f->project.now.known;
	const char *mark = "";
	char text[64];
	int n;

	if (metric == FRAME_DURATION)
		return "duration";
	if (metric >= FRAME_METRICS)
		return frames_report_counter_title(r, metric);
	if (r->f->estimated >> metric & 1 || k->state[metric] == METRIC_ESTIMATED)
		mark = " ~";
	n = snprintf(text, sizeof text, "%s%s", metric_title(&r->f->project, (enum sum)metric),
		     mark);
	return arena_strndup(&r->arena, text, (size_t)n);
}

enum column_type frames_type(const struct frames *f, int metric)
{
	if (metric >= FRAME_METRICS)
		return counter_column(
		    frames_counters_unit(&f->counters, counter_of(metric, FRAME_METRICS)));
	return metric == FRAME_DURATION ? COLUMN_TIME : metric_type((enum sum)metric);
}

static struct table_cell frames_cell(const struct frames *f, size_t row, int metric)
{
	decimal v;

	return frames_value(f, row, metric, &v) ? cell_decimal(v)
						: (struct table_cell){.present = false};
}

void frames_note(struct frames_report *r, const char *fmt, ...)
{
	char text[512];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	if (n >= (int)sizeof text)
		n = sizeof text - 1;
	VEC_PUSH(r->notes, r->n_notes, r->cap_notes) = arena_strndup(&r->arena, text, (size_t)n);
}

void frames_value_text(struct buf *b, const struct frames *f, int metric, decimal v)
{
	struct table_column c = {.type = frames_type(f, metric)};
	struct table_cell cell = cell_decimal(v);

	cell_for_people(b, &c, &cell, false);
}

void frames_stack_text(struct buf *b, const struct grouped_profile *p, const struct stack_cut *cut,
		       uint32_t stack)
{
	struct group_chain chain = {.n = 0};

	chain_set(&chain, p, cut, stack);
	chain_join(&chain, p, b);
	chain_release(&chain);
}

/* What of live and freed people see: bytes, the real ones if there are. */
static bool best_of(const struct frames *f, enum sum s)
{
	enum sum first = SUMS_FREED >> s & 1 ? SUM_FREED_COUNT : SUM_LIVE_COUNT;

	if (frames_known(f, (int)first + 2))
		return s == first + 2;
	return frames_known(f, (int)first + 1) ? s == first + 1 : s == first;
}

static bool frames_report_shown(const struct frames_report *r, enum sum s)
{
	const struct frames *f = r->f;

	if ((int)s == r->sort)
		return true;
	if (!frames_known(f, (int)s))
		return false;
	if (s == SUM_ENTRIES)
		return f->project.now.all.v[SUM_ENTRIES] && !frames_known(f, SUM_COUNT) &&
		       !frames_known(f, SUM_CALLS) && !frames_known(f, SUM_SAMPLES);
	if ((SUMS_LIVE | SUMS_FREED) >> s & 1)
		return best_of(f, s);
	return metric_table[s].rank && metric_table[s].lists == LISTS_ALL;
}

static void add_column(struct frames_report *r, const char *key, const char *title,
		       enum column_type type, unsigned flags, enum frames_what what, int metric)
{
	size_t i = r->table.n_columns++;

	r->sources = mem_grow(r->sources, &r->cap_sources, i + 1, sizeof *r->sources);
	r->columns = mem_grow(r->columns, &r->cap_columns, i + 1, sizeof *r->columns);

	r->columns[i] =
	    (struct table_column){.key = key, .title = title, .type = type, .flags = flags};
	r->sources[i].what = what;
	r->sources[i].metric = metric;
	r->table.columns = r->columns;
}

static void frames_report_add_counters(struct frames_report *r)
{
	const struct frames_counters *c = &r->f->counters;
	size_t people = 0;

	for (size_t i = 0; i < c->n; i++)
		for (int k = 0; k < COUNTER_STATS; k++) {
			int metric = FRAME_METRICS + (int)i * COUNTER_STATS + k;
			bool first = k == COUNTER_LAST;

			if (!frames_counters_shown(c, i) || (!first && !c->items[i].several))
				continue;
			people += first;
			add_column(r, frames_key(r, metric), frames_title(r, metric),
				   frames_type(r->f, metric),
				   metric == r->sort                   ? 0
				   : first && people <= COUNTERS_SHOWN ? COLUMN_SPARE
								       : COLUMN_NOT_TEXT,
				   FRAMES_METRIC, metric);
		}
	if (people > COUNTERS_SHOWN)
		frames_note(r, "%d of %zu counters are shown: --csv has them all",
			    (int)COUNTERS_SHOWN, people);
}

static void frames_report_add_columns(struct frames_report *r)
{
	const struct frames *f = r->f;
	bool names = intern_count(&f->names), starts = false;

	for (size_t i = 0; i < f->n; i++)
		starts |= f->rows[i].has_start;
	add_column(r, "capture", "capture", COLUMN_INT,
		   f->project.now.captures > 1 ? 0 : COLUMN_NOT_TEXT, FRAMES_CAPTURE, 0);
	add_column(r, "frame", f->options.every ? "step" : "frame", COLUMN_INT, 0, FRAMES_NUMBER,
		   0);
	add_column(r, "name", "name", COLUMN_TEXT, names ? COLUMN_SHORTEN : COLUMN_NOT_TEXT,
		   FRAMES_NAME, 0);
	add_column(r, "start_ns", "start", COLUMN_TIME, starts ? COLUMN_SPARE : COLUMN_NOT_TEXT,
		   FRAMES_START, 0);
	add_column(r, "duration_ns", "duration", COLUMN_TIME,
		   frames_known(f, FRAME_DURATION) && !f->options.every ? 0 : COLUMN_NOT_TEXT,
		   FRAMES_METRIC, FRAME_DURATION);
	for (unsigned s = 0; s < SUMS; s++)
		if (SUMS_COLUMNS >> s & 1 || (SUMS_MEASURED >> s & 1 && frames_known(f, (int)s)))
			add_column(r, metric_table[s].key, frames_title(r, (int)s),
				   frames_type(f, (int)s),
				   (sum_is_signed(s) ? COLUMN_SIGNED : 0) |
				       (frames_report_shown(r, s) ? 0 : COLUMN_NOT_TEXT),
				   FRAMES_METRIC, (int)s);
	frames_report_add_counters(r);
	if (f->options.news)
		add_column(r, "new_stacks", "new stacks", COLUMN_INT, 0, FRAMES_NEWS, 0);
	if (f->options.n_spikes)
		add_column(r, "spike", "spike", COLUMN_TEXT, COLUMN_SHORTEN, FRAMES_SPIKES, 0);
}

/* What broke: the rules as they were given. */
static struct table_cell spikes_cell(struct frames_report *r, const struct frame *row)
{
	struct table_cell c;

	if (!row->spikes)
		return (struct table_cell){.present = false};
	r->text.len = 0;
	for (size_t i = 0; i < r->f->options.n_spikes; i++)
		if (row->spikes >> i & 1)
			buf_addf(&r->text, "%s%s", r->text.len ? ", " : "",
				 r->f->options.spikes[i].text);
	c = cell_text(r->text.data, r->text.len);
	c.mark = MARK_BAD;
	return c;
}

static void frames_report_fill_tops(struct frames_report *r, const struct frame *frame,
				    struct table_row *row)
{
	const struct frames *f = r->f;
	int metric = frames_weight(f);
	size_t offsets[FRAMES_TOPS_MAX];

	r->top_text.len = 0;
	for (size_t i = 0; i < frame->n_tops; i++) {
		const struct frame_top *top = &f->tops[frame->first_top + i];
		struct group_name n;

		offsets[i] = r->top_text.len;
		group_name(&f->project, 0, top->group, &n);
		frames_value_text(&r->top_text, f, metric,
				  frames_signed(metric) ? decimal_of((int64_t)top->value)
							: decimal_of_unsigned(top->value));
		buf_adds(&r->top_text, "  ");
		buf_add(&r->top_text, n.name, n.name_len);
		if (n.line) {
			buf_adds(&r->top_text, "  ");
			buf_add(&r->top_text, n.file, n.file_len);
			buf_addf(&r->top_text, ":%" PRIu32, n.line);
		}
		buf_addc(&r->top_text, '\0');
	}
	for (size_t i = 0; i < frame->n_tops; i++)
		r->details[i] = r->top_text.data + offsets[i];
	row->details = r->details;
	row->n_details = frame->n_tops;
}

static void frames_report_fill(void *arg, size_t i, struct table_row *row)
{
	struct frames_report *r = arg;
	const struct frames *f = r->f;
	size_t at = r->order[i];
	const struct frame *frame = &f->rows[at];

	for (size_t k = 0; k < r->table.n_columns; k++) {
		struct table_cell *c = &row->cells[k];
		size_t len;
		const char *s;

		switch (r->sources[k].what) {
		case FRAMES_CAPTURE: *c = cell_number(frame->capture); break;
		case FRAMES_NUMBER:
			if (frame->kind != SLICE_BEFORE)
				*c = cell_signed(frame->number);
			break;
		case FRAMES_NAME:
			s = intern_text(&f->names, frame->name, &len);
			if (frame->name)
				*c = cell_text(s, len);
			else if (frame->kind == SLICE_BEFORE)
				*c = f->options.every
					 ? cell_text("[before the first time]", 23)
					 : cell_text(SLICES_BEFORE, strlen(SLICES_BEFORE));
			break;
		case FRAMES_START:
			if (frame->has_start)
				*c = cell_signed(frame->start);
			break;
		case FRAMES_METRIC: *c = frames_cell(f, at, r->sources[k].metric); break;
		case FRAMES_NEWS: *c = cell_number(frame->news); break;
		case FRAMES_SPIKES: *c = spikes_cell(r, frame); break;
		}
	}
	frames_report_fill_tops(r, frame, row);
}

static void frames_report_add_totals(struct frames_report *r)
{
	const struct frames *f = r->f;
	struct table_cell *c = arena_zalloc(&r->arena, r->table.n_columns * sizeof *c);

	for (size_t k = 0; k < r->table.n_columns; k++) {
		int metric = r->sources[k].metric;
		bool had = false;
		uint64_t sum = 0;

		if (r->sources[k].what != FRAMES_METRIC || metric >= FRAME_DURATION ||
		    SUMS_OF_MOMENTS >> metric & 1 || !frames_known(f, metric))
			continue;
		for (size_t i = 0; i < f->n; i++)
			if ((columns_has(&f->sums, i) & f->known) >> metric & 1) {
				sum = sum_join((unsigned)metric, had, sum,
					       columns_value(&f->sums, i, (enum sum)metric));
				had = true;
			}
		c[k] = frames_signed(metric) ? cell_signed((int64_t)sum) : cell_number(sum);
	}
	r->table.totals = c;
	r->table.n_totals = f->merged.captures < 2; /* means do not add up */
}

static int frames_report_compare(const void *a, const void *b, void *arg)
{
	const struct frames_report *r = arg;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	decimal v = 0, w = 0;
	bool has_v = frames_value(r->f, x, r->sort, &v), has_w = frames_value(r->f, y, r->sort, &w);

	if (has_v != has_w)
		return has_v ? -1 : 1;
	if (has_v && v != w)
		return v > w ? -1 : 1;
	return x < y ? -1 : x > y;
}

static void order_rows(struct frames_report *r)
{
	const struct frames_options *o = &r->f->options;

	r->order = mem_array(r->f->n + 1, sizeof *r->order);
	for (size_t i = 0; i < r->f->n; i++)
		r->order[i] = (uint32_t)i;
	if (o->sorted)
		sort_array_by(r->order, r->f->n, sizeof *r->order, frames_report_compare, r);
	/* What comes before the first is a row and no frame. */
	for (uint64_t frames = 0; r->table.n_rows < r->f->n; r->table.n_rows++) {
		frames += r->f->rows[r->order[r->table.n_rows]].kind != SLICE_BEFORE;
		if (o->n && frames > o->n)
			break;
	}
	if (!r->f->project.now.all.v[SUM_ENTRIES])
		r->table.empty = group_nothing(&r->f->project);
}

static const char *title(struct frames_report *r)
{
	char text[128];
	size_t shown = 0, all = 0;
	int n;

	for (size_t i = 0; i < r->f->n; i++) {
		shown += i < r->table.n_rows && r->f->rows[r->order[i]].kind != SLICE_BEFORE;
		all += r->f->rows[i].kind != SLICE_BEFORE;
	}
	if (!all)
		return r->f->options.every ? "no steps of time" : "no frames";
	n = snprintf(text, sizeof text, "%zu of %zu %s%s%s%s%s", shown, all,
		     r->f->options.every ? "step" : "frame", plural_s(all),
		     r->f->options.every ? " of time" : "", r->f->options.sorted ? " by " : "",
		     r->f->options.sorted ? frames_title(r, r->sort) : "");

	return arena_strndup(&r->arena, text, (size_t)n);
}

static void frames_report_note_limits(struct frames_report *r)
{
	const struct frames *f = r->f;

	for (unsigned m = 0; m < SUMS; m++) {
		uint64_t sum = 0;
		bool full = sum_is_full(m, f->project.now.unfiltered.v[m]);

		for (size_t i = 0; i < f->n && !full; i++) {
			uint64_t v = columns_value(&f->sums, i, (enum sum)m);

			if (!((columns_has(&f->sums, i) & f->known) >> m & 1))
				continue;
			sum = SUMS_OF_MOMENTS >> m & 1 ? v : sum_join(m, i, sum, v);
			full = sum_is_full(m, sum);
		}
		if (full)
			frames_note(r, "%s: more than 64 bits can hold", metric_table[m].title);
	}
}

static bool has_frames(const struct frames *f)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->rows[i].kind != SLICE_BEFORE)
			return true;
	return false;
}

static void frames_report_add_notes(struct frames_report *r)
{
	const struct frames *f = r->f;
	const struct tally *a = &f->project.tally;
	bool frames = has_frames(f);
	struct buf b = BUF_INIT;

	if (f->project.now.captures && !frames && !f->options.every)
		frames_note(r, "no frames are marked: --every 100ms cuts the capture by time");
	if (f->project.now.captures && !frames && f->options.every)
		frames_note(r, f->project.tally.unselected
				   ? "no event lies in the ranges, so there are no steps"
				   : "no times are known, so there are no steps");
	if (f->backward || f->repeated)
		frames_note(r,
			    "frame numbers go back %" PRIu64 " time%s and repeat %" PRIu64
			    " time%s: rows stay as captured",
			    f->backward, plural_s(f->backward), f->repeated, plural_s(f->repeated));
	if (f->by_calls)
		frames_note(r,
			    "frames have no times: the duration of %" PRIu64
			    " is what the main thread's calls took",
			    f->by_calls);
	if (f->early)
		frames_note(r,
			    "%" PRIu64 " marks of frames come behind events of their time, which "
			    "count in the frame before: a file, which can be read "
			    "twice, has them in their own",
			    f->early);
	if (f->estimated)
		frames_note(r, "live and freed (~): the capture's events come in any order, and "
			       "frees have the time of what is numbered before them");
	if (a->unselected)
		frames_note(r, "ranges leave out %" PRIu64 " record%s of the last capture",
			    a->unselected, plural_s(a->unselected));
	if (a->returned)
		frames_note(r, "live and freed: not known, as frame numbers go back: frames of the "
			       "range come again behind others, whose frees do not count (--time "
			       "chooses one part of the run)");
	if (a->untimed)
		frames_note(r, "%" PRIu64 " of them stand before the first time that is told",
			    a->untimed);
	frames_report_note_limits(r);
	for (enum metric_state state = METRIC_LOWER_BOUND; state <= METRIC_ESTIMATED; state++) {
		b.len = 0;
		if (state_note(&f->project, &f->project.now.known, r->f->known, state, &b))
			frames_note(r, "%s", buf_str(&b));
	}
	for (unsigned d = 0; d < DOMAIN_NOTES; d++) {
		b.len = 0;
		if (domain_note(&f->project.now, d, &b))
			frames_note(r, "%s", buf_str(&b));
	}
	buf_release(&b);
}

static enum status no_such_counter(const struct frames *f, const char *option, const char *name,
				   struct err *e)
{
	struct buf b = BUF_INIT;
	enum { MOST = 12 };

	for (size_t i = 0; i < f->counters.n && i < MOST; i++)
		buf_addf(&b, "%s%s", i ? ", " : "; there are ",
			 frames_counters_name(&f->counters, i));
	err_set(e, ST_UNSUPPORTED, "%s: no capture has the counter '%s'%s%s", option, name,
		buf_str(&b), f->counters.n > MOST ? " ..." : "");
	buf_release(&b);
	return err_failure(e);
}

/* Names of counters are known now. */
static enum status frames_report_resolve_counters(struct frames *f, struct err *e)
{
	const char *name = f->options.sort_counter;

	if (name && f->n) {
		f->sort = frames_counters_find(&f->counters, name);
		if (f->sort < 0)
			return no_such_counter(f, "--sort-counter", name, e);
	}
	for (size_t i = 0; i < f->options.n_spikes; i++) {
		struct spike *s = &f->options.spikes[i];
		char *text;

		if (!s->counter)
			continue;
		text = mem_strdup(s->counter);
		text[strcspn(text, ">")] = '\0';
		s->metric = frames_counters_find(&f->counters, text);
		if (s->metric < 0 && f->n)
			no_such_counter(f, "--spike", text, e);
		free(text);
		if (s->metric < 0 && f->n)
			return err_failure(e);
		if (s->metric < 0) {
			s->metric = INT_MAX; /* known nowhere */
		} else if (s->time) {
			size_t of = counter_of(s->metric, FRAME_METRICS);
			const char *unit = frames_counters_unit(&f->counters, of);
			uint64_t ns = counter_unit_ns(unit);

			if (!ns)
				return err_set(e, ST_UNSUPPORTED,
					       "--spike %s: the counter's unit is '%s', not a time",
					       s->text, unit);
			s->value /= (decimal)ns;
			s->time = false;
		}
	}
	return ST_OK;
}

/* Limits without a metric are of what is sorted by. */
static enum status resolve_limits(struct frames_report *r, struct err *e)
{
	bool time = frames_is_time(r->sort);

	for (size_t i = 0; i < r->f->options.n_spikes; i++) {
		struct spike *s = &r->f->options.spikes[i];

		if (s->metric != FRAMES_AUTO)
			continue;
		if (time && s->rule == SPIKE_VALUE && s->value)
			return err_set(e, ST_UNSUPPORTED,
				       "--spike %s: %s, which is sorted by, is a time: 33ms",
				       s->text, frame_metric_word(r->sort));
		s->metric = r->sort;
	}
	return ST_OK;
}

struct frames_report *frames_report_new(struct frames *f, struct err *e)
{
	struct frames_report *r = mem_zalloc(sizeof *r);

	r->f = f;
	if (frames_report_resolve_counters(f, e)) {
		free(r);
		return NULL;
	}
	r->sort = frames_metric(f, f->sort);
	if (f->n && !frames_known(f, r->sort)) {
		err_set(e, ST_UNSUPPORTED, "the captures do not say '%s' per frame%s",
			frame_metric_word(r->sort),
			has_frames(f) || f->options.every ? "" : ": no frames are marked");
		free(r);
		return NULL;
	}
	if (resolve_limits(r, e)) {
		free(r);
		return NULL;
	}
	r->table = (struct table){.name = "frames", .fill = frames_report_fill, .arg = r};
	frames_find_spikes(r);
	order_rows(r);
	frames_report_add_columns(r);
	frames_report_add_totals(r);
	frames_report_add_notes(r);
	frames_add_pacing(r);
	frames_add_statistics(r);
	frames_add_chart(r);
	r->table.title = title(r);
	r->table.notes = r->notes;
	r->table.n_notes = r->n_notes;
	return r;
}

void frames_report_free(struct frames_report *r)
{
	if (!r)
		return;
	free(r->order);
	free(r->sources);
	free(r->columns);
	free(r->notes);
	free(r->runs);
	free(r->sections);
	free(r->series_marks);
	buf_release(&r->text);
	buf_release(&r->top_text);
	buf_release(&r->run_text);
	buf_release(&r->new_text);
	stack_cut_release(&r->new_cut);
	arena_release(&r->arena);
	free(r);
}

/* What the note says. */
static void add_growth(const struct frames_report *r, struct table_document *d)
{
	static const char *const by[] = {"growth_step_1", "growth_step_2", "growth_step_3"};
	static const char *const at[] = {"growth_step_1_at", "growth_step_2_at",
					 "growth_step_3_at"};
	const struct frames_growth *to = &r->growth;
	const struct frame *rows = r->f->rows;

	document_number(d, "growth", COLUMN_NUMBER, 0, cell_signed(decimal_whole(to->all)));
	document_number(d, r->f->options.every ? "growth_per_step" : "growth_per_frame",
			COLUMN_NUMBER, 3, cell_signed(llround(to->slope * 1000)));
	if (!to->all)
		return;
	document_number(d, "growth_from", COLUMN_NUMBER, 0, cell_signed(rows[to->from].number));
	document_number(d, "growth_to", COLUMN_NUMBER, 0, cell_signed(rows[to->to].number));
	for (size_t k = 0; k < to->n && k < GROWTH_STEPS; k++) {
		document_number(d, by[k], COLUMN_NUMBER, 0,
				cell_signed(decimal_whole(to->steps[k].by)));
		document_number(d, at[k], COLUMN_NUMBER, 0,
				cell_signed(rows[to->steps[k].row].number));
	}
}

void frames_report_add(const struct frames_report *r, struct table_document *d)
{
	document_table(d, &r->table);
	if (r->has_growth && fabs(r->growth.slope) < 1e15)
		add_growth(r, d);
	if (r->series.n_points)
		document_table(d, &r->statistics);
	if (r->n_sections)
		document_table(d, &r->pacing);
	if (r->f->options.n_spikes)
		document_table(d, &r->spikes);
	if (r->f->options.news)
		document_table(d, &r->news);
	if (r->series.n_points)
		document_series(d, &r->series);
}
