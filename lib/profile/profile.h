/* SPDX-License-Identifier: MIT
 *
 * A profile: the sums of one run of a program, by several keys at once, without its events. It is added up from
 * captures (group/grouped_profile.h) or read from an aggregate (read.h), and reports do not know
 * which. Strings are ids in a table that it shares with its users; 0 is none, PROFILE_MIXED that captures differ.
 *
 * A row of a key is a group while captures are added, so that the runs of one grouped profile compare row by row;
 * summarize() makes it an entity (entities.h), which means the same in all runs and builds.
 *
 * The other operations on profiles are elsewhere, for these reasons:
 *
 *	select    before events are added up (select/selector.h, group/filter.h): a profile has no events left, and an
 *	          aggregate that was made with other options is refused
 *	read      read.h makes entities and group/read_aggregate.h groups, and only their rows differ. One by way of the
 *	          other would look up names in both tables; alone, a row of 300,000 stacks takes 2,500 and 2,950 instructions
 *	merge     merge.h, of files: two aggregates of 300,000 stacks each take 7 MB and 0.7 s. tm-top, which has them in
 *	          memory as groups, takes 55 MB and 1.1 s; tm-compare, as entities, 175 MB
 *	subtract  report/compare/compare.h, after identity.h has found the rows: a difference can be negative, have decimals,
 *	          and be absent on one side, so it is no profile
 */
#ifndef TM_PROFILE_PROFILE_H
#define TM_PROFILE_PROFILE_H

#include "lib/base/hash.h"
#include "lib/profile/columns.h"
#include "lib/profile/entities.h"
#include "lib/tally/counters.h"
#include "lib/trace/encode.h"
#include "lib/trace/symbols.h"

#define PROFILE_MIXED   UINT32_MAX
#define PROFILE_STARTED TRACE_NOTE_STARTED /* the note of profile.started */
enum { PROFILE_MODULES_MAX = 1024 };       /* more are not distinguished */

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
	UNKNOWN_UNORDERED, /* the capture's events are in no order: no moment is known; in an aggregate, UNKNOWN_ABSENT */
	UNKNOWN_RETURNED /* tally.returned; in an aggregate, UNKNOWN_ABSENT */
};

struct profile_known {
	uint8_t state[SUMS]; /* enum metric_state, the weakest of the captures that know it */
	uint8_t unknown_reason[SUMS]; /* enum unknown_reason, of a capture that does not */
	bool least; /* some were recorded without their small blocks: TRACE_LEAST */
};

struct profile_key {                  /* the sums by one key */
	struct profile_columns self;  /* by row: a partition of all that the filters kept */
	struct profile_columns total; /* key_has_total: in and below it, once per stack */
	struct profile_columns
	    cached; /* what is live of self in caches of libraries; of groups only */
	struct profile_known known; /* at this key */
	/* Of entities: */
	bool held;              /* this key was asked for */
	uint64_t cut;           /* rows that were pruned from an aggregate, the smallest; */
	struct tally_sums rest; /* and what they have together */
};

struct profile_module {    /* a binary as the captures name it */
	uint32_t name;     /* base name */
	uint32_t build_id; /* raw bytes; 0: not known */
	bool system;       /* own_code.h; not in aggregates */
};

struct profile_counter { /* unit 0: none */
	uint32_t name, unit;
	struct counter_stats stats;
};

struct profile_input { /* a file that the sums are of, by its digest */
	uint64_t hash, bytes;
	uint64_t run;  /* the run that is in it, however it is packed and named; 0: not known */
	uint32_t name; /* of aggregates */
};

/* The sums of the captures before any filter on stacks and types: grouped_profile_options.totals. Bytes
 * are real ones where the captures know them, else requested ones (which is `bytes`). */
struct profile_totals {
	/* Whatever was asked for; all: SUMS_BASE only. */
	struct profile_known known;
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

struct profile {
	struct profile_key
	    *keys; /* of groups: as grouped_profile.groupings; of entities: by enum key */
	size_t n_keys;
	struct profile_known known; /* of the sums over everything */
	struct tally_sums all;      /* what the filters kept */
	struct tally_sums unfiltered;
	struct tally_sums
	    coverage[TIERS + 1]; /* all, by what is known of the site; last: no stack */
	uint64_t captures, frames;
	uint64_t duration, timed; /* ns that what is selected took, of so many captures */
	struct tally_frame worst[SUM_REAL + 1];
	uint64_t notes[NOTE_LOSS + 1];  /* of the captures, by severity */
	struct profile_module *modules; /* different ones; of entities: by name and build-id */
	size_t n_modules, cap_modules;
	struct profile_counter *
	    counters; /* what they said in all captures, once each; of entities: by name and unit */
	size_t n_counters, cap_counters;
	unsigned domain;    /* enum domain + 1 that counts; 0: no allocation does, or of several */
	uint32_t format;    /* of the captures' attribute "format", trace_recorded; */
	uint32_t sampling;  /* 0: none */
	uint32_t program;   /* without its folder; of several captures the last that says it */
	bool started;       /* it has started processes that are not recorded */
	uint32_t arguments; /* trace_arguments, likewise of the last */
	unsigned status;    /* its exit status where that is known, else 0 */
	uint32_t clock;     /* TRACE_CLOCK of its times; 0: not stated */
	uint32_t period[2]; /* the event whose periods count, and before filters, as the format */
	uint64_t run;       /* trace_run of all captures, or 0; of entities: as profile_input.run */

	struct profile_input *inputs; /* of entities and of aggregates: as far as they are known */
	size_t n_inputs, cap_inputs;

	/* Not in aggregates: */
	struct tally_sums other_domains[DOMAINS]; /* blocks of others, which do not count */

	/* Of groups: */
	struct tally_sums cached; /* of all, what is live in caches of libraries (options.caches) */
	struct tally_sums domains[DOMAINS]; /* what counts, before filters */
	uint64_t typed;                     /* records without a stack that have a type or marker */
	uint64_t early; /* captures in which marks of frames come behind events of their time */
	bool spans;     /* of one capture: in one piece, from begin to end, as --time has it */
	int64_t begin, end;
	struct map64 counter_index; /* name and unit -> counter + 1 */
	struct profile_totals totals;
	uint64_t process; /* its id where there is one capture that says so, else 0 */

	/* Of entities: */
	struct profile_place {       /* by function: the lines that were seen of it */
		uint32_t file, line; /* of the first; 0: not known */
		uint32_t last;       /* the last; 0: not known, as in aggregates */
	} * places;
	size_t n_places;
	uint32_t options;    /* filters and ranges, as the user gave them; 0: none. Also the
			   * domain, where it is not malloc. */
	bool from_aggregate; /* so what does not count is not known */
};

/* Empty, with so many keys. */
void profile_init(struct profile *p, size_t n_keys);
void profile_release(struct profile *p); /* empty again */

/* A capture, or several, know the sum as state says, or lack it (enum unknown_reason), or some of both. */
void profile_weaken(struct profile_known *k, enum sum s, unsigned state, unsigned unknown_reason);
/* SUM_BITs of what the captures have of blocks that do not count only: no sum of it is 0. */
unsigned profile_unrecorded(const struct profile_known *k);
static inline bool profile_knows(const struct profile_known *k, enum sum s)
{
	return k->state[s] != METRIC_ABSENT;
}

/* There are blocks that do not count. */
bool profile_has_other_domains(const struct profile *p);

/* Of entities, whose strings are those of t: */

/* Modules and counters into their order. */
void profile_sort(struct profile *p, struct profile_entities *t);
/* The counter of that name and unit; NULL: none. */
const struct profile_counter *profile_counter_of(const struct profile *p,
						 const struct profile_entities *t, uint32_t name,
						 uint32_t unit);
/* The first counter of that name; NULL: none. */
const struct profile_counter *profile_counter(const struct profile *p,
					      const struct profile_entities *t, const char *name);
/* Whether a sum is known at the key; of one entity it then is what its column says, and 0 without a
 * column, but not when the entity may be one that was left out. It is 0, too, of an entity that has only records of
 * another kind: calls, but no blocks. */
bool profile_value(const struct profile *p, enum key key, uint32_t entity, enum sum sum,
		   bool cumulative, uint64_t *v);

static inline bool profile_has_row(const struct profile_key *k, uint32_t row)
{
	return columns_has(&k->self, row) || columns_has(&k->total, row);
}
/* Whether any of the runs has it. */
bool profiles_have(const struct profile *const *runs, size_t n, enum key key, uint32_t entity);
/* By function, whether any of the runs has it, itself or as a call of a stack; the caller's to free. */
bool *profiles_functions(const struct profile *const *runs, size_t n,
			 const struct profile_entities *t);

void profile_set_place(struct profile *p, uint32_t function, struct profile_place place);
static inline struct profile_place profile_place_of(const struct profile *p, uint32_t function)
{
	return function < p->n_places ? p->places[function] : (struct profile_place){0, 0, 0};
}

#endif
