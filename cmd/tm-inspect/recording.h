/* SPDX-License-Identifier: MIT
 *
 * The checks whether tm-record can record a program on this machine: the program, the recorder's library, frames,
 * the clock, room for the trace, the rights to attach, adb.
 */
#ifndef TM_CMD_TM_INSPECT_RECORDING_H
#define TM_CMD_TM_INSPECT_RECORDING_H

#include "lib/inspect/inspect.h"
#include "lib/inspect/table_buf.h"

#include <stdbool.h>

struct recording_check {
	const char *fit, *fix; /* a word as of fit_words; NULL: nothing to change */
	char why[512];
};

enum {
	RECORDING_PROGRAM,
	RECORDING_LIBRARY,
	RECORDING_ALLOCATOR,
	RECORDING_FRAMES,
	RECORDING_CLOCK,
	RECORDING_DISK,
	RECORDING_ATTACH,
	RECORDING_ADB,
	RECORDING_CHECKS
};

struct recording {
	char *path; /* of the program's file, or of what runs the script; NULL: there is none */
	struct recording_check checks[RECORDING_CHECKS];
};

/* Looks at the program by its name, as a shell finds it, and at this machine. What is known only from the program's
 * symbols waits for recording_symbols. False: tm-record cannot record the program. */
bool recording_look(struct recording *r, const char *program);
void recording_symbols(struct recording *r, const struct inspect *x);
/* A row for each check, in the columns of the verdicts. */
void recording_rows(const struct recording *r, const char *program, struct table_buf *to);
void recording_release(struct recording *r);

#endif
