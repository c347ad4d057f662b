/* SPDX-License-Identifier: MIT
 *
 * Option rows of programs that look for the binaries of a capture's modules, and the notes that
 * such programs print about the given files.
 */
#ifndef TM_CMD_SYMBOLIZE_MODULES_H
#define TM_CMD_SYMBOLIZE_MODULES_H

#include "lib/cli/search.h"
#include "lib/symbolize/coverage.h"
#include "lib/symbolize/symbolize.h"

struct cli_modules {
	struct opt_list files, modules;
	bool no_local;
};

#define CLI_MODULES_ROWS(m)                                                                      \
	ROW_LIST('e', "exe", "FILE", "a binary of the capture, or MODULE=FILE; again for more",  \
		 &(m).files),                                                                    \
	    ROW_LIST(0, "module-file", "NAME=FILE", "the binary of this module; again for more", \
		     &(m).modules),                                                              \
	    ROW_FLAG(0, "no-local", "do not look up captured paths at all", &(m).no_local)

/* They borrow from all. */
struct files_options cli_modules_done(const struct cli_modules *m, const struct cli_binaries *b,
				      const struct cli_search *s);
void cli_modules_release(struct cli_modules *m);

/* Before the first capture: files that cannot be used. */
void cli_modules_given(const struct find_files *f);
/* After the last: notes on those that were used, and those that were not; any: modules were looked
 * up. */
void cli_modules_used(const struct find_files *f, bool any);

/* How much of a symbolized capture has names, as notes, with -v for each binary too. */
void cli_coverage_tell(const char *file, const struct trace *t, struct symbolize_coverage *all);

/* Prints to standard output how each module of f was found, and what each location of t is. */
void cli_explain(struct find_files *f, const struct trace *t);

/* An index of the binary at path, on request; o as the symbolizer's. */
void cli_prewarm(const char *path, const struct symbolize_options *o);

#endif
