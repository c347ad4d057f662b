/* SPDX-License-Identifier: MIT
 *
 * tm-filter: the part of a capture that filters keep, as a trace.
 */
#include "lib/cli/filter.h"
#include "lib/group/sift.h"
#include "lib/trace/writer.h"

/* The notes of each capture are told before it is closed. */
struct told {
	struct sink sink, *to;
	const struct cli_loop *loop;
};

static enum status begin(struct sink *s, struct trace *t, struct err *e)
{
	struct told *w = (struct told *)s;

	return w->to->begin(w->to, t, e);
}

static enum status event(struct sink *s, struct trace *t, const struct event *ev, struct err *e)
{
	struct told *w = (struct told *)s;

	return w->to->event(w->to, t, ev, e);
}

static enum status end(struct sink *s, struct trace *t, struct err *e)
{
	struct told *w = (struct told *)s;

	cli_notes(w->loop->file, t, 0, NOTE_LOSS);
	return w->to->end(w->to, t, e);
}

int main(int argc, char **argv)
{
	struct cli_import import = {0};
	struct cli_filter filter = {0};
	const char *output = NULL;
	const struct opt options[] = {
	    ROW_STRING('o', "output", "FILE", "write there instead of standard output", &output),
	    CLI_FILTER_ROWS(filter),
	    CLI_IMPORT_ROWS(import),
	    OPT_END,
	};
	const struct opt_program program = {
	    "tm-filter", "[FILE...]", "Writes the part of captures that filters keep.", options};
	struct told told = {.sink = {begin, event, end, NULL}};
	struct cli_loop loop = {.import = &import.options};
	struct project_options what = {.domain = DOMAIN_ALL};
	struct writer *writer;
	struct sift *sift;
	int n = opt_parse(&program, argc, argv);

	cli_import_done(&import);
	cli_output(output);
	cli_sandbox("tm-filter", NULL);
	cli_filter_done(&filter);
	cli_filter_project(&filter, &what);
	writer = writer_new(stdout);
	told.to = writer_sink(writer);
	told.loop = &loop;
	sift = sift_new(&told.sink, &what);
	loop.sink = sift_sink(sift);
	cli_inputs(&loop, n, argv + 1);
	sift_free(sift);
	writer_free(writer);
	cli_filter_release(&filter);
	return cli_exit();
}
