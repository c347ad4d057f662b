/* SPDX-License-Identifier: MIT
 *
 * tm-record --pid: a running process is recorded until an interrupt, the end of --duration, or its own
 * end; else it goes on.
 */
#ifndef TM_CMD_RECORD_ATTACHED_H
#define TM_CMD_RECORD_ATTACHED_H

#include "cmd/tm-record/recorded.h"
#include "lib/record/attach.h"

/* a has been looked at. path is the trace, open there as fd, which is closed; the exit status. */
int attached_record(struct attach *a, const char *library, const struct cap_settings *s,
		    const char *path, int fd, struct recorded *r);

#endif
