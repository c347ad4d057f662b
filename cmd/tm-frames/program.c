/* SPDX-License-Identifier: MIT */
#include "cmd/tm-frames/program.h"

#include "cmd/tm-frames/frames.h"

int tm_frames(int argc, char **argv)
{
	struct cli_frames c = {.by = CLI_FRAMES_BY_TYPE, .stacks = 5};
	const struct opt table[] = {
	    {.type = OPT_CHOICE,
	     .word = "by",
	     .arg = "KEY",
	     .help =
		 "a row per frame and KEY, as CSV: site, function, location, stack, type, file, "
		 "module, thread or owner",
	     .to = &c.by,
	     .given = &c.by_given,
	     .choices = cli_frames_keys},
	    {.type = OPT_CHOICE,
	     .word = "sort",
	     .arg = "METRIC",
	     .help = "frames with the most of METRIC first; --help all has the list",
	     .to = &c.sort,
	     .given = &c.sorted,
	     .choices = cli_frames_sorts},
	    ROW_STRING(0, "sort-counter", "NAME", "frames with the most of this counter first",
		       &c.options.sort_counter),
	    ROW_NUMBER('n', "top", "N", "rows to show; 0: all (default)", &c.options.n),
	    ROW_STRING(0, "every", "TIME", "steps of this length instead of frames", &c.every),
	    ROW_FLAG(0, "detail", "types and stacks of the frames; --frame N implies it",
		     &c.detail),
	    ROW_FLAG(0, "spread", "per type (or KEY): mean, quartiles and worst frame", &c.spread),
	    {.type = OPT_CHOICE,
	     .word = "chart",
	     .arg = "METRIC",
	     .help =
		 "METRIC of the 6 (or -n N) largest types (or --by KEY) over frames, as a chart",
	     .to = &c.lines,
	     .given = &c.lines_given,
	     .choices = cli_frames_sorts},
	    ROW_FLAG(0, "bars", "calls of each thread as bars; --every TIME joins shorter ones",
		     &c.calls),
	    ROW_NUMBER(0, "levels", "N", "--bars: the N outermost calls only", &c.levels),
	    ROW_NUMBER(0, "show-stacks", "N", "--detail: stacks of each type; 0: all (default 5)",
		       &c.stacks),
	    ROW_NUMBER(0, "tops", "N", "below each frame, its N largest sites (or --by KEY)",
		       &c.tops),
	    ROW_LIST(0, "spike", "LIMIT",
		     "find frames above [METRIC>]VALUE, 33ms, 20% of the frame, 3x the median, or "
		     "6mad above the median (repeatable)",
		     &c.spikes),
	    ROW_FLAG(0, "new-stacks", "count and list the stacks that are new in a frame",
		     &c.options.news),
	    CLI_FILTER_ROWS(c.filter),
	    CLI_VIEW_ROWS(c.filter),
	    CLI_REPORT_ROWS(c.report),
	    CLI_IMPORT_ROWS(c.import),
	    CLI_SYMBOLS_ROW(c.symbols),
	    ROW_ALIAS("stacks", "show-stacks"),
	    ROW_ALIAS("new", "new-stacks"),
	    OPT_END,
	};
	const struct opt_program program = {
	    "tm-frames", "[FILE...]",
	    "Shows the bytes that each frame allocated and left behind, and its time.", table};

	c.n_operands = opt_parse(&program, argc, argv);
	c.operands = argv + 1;
	cli_frames_run(&c);
	return cli_exit();
}
