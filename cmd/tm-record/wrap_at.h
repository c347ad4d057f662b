/* SPDX-License-Identifier: MIT
 *
 * Functions of the program whose calls are to be recorded (--wrap-at): found by their names in the program's file, and their
 * first instructions read, for the runtime to move (lib/recorder/hooks/wrap_at.h).
 */
#ifndef TM_CMD_RECORD_WRAP_AT_H
#define TM_CMD_RECORD_WRAP_AT_H

#include "lib/cli/opt.h"
#include "lib/record/launch.h"

/* Into the settings, with calls. A function that is not there or cannot be wrapped ends the program, with the reason. */
void wrap_at_prepare(struct launch *l, const struct opt_list *names);
/* After the run: an error if they were not wrapped. */
void wrap_at_end(const struct launch *l);

#endif
