/* SPDX-License-Identifier: MIT
 *
 * Warnings before and after a recording, a line each: what it will not see of the program, or has not seen, and
 * why.
 */
#ifndef TM_RECORD_NOTICED_H
#define TM_RECORD_NOTICED_H

#include "lib/record/launch.h"

/* Behind launch_prepare, before it starts. */
void noticed_start(const struct launch *l);
/* Behind it: the status, which is ours where nothing was recorded of a program that ended well. */
int noticed_end(const struct launch *l, char *const *argv, int status);

#endif
