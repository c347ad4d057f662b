/* SPDX-License-Identifier: MIT
 *
 * The reading of captures and aggregates into the groups of a comparison. Captures go into the grouped profile,
 * and each file is taken as one run when it ends.
 */
#ifndef TM_REPORT_COMPARE_INPUTS_H
#define TM_REPORT_COMPARE_INPUTS_H

#include "lib/base/arena.h"
#include "lib/base/cursor.h"
#include "lib/group/summarizer.h"
#include "lib/report/compare/compare.h"

struct compare_inputs {
	struct profile_entities entities;
	struct grouped_profile project; /* captures go into its sink */
	struct summarizer summarizer;
	struct compare compare;
	struct arena names;  /* of runs; the caller adds what else is to live as long */
	const char *options; /* borrowed; NULL: none */
};

/* It stays where it is. options: filters and ranges in words, to be compared with those of
 * aggregates; may be NULL. */
void compare_inputs_init(struct compare_inputs *in, const struct grouped_profile_options *o,
			 const char *options);
/* Nothing more is read: gives back all but what a comparison needs, which then takes memory of its
 * own. */
void compare_inputs_done(struct compare_inputs *in);
void compare_inputs_release(struct compare_inputs *in);

/* Another group begins; label is borrowed. ST_LIMIT: there are COMPARE_GROUPS_MAX. */
enum status compare_inputs_group(struct compare_inputs *in, const char *label, struct err *e);
/* Forgets what a capture that failed has left. */
void compare_inputs_drop(struct compare_inputs *in);
/* What was read since the last time is a run of the present group. Fails, as the next one does, when
 * its samples are counted in another unit than those of a run before. from: the file; of 0 bytes: not known. */
enum status compare_inputs_add_run(struct compare_inputs *in, const char *name,
				   const struct profile_input *from, struct err *e);
/* So is this aggregate, whatever it was merged from. */
enum status compare_inputs_aggregate(struct compare_inputs *in, struct cursor *c, const char *name,
				     struct err *e);

#endif
