/* SPDX-License-Identifier: MIT
 *
 * The choice that the options of tm-heap make: snapshots, objects in them, and views.
 */
#ifndef TM_CMD_HEAP_HEAP_H
#define TM_CMD_HEAP_HEAP_H

#include "lib/cli/autosymbolize.h"
#include "lib/cli/cli.h"
#include "lib/cli/report.h"
#include "lib/report/heap/sets.h"
#include "lib/report/heap/view.h"

struct cli_heap { /* the options, as they are spelled */
	struct cli_import import;
	struct cli_report report;
	struct cli_symbols symbols;
	struct opt_list with, types, sites, roots, owner_patterns, owner_files;
	bool literal, caseless, dominators, duplicates, destroyed, has_set, has_snapshot;
	const char *who, *min_percent;
	int by, sort, op, same;
	int n_operands;
	char **operands;
	uint64_t n, objects, paths, snapshot;

	struct cli_heap_reading *reading; /* heap.c; from cli_heap_check to cli_heap_run's end */
};

/* Ends the program with a usage error where options contradict each other. */
void cli_heap_check(struct cli_heap *c);
/* Reads the operands and prints; releases what it had. */
void cli_heap_run(struct cli_heap *c);

#endif
