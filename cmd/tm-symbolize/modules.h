/* SPDX-License-Identifier: MIT
 *
 * Option rows of programs that look for the binaries of a capture's modules.
 */
#ifndef TM_CMD_SYMBOLIZE_MODULES_H
#define TM_CMD_SYMBOLIZE_MODULES_H

#include "lib/cli/symbolizer.h"
#include "lib/library/tracemill/symbolize_trace.h"

struct cli_modules {
	struct opt_list files, modules;
	bool no_local;
};

#define CLI_MODULES_ROWS(m)                                                                   \
	ROW_LIST('e', "exe", "FILE", "binary of the capture, or MODULE=FILE (repeatable)",    \
		 &(m).files),                                                                 \
	    ROW_LIST(0, "module-file", "NAME=FILE", "binary of the module NAME (repeatable)", \
		     &(m).modules),                                                           \
	    ROW_FLAG(0, "no-local", "do not look up captured paths", &(m).no_local)

/* They borrow from m. */
struct tracemill_trace_symbolizer_options cli_modules_done(const struct cli_modules *m);
void cli_modules_release(struct cli_modules *m);

/* An index of the binary at path, on request. */
void cli_prewarm(struct tracemill_symbolizer *s, const char *path);

#endif
