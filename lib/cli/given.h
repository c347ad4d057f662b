/* SPDX-License-Identifier: MIT
 *
 * What every program with -e says of the files that were given: those that cannot be used, and those that no module
 * took.
 */
#ifndef TM_CLI_GIVEN_H
#define TM_CLI_GIVEN_H

#include "lib/library/tracemill/symbolize_trace.h"

/* Before the first capture: files that cannot be used; EXIT_INPUT. */
void cli_given_check(struct tracemill_trace_symbolizer *n);
/* Where modules of the given files were looked for. */
struct cli_given_in {
	bool any;     /* there were locations, or calls */
	bool is_text; /* in logs */
	bool modules; /* some capture or log has a module */
};
/* After the last: notes on those that were used, and those that were not. */
void cli_given_used(struct tracemill_trace_symbolizer *n, const struct cli_given_in *in);

#endif
