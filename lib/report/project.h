/* SPDX-License-Identifier: MIT
 *
 * The one projection: filter -> key -> sums. Each capture that ends is folded into groups keyed
 * by text identity (names.h), so captures and files add up, and reports know no formats.
 */
#ifndef TM_REPORT_PROJECT_H
#define TM_REPORT_PROJECT_H

#include "lib/match/match.h"
#include "lib/report/aggregate.h"
#include "lib/report/names.h"
#include "lib/report/sites.h"

enum key { KEY_SITE, KEY_FUNCTION, KEY_LOCATION, KEY_STACK, KEY_TYPE, KEYS };

enum { DOMAIN_DEFAULT = -1, DOMAIN_ALL = DOMAINS };

struct filter { /* on a stack's calls, by display name; on the type's name without a stack */
	struct match *match; /* owned by the caller */
	bool ignore;         /* drop what matches; else keep only what matches */
};

enum { FILTERS_MAX = 32 };

struct project_options {
	enum key by;
	/* An enum domain, DOMAIN_ALL, or DOMAIN_DEFAULT: the first one that the capture has. A
	 * pool's blocks lie in malloc's, so domains are not added up unasked. */
	int domain;
	const struct filter *filters; /* all of them apply */
	size_t n_filters;             /* at most FILTERS_MAX */
	struct sites *sites;          /* the caller's; NULL: the shipped rules */
	/* After each capture, when the notes of the report have joined those of the trace. */
	void (*captured)(void *arg, struct trace *t);
	void *arg;
};

/* Why a sum is not known; the first reason met is kept. */
enum lack { LACK_NONE, LACK_ABSENT, LACK_PER_TYPE, LACK_FILTERED };

struct group {
	uint32_t id;   /* of the key's thing: function, location, stack or type id; site: a call */
	uint32_t site; /* stack and site: the call; 0: none */
	bool inside;   /* the site is allocator or runtime code, as is the whole stack */
};

struct project_stack {
	uint32_t parent, location; /* location: names.h id */
};

struct project {
	struct aggregate aggregate; /* first: the sink is its sink */
	struct project_options options;
	struct sites *own_sites;
	struct names names;
	struct intern types, sites;
	struct project_stack *stacks; /* KEY_STACK: merged across captures; [0] is none */
	size_t n_stacks, cap_stacks;
	uint32_t *stack_slots;
	size_t stack_mask;

	struct group *groups;
	struct sums *self;  /* of groups */
	struct sums *total; /* of groups; KEY_FUNCTION and KEY_LOCATION */
	size_t n_groups, cap_groups, cap_self, cap_total;
	struct map64 group_index; /* the thing's id -> group + 1 */

	struct sums all; /* what the filters kept */
	struct sums unfiltered;
	struct sums coverage[TIERS + 1]; /* all, by what is known of the site; last: no stack */
	uint64_t captures, frames;
	uint64_t other_domains[DOMAINS]; /* records not counted */
	bool domain_used[DOMAINS];
	struct aggregate_frame worst[SUM_REAL + 1];
	uint8_t state[SUMS]; /* enum metric_state, the weakest of the captures that know it */
	uint8_t lack[SUMS];  /* enum lack, of a capture that does not */

	uint8_t *passed; /* by function: verdict of the rules | 0x80 once asked */
	uint8_t *file_passed;
	uint32_t *matched; /* by function: bit per filter */
	size_t cap_passed, cap_file_passed, cap_matched, n_matched;
};

extern const char *const key_words[]; /* "site", ...; ends with NULL; in the order of enum key */

/* p stays where it is until project_release. */
void project_init(struct project *p, const struct project_options *o);
void project_release(struct project *p);
static inline struct sink *project_sink(struct project *p)
{
	return &p->aggregate.sink;
}

#endif
