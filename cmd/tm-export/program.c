/* SPDX-License-Identifier: MIT */
#include "cmd/tm-export/program.h"

#include "lib/cli/autosymbolize.h"
#include "lib/cli/cli.h"
#include "lib/cli/filter.h"
#include "lib/cli/session.h"
#include "lib/export/export.h"
#include "lib/select/marks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The export, with the notes of each capture printed when it has ended. */
struct told {
	struct sink_tap tap; /* first */
	struct cli_loop *loop;
	uint64_t seen[EV_KINDS]; /* events */
	const struct exporter *format;
	bool frames; /* the format has them */
	struct frame_marks marks;
	uint64_t
	    misplaced; /* allocations of the capture whose time is another frame's than their place */
};

static enum status export_begin(struct sink_tap *tap, struct trace *t, struct err *e)
{
	struct told *x = (struct told *)tap;

	(void)e;
	x->misplaced = 0;
	if (x->frames)
		frame_marks_begin(&x->marks, t);
	return ST_OK;
}

/* Where the format has frames. */
static enum status export_batch(struct sink_tap *tap, struct trace *t, const struct sink_batch *b,
				struct err *e)
{
	struct told *x = (struct told *)tap;

	(void)t, (void)e;
	for (size_t i = 0; i < b->n && x->frames; i++) {
		const struct event *ev = &b->rows[i];

		frame_marks_advance(&x->marks, ev);
		x->misplaced +=
		    event_allocates(ev->kind) &&
		    frame_marks_of(&x->marks, ev->has & EV_HAS_TIME, ev->time) != x->marks.at;
	}
	return ST_OK;
}

static void export_ended(struct sink_tap *tap, struct trace *t)
{
	struct told *x = (struct told *)tap;

	for (size_t i = 0; i < EV_KINDS; i++)
		x->seen[event_allocates(i) ? EV_ALLOC : i] += t->events[i];
	cli_notes(x->loop->file, t, 0, NOTE_GUESS);
	if (trace_get(t, TRACE_FILTERED) && !(x->format->flags & EXPORT_FILTERED))
		cli_note(x->loop->file,
			 "was filtered (%s), which %s cannot record: its readers take it for the "
			 "whole capture",
			 trace_get(t, TRACE_FILTERED), x->format->name);
	if (x->misplaced)
		cli_note(x->loop->file,
			 "frames have allocations by their place in the capture: by time %" PRIu64
			 " of them lie in another frame, where tm-frames has them",
			 x->misplaced);
}

static const struct tap_hooks export_hooks = {
    .begin = export_begin, .batch = export_batch, .ended = export_ended};

static void list_formats(void)
{
	for (size_t i = 0; exporters[i]; i++)
		fprintf(cli_out(), "%-12s %s\n", exporters[i]->name, exporters[i]->what);
	cli_leave(cli_exit());
}

static void check(const struct exporter *x, const char *output, const char *original, bool events)
{
	if (x->flags & EXPORT_FILE && (!output || !strcmp(output, "-")))
		cli_usage("--as %s writes a file: give its name with -o", x->name);
	if (x->flags & EXPORT_BINARY && !output && isatty(STDOUT_FILENO))
		cli_usage("--as %s is not for a terminal: redirect it, pipe it, or use -o",
			  x->name);
	if (x->flags & EXPORT_ORIGINAL && !original)
		cli_usage("--as %s puts names into a capture: give it with --original", x->name);
	if (!(x->flags & EXPORT_ORIGINAL) && original)
		cli_usage("--original is for --as loli and --as mem");
	if (events && strcmp(x->name, "sqlite") != 0)
		cli_usage("--events is for --as sqlite");
}

/* Formats of events have no stacks to take calls out of. */
static void export_check_view(const struct exporter *x, const struct cli_filter *f)
{
	if (!(x->flags & EXPORT_VIEW) && (filters_take_calls(f->filters) || f->hook_cost))
		cli_usage("--as %s writes events as they are: --hide, --show, --prune-from, "
			  "--collapse-recursion, --collapse-module, --hide-library and --hook-cost "
			  "are for folded, speedscope, pprof, firefox and sqlite",
			  x->name);
}

static const char *make_output(const struct exporter *x, const char *output)
{
	const char *file = NULL;

	if (x->flags & EXPORT_FILE) {
		file = cli_output_by_name(output);
		if (!file)
			cli_usage("--as %s: '%s' is not a regular file", x->name, output);
	} else if (output) {
		(x->flags & EXPORT_BINARY ? cli_output_binary : cli_output_report)(output);
	}
	return file;
}

/* What is not finished is not kept. */
static void failed(const char *file, const struct err *e)
{
	cli_fail(e->code == ST_ABSENT ? NULL : file, e);
	cli_output_done(false);
}

/* "nothing in it is an allocation with a type, so ...; it has samples: 3" */
static void export_nothing(const struct told *told, const char *lacks)
{
	static const struct {
		enum event_kind kind;
		const char *what;
	} kinds[] = {{EV_ALLOC, "allocations"}, {EV_TYPE_TOTAL, "sums of types"},
		     {EV_SAMPLE, "samples"},    {EV_ENTER, "calls"},
		     {EV_DELTA, "growths"},     {EV_COUNTER, "readings of counters"},
		     {EV_OBJECT, "objects"},    {EV_FRAME, "frames"}};
	const char *between = "; it has";
	struct buf has = BUF_INIT;
	struct err e = ERR_INIT;

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (told->seen[kinds[i].kind]) {
			buf_addf(&has, "%s %s: %" PRIu64, between, kinds[i].what,
				 told->seen[kinds[i].kind]);
			between = ",";
		}
	err_set(&e, ST_ABSENT, "nothing in the input %s, so nothing is written%s", lacks,
		buf_str(&has));
	failed(NULL, &e);
	buf_release(&has);
}

int tm_export(int argc, char **argv)
{
	struct cli_import import = {0};
	const char *output = NULL, *original = NULL;
	struct export_options o = {0};
	struct cli_filter filter = {0};
	struct grouped_profile_options view = {0};
	struct buf words = BUF_INIT;
	int as = 0, metric = 0;
	const struct exporter *format;
	bool chosen = false, list = false;
	struct cli_symbols symbols = {.off = false};
	const struct opt table[] = {
	    {.type = OPT_CHOICE,
	     .word = "as",
	     .arg = "FORMAT",
	     .help = "format of the output (--list-formats)",
	     .to = &as,
	     .given = &chosen,
	     .choices = export_words()},
	    ROW_STRING('o', "output", "FILE", "write to FILE instead of standard output", &output),
	    ROW_FLAG(0, "list-formats", "print the formats that tm-export writes and end", &list),
	    ROW_STRING(0, "original", "FILE", "loli, mem: the capture to put names into",
		       &original),
	    ROW_FLAG(0, "events", "sqlite: write every event, not only sums", &o.events),
	    ROW_FLAG(0, "types", "folded, speedscope: innermost entry is the type", &o.types),
	    ROW_HEADING("what to write:"),
	    ROW_CHOICE(0, "sort", "METRIC",
		       "weight of a stack: auto, count, entries, requested, real, live-count, "
		       "live-requested, live-real, samples, period, calls or self-time",
		       &metric, export_sort_words()),
	    ROW_GROUP("stacks and blocks:"),
	    CLI_VIEW_ROWS(filter),
	    CLI_IMPORT_ROWS(import),
	    CLI_SYMBOLS_ROW(symbols),
	    ROW_ALIAS("metric", "sort"),
	    OPT_END,
	};
	const struct opt_program program = {"tm-export", "[FILE...]",
					    "Converts traces to files of other tools.", table};
	struct cli_loop loop = {.import = &import.options, .symbols = &symbols};
	struct told told = {.loop = &loop};
	struct input in = {0};
	struct err e = ERR_INIT;
	struct export *x;
	int n = opt_parse(&program, argc, argv);

	if (list)
		list_formats();
	format = chosen ? exporters[as] : output ? exporter_of_file(output) : NULL;
	if (!format)
		cli_usage(output ? "-o %s: its ending names no format: --as is missing"
				 : "--as is missing: the format to write",
			  output);
	check(format, output, original, o.events);
	cli_import_done(&import);
	o.sort = export_sort_of(metric);
	cli_filter_done(&filter);
	cli_filter_project(&filter, &view);
	export_check_view(format, &filter);
	cli_filter_words(&filter, &words);
	o.domain = view.domain;
	o.mangled = view.mangled;
	o.view = &view;
	o.view_words = filters_take_calls(view.filters) ? buf_str(&words) : NULL;
	o.file = &loop.file;
	if (original && input_open(&in, original, &e)) {
		cli_fail(original, &e);
		return cli_exit();
	}
	o.original = &in.cur;
	o.path = make_output(format, output);
	x = format->open(&o, cli_text_stream(), &e);
	if (!x) {
		failed(NULL, &e);
		input_close(&in);
		return cli_exit();
	}
	cli_autosymbolize(&symbols, "tm-export", NULL, &import.options, (size_t)n,
			  (const char *const *)argv + 1);
	cli_sandbox("tm-export", NULL);
	told.format = format;
	loop.marks = told.frames = told.format->flags & EXPORT_FRAMES;
	sink_tap_init(&told.tap, x->sink, &export_hooks, told.frames);
	loop.sink = &told.tap.sink;
	cli_inputs(&loop, n, argv + 1);
	if (!cli_terminal()) /* else the text shows by itself how far it is */
		cli_progress_working("writing");
	if (!loop.read)
		cli_output_done(false);
	else if (x->finish(x, &e))
		failed(original, &e);
	else if (x->lacks)
		export_nothing(&told, x->lacks);
	else if (x->loses)
		cli_note(NULL, "%s", x->summary);
	else if (*x->summary)
		cli_info(NULL, "%s", x->summary);
	x->free(x);
	frame_marks_release(&told.marks);
	cli_symbols_release(&symbols);
	cli_filter_release(&filter);
	buf_release(&words);
	input_close(&in);
	return cli_exit();
}
