/* SPDX-License-Identifier: MIT
 *
 * The reports of tm-symbolize on each capture of a stream (its notes, how much of it has names, each location
 * explained), and on the time of all steps together.
 */
#ifndef TM_CMD_SYMBOLIZE_CAPTURES_H
#define TM_CMD_SYMBOLIZE_CAPTURES_H

#include "lib/library/tracemill/symbolize_trace.h"

/* Prints the notes of each capture, from the first on (imported) or the new ones, and its coverage, with
 * -v for each binary too, and adds that to *all. asked: a symbol server was named. *modules becomes true where a capture has one. */
void cli_captures_report(struct tracemill_trace_symbolizer *n, const char *file, bool imported,
			 bool asked, struct tracemill_coverage *all, bool *modules);
/* Prints to standard output how each module was found, and what each location of the i-th capture
 * is. */
void cli_explain(struct tracemill_trace_symbolizer *n, size_t i);
/* Notes on times, with read and write in seconds. */
void cli_times_report(struct tracemill_trace_symbolizer *n, double read, double write);

#endif
