/* SPDX-License-Identifier: MIT
 *
 * Which line of one source text is which of another, as diff finds it: lines that both have once are put in the
 * longest order that both share, and the same again between each two of them (patience diff); where no line is
 * there once, the longest common subsequence.
 */
#ifndef TM_PROFILE_LINE_MAP_H
#define TM_PROFILE_LINE_MAP_H

#include "lib/profile/matching.h"

/* Adds the first and the last line of each run of lines that both have. */
void line_map_add(struct matching_lines *to, uint32_t file_a, uint32_t file_b, const struct buf *a,
		  const struct buf *b);

#endif
