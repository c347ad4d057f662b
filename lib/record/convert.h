/* SPDX-License-Identifier: MIT
 *
 * The conversion of a program's trace to another tool's form while it is recorded: the trace comes through a pipe,
 * and is written, or served, as it comes. Such forms do not have the modules that addresses are in, so these are
 * written as well, as text of /proc/PID/maps.
 */
#ifndef TM_RECORD_CONVERT_H
#define TM_RECORD_CONVERT_H

#include "lib/export/export.h"
#include "lib/record/launch.h"
#include "lib/record/serve.h"

struct convert {
	const struct exporter *form;
	FILE *out;            /* closed by convert_program; NULL when it is only served */
	const char *name;     /* NAME.maps gets the modules, NAME.smaps a client's dump */
	struct serve *server; /* borrowed; NULL: not served */
	unsigned wait_ms;     /* for a client to attach when the program has ended */
	void (*ended)(const struct trace *t); /* of each capture, for its notes */

	int status, sig; /* of the program, as launch_wait has it */
	char summary[400];
};

/* Runs it to its end. ST_PIPE: the reader of the output is gone. What was sound has been written
 * whatever comes back; the program does not see a failure of ours. */
enum status convert_program(struct convert *c, struct launch *l, char **argv, struct err *e);

#endif
