/* SPDX-License-Identifier: MIT
 *
 * The inside of tally.h: events that a tally takes without seeing them. They are the whole capture,
 * which was tallied before (snapshot.h); or none of them is selected, and nothing of what is selected can
 * be touched by them: they come before its first allocation, or behind its last range.
 */
#ifndef TM_TALLY_DIGEST_H
#define TM_TALLY_DIGEST_H

#include "lib/tally/state.h"

bool tally_add_snapshot(struct tally *a, const struct sink_digest *d);
/* What was pending has had its effect. */
bool tally_take_unselected(struct tally *a, const struct sink_digest *d);

#endif
