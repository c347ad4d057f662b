/* SPDX-License-Identifier: MIT
 *
 * The search for a function, such as a game's own allocator, through which nearly all of a run goes. Rules that
 * look at each site or function see one entity in all that it is called for.
 */
#ifndef TM_REPORT_COMPARE_CALLERS_H
#define TM_REPORT_COMPARE_CALLERS_H

#include "lib/base/buf.h"
#include "lib/report/compare/compare.h"

/* A sentence without its end on the entity with more than 90 % of a group's sum, which several functions call; false:
 * no such entity. rows: by site or function; stacks: by stack. */
bool callers_describe_one(const struct compare_rows *rows, const struct compare_rows *stacks,
			  size_t group, enum sum sum, struct buf *to);
/* Entities of two keys are of one function: a name has a file behind it where functions share it. */
bool callers_is_same(const struct profile_entity *a, const struct profile_entity *b);

#endif
