/* SPDX-License-Identifier: MIT
 *
 * The files with symbols that captures need. Those that are not here are listed; those that are here are kept in
 * a folder, by build-id (DIR/.build-id/ab/cdef and cdef.debug), as --debug-dir and other tools find them. Files
 * are copied as they are, each once.
 */
#ifndef TM_CMD_SYMBOLIZE_COLLECT_H
#define TM_CMD_SYMBOLIZE_COLLECT_H

#include "lib/library/tracemill/symbolize_trace.h"

/* Of the modules that were asked for (TRACEMILL_EXPLAIN): a line for each that has no binary or
 * no DWARF, to standard output: build-id or "-", name, why; with tabs between. Gives how many. */
size_t cli_missing(struct tracemill_trace_symbolizer *trace_symbolizer);

struct cli_collect { /* zeroed, with dir set, is valid */
	const char *dir;
	uint64_t files, bytes, there, nameless; /* copied; there before; without a build-id */
};

/* Before the sandbox: makes the folder, ends the program where that is not possible. */
void cli_collect_prepare(const struct cli_collect *c);
/* The binaries and debug files that were found for modules. */
void cli_collect_found(struct cli_collect *c, struct tracemill_trace_symbolizer *n);
/* A binary, with its debug file; false: the file is no binary. */
bool cli_collect_binary(struct cli_collect *c, struct tracemill_symbolizer *s, const char *path);
void cli_collect_report(const struct cli_collect *c);

#endif
