/* SPDX-License-Identifier: MIT
 *
 * The effect that each of the user's maps of modules and functions has had in a comparison, and the map to
 * propose for a function that was renamed.
 */
#ifndef TM_REPORT_COMPARE_MAPS_H
#define TM_REPORT_COMPARE_MAPS_H

#include "lib/report/compare/compare.h"

/* A sentence for each map, also for one that hits nothing. */
size_t compare_maps(const struct compare *c);
void compare_map_text(const struct compare *c, size_t map, struct buf *to);
/* "map-function = OLD=NEW"; false: a name that cannot stand there, or both are called the same. */
bool compare_map_proposal(const struct profile_entities *t, const struct profile_entity *was,
			  const struct profile_entity *now, struct buf *to);

#endif
