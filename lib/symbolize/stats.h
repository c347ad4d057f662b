/* SPDX-License-Identifier: MIT
 *
 * Statistics of symbolizing: the time of each step, and the amount of work.
 */
#ifndef TM_SYMBOLIZE_STATS_H
#define TM_SYMBOLIZE_STATS_H

#include "lib/dwarf/engine.h"

struct stats_module {
	const char *path; /* borrowed from struct find_files */
	uint64_t locations, addresses;
	struct dwarf_stats dwarf;
};

/* Seconds on the clock, one after the other. Zeroed is empty. */
struct symbolize_stats {
	double bind;   /* locations to modules and addresses, sorted */
	double engine; /* all modules */
	double copy;   /* answers to calls, symbol table */
	double names;  /* demangling */
	uint64_t locations, functions, calls;
	struct stats_module *modules;
	size_t n, cap;
};

/* Seconds since *from, which begins anew. */
double stats_lap(double *from);
void stats_release(struct symbolize_stats *s);

#endif
