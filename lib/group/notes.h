/* SPDX-License-Identifier: MIT
 *
 * The notes on a report's table of groups: coverage, numbers that the captures do not have, rows that were left
 * out, frames.
 */
#ifndef TM_GROUP_NOTES_H
#define TM_GROUP_NOTES_H

#include "lib/base/arena.h"
#include "lib/base/buf.h"
#include "lib/group/grouped_profile.h"
#include "lib/table/table.h"

/* Where not all domains are counted: what counts of each, and what does not, their bytes, and the
 * option that shows it. False: there is no such line. */
enum { DOMAIN_NOTES = 2 * DOMAINS };
bool domain_note(const struct profile *r, unsigned line, struct buf *to);

/* Which of these sums (bits) have that state: "live count, live real: lower bounds". False: none has. */
bool state_note(const struct grouped_profile *p, const struct profile_known *k, unsigned sums,
		enum metric_state state, struct buf *to);
/* Most sites have no names: what puts names in. False: they have names. */
#define NAMED_BY                                                                     \
	"tm-symbolize gives addresses names (-e BINARY, --debug-dir, --debuginfod, " \
	"--symbol-server)"
bool nameless_note(const struct profile *r, struct buf *to);
/* How many of these groups are functions of which only the start is known (names.h). False: none is. */
bool starts_note(const struct grouped_profile *p, size_t grouping, const uint32_t *groups, size_t n,
		 struct buf *to);
/* Why a table of what the captures have has no rows: struct table's empty. */
const char *group_nothing(const struct grouped_profile *p);
const char *nothing_left(bool filters, bool ranges);

/* sums: SUM_BITs of what the table shows. frames_shown: the worst frames have a table. The lines are put into the arena, table->notes is the
 * caller's to free. */
void top_notes(const struct grouped_profile *p, size_t grouping, enum sum sort, unsigned sums,
	       bool frames_shown, struct arena *arena, struct table *table);

#endif
