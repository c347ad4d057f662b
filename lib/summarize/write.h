/* SPDX-License-Identifier: MIT
 *
 * The sums of one capture, written as an aggregate of its own.
 */
#ifndef TM_SUMMARIZE_WRITE_H
#define TM_SUMMARIZE_WRITE_H

#include "lib/profile/file.h"
#include "lib/profile/profile.h"
#include "lib/report/frames/frames.h"

struct aggregate_note {
	unsigned severity;
	struct aggregate_text text; /* borrowed */
	uint64_t count;             /* 0: it is no count */
};

struct aggregate_origin {     /* the file that the capture was */
	uint64_t hash, bytes; /* XXH3 of its bytes, and how many they are */
	const char *name;     /* its base name */
};

struct aggregate_source { /* all borrowed */
	const struct profile_entities *entities;
	const struct profile *summary;
	const struct frames *frames; /* NULL: none */
	const struct aggregate_note *notes;
	size_t n_notes;
	struct aggregate_origin origin;
};

void aggregate_write(const struct aggregate_source *s, struct aggregate_writer *w);

#endif
