/* SPDX-License-Identifier: MIT
 *
 * The common input of the exporters of stacks: the allocations, samples and calls of all captures,
 * added up by (run, type, stack, domain), with the names of lib/group/names.h. Stacks that are
 * called the same are one, across captures too. Memory is O(distinct stacks + live blocks),
 * whatever the number of events.
 */
#ifndef TM_EXPORT_PROFILE_H
#define TM_EXPORT_PROFILE_H

#include "lib/export/export.h"
#include "lib/group/metric.h"
#include "lib/group/names.h"
#include "lib/profile/columns.h"
#include "lib/profile/stacks.h"
#include "lib/tally/tally.h"

struct export_profile_sample { /* its values: export_profile.sums */
	uint32_t type, stack;  /* type: id in types, 0: none; stack 0: none */
	uint32_t run;          /* from 1; 0 unless runs are kept apart */
	uint8_t domain;
};

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
	uint32_t number;  /* from 1 */
	unsigned known;   /* SUM_BITs */
};

struct export_profile {
	struct tally tally; /* its sink is the profile's */
	const struct export_options *options;
	bool by_run;     /* set between init and the first capture */
	bool all_stacks; /* likewise: run->stacks has every stack, not only those with sums */
	/* After each capture's sums; may be NULL. */
	enum status (*captured)(void *arg, struct trace *t, const struct export_profile_run *r,
				struct err *e);
	void *arg;

	struct group_names names;
	struct intern types;
	struct profile_stacks stacks; /* of locations of names */
	struct export_profile_sample *samples;
	size_t n_samples, cap_samples;
	struct profile_columns sums; /* by sample */
	struct intern notes;         /* "guess: text: 3", of all captures */
	struct intern formats;
	unsigned known; /* SUM_BITs of what some sample has, if only 0 */
	struct export_profile_column events[PROFILE_EVENTS_MOST]; /* of SUM_PERIOD */
	size_t n_events;
	uint32_t runs;
	uint64_t other_domains; /* records not counted */

	struct export_profile_index *index; /* profile.c */
};

/* p stays where it is until export_profile_release. */
void export_profile_init(struct export_profile *p, const struct export_options *o);
void export_profile_release(struct export_profile *p);
/* No capture follows: gives back what only adding one needs. */
void export_profile_close(struct export_profile *p);

/* Whether its stacks can be written one by one, for formats that have no other way: of stacks that are nested
 * deeply that grows with the square of their depth. texts: each call is written by its name. ST_LIMIT: no. */
enum status export_profile_check_depth(const struct export_profile *p, bool texts, struct err *e);

/* Its metrics one by one, each event's periods apart, as they do not add up: of those whose SUM_BITs are in sums. */
enum { PROFILE_COLUMNS = EXPORT_METRICS + PROFILE_EVENTS_MOST };
size_t export_profile_columns(const struct export_profile *p, unsigned sums,
			      struct export_profile_column to[PROFILE_COLUMNS]);

/* Some sample has more than 0 of it. */
static inline bool export_profile_has(const struct export_profile *p, enum sum s)
{
	return p->sums.v[s];
}

static inline uint64_t export_profile_column_sum(const struct export_profile *p, size_t sample,
						 const struct export_profile_column *c)
{
	enum sum s = c->metric->sum;
	bool other = s == SUM_PERIOD && p->samples[sample].type != c->event;

	return other ? 0 : columns_value(&p->sums, sample, s);
}

/* What is known of the samples, without entries where allocations are counted and entries are not asked for. */
unsigned export_profile_shown(const struct export_profile *p, enum sum first);

/* The metric that is asked for, or the one that SORT_AUTO means: the first that some sample has more than
 * 0 of. one: the only one that the format has, so that it is not all 0, nor periods of several events.
 * ST_UNSUPPORTED: *e says which there are. */
enum status export_profile_sort(const struct export_profile *p, bool one, enum sum *to,
				struct err *e);

#endif
