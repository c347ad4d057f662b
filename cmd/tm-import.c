/* SPDX-License-Identifier: MIT
 *
 * tm-import: any capture -> the trace stream, on standard output.
 */
#include "lib/cli/cli.h"
#include "lib/trace/writer.h"

#include <stdlib.h>
#include <unistd.h>

static void list_formats(void)
{
	for (size_t i = 0; readers[i]; i++)
		printf("%-12s %s\n", readers[i]->name, readers[i]->what);
}

/* The writer, with the notes of each capture told before it is closed. */
struct import_sink {
	struct sink sink, *to;
	struct cli_loop *loop;
};

static enum status begin(struct sink *s, struct trace *t, struct err *e)
{
	struct import_sink *i = (struct import_sink *)s;

	return i->to->begin(i->to, t, e);
}

static enum status event(struct sink *s, struct trace *t, const struct event *ev, struct err *e)
{
	struct import_sink *i = (struct import_sink *)s;

	return i->to->event(i->to, t, ev, e);
}

static enum status end(struct sink *s, struct trace *t, struct err *e)
{
	struct import_sink *i = (struct import_sink *)s;
	uint64_t n = 0;

	cli_notes(i->loop->file, t, 0, NOTE_LOSS);
	for (int k = 0; k < EV_KINDS; k++)
		n += t->events[k];
	cli_info(i->loop->file,
		 "%s: %llu events, %zu locations, %zu stacks, %zu types, %zu modules",
		 trace_get(t, "format") ? trace_get(t, "format") : "trace", (unsigned long long)n,
		 t->n_locations - 1, t->n_stacks - 1, t->n_types - 1, t->n_modules - 1);
	return i->to->end(i->to, t, e);
}

int main(int argc, char **argv)
{
	struct cli_import import = {0};
	const char *output = NULL;
	bool list = false;
	const struct opt options[] = {
	    ROW_STRING('o', "output", "FILE", "write there instead of standard output", &output),
	    ROW_FLAG(0, "list-formats", "the formats that can be read", &list),
	    CLI_IMPORT_ROWS(import),
	    ROW_HEADING("reading captures of Lua profilers:"),
	    ROW_FLAG(0, "collapse-resumes", "one node for a chain of the same coroutine's resumes",
		     &import.options.collapse_resumes),
	    ROW_NUMBER(0, "tick-rate", "HZ", "ticks of the capture's clock in a second",
		       &import.options.tick_rate),
	    ROW_FLAG(0, "unclamped", "own bytes of a node may be negative",
		     &import.options.unclamped),
	    OPT_END,
	};
	const struct opt_program program = {"tm-import", "[FILE...]",
					    "Turns captures into a trace stream.", options};
	struct import_sink sink = {.sink = {begin, event, end, NULL}};
	struct cli_loop loop = {.import = &import.options, .sink = &sink.sink};
	struct writer *writer;
	int n = opt_parse(&program, argc, argv);

	if (list) {
		list_formats();
		return cli_exit();
	}
	cli_import_done(&import);
	if (import.options.tick_rate > 1000000000)
		cli_usage("--tick-rate: at most 1000000000");
	cli_output(output);
	writer = writer_new(stdout);
	sink.to = writer_sink(writer);
	sink.loop = &loop;
	cli_inputs(&loop, n, argv + 1);
	writer_free(writer);
	return cli_exit();
}
