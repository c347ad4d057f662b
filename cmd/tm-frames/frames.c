/* SPDX-License-Identifier: MIT */
#include "cmd/tm-frames/frames.h"

#include "lib/base/mem.h"
#include "lib/base/num.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WANT = SUMS_ALL & ~(SUMS_PEAK | SUMS_LIFETIME) };

/* clang-format off */
#define FRAMES_LISTED_NONE(of)
#define FRAMES_LISTED_RUNS(of)
#define FRAMES_LISTED_ALL(of) of,
#define FRAMES_WORD(name, number, word, title, key, unit, family, join, rank, lists, ...) \
	FRAMES_LISTED_##lists(word)
#define FRAMES_SUM(name, number, word, title, key, unit, family, join, rank, lists, ...) \
	FRAMES_LISTED_##lists(SUM_##name)
/* clang-format on */

const char *const cli_frames_sorts[] = {"auto",
					METRIC_ROWS(FRAMES_WORD, METRIC_NO_GROUP) "duration", NULL};
static const int sorts[] = {FRAMES_AUTO, METRIC_ROWS(FRAMES_SUM, METRIC_NO_GROUP) FRAME_DURATION};
const char *const cli_frames_keys[] = {"site", "function", "location", "stack", "type",
				       "file", "module",   "thread",   "owner", NULL};
static const enum key keys[] = {KEY_SITE, KEY_FUNCTION, KEY_LOCATION, KEY_STACK, KEY_TYPE,
				KEY_FILE, KEY_MODULE,   KEY_THREAD,   KEY_OWNER};

struct cli_frames_reading {
	struct cli_loop loop;
	struct frames frames; /* of rows and of one frame; what aggregates are read into */
	bool has_frames;
	struct buf words;
	struct aggregate_asked asked;
};

static void cli_frames_capture_notes(void *arg, struct trace *t)
{
	const struct cli_loop *loop = arg;

	cli_report_notes(loop->file, t);
}

static enum status cli_frames_read_aggregate(void *arg, struct input *in, bool *taken,
					     struct err *e)
{
	struct cli_frames *c = arg;
	struct cli_frames_reading *r = c->reading;
	enum status st = cli_aggregate_ready(in, taken, e);

	if (st || !*taken)
		return st;
	if (!r->has_frames)
		return err_set(e, ST_UNSUPPORTED,
			       "an aggregate does not have the allocations of a frame");
	return frames_aggregate(&r->frames, &in->cur, &r->asked, e);
}

/* Releases the document. */
static void cli_frames_print(struct cli_frames *c, struct table_document *d,
			     const struct table *table, const struct table *log)
{
	for (int i = 0; i < c->n_operands; i++)
		document_input(d, c->operands[i], NULL);
	if (table)
		document_table(d, table);
	if (log)
		document_table(d, log);
	cli_report_print(&c->report, d);
	document_release(d);
}

static void cli_frames_run_rows(struct cli_frames *c)
{
	struct err e = ERR_INIT;
	struct frames_report *r;
	struct frames *f = &c->reading->frames;
	struct table_document d = {.program = "tm-frames"};

	c->options.project.by[0].by = !c->options.tops ? KEY_TYPE
				      : c->by_given    ? keys[c->by]
						       : KEY_SITE;
	c->options.project.n_by = 1;
	c->options.bare = true;
	frames_init(f, &c->options);
	c->reading->loop.sink = frames_sink(f);
	c->reading->has_frames = true;
	cli_inputs(&c->reading->loop, c->n_operands, c->operands);
	names_disambiguate(&f->project.names);
	if (f->project.now.captures) {
		r = frames_report_new(f, &e);
		if (!r) /* a message about another option begins with it */
			cli_usage("%s%s", strncmp(e.msg, "--", 2) ? "--sort: " : "", e.msg);
		frames_report_add(r, &d);
		cli_frames_print(c, &d, NULL, NULL);
		frames_report_free(r);
	}
	frames_release(f);
}

static bool frame_is_single(const struct cli_frames *c)
{
	return c->filter.given[CLI_FRAME].n == 1 &&
	       !strstr(c->filter.given[CLI_FRAME].items[0], "..");
}

/* NULL: not one frame of one capture. */
static const struct frame *the_frame(const struct cli_frames *c, const struct frames *f)
{
	return frame_is_single(c) && f->n == 1 && f->rows[0].kind == SLICE_FRAME ? f->rows : NULL;
}

/* A frame lasts as long as in the rows of all frames, which come from the same slices. */
static void detail_title(const struct cli_frames *c, const struct frames *f, struct buf *to)
{
	const struct frame *frame = the_frame(c, f);

	buf_adds(to, "types and their stacks");
	if (c->filter.given[CLI_FRAME].n == 1)
		buf_addf(to, ", frame %.60s", c->filter.given[CLI_FRAME].items[0]);
	if (frame && frame->has_duration) {
		buf_adds(to, ", ");
		time_text(to, (uint64_t)frame->duration);
		buf_adds(to, f->by_calls ? " in calls of the main thread" : "");
	} else if (frame && frame->has_start) {
		buf_adds(to, ", which has no end");
	}
}

static void cli_frames_print_detail(struct cli_frames *c, const struct frames_detail *d,
				    const struct table *log)
{
	const struct frame *frame = the_frame(c, &c->reading->frames);
	struct table_document doc = {.program = "tm-frames"};

	if (frame && frame->has_duration)
		document_number(&doc, "duration_ns", COLUMN_TIME, 0, cell_signed(frame->duration));
	cli_frames_print(c, &doc, frames_detail_table(d), log);
}

static void cli_frames_run_detail(struct cli_frames *c)
{
	struct cli_frames_reading *r = c->reading;
	struct frames *f = &r->frames;
	struct frames_detail *d;
	struct frames_log *log;
	struct err e = ERR_INIT;
	struct buf title = BUF_INIT;

	frames_detail_groupings(&c->options.project);
	if (frame_is_single(c)) {
		c->options.every = 0;
		frames_init(f, &c->options);
	} else {
		grouped_profile_init(&f->project, &c->options.project);
	}
	log = frames_log_new(frames_sink(f), &c->filter.selection, c->options.n);
	r->loop.sink = frames_log_sink(log);
	cli_inputs(&r->loop, c->n_operands, c->operands);
	names_disambiguate(&f->project.names);
	if (f->project.now.captures && !f->project.now.frames && c->filter.given[CLI_FRAME].n)
		cli_note(NULL, "--frame: no capture has this frame");
	if (f->project.now.captures) {
		detail_title(c, f, &title);
		d = frames_detail_new(&f->project, sorts[c->sort], c->options.n, c->stacks,
				      buf_str(&title), &e);
		if (!d)
			cli_usage("--sort: %s", e.msg);
		cli_frames_print_detail(c, d, frames_log_table(log));
		frames_detail_free(d);
	}
	frames_log_free(log);
	frames_release(f);
	buf_release(&title);
}

static void cli_frames_run_spread(struct cli_frames *c)
{
	struct frames_spread_options o = {.project = c->options.project,
					  .every = c->options.every,
					  .sort = sorts[c->sort],
					  .n = c->options.n};
	struct frames_spread *s;
	struct table_document d = {.program = "tm-frames"};

	if (o.sort != FRAMES_AUTO && !spread_measures(o.sort))
		cli_usage("--spread: '%s' is of moments, of frames as a whole or may be below 0: "
			  "it has no quartiles by %s",
			  cli_frames_sorts[c->sort], cli_frames_keys[c->by]);
	o.project.by[0].by = keys[c->by];
	o.project.n_by = 1;
	s = spread_new(&o);
	c->reading->loop.sink = grouped_profile_sink(spread_project(s));
	cli_inputs(&c->reading->loop, c->n_operands, c->operands);
	names_disambiguate(&spread_project(s)->names);
	if (spread_project(s)->now.captures)
		cli_frames_print(c, &d, spread_table(s), NULL);
	spread_free(s);
}

/* A line for each of the largest groups; the chart alone. */
static void cli_frames_run_lines(struct cli_frames *c)
{
	struct frames_lines_options o = {.project = c->options.project,
					 .every = c->options.every,
					 .metric = (enum sum)sorts[c->lines],
					 .n = c->options.n};
	struct table_document d = {.program = "tm-frames"};
	const struct table_series *s;
	struct frames_lines *l;

	if (sorts[c->lines] == FRAMES_AUTO || sorts[c->lines] == FRAME_DURATION)
		cli_usage("--chart: '%s' is of no %s alone", cli_frames_sorts[c->lines],
			  cli_frames_keys[c->by]);
	if (o.n > FRAMES_LINES_MOST)
		cli_usage("--top: at most %d with --chart", FRAMES_LINES_MOST);
	o.project.by[0].by = keys[c->by];
	o.project.n_by = 1;
	l = frames_lines_new(&o);
	c->reading->loop.sink = grouped_profile_sink(frames_lines_project(l));
	cli_inputs(&c->reading->loop, c->n_operands, c->operands);
	names_disambiguate(&frames_lines_project(l)->names);
	if (frames_lines_project(l)->now.captures) {
		for (int i = 0; i < c->n_operands; i++)
			document_input(&d, c->operands[i], NULL);
		s = frames_lines_series(l);
		if (!s || !s->n_lines)
			cli_usage("--chart: no capture has %s of a %s", cli_frames_sorts[c->lines],
				  cli_frames_keys[c->by]);
		if (frames_lines_project(l)->now.captures > 1)
			cli_note(NULL, "--chart: the first capture alone is drawn");
		document_series(&d, s);
		cli_report_print(&c->report, &d);
		document_release(&d);
	}
	frames_lines_free(l);
}

static void cli_frames_run_calls(struct cli_frames *c)
{
	struct frames_bars_options o = {.selection = &c->filter.selection,
					.every = c->options.every,
					.levels = c->levels,
					.n = c->options.n,
					.mangled = c->filter.mangled};
	struct table_document d = {.program = "tm-frames"};
	struct frames_bars *b;

	if (filters_any(c->filter.filters) || c->filter.selection.frames.n ||
	    c->filter.selection.sizes.n)
		cli_usage("--bars: of the filters it takes --thread and --time alone");
	b = frames_bars_new(&o);
	c->reading->loop.sink = frames_bars_sink(b);
	cli_inputs(&c->reading->loop, c->n_operands, c->operands);
	cli_frames_print(c, &d, frames_bars_table(b), NULL);
	frames_bars_free(b);
}

static enum status cli_frames_print_row(void *arg, const struct table_row *row, struct err *e)
{
	(void)e;
	return render_rows_add(arg, row);
}

static void cli_frames_run_by(struct cli_frames *c)
{
	struct cli_frames_reading *r = c->reading;
	struct frames_by_options o = {.project = c->options.project,
				      .every = c->options.every,
				      .sort = sorts[c->sort],
				      .n = c->options.n,
				      .row = cli_frames_print_row};
	char cut[STACK_CUT_NOTE];
	struct err e = ERR_INIT;
	struct frames_by f;

	if (o.sort == FRAME_DURATION)
		cli_usage(
		    "--by: all rows of a frame have its duration, so they cannot be sorted by it");
	o.project.by[0].by = keys[c->by];
	o.project.n_by = 1;
	frames_by_init(&f, &o);
	f.options.arg = cli_report_rows(&c->report, &f.table, &e);
	r->loop.sink = grouped_profile_sink(&f.project);
	cli_inputs(&r->loop, c->n_operands, c->operands);
	if (render_rows_end(f.options.arg))
		cli_fail(NULL, &e);
	if (f.cut.most) {
		stack_cut_note(&f.cut, cut);
		cli_note(NULL, "%s", cut);
	}
	frames_by_release(&f);
}

static void cli_frames_parse(struct cli_frames *c)
{
	struct frames_options *o = &c->options;
	struct err e = ERR_INIT;

	if (c->every && (!num_time(c->every, strlen(c->every), &o->every) || o->every <= 0))
		cli_usage("--every: '%s' is not a duration such as 100ms or 1s", c->every);
	for (size_t i = 0; i < c->spikes.n; i++) {
		if (i == SPIKES_MAX)
			cli_usage("--spike: more than %d", SPIKES_MAX);
		if (spike_parse(&o->spikes[i], c->spikes.items[i], &e))
			cli_usage("--spike: %s", e.msg);
	}
	o->n_spikes = c->spikes.n;
	o->sort = sorts[c->sort];
	o->sorted = c->sorted || o->sort_counter;
	if (o->tops > FRAMES_TOPS_MAX)
		cli_usage("--tops: at most %d", FRAMES_TOPS_MAX);
	cli_filter_project(&c->filter, &o->project);
	o->project.want = WANT;
	o->project.captured = cli_frames_capture_notes;
	o->project.arg = &c->reading->loop;
}

static void start(struct cli_frames *c)
{
	c->options.tops = c->tops > FRAMES_TOPS_MAX ? FRAMES_TOPS_MAX + 1 : (unsigned)c->tops;
	/* One frame is looked at closely; so is what is asked for. */
	c->detail |= frame_is_single(c) && !c->by_given && !c->options.tops && !c->spread &&
		     !c->lines_given && !c->calls;
	if (c->spread && (c->detail || c->options.tops || c->spikes.n || c->options.news ||
			  c->options.sort_counter))
		cli_usage("--spread takes only --by, --sort, --every and -n");
	if (c->lines_given + c->calls + c->spread + c->detail > 1)
		cli_usage("--chart, --bars, --spread and --detail exclude each other");
	if (c->levels && !c->calls)
		cli_usage("--levels needs --bars");
	if (c->by_given && !c->options.tops && !c->detail && !c->spread && !c->lines_given &&
	    !c->calls && !c->report.as && !c->report.output)
		c->report.csv = true;
	cli_report_start(&c->report);
	c->options.page = c->report.format == RENDER_HTML;
	cli_autosymbolize(&c->symbols, "tm-frames", NULL, &c->import.options, (size_t)c->n_operands,
			  (const char *const *)c->operands);
	cli_sandbox("tm-frames", NULL);
}

void cli_frames_run(struct cli_frames *c)
{
	struct cli_frames_reading *r = mem_zalloc(sizeof *r);

	c->reading = r;
	cli_import_done(&c->import);
	start(c);
	cli_filter_done(&c->filter);
	r->loop = (struct cli_loop){.import = &c->import.options,
				    .instead = cli_frames_read_aggregate,
				    .symbols = &c->symbols,
				    .arg = c};
	r->asked = cli_aggregate_asked(&c->filter, &r->words, &r->loop.file);
	cli_frames_parse(c);
	r->loop.frames_selected = c->filter.selection.frames.n;
	r->loop.marks = !c->options.every || r->loop.frames_selected;
	if (c->spread)
		cli_frames_run_spread(c);
	else if (c->detail)
		cli_frames_run_detail(c);
	else if (c->lines_given)
		cli_frames_run_lines(c);
	else if (c->calls)
		cli_frames_run_calls(c);
	else if (c->by_given && !c->options.tops)
		cli_frames_run_by(c);
	else
		cli_frames_run_rows(c);
	cli_symbols_release(&c->symbols);
	cli_filter_release(&c->filter);
	buf_release(&r->words);
	opt_list_release(&c->spikes);
	free(r);
	c->reading = NULL;
}
