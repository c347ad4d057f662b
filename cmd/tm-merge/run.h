/* SPDX-License-Identifier: MIT
 *
 * The jobs of tm-merge: it merges or prunes aggregates, writes them as a file or as lines, or joins lines.
 * Options choose one.
 */
#ifndef TM_CMD_MERGE_RUN_H
#define TM_CMD_MERGE_RUN_H

#include "cmd/tm-merge/merge.h"
#include "lib/cli/cli.h"
#include "lib/profile/merge.h"

struct cli_merge_request { /* the options, as they are spelled */
	struct cli_merge merge;
	struct aggregate_prune prune;
	struct opt_list lists;
	const char *prune_below, *output;
	bool lines, from_lines;
};

/* Merges n operands, or standard input's lines, to standard output. False: the error has been
 * reported. */
bool cli_merge_run(struct cli_merge_request *q, int n, char **operands);

#endif
