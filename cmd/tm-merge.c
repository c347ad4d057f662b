/* SPDX-License-Identifier: MIT
 *
 * tm-merge: aggregates into one, in any order and grouping to the same bytes; as a file, or as
 * lines for engines that sort and pass lines.
 */
#include "cmd/tm-merge/run.h"

int main(int argc, char **argv)
{
	struct cli_merge_request q = {.output = NULL};
	const struct opt table[] = {
	    ROW_STRING('o', "output", "FILE", "write to FILE instead of standard output",
		       &q.output),
	    ROW_LIST(0, "files-from", "FILE", "read file names, one per line; -: standard input",
		     &q.lists),
	    ROW_FLAG(0, "allow-duplicates", "count an input twice if two aggregates have it",
		     &q.merge.allow_duplicates),
	    ROW_STRING(0, "min", "LIMIT",
		       "leave out things below LIMIT, such as 4KiB or requested:1MiB",
		       &q.prune_below),
	    ROW_HEADING("for engines that sort and pass lines:"),
	    ROW_FLAG(0, "lines", "write records as lines", &q.lines),
	    ROW_FLAG(0, "from-lines", "read sorted lines, and merge lines of one key",
		     &q.from_lines),
	    ROW_ALIAS("prune-below", "min"),
	    OPT_END,
	};
	const struct opt_program program = {"tm-merge", "[FILE...]", "Merges aggregates into one.",
					    table};
	struct err e = ERR_INIT;
	int n = opt_parse(&program, argc, argv);

	if (q.prune_below && aggregate_prune_parse(&q.prune, q.prune_below, &e))
		cli_usage("--min: %s", e.msg);
	if (q.from_lines && (n > 1 || q.lists.n))
		cli_usage("--from-lines reads standard input or one file");
	if (q.from_lines && q.lines && q.prune_below)
		cli_usage("--min needs a whole aggregate: it cannot be combined with --lines and "
			  "--from-lines");
	if (!q.from_lines && !n && !q.lists.n)
		cli_usage("give aggregates, or --files-from");
	if (q.lines)
		cli_output_report(q.output);
	else
		cli_output(q.output);
	cli_sandbox("tm-merge", q.lists.n ? "--files-from" : NULL);
	cli_output_done(cli_merge_run(&q, n, argv + 1) && !fflush(stdout));
	cli_merge_release(&q.merge);
	opt_list_release(&q.lists);
	return cli_exit();
}
