/* SPDX-License-Identifier: MIT
 *
 * Statistics of symbolizing, for --stats: the time of each step, and the amount of work.
 */
#ifndef TM_SYMBOLIZE_STATS_H
#define TM_SYMBOLIZE_STATS_H

#include "lib/base/buf.h"
#include "lib/dwarf/engine.h"

struct stats_module {
	const char *path; /* borrowed from struct find_files */
	uint64_t locations, addresses;
	struct dwarf_stats dwarf;
};

/* Seconds on the clock, one after the other. Zeroed is empty. */
struct symbolize_stats {
	double read;   /* tables of the trace, the import included */
	double bind;   /* locations to modules and addresses, sorted */
	double engine; /* all modules */
	double copy;   /* answers to calls, symbol table */
	double names;  /* demangling */
	double write;
	uint64_t locations, functions, calls;
	struct stats_module *modules;
	size_t n, cap;
};

/* Seconds since *from, which begins anew. */
double stats_lap(double *from);
void stats_release(struct symbolize_stats *s);
/* The i-th line of the report; false: there are no more. */
bool stats_line(const struct symbolize_stats *s, size_t i, struct buf *line);

#endif
