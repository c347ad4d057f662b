/* SPDX-License-Identifier: MIT
 *
 * The sums of one run: of the captures that a profile was fed until they were taken (grouped_profile_finish_run).
 * Groups are those of the profile's groupings, by index, so several runs of one profile compare row by row; a run
 * knows nothing of groups that only later ones have (columns_get gives nothing known). A run outlives its profile
 * except for string ids.
 */
#ifndef TM_GROUP_RUN_H
#define TM_GROUP_RUN_H

#include "lib/base/hash.h"
#include "lib/group/columns.h"
#include "lib/tally/counters.h"
#include "lib/trace/encode.h"

/* Why a sum is not known; the first reason met is kept. */
enum unknown_reason {
	UNKNOWN_NONE,
	UNKNOWN_ABSENT,
	UNKNOWN_PER_TYPE,  /* known per type only */
	UNKNOWN_FILTERED,  /* the same, and there are filters on stacks */
	UNKNOWN_PER_FRAME, /* live sums belong to moments, and are not added up over frames */
	UNKNOWN_NOT_ASKED,
	UNKNOWN_UNRECORDED,   /* the capture has it, but of no allocation that counts */
	UNKNOWN_MIXED,        /* of things that do not add up; one capture's is the whole run's */
	UNKNOWN_UNIDENTIFIED, /* tally_unidentified; in an aggregate, UNKNOWN_ABSENT */
	UNKNOWN_UNORDERED /* the capture's events are in no order: no moment is known; in an aggregate, UNKNOWN_ABSENT */
};

struct run_known {
	uint8_t state[SUMS]; /* enum metric_state, the weakest of the captures that know it */
	uint8_t unknown_reason[SUMS]; /* enum unknown_reason, of a capture that does not */
	bool least; /* some were recorded without their small blocks: TRACE_LEAST */
};

struct run_grouping {
	struct group_columns self;  /* by group: a partition of all that the filters kept */
	struct group_columns total; /* key_has_total: in and below it, once per stack */
	struct group_columns
	    cached;             /* what is live of self in caches of libraries (options.caches) */
	struct run_known known; /* at this key */
};

struct run_module {        /* a binary as the captures name it: string ids of names.strings */
	uint32_t name;     /* base name */
	uint32_t build_id; /* raw bytes; 0: not known */
	bool system;       /* own_code.h */
};

struct run_counter { /* string ids of names.strings; unit 0: none */
	uint32_t name, unit;
	struct counter_stats stats;
};

/* The sums of the captures before any filter on stacks and types: grouped_profile_options.totals. Bytes
 * are real ones where the captures know them, else requested ones (which is `bytes`). */
struct run_totals {
	/* Whatever was asked for; all: SUMS_BASE only. */
	struct run_known known;
	struct tally_sums all;
	uint64_t captures; /* whose blocks are followed, so that they have the next ones */
	uint64_t live_count, live, temporary;
	bool has_temporary; /* all of them know it */
	bool has_blocks;    /* likewise: live_count */
	bool about;         /* a peak is not exact */
	uint64_t peak;      /* the largest of any one capture */
	int64_t peak_at;    /* ns, as --time has it; INT64_MIN: not known */
	uint64_t threads;   /* of all captures */
	unsigned bytes;     /* SUM_REAL or SUM_REQUESTED */
	/* Of sampled recordings: the largest interval; what live and all are off by, squared. */
	uint64_t interval;
	bool
	    unidentified; /* tally_unidentified, of live and peak of some capture: they are not to be shown */
	uint64_t least; /* the largest threshold of their blocks' bytes; 0: all were recorded */
	struct tally_variance all_variance, live_variance;
};

struct group_run {
	struct run_grouping *groupings; /* in the order of grouped_profile.groupings */
	size_t n_groupings;
	struct run_known known; /* of the sums over everything */
	struct tally_sums all;  /* what the filters kept */
	struct tally_sums unfiltered;
	struct tally_sums cached; /* of all, what is live in caches of libraries (options.caches) */
	struct tally_sums
	    coverage[TIERS + 1]; /* all, by what is known of the site; last: no stack */
	uint64_t typed;          /* records without a stack that have a type or marker */
	uint64_t captures, frames;
	uint64_t early; /* captures in which marks of frames come behind events of their time */
	uint64_t duration, timed; /* ns that what is selected took, of so many captures */
	bool spans; /* of one capture: in one piece, from begin to end, as --time has it */
	int64_t begin, end;
	unsigned domain; /* enum domain + 1 that counts; 0: no allocation does, or of several */
	struct tally_sums domains[DOMAINS];       /* what counts, before filters */
	struct tally_sums other_domains[DOMAINS]; /* what does not */
	struct tally_frame worst[SUM_REAL + 1];
	uint64_t notes[NOTE_LOSS + 1]; /* of the captures, by severity */
	struct run_module *modules;    /* different ones */
	size_t n_modules, cap_modules;
	struct run_counter *counters; /* options.counters: what they said in all captures */
	size_t n_counters, cap_counters;
	struct map64 counter_index; /* name and unit -> counter + 1 */
	struct run_totals totals;
	uint32_t format;    /* string ids of the captures' attribute "format", trace_recorded; */
	uint32_t sampling;  /* 0: none; RUN_MIXED: they differ */
	uint32_t program;   /* without its folder; of several captures the last that says it */
	bool started;       /* it has started processes that are not recorded */
	uint64_t process;   /* its id where there is one capture that says so, else 0 */
	uint64_t run;       /* trace_run of all captures, or 0 */
	uint32_t arguments; /* string id: trace_arguments, likewise of the last */
	unsigned status;    /* its exit status where that is known, else 0 */
	uint32_t clock;     /* string id: TRACE_CLOCK of its times; 0: not stated */
	uint32_t period[2]; /* the event whose periods count, and before filters, as the format */
};

#define RUN_MIXED   UINT32_MAX
#define RUN_STARTED TRACE_NOTE_STARTED /* the note of group_run.started */
enum { RUN_MODULES_MAX = 1024 };       /* more are not distinguished */

void run_release(struct group_run *r); /* empty again */
/* A capture, or several, know the sum as state says, or lack it (enum unknown_reason), or some of both. */
void run_weaken(struct run_known *k, enum sum s, unsigned state, unsigned unknown_reason);

/* SUM_BITs of what the captures have of blocks that do not count only: no sum of it is 0. */
unsigned run_unrecorded(const struct run_known *k);

static inline bool run_knows(const struct run_known *k, enum sum s)
{
	return k->state[s] != METRIC_ABSENT;
}

#endif
