/* SPDX-License-Identifier: MIT
 *
 * The options of binaries.h and managed.h for programs on tracemill/symbolize.h, and what such
 * programs report.
 */
#ifndef TM_CLI_SYMBOLIZER_H
#define TM_CLI_SYMBOLIZER_H

#include "lib/cli/binaries.h"
#include "lib/cli/managed.h"
#include "lib/library/tracemill/symbolize.h"

/* Checks what was given. It is borrowed from both. */
struct tracemill_options cli_symbolizer_options(struct cli_binaries *b,
						const struct cli_managed *m);
/* Before there are threads, and before the sandbox. */
struct tracemill_symbolizer *cli_symbolizer_new(const struct tracemill_options *o);
/* Behind the sandbox: reads the given files of managed code; what cannot be read is an error and
 * EXIT_INPUT. */
void cli_symbolizer_load(struct tracemill_symbolizer *s);
/* The error of the last call; file may be NULL. EXIT_INPUT. */
void cli_symbolizer_fail(const struct tracemill_symbolizer *s, const char *file);
/* The same of a file that cannot be used: why. */
void cli_file_fail(const char *path, const char *why);
/* Reports what else there is to say; TRACEMILL_FAIL is an error and EXIT_INPUT. */
void cli_symbolizer_report(struct tracemill_symbolizer *s, enum tracemill_topic topic);

/* With --verify, once all is answered: asks libdwarf again, reports the differences and the sums.
 * EXIT_GATE: there are differences; EXIT_INCONCLUSIVE: not one answer could be checked. */
void cli_verify(struct tracemill_symbolizer *s, const struct cli_binaries *b);

#endif
