/* SPDX-License-Identifier: MIT
 *
 * The count of patterns that were given up (match.h), as a loss of the capture. So it reaches all users of
 * losses: gates, aggregates, stores, and what tm-filter writes.
 */
#ifndef TM_GROUP_REGEX_TIMEOUTS_H
#define TM_GROUP_REGEX_TIMEOUTS_H

#include "lib/trace/model.h"

/* At the end of a capture: notes what was given up since the last call. */
void regex_timeouts_note(struct trace *t);

#endif
