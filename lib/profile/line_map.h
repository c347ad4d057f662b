/* SPDX-License-Identifier: MIT
 *
 * A map from the lines of one version of a source text to those of another, by patience diff. Lines that both have
 * once are anchors, in the longest order that both share, and the text between two anchors is mapped in the same way.
 * Where no line is there once, the longest common subsequence is taken.
 */
#ifndef TM_PROFILE_LINE_MAP_H
#define TM_PROFILE_LINE_MAP_H

#include "lib/profile/matching.h"

/* Adds the first and the last line of each run of lines that both have. */
void line_map_add(struct matching_lines *to, uint32_t file_a, uint32_t file_b, const struct buf *a,
		  const struct buf *b);

#endif
