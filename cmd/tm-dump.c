/* SPDX-License-Identifier: MIT
 *
 * tm-dump: a trace, any capture, or an aggregate as readable text.
 */
#include "lib/cli/cli.h"
#include "lib/profile/dump.h"
#include "lib/trace/dump.h"

static enum status dump_read_aggregate(void *arg, struct input *in, bool *taken, struct err *e)
{
	(void)arg;
	*taken = aggregate_is(&in->cur);
	return *taken ? aggregate_dump(&in->cur, stdout, e) : ST_OK;
}

int main(int argc, char **argv)
{
	struct cli_import import = {0};
	bool no_tables = false, no_events = false, no_symbols = false;
	const struct opt options[] = {
	    ROW_FLAG(0, "no-tables", "hide modules, locations, stacks and types", &no_tables),
	    ROW_FLAG(0, "no-events", "hide events", &no_events),
	    ROW_FLAG(0, "no-symbols", "hide bindings and calls", &no_symbols),
	    CLI_IMPORT_ROWS(import),
	    OPT_END,
	};
	const struct opt_program program = {"tm-dump", "[FILE...]", "Prints traces as text.",
					    options};
	struct cli_loop loop = {.import = &import.options, .instead = dump_read_aggregate};
	struct dump_options what;
	struct dump *dump;
	int n = opt_parse(&program, argc, argv);

	cli_import_done(&import);
	what = (struct dump_options){!no_tables, !no_events, !no_symbols};
	dump = dump_new(stdout, &what);
	loop.sink = dump_sink(dump);
	cli_sandbox("tm-dump", NULL);
	cli_inputs(&loop, n, argv + 1);
	dump_free(dump);
	return cli_exit();
}
