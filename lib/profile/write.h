/* SPDX-License-Identifier: MIT
 *
 * The writer of a profile of entities as an aggregate of its own.
 */
#ifndef TM_PROFILE_WRITE_H
#define TM_PROFILE_WRITE_H

#include "lib/profile/file.h"
#include "lib/profile/profile.h"

struct aggregate_note {
	unsigned severity;
	struct aggregate_text text; /* borrowed */
	uint64_t count;             /* 0: it is no count */
};

struct aggregate_origin {     /* the file that the capture was */
	uint64_t hash, bytes; /* XXH3 of its bytes, and how many they are */
	const char *name;     /* its base name */
};

struct aggregate_frame { /* in any order; of one number they are one record */
	int64_t number, duration;
	const char *name; /* borrowed; NULL: none */
	size_t n_name;
	bool before; /* what comes before the first frame, and is none */
	bool has_duration;
};

struct aggregate_source { /* all borrowed */
	const struct profile_entities *entities;
	const struct profile *profile;
	const struct aggregate_frame *frames;
	size_t n_frames;
	const struct profile_columns *frame_sums; /* by frame */
	unsigned frames_known;                    /* SUM_BITs */
	const struct aggregate_note *notes;
	size_t n_notes;
	struct aggregate_origin origin;
};

void aggregate_write(const struct aggregate_source *s, struct aggregate_writer *w);

#endif
