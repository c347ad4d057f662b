/* SPDX-License-Identifier: MIT
 *
 * Groups of runs side by side. A group is one run or several of the same build; the first group is
 * the base. Which entities of the groups are one, identity.h says; runs of a group that are of different builds are
 * matched as builds, too.
 *
 * Numbers are exact: integers with a number of decimals, of bytes and times as of counts (0 where every
 * group is one run and nothing is divided or normalized). A difference is that of the numbers that CSV
 * has, so swapping the groups negates it where nothing is normalized, and a group against itself gives 0. A value is absent where a
 * run of the group does not know the metric, or has left out its smallest entities; what a run has none of
 * is 0.
 */
#ifndef TM_REPORT_COMPARE_COMPARE_H
#define TM_REPORT_COMPARE_COMPARE_H

#include "lib/profile/identity.h"
#include "lib/profile/per.h"
#include "lib/profile/profile.h"
#include "lib/table/table.h"
#include "lib/tally/tally.h"

enum {
	COMPARE_GROUPS_MAX = 16,
	COMPARE_DECIMALS = 6,
	/* The sums in which an entity can have changed: those that are always there. */
	COMPARE_CHANGES = TALLY_TOP,
};

struct compare_group {
	const char *label;     /* borrowed, as the next two */
	struct profile **runs; /* at least one */
	const char **names;    /* of the runs: their files */
	size_t n;
	bool median; /* of several runs the median counts, not the mean */
	bool
	    builds; /* names are those of builds, and for each subject of a gate the least one is the base */
};

struct compare {
	const struct profile_entities *entities;
	struct compare_group groups[COMPARE_GROUPS_MAX];
	size_t n_groups;
	enum run_per per;
	/* Each group's sums are multiplied by the last one's total / its own, so that shares compare.
	 * Means stay; what is signed has no shares and is absent. */
	bool normalize;
	struct identity_options identity;
	bool parts;         /* groups are parts of one run */
	bool domain_given;  /* which blocks count is the user's choice */
	const char *unread; /* a sentence: something of it could not be read; NULL: all was */
};

struct compare_number {
	bool present;
	__int128 v;        /* times 10^decimals */
	unsigned decimals; /* compare_decimals */
};

struct compare_row {
	uint32_t entity; /* what it is called: that of the last group that has it */
	uint32_t other;  /* what it is called in the base; else == entity */
	bool guess;      /* that these are one says more than their names */
	bool
	    folded; /* a template's instance, of which one build has fewer, with the same sums in all */
	uint32_t hint;           /* a row that may be this one under another name; COMPARE_NONE */
	uint32_t first, members; /* in identity.members */
	uint32_t in;             /* bit per group that has it */
	uint32_t unknown;        /* bit per group that may have it: its aggregate was pruned */
};

#define COMPARE_NONE UINT32_MAX

struct compare_rows {
	const struct compare *c;
	enum key key;
	struct compare_row *rows;
	size_t n;
	struct identity_rows identity;
	struct map64 builds; /* a run's address -> the number of its build + 1 */
};

/* As names_disambiguate, when every run is in: of functions that one group has under one name. */
void compare_disambiguate(const struct compare *c, struct profile_entities *t);

/* Whether every group's every run holds the key, and whether it knows the sum there. */
bool compare_holds(const struct compare *c, enum key key);
bool compare_knows(const struct compare *c, enum key key, enum sum sum);
bool compare_knows_total(const struct compare *c, enum sum sum);
/* Of one set of blocks: requested and real bytes and their number; those that are live; and so on. */
bool compare_same_measure(enum sum a, enum sum b);
static inline const struct profile *const *compare_runs(const struct compare *c, size_t group)
{
	return (const struct profile *const *)c->groups[group].runs;
}
/* Records of the run lack the sum, of which others are known of all: it is a lower bound. */
bool compare_knows_in_part(const struct profile *run, enum sum sum);

void compare_rows_init(struct compare_rows *r, const struct compare *c, enum key key);
void compare_rows_release(struct compare_rows *r);

/* One run's value as it is: neither divided nor normalized. SUM_LIFETIME is the mean per block.
 * SUMS_SIGNED are signed, all others are not. */
bool compare_raw(const struct compare_rows *r, size_t row, const struct profile *run, enum sum sum,
		 bool cumulative, __int128 *v);
bool compare_raw_total(const struct profile *run, enum sum sum, __int128 *v);
/* As metric_event_title, where all runs that say it agree. */
const char *compare_title(const struct compare *c, enum sum sum);
/* What a run's values are divided by; 0: not known, so nothing can be said per it. In frames, or
 * in seconds. */
double compare_divisor(const struct profile *run, enum run_per per);

/* The bytes from sample to sample, on average; 0: it was not sampled so, or does not say. */
double compare_sampled_every(const struct compare *c, const struct profile *run);

unsigned compare_decimals(const struct compare *c);
struct compare_number compare_value(const struct compare_rows *r, size_t row, size_t group,
				    enum sum sum, bool cumulative);
/* What normalizing multiplies by; 1 without it, of the last group, and of a total of 0. False: a total is
 * not known. */
bool compare_factor(const struct compare *c, size_t group, enum sum sum, long double *to);
struct compare_number compare_total(const struct compare *c, size_t group, enum sum sum);
/* to - from; absent when one is. */
struct compare_number compare_difference(struct compare_number from, struct compare_number to);
/* The difference, of from; absent for a from of 0. */
struct table_cell compare_percent(struct compare_number from, struct compare_number to);

#endif
