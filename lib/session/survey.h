/* SPDX-License-Identifier: MIT
 *
 * What a capture has by which its clock can be compared with another one's, and what is in it: frames, texts that it
 * has once, the date of its time 0, its first and last time, kinds of events. A sink for one file; of several
 * captures in it, the first with events counts, and the others are counted.
 *
 * Memory is O(frames + strings of the capture); at most SURVEY_TEXTS texts are kept.
 */
#ifndef TM_SESSION_SURVEY_H
#define TM_SESSION_SURVEY_H

#include "lib/session/clock.h"
#include "lib/tally/extent.h"
#include "lib/trace/sink.h"

enum { SURVEY_TEXTS = 1 << 16, SURVEY_TEXT_LONGEST = 200 };

struct survey_text { /* of a marker, a line of a log, a frame's label */
	uint64_t hash;
	int64_t time;
	bool sync; /* it has the word sync, and counts from there on */
};

struct survey {
	struct sink sink; /* first */
	uint64_t captures;
	char *format, *program,
	    *build; /* NULL: not known; build: the program's build-id, or the first there is */
	uint64_t modules, events[EV_KINDS];
	unsigned domains;     /* bits of allocations' domains */
	bool requested, real; /* sizes that allocations have */
	struct tally_extent extent;
	bool ordered;               /* its frames have times, which ascend */
	char *loss;                 /* the first note of a loss; NULL: none */
	int64_t resolution;         /* ns; all times are multiples of it */
	bool dated, zoned;          /* the date of time 0 is known; and its time zone */
	int64_t date;               /* ns since 1970; without a zone, of a clock on the wall */
	struct clock_frame *frames; /* of each mark */
	int64_t *numbers;
	size_t n_frames; /* without a mark that only ends the last */
	size_t n, cap, cap_numbers;
	struct survey_text *texts; /* by hash; each once */
	size_t n_texts, cap_texts;
	struct survey_seen *seen; /* of the present capture */
};

void survey_init(struct survey *s);
void survey_release(struct survey *s); /* accepts a zeroed struct */
static inline struct clock_frames survey_frames(const struct survey *s)
{
	return (struct clock_frames){s->frames, s->ordered ? s->n : 0, s->resolution};
}

/* How s's clock is to be read as that of the other, whose times may be read by a third one's. by is the surest that holds:
 * frames, markers, dates. *c is always set; false: it is not known. */
bool survey_clock(const struct survey *other, const struct survey *s, struct session_clock *c);

#endif
