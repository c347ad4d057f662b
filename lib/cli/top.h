/* SPDX-License-Identifier: MIT
 *
 * The options of tm-top: one table for tm-top, and for tm-record, which checks and hands on those of the report at
 * its end.
 */
#ifndef TM_CLI_TOP_H
#define TM_CLI_TOP_H

#include "lib/cli/filter.h"
#include "lib/cli/report.h"
#include "lib/report/top/top.h"

#define CLI_TOP_AUTO UINT64_MAX /* of top.n and top.callers: not given */

struct cli_top { /* as they are spelled */
	struct top_options top;
	struct cli_report report;
	struct cli_filter filter;
	struct cli_import import;
	const char *metrics, *peek, *source, *min_percent;
	const char *budget; /* of a frame */
	struct opt_list source_dirs, suppressions, exes;
	bool tree, bottom_up, no_symbols, memory, leaks, list_suppressions;
	int by, below, sort; /* below: the key within by; -1: none */
	int guess;           /* enum cli_when */
};
#define CLI_TOP_INIT                                                                       \
	{                                                                                  \
		.top = {.n = CLI_TOP_AUTO, .callers = CLI_TOP_AUTO}, .by = -1, .below = -1 \
	}

#define CLI_TOP_ROWS(t)                                                                            \
	ROW_CHOICES(0, "by", "KEY",                                                                \
		    "one row per site, function, location, stack, type, file, module, frame, "     \
		    "thread or owner; two keys: type,site",                                        \
		    &(t).by, &(t).below, key_words),                                               \
	    ROW_CHOICE(0, "sort", "METRIC", "rank by METRIC (default auto); list: --help all",     \
		       &(t).sort, sort_words),                                                     \
	    ROW_STRING(0, "metrics", "LIST", "show these metrics, separated by commas, or all",    \
		       &(t).metrics),                                                              \
	    ROW_FLAG(0, "cumulative", "rank by total (inclusive) instead of self",                 \
		     &(t).top.cumulative),                                                         \
	    ROW_NUMBER('n', "top", "N", "rows to show; 0: all (default 30)", &(t).top.n),          \
	    ROW_NUMBER(0, "show-stacks", "N", "below each row, its N largest stacks",              \
		       &(t).top.stacks),                                                           \
	    ROW_NUMBER(0, "callers", "N", "main callers of the first N sites (terminal: 3)",       \
		       &(t).top.callers),                                                          \
	    ROW_FLAG(0, "tree", "call tree from the outermost calls down", &(t).tree),             \
	    ROW_FLAG(0, "bottom-up", "call tree from the allocating functions to callers",         \
		     &(t).bottom_up),                                                              \
	    ROW_STRING(0, "min", "PERCENT", "hide tree nodes below PERCENT (default 0.5)",         \
		       &(t).min_percent),                                                          \
	    ROW_STRING(0, "peek", "REGEX", "callers and callees of matching functions",            \
		       &(t).peek),                                                                 \
	    ROW_STRING(0, "source", "REGEX", "source of matching functions, with costs by line",   \
		       &(t).source),                                                               \
	    ROW_LIST(0, "source-dir", "DIR", "search DIR for source files (repeatable)",           \
		     &(t).source_dirs),                                                            \
	    ROW_OPTIONAL(0, "guess-sites", "WHEN",                                                 \
			 "skip likely allocator wrappers (default auto)", &(t).guess,              \
			 cli_when_choices, "always"),                                              \
	    ROW_FLAG(0, "no-symbols", "do not symbolize traces without names", &(t).no_symbols),   \
	    ROW_FLAG(0, "leaks", "rank by bytes live at the end, without caches", &(t).leaks),     \
	    ROW_LIST(0, "suppressions", "FILE", "file of LeakSanitizer suppressions (repeatable)", \
		     &(t).suppressions),                                                           \
	    ROW_FLAG(0, "list-suppressions", "print the shipped suppressions and end",             \
		     &(t).list_suppressions),                                                      \
	    ROW_STRING(0, "budget", "TIME", "count the frames that took longer, such as 16.7ms",   \
		       &(t).budget),                                                               \
	    ROW_FLAG(0, "memory", "sizes, live bytes over time, and use of pages", &(t).memory),   \
	    CLI_FILTER_ROWS((t).filter), CLI_VIEW_ROWS((t).filter), CLI_REPORT_ROWS((t).report),   \
	    CLI_IMPORT_ROWS((t).import),                                                           \
	    ROW_LIST('e', "exe", "FILE", "binary of the capture, or MODULE=FILE (repeatable)",     \
		     &(t).exes)

#endif
