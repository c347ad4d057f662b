/* SPDX-License-Identifier: MIT
 *
 * The sums of one run of a game, of every entity and by several keys at once, without the capture's
 * events. Made from a profile's run, or read from an aggregate (summary_record.h); a comparison
 * does not know which.
 */
#ifndef TM_AGGREGATE_SUMMARY_H
#define TM_AGGREGATE_SUMMARY_H

#include "lib/aggregate/entities.h"
#include "lib/group/grouped_profile.h"

struct summary_key {
	uint64_t cut;               /* entities that were pruned from an aggregate, the smallest; */
	struct tally_sums rest;     /* and what they have together */
	struct group_columns self;  /* by entity */
	struct group_columns total; /* key_has_total */
	struct run_known known;     /* at this key */
	bool held;                  /* this key was asked for */
};

struct summary_module { /* strings of entities; build_id is raw bytes, 0: not known */
	uint32_t name, build_id;
};

struct summary_counter { /* strings of entities; unit 0: none */
	uint32_t name, unit;
	struct counter_stats stats;
};

struct summary_input { /* a file that the sums are of, by its digest */
	uint64_t hash, bytes;
	uint64_t run; /* the run that is in it, however it is packed and named; 0: not known */
};

struct aggregate_summary {
	struct summary_key keys[KEYS];
	struct run_known known; /* of the sums of everything */
	struct tally_sums all, unfiltered, coverage[TIERS + 1];
	uint64_t captures, frames;
	uint64_t duration; /* ns that what was selected took; 0: not known */
	struct tally_frame worst[SUM_REAL + 1];
	uint64_t notes[NOTE_LOSS + 1];  /* of the captures, by severity */
	struct summary_module *modules; /* by name and build-id */
	size_t n_modules, cap_modules;
	struct summary_counter *counters; /* by name and unit, as texts */
	size_t n_counters, cap_counters;
	struct summary_place {       /* by function: the lines that were seen of it */
		uint32_t file, line; /* of the first; 0: not known */
		uint32_t last;       /* the last; 0: not known, as in aggregates */
	} * places;
	size_t n_places;
	uint32_t period;           /* likewise: the event whose periods count */
	uint32_t clock;            /* string: what times of samples are of; 0: not stated */
	uint32_t format, sampling; /* strings of entities; 0: none; RUN_MIXED: they differ */
	uint32_t program;          /* likewise: what ran, without its folder */
	bool started;              /* it has started processes that are not recorded */
	uint32_t arguments;        /* string: a digest of what it was started with; 0: not known */
	unsigned status;           /* its exit status; 0: well, or not known */
	uint64_t run;              /* as of an input, of a summary that was made */
	struct summary_input *inputs; /* as far as they are known */
	size_t n_inputs, cap_inputs;
	uint32_t options; /* string: filters and ranges, as the user gave them; 0: none. Also the
			   * domain, where it is not malloc. */
	unsigned domain;  /* as group_run.domain */
	struct tally_sums
	    other_domains[DOMAINS]; /* blocks of others, which do not count; not in aggregates */
	bool from_aggregate;        /* so what does not count is not known */
};

void summary_release(struct aggregate_summary *s); /* empty again */
/* There are blocks that do not count. */
bool summary_has_other_domains(const struct aggregate_summary *s);

/* Makes summaries of one profile's runs, remembering what its groups are among the entities. */
struct summarizer {
	struct aggregate_entities *entities;
	struct grouped_profile *p;

	struct summarizer_index *index; /* summary.c */
};

void summarizer_init(struct summarizer *z, struct aggregate_entities *entities,
		     struct grouped_profile *p);
void summarizer_release(struct summarizer *z);
/* The sums of r; *to is the caller's to release. A grouping within another is passed over. */
void summarize(struct summarizer *z, const struct group_run *r, struct aggregate_summary *to);

/* Of a summary that was made: words is what the user gave; NULL: nothing. */
void summary_set_options(struct summarizer *z, struct aggregate_summary *s, const char *words);

/* The first counter of that name; NULL: none. */
void summary_sort_counters(struct aggregate_summary *s,
			   struct aggregate_entities *t); /* as the next one expects */
const struct summary_counter *summary_counter_of(const struct aggregate_summary *s,
						 const struct aggregate_entities *t, uint32_t name,
						 uint32_t unit);
const struct summary_counter *summary_counter(const struct aggregate_summary *s,
					      const struct aggregate_entities *t, const char *name);

/* Whether a sum is known at the key; of one entity it then is what its column says, and 0 without a
 * column, but not when the entity may be one that was left out. */
bool summary_value(const struct aggregate_summary *s, enum key key, uint32_t entity, enum sum sum,
		   bool cumulative, uint64_t *v);

void summary_set_place(struct aggregate_summary *s, uint32_t function, struct summary_place place);
static inline struct summary_place summary_place_of(const struct aggregate_summary *s,
						    uint32_t function)
{
	return function < s->n_places ? s->places[function] : (struct summary_place){0, 0, 0};
}

#endif
