/* SPDX-License-Identifier: MIT
 *
 * A rule file suggested from the spikes that were seen. It has a threshold for calls that are as slow nearly
 * every time (perhaps legitimate), and comments on the rest, with markers that would show more. Guesses, for a
 * person to look at.
 */
#ifndef TM_REPORT_SPIKES_SUGGEST_H
#define TM_REPORT_SPIKES_SUGGEST_H

#include "lib/report/spikes/groups.h"

/* Legitimate: at least SPIKES_STEADY spikes, at least half of the function's calls, the worst at
 * most twice their median. n: functions of each kind, 0: all. */
enum { SPIKES_STEADY = 4 };
void spikes_suggest(const struct spikes *s, const struct spike_groups *g, uint64_t n,
		    struct buf *out);

#endif
