/* SPDX-License-Identifier: MIT
 *
 * Internal to tally/tally.h: live bytes and blocks at each event, per cell and per domain, and
 * their values at the peak. A peak is over when live bytes stop growing; cells learn of it when
 * they next change, so a peak costs nothing per cell.
 */
#ifndef TM_TALLY_PEAK_H
#define TM_TALLY_PEAK_H

#include "lib/tally/tally.h"

/* domain: of its cell, which is not looked at. */
void peak_rise(struct tally *a, uint32_t cell, const uint64_t v[3], unsigned domain, int64_t time);
void peak_fall(struct tally *a, uint32_t cell, const uint64_t v[3], unsigned domain);
/* Where events come in any order: at the end, the peak of each domain by their numbers. */
void peak_by_number(struct tally *a);
/* Every cell learns of the last peak. */
void peak_end(struct tally *a);

#endif
