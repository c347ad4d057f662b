/* SPDX-License-Identifier: MIT
 *
 * Aggregates merged record by record, front to back, in memory that does not grow with them.
 */
#ifndef TM_PROFILE_MERGE_H
#define TM_PROFILE_MERGE_H

#include "lib/profile/file.h"

struct aggregate_merge_options {
	/* Called for each record AGG_INPUT as it is met, in reader number which; a status other
	 * than ST_OK ends the merge. NULL: not called. */
	enum status (*input)(void *arg, size_t which, const struct aggregate_record *r,
			     struct err *e);
	void *arg;
	bool parts; /* readers may be parts of aggregates: without a head */
};

/* Where a merge failed: which of the readers, and which one it does not agree with; SIZE_MAX: none.
 */
struct aggregate_merge_fault {
	size_t which, other;
};

/* All of the readers into the writer, without its end. The order of the readers does not matter. */
enum status aggregate_merge(struct aggregate_reader *readers, size_t n,
			    const struct aggregate_merge_options *o, struct aggregate_writer *to,
			    struct aggregate_merge_fault *fault, struct err *e);

/* What is too small to keep. */
struct aggregate_prune {
	int sum;        /* an enum sum; -1: the first of real, requested, self time, count, samples,
			 * calls, and net that a record has */
	uint64_t below; /* entities whose own value and total are less, in size */

	/* What was lost, by key; of all keys together by enum sum */
	struct aggregate_prune_lost {
		uint64_t entities, parts;
		struct tally_sums sums;
	} lost[KEYS];
};

/* "4KiB", "requested:1MiB", "self-time:2ms". */
enum status aggregate_prune_parse(struct aggregate_prune *p, const char *text, struct err *e);
/* One whole aggregate into the writer, without its end. */
enum status aggregate_prune(struct aggregate_reader *r, struct aggregate_prune *p,
			    struct aggregate_writer *to, struct err *e);

/* What was lost, in words: "count 5, requested 80"; nothing where nothing is known. */
void aggregate_lost_text(struct buf *b, const struct tally_sums *lost);

#endif
