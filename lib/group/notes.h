/* SPDX-License-Identifier: MIT
 *
 * The inside of top.h: the lines below the table: coverage, numbers that the captures do not have,
 * rows that were left out, frames.
 */
#ifndef TM_GROUP_NOTES_H
#define TM_GROUP_NOTES_H

#include "lib/base/arena.h"
#include "lib/base/buf.h"
#include "lib/group/project.h"
#include "lib/table/table.h"

/* Where not all domains are counted: what counts of each, and what does not, their bytes, and the
 * option that shows it. False: there is no such line. */
enum { DOMAIN_NOTES = 2 * DOMAINS };
bool domain_note(const struct group_run *r, unsigned line, struct buf *to);

/* The lines are put into the arena, table->notes is the caller's to free. */
void top_notes(const struct group_project *p, size_t grouping, enum sum sort, struct arena *arena,
	       struct table *table);

#endif
