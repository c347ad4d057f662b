/* SPDX-License-Identifier: MIT
 *
 * tm-history: a store of past runs: what was added, trends, where they step, and what did it.
 */
#include "cmd/tm-history/history.h"
#include "lib/cli/aggregate.h"

#include <string.h>

enum command { ADD, LIST, TREND, CHANGE_POINTS, BLAME, COMMANDS };

static const char *const commands[COMMANDS] = {"add", "list", "trend", "change-points", "blame"};

static enum command command_of(const char *word)
{
	for (enum command c = 0; c < COMMANDS; c++)
		if (!strcmp(commands[c], word))
			return c;
	cli_usage("'%s' is not a command: add, list, trend, change-points or blame",
		  db_shown(word));
}

static void history_check(enum command what, const struct cli_history *h, int n, char **operands)
{
	if (n < 2)
		cli_usage("%s: no store: give a file, or postgresql://HOST/NAME", commands[what]);
	if (what == ADD && n < 3)
		cli_usage("add: no file");
	if (what != ADD && n > 2)
		cli_usage("%s takes no files: only add does", commands[what]);
	for (int i = 2; i < n; i++) {
		if (!h->build && !strcmp(operands[i], "-"))
			cli_usage("add: standard input has no name: give --build");
		if (db_is_url(operands[i])) /* not printed elsewhere: there is a password in it */
			cli_usage("add: the store comes first, then files");
	}
	if (what <= LIST && (h->metric || h->by >= 0 || h->per >= 0 || h->counter ||
			     h->policy_path || h->alpha || h->least || h->names.n || h->cumulative))
		cli_usage("%s: options of series need trend, change-points or blame",
			  commands[what]);
	if (what != BLAME && (h->from || h->to))
		cli_usage("--from and --to need blame");
	if (what != CHANGE_POINTS && h->fail)
		cli_usage("--gate needs change-points");
}

int main(int argc, char **argv)
{
	struct cli_history history = CLI_HISTORY_INIT;
	struct cli_import import = {0};
	struct cli_filter filter = {.domain = 0};
	struct cli_report report = {0};
	const struct opt table[] = {
	    CLI_HISTORY_ROWS(history),
	    CLI_FILTER_ROWS(filter),
	    ROW_LIST(0, "map-module", "OLD=NEW", "match module OLD of older builds to NEW",
		     &history.map_modules),
	    ROW_LIST(0, "map-function", "OLD=NEW", "match function OLD of older builds to NEW",
		     &history.map_functions),
	    CLI_VIEW_ROWS(filter),
	    CLI_CHECKED_REPORT_ROWS(report),
	    CLI_IMPORT_ROWS(import),
	    CLI_SYMBOLS_ROW(history.symbols),
	    ROW_ALIAS("metric", "sort"),
	    ROW_ALIAS("policy", "rules"),
	    ROW_ALIAS("min-change", "min"),
	    ROW_ALIAS("fail", "gate"),
	    OPT_END,
	};
	const struct opt_program program = {
	    "tm-history", "COMMAND STORE [FILE...]",
	    "Keeps past runs, and shows trends, steps and their causes. COMMAND is add, list, "
	    "trend, change-points or blame.",
	    table};
	enum command what;
	const char *when;
	int n = opt_parse(&program, argc, argv);

	cli_import_done(&import);
	if (!n)
		cli_usage("no command: add, list, trend, change-points or blame");
	what = command_of(argv[1]);
	history_check(what, &history, n, argv + 1);
	history.store = argv[2];
	cli_history_start(&history, what == ADD);
	cli_report_start(&report);
	when = cli_store_file(history.store) ? NULL : "on PostgreSQL";
	if (what == ADD)
		cli_autosymbolize(&history.symbols, "tm-history", when, &import.options,
				  (size_t)n - 2, (const char *const *)argv + 3);
	cli_sandbox("tm-history", when);
	cli_filter_done(&filter);
	if (what != ADD && cli_filter_any(&filter))
		cli_usage("%s: --focus and other filters select from captures: they need add",
			  commands[what]);
	if (cli_history_open(&history, what == ADD))
		switch (what) {
		case ADD:
			cli_history_add(&history, &import.options, &filter, n - 2, argv + 3,
					&report);
			break;
		case LIST: cli_history_list(&history, &report); break;
		case TREND: cli_history_trend(&history, &report); break;
		case CHANGE_POINTS: cli_history_steps(&history, &report); break;
		default: cli_history_blame(&history, &report); break;
		}
	cli_symbols_release(&history.symbols);
	cli_history_release(&history);
	cli_filter_release(&filter);
	return cli_exit();
}
