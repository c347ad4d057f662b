/* SPDX-License-Identifier: MIT
 *
 * A grouped profile: the sums of captures by keys (type, site, function ...). When a capture ends, its cells pass the
 * filters and are added to the groups of each key. Groups are found by their text (names.h), so the sums of several
 * captures and files add up, and reports know no formats. A run (profile/profile.h) is what was added since the beginning, or
 * since the last run was finished.
 */
#ifndef TM_GROUP_GROUPED_PROFILE_H
#define TM_GROUP_GROUPED_PROFILE_H

#include "lib/group/filter.h"
#include "lib/group/grouping.h"
#include "lib/names/names.h"
#include "lib/profile/profile.h"
#include "lib/profile/stacks.h"
#include "lib/rules/owners.h"
#include "lib/rules/sites.h"
#include "lib/tally/tally.h"

enum { DOMAIN_DEFAULT = -1, DOMAIN_ALL = DOMAINS };
enum { GROUPINGS_MAX = 12 };

struct grouped_profile;

struct grouped_profile_options {
	struct grouping_key by[GROUPINGS_MAX];
	size_t n_by; /* 0 counts as 1 */
	/* An enum domain, DOMAIN_ALL, or DOMAIN_DEFAULT: the one with most of which the capture
	 * has something that is selected, that the filters keep and that is not 0. A pool's blocks lie
	 * in malloc's, so domains are not added up unasked. */
	int domain;
	bool one_domain; /* DOMAIN_DEFAULT is that of the first capture with allocations in all */
	struct filters *filters;                 /* the caller's; NULL: none */
	const struct tally_selection *selection; /* the caller's; NULL: all events */
	unsigned want;                           /* SUM_BITs; 0: TALLY_WANT */
	struct sites *sites;                     /* the caller's; NULL: the shipped rules */
	struct owners *owners;                   /* the caller's; NULL: no owners */
	struct leaks *leaks;  /* the caller's: what is live of its stacks is not; NULL: none */
	struct leaks *caches; /* the caller's: what is live of its stacks is also counted apart,
				    * profile_key.cached; NULL: nothing is */
	bool mangled;         /* functions are shown by their linkage names */
	const struct paths *paths; /* the caller's; NULL: files are as captures have them */
	/* After each capture, when the notes of the report have joined those of the trace. */
	void (*captured)(void *arg, struct trace *t);
	/* Before that, while grouped_profile_cell_group knows all cells of the capture; or NULL. */
	void (*on_cells_done)(void *arg, struct grouped_profile *p, const struct trace *t);
	void *arg;
	/* Slices of each capture (tally/tally.h) and their user; grouped_profile_cell_group and
	 * grouped_profile_type_group give the groups of what a slice touched. SLICE_NONE: none. */
	enum slicing slicing;
	bool slice_cells, slice_main, slice_marked; /* tally/tally.h */
	int64_t every;
	uint64_t hook_cost; /* tally/tally.h, as are the next two */
	bool counters;
	bool totals; /* profile_totals */
	/* TOGETHER bits of tally/tally.h: the groups that are asked for are not of stacks, of types, nor is
	 * anything else. What filters, owners and leaks need is kept apart all the same. */
	unsigned collapse;
	enum status (*sliced)(void *arg, struct trace *t, const struct tally_slice *s,
			      struct err *e);
};

struct grouped_profile_frame { /* strings of grouped_profile.texts */
	uint32_t number, name; /* name 0: none */
};

#define SITE_INSIDE 0x80000000u

struct grouped_profile {
	struct tally tally; /* first: the sink is its sink */
	struct grouped_profile_options options;
	struct sites *own_sites;
	struct group_names names;
	struct intern texts; /* types, threads, owners */
	/* By text of a thread: how many threads of all captures a row of it adds up. */
	uint32_t *threads_of;
	size_t cap_threads_of;
	/* Rows of scripts' calls of all captures, whose times are in those of threads, too, and the text of the first. */
	size_t n_scripts;
	uint32_t script;
	uint32_t *sites; /* by site id: a call there, and SITE_INSIDE; [0] unused */
	size_t n_sites, cap_sites;
	struct intern frames;                     /* numbers and names as bytes */
	struct grouped_profile_frame *frame_rows; /* by frame id */
	size_t cap_frame_rows;
	uint32_t no_file, no_module; /* in names.strings: what stands for none */
	/* Merged across captures when a grouping is by stack or a filter takes calls out of
	 * stacks (merges). */
	struct profile_stacks stacks; /* of locations (names.h) */
	/* By stack: its site, a call, and SITE_INSIDE when all is inside the rules. */
	uint32_t *stack_sites;
	size_t cap_stack_sites;
	bool merges;
	struct grouping groupings[GROUPINGS_MAX];
	size_t n_groupings;
	struct profile now; /* what is being added up */
	bool *passed;       /* by function of names: passed over though no rule says so; resite.h */
	size_t cap_passed;

	int domain; /* options.domain, or what one_domain has settled */
	struct buf
	    crashes; /* what crashed in the captures: a line each, and how to see its stack */
	struct group_pass *pass; /* of the present capture; NULL: there is none yet; group_pass.h */
	struct pass_memo *memo;  /* what passes keep from capture to capture; group_pass.h */
};

static inline bool grouped_profile_passes_over(const struct grouped_profile *p, uint32_t function)
{
	return function < p->cap_passed && p->passed[function];
}

/* p stays where it is until grouped_profile_release. */
void grouped_profile_init(struct grouped_profile *p, const struct grouped_profile_options *o);
void grouped_profile_release(struct grouped_profile *p);
static inline struct sink *grouped_profile_sink(struct grouped_profile *p)
{
	return &p->tally.sink;
}

/* *to becomes what was added up, and the next run starts from nothing; groups keep their
 * indexes. Between captures only. to is released by the caller. */
void grouped_profile_finish_run(struct grouped_profile *p, struct profile *to);

/* The clock that times of samples are of joins the run's; NULL: not stated. Fails where the run has another. */
enum status grouped_profile_see_clock(struct grouped_profile *p, const char *clock, struct err *e);

/* No capture follows: gives back what only reading one needs, before a report takes memory of its
 * own. Names, stacks, groups and runs stay. */
void grouped_profile_close(struct grouped_profile *p);

#define GROUP_NONE UINT32_MAX

/* The group of one of the aggregate's cells, also while the capture is being read: whatever it
 * names is in the trace already. GROUP_NONE when a filter drops it, or it belongs to a domain that
 * does not count (DOMAIN_DEFAULT settles on the domain that has most by then). */
uint32_t grouped_profile_cell_group(struct grouped_profile *p, const struct trace *t, size_t cell,
				    size_t grouping);
/* The same of a type's totals; the grouping is by type. */
uint32_t grouped_profile_type_group(struct grouped_profile *p, const struct trace *t, uint32_t type,
				    size_t grouping);
/* The domain whose slice sums count: an enum domain or DOMAIN_ALL (= the index of all). */
unsigned grouped_profile_slice_domain(struct grouped_profile *p, const struct trace *t);

#endif
