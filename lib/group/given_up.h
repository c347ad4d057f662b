/* SPDX-License-Identifier: MIT
 *
 * Patterns that were given up (match.h), counted as a loss of the capture.
 * So it reaches all users of losses: gates, aggregates, stores, and what tm-filter writes.
 */
#ifndef TM_GROUP_GIVEN_UP_H
#define TM_GROUP_GIVEN_UP_H

#include "lib/trace/model.h"

/* At the end of a capture: notes what was given up since the last call. */
void given_up_note(struct trace *t);

#endif
