/* SPDX-License-Identifier: MIT
 *
 * A row per (frame, group of one key) of all frames, when their capture ends.
 */
#ifndef TM_REPORT_FRAMES_BY_H
#define TM_REPORT_FRAMES_BY_H

#include "lib/group/stack_cut.h"
#include "lib/report/frames/frames.h"

enum { FRAMES_BY_COLUMNS = SUMS + 11 };

struct frames_by_options {
	struct grouped_profile_options project; /* by[0]: the key */
	int64_t every;                          /* ns; 0: by frames */
	int sort;   /* FRAMES_AUTO or an enum sum: rows of a frame, largest first */
	uint64_t n; /* rows of each frame; 0: all */
	/* Takes a row of the table; not ST_OK ends the reading with that. */
	enum status (*row)(void *arg, const struct table_row *row, struct err *e);
	void *arg;
};

struct frames_by {
	struct grouped_profile project;
	struct frames_by_options options;
	struct table table; /* columns only */
	struct table_column columns[FRAMES_BY_COLUMNS];
	struct frame_groups *groups;
	struct buf chain;
	struct stack_cut cut; /* of the stacks that were written so far */
};

void frames_by_init(struct frames_by *f, const struct frames_by_options *o);
void frames_by_release(struct frames_by *f);

#endif
