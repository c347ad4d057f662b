/* SPDX-License-Identifier: MIT */
#include "lib/profile/per.h"

#include <stddef.h>

/* A row for each unit: word, title, phrase. */
#define PER_ROWS(ROW)                          \
	ROW("run", "", "")                     \
	ROW("frame", " / frame", " per frame") \
	ROW("second", " / s", " per second")   \
	ROW("capture", " / capture", " per capture")
#define PER_WORD(word, title, phrase)   word,
#define PER_TITLE(word, title, phrase)  title,
#define PER_PHRASE(word, title, phrase) phrase,

const char *const per_words[] = {PER_ROWS(PER_WORD) NULL};
const char *const per_titles[] = {PER_ROWS(PER_TITLE)};
const char *const per_phrases[] = {PER_ROWS(PER_PHRASE)};

double per_divisor(enum run_per per, uint64_t frames, uint64_t duration, uint64_t captures)
{
	switch (per) {
	case PER_FRAME: return (double)frames;
	case PER_SECOND: return (double)duration / 1e9;
	case PER_CAPTURE: return (double)captures;
	default: return 1;
	}
}
