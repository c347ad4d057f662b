/* SPDX-License-Identifier: MIT
 *
 * The reports of tm-frames, chosen by its options: a row per frame, one frame in detail, or rows by
 * a key.
 */
#ifndef TM_CMD_FRAMES_FRAMES_H
#define TM_CMD_FRAMES_FRAMES_H

#include "lib/cli/aggregate.h"
#include "lib/cli/autosymbolize.h"
#include "lib/cli/report.h"
#include "lib/report/frames/bars.h"
#include "lib/report/frames/by.h"
#include "lib/report/frames/detail.h"
#include "lib/report/frames/lines.h"
#include "lib/report/frames/log.h"
#include "lib/report/frames/spread.h"

extern const char *const cli_frames_sorts[], *const cli_frames_keys[]; /* end with NULL */
enum { CLI_FRAMES_BY_TYPE = 4 };                                       /* of these keys */

struct cli_frames { /* the options, as they are spelled */
	struct cli_import import;
	struct cli_report report;
	struct cli_filter filter;
	struct cli_symbols symbols;
	struct opt_list spikes;
	const char *every;
	int by, sort, lines;
	bool sorted, detail, spread, by_given, lines_given, calls;
	int n_operands;
	char **operands;
	uint64_t stacks, tops, levels;
	struct frames_options options;

	struct cli_frames_reading *reading; /* frames.c; in cli_frames_run */
};

/* Reads the operands and prints; releases what it had. Usage errors end the program. */
void cli_frames_run(struct cli_frames *c);

#endif
