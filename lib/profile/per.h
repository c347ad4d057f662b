/* SPDX-License-Identifier: MIT
 *
 * The units that sums of runs can be divided by, and their words: --per, policies, titles.
 */
#ifndef TM_PROFILE_PER_H
#define TM_PROFILE_PER_H

#include <stdint.h>

enum run_per { PER_RUN, PER_FRAME, PER_SECOND, PER_CAPTURE, PERS };

extern const char *const per_words[PERS + 1]; /* "frame", by enum run_per; ends with NULL */
extern const char *const per_titles[PERS];    /* " / frame"; of a run empty */
extern const char *const per_phrases[PERS];   /* " per frame"; likewise */

/* Of a run with so many frames, ns and captures; 0: it has no such unit. */
double per_divisor(enum run_per per, uint64_t frames, uint64_t duration, uint64_t captures);

#endif
