/* SPDX-License-Identifier: MIT
 *
 * One function through which nearly all of a run goes, as a game's own allocator: what it is called for is one thing
 * to rules that look at each site or function.
 */
#ifndef TM_REPORT_COMPARE_CALLERS_H
#define TM_REPORT_COMPARE_CALLERS_H

#include "lib/base/buf.h"
#include "lib/report/compare/compare.h"

/* A sentence without its end on the thing with more than 90 % of a group's sum, which several functions call; false:
 * no such thing. rows: by site or function; stacks: by stack. */
bool callers_say_one(const struct compare_rows *rows, const struct compare_rows *stacks,
		     size_t group, enum sum sum, struct buf *to);
/* Things of two keys are of one function: a name has a file behind it where functions share it. */
bool callers_is_same(const struct aggregate_thing *a, const struct aggregate_thing *b);

#endif
