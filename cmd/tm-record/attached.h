/* SPDX-License-Identifier: MIT
 *
 * The recording of a running process (tm-record --pid). It lasts until an interrupt, the end of --duration, or
 * the end of the process, which else goes on.
 */
#ifndef TM_CMD_RECORD_ATTACHED_H
#define TM_CMD_RECORD_ATTACHED_H

#include "cmd/tm-record/recorded.h"
#include "lib/record/attach.h"

/* a has been looked at. path is the trace, open there as fd, which is closed; the exit status. */
int attached_record(struct attach *a, const char *library, const struct cap_settings *s,
		    const char *path, int fd, struct recorded *r);

#endif
