/* SPDX-License-Identifier: MIT
 *
 * The common input of the exporters of stacks: a profile of the allocations, samples and calls of all captures, by
 * stack within type and domain, with the names of lib/names/names.h. Stacks that are called the same are one, across
 * captures too. Memory is O(distinct stacks + live blocks), whatever the number of events.
 */
#ifndef TM_EXPORT_PROFILE_H
#define TM_EXPORT_PROFILE_H

#include "lib/export/export.h"
#include "lib/group/grouped_profile.h"
#include "lib/group/grouping.h"
#include "lib/group/metric.h"
#include "lib/names/names.h"
#include "lib/profile/profile.h"
#include "lib/tally/tally.h"

/* The events whose periods are kept; those of more are a loss. */
enum { PROFILE_EVENTS_MOST = 48 };

struct export_profile_column {
	const struct export_metric *metric;
	uint32_t event, unit; /* of SUM_PERIOD: of types, 0 for none; of the unit too */
};

struct export_profile_run { /* a capture, while its sums are added */
	const struct trace *t;
	const struct tally *a;
	uint32_t *stacks; /* the capture's stack id -> ours, where it is used */
	unsigned known;   /* SUM_BITs */
};

struct export_profile {
	struct tally tally; /* its sink is the profile's */
	const struct export_options *options;
	/* Set between init and the first capture: run->stacks has every stack, not only those with sums. */
	bool all_stacks;
	/* After each capture's sums, which it may finish; may be NULL. */
	enum status (*captured)(void *arg, struct trace *t, const struct export_profile_run *r,
				struct err *e);
	void *arg;

	struct grouped_profile groups; /* its names; its stacks, as options.view leaves them */
	struct intern types;
	struct grouping kinds; /* type * DOMAINS + domain; type: id in types, 0: none */
	struct grouping rows;  /* stacks within kinds; 0: none */
	struct profile sums;   /* all; keys[0].self: by row */
	struct intern notes;   /* "guess: text: 3", of all captures */
	struct intern formats;
	struct export_profile_column events[PROFILE_EVENTS_MOST]; /* of SUM_PERIOD */
	size_t n_events;
};

/* p stays where it is until export_profile_release. */
void export_profile_init(struct export_profile *p, const struct export_options *o);
void export_profile_release(struct export_profile *p);
/* No capture follows: gives back what only adding one needs. */
void export_profile_close(struct export_profile *p);
/* The next capture's sums start from nothing; rows keep their numbers. */
void export_profile_finish_run(struct export_profile *p);

/* Whether its stacks can be written one by one, for formats that have no other way: of stacks that are nested
 * deeply that grows with the square of their depth. texts: each call is written by its name. ST_LIMIT: no. */
enum status export_profile_check_depth(const struct export_profile *p, bool texts, struct err *e);

/* Its metrics one by one, each event's periods apart, as they do not add up: of those whose SUM_BITs are in sums. */
enum { PROFILE_COLUMNS = EXPORT_METRICS + PROFILE_EVENTS_MOST };
size_t export_profile_columns(const struct export_profile *p, unsigned sums,
			      struct export_profile_column to[PROFILE_COLUMNS]);

/* A string of the capture's in p->types. */
uint32_t export_profile_text(struct export_profile *p, const struct trace *t, uint32_t string);
/* Of a row. */
static inline uint32_t export_profile_stack(const struct export_profile *p, size_t row)
{
	return p->rows.groups[row].id;
}
static inline uint32_t export_profile_type(const struct export_profile *p, size_t row)
{
	return p->kinds.groups[p->rows.groups[row].outer].id / DOMAINS;
}
static inline unsigned export_profile_domain(const struct export_profile *p, size_t row)
{
	return p->kinds.groups[p->rows.groups[row].outer].id % DOMAINS;
}
static inline uint64_t export_profile_sum(const struct export_profile *p, size_t row, enum sum s)
{
	return columns_value(&p->sums.keys[0].self, row, s);
}

/* Some row has more than 0 of it. */
static inline bool export_profile_has(const struct export_profile *p, enum sum s)
{
	return p->sums.all.v[s];
}

static inline uint64_t export_profile_column_sum(const struct export_profile *p, size_t row,
						 const struct export_profile_column *c)
{
	enum sum s = c->metric->sum;
	bool other = s == SUM_PERIOD && export_profile_type(p, row) != c->event;

	return other ? 0 : export_profile_sum(p, row, s);
}

/* What is known of the rows, without entries where allocations are counted and entries are not asked for. */
unsigned export_profile_shown(const struct export_profile *p, enum sum first);

/* The metric that is asked for, or the one that SORT_AUTO means: the first that some row has more than
 * 0 of. one: the only one that the format has, so that it is not all 0, nor periods of several events.
 * ST_UNSUPPORTED: *e says which there are. */
enum status export_profile_sort(const struct export_profile *p, bool one, enum sum *to,
				struct err *e);

#endif
