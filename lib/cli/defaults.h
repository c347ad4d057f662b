/* SPDX-License-Identifier: MIT
 *
 * tracemill.ini, the defaults of a project (tracemill-ini(5)): found in the working folder or the
 * nearest one above it. $TRACEMILL_CONFIG names another file; empty, it says that there are no
 * defaults.
 */
#ifndef TM_CLI_DEFAULTS_H
#define TM_CLI_DEFAULTS_H

#include "lib/base/err.h"

#include <stddef.h>

struct default_row {
	const char *word,
	    *arg;          /* an option, without --, and what it takes: another's is not meant */
	const char *value; /* files and folders from that of the file on */
	unsigned line;
};

struct cli_defaults { /* for as long as the program runs: options borrow what is in it */
	char *path;   /* NULL: there is no such file */
	struct default_row *rows;
	size_t n, cap;
};

/* An error has the file's name and line. */
enum status defaults_find(struct cli_defaults *d, struct err *e);

#endif
