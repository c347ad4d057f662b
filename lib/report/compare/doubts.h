/* SPDX-License-Identifier: MIT
 *
 * Reasons not to judge runs: one is empty or could not be read, they are of different programs, or were recorded
 * in different ways, or one run is there twice. A report shows their numbers side by side nevertheless.
 */
#ifndef TM_REPORT_COMPARE_DOUBTS_H
#define TM_REPORT_COMPARE_DOUBTS_H

#include "lib/base/arena.h"
#include "lib/report/compare/compare.h"

enum compare_doubt {
	DOUBT_UNREAD,
	DOUBT_EMPTY,
	DOUBT_NOTHING, /* the filters or the domain leave nothing of a side */
	DOUBT_DOMAIN,  /* blocks of malloc do not count, without --domain */
	DOUBT_ENDED,   /* with another status than 0 */
	DOUBT_PROGRAM,
	DOUBT_ARGUMENTS,
	DOUBT_FORMAT,
	DOUBT_SAMPLING,
	DOUBT_FILTERS,
	DOUBT_CAPTURES, /* of what is asked per run */
	DOUBT_BUILD,    /* doubts_find_builds */
	DOUBT_COPY,
	DOUBTS,
};

struct
    compare_doubts { /* a sentence without its end, of the first two runs that differ so; NULL: there are none */
	const char *of[DOUBTS];
	struct arena arena;
};

/* Of the groups from first on. */
void doubts_find(struct compare_doubts *d, const struct compare *c, size_t first);
/* That the last group's runs are of one build is asked in addition. */
void doubts_find_builds(struct compare_doubts *d, const struct compare *c);
void doubts_release(struct compare_doubts *d);

/* Which of them are no reason to judge nothing. */
struct compare_allowed {
	bool
	    unlike; /* programs, arguments, formats, sampling, filters and numbers of captures may differ, and runs have failed */
	bool copies;
	bool
	    unmatched; /* patterns of filters may leave nothing of a side, and those of rules hit nothing */
};
bool doubts_allowed(enum compare_doubt of, const struct compare_allowed *a);
/* The first one that is not allowed; NULL: all are. */
const char *doubts_first(const struct compare_doubts *d, const struct compare_allowed *a);

/* Whether two runs are of one program: of one name, as the user says, of one build-id, or where one's functions are
 * the other's under another name of the file. What does not say its program is of any. */
bool doubts_same_program(const struct compare *c, const struct profile *was,
			 const struct profile *now);
/* A module of both, as a string of entities, that is of another build in the second run; 0: none. */
uint32_t doubts_other_build(const struct profile *a, const struct profile *b);
/* "12 records of domain lua with 1.5 MiB": what does not count of a run; nothing: all does. */
void doubts_add_other_domains(const struct profile *s, struct buf *to);
/* Filters of two runs without what only renames, such as --map-path. */
bool doubts_same_filters(const char *a, const char *b);

#endif
