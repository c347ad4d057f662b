/* SPDX-License-Identifier: MIT
 *
 * The last steps of a recording. Names are put into the trace, and a summary of the run is printed, with what is
 * missing and what to do next. Other programs do the work (front.h), each in its sandbox.
 */
#ifndef TM_CMD_RECORD_RECORDED_H
#define TM_CMD_RECORD_RECORDED_H

#include "lib/cli/opt.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <time.h>

struct recorded {
	const char *path; /* a trace; what is no regular file is left alone */
	const struct opt_list
	    *servers; /* of --debuginfod, as given; "": those of the environment */
	const struct opt_list *options; /* of the report, as tm-top has them */
	const char *program;
	time_t since;       /* when it was started */
	uint64_t ns;        /* that the program ran, or was recorded */
	uint64_t children;  /* CPU time of processes that it started and that are not in the trace,
			     * in microseconds; 0: none that it has waited for */
	struct rusage used; /* by the program, unless runs */
	int status;         /* that it ended with; 0: well, by a signal, or not yet */
	bool no_symbols;    /* leave it without names */
	bool report;        /* the sites that allocated most, on standard error */
	bool apart;         /* processes that the program starts have traces of their own */
	bool runs;          /* it goes on, or may */
};

/* Notes on standard error (none with -q). What goes wrong here leaves the trace as it is, and is a
 * note. */
void recorded_end(const struct recorded *r);

#endif
