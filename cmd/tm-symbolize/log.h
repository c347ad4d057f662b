/* SPDX-License-Identifier: MIT
 *
 * The symbolizing of logs: text comes from files or standard input, and is printed with names in its stacks.
 * What comes through a pipe is printed as far as it came, so that a log can be followed.
 */
#ifndef TM_CMD_SYMBOLIZE_LOG_H
#define TM_CMD_SYMBOLIZE_LOG_H

#include "lib/library/tracemill/symbolize_trace.h"

/* "-" is standard input. Notes say how many calls have names, and why others have none. *modules becomes true where a
 * call names its module. */
struct tracemill_text_sums cli_stack_text(struct tracemill_symbolizer *s,
					  struct tracemill_trace_symbolizer *n, const char *path,
					  bool *modules);

#endif
