/* SPDX-License-Identifier: MIT
 *
 * The state of one job of the fast engine, shared by fast.c, which finds the answers, and merge.c, which collects
 * complaints and marks the answers that what is lost has made unsure.
 */
#ifndef TM_DWARF_FAST_MERGE_H
#define TM_DWARF_FAST_MERGE_H

#include "lib/dwarf/fast/kept.h"

/* Addresses of the job that a unit claims. */
struct fast_owner {
	uint32_t unit;
	struct fast_run run;
};

struct fast_engine {
	const struct dwarf_options *options;
	struct dwarf_job *job;
	struct fast_file *file;
	struct dwarf_kept *kept;   /* what workers are of */
	struct fast_kept_file *of; /* what file is of */
	struct fast_worker *workers;
	unsigned n_workers;
	bool over;                 /* there was no time to find all owners */
	bool *fresh;               /* by worker: its time has not begun yet */
	struct fast_owner *owners; /* in the order of the units */
	size_t n_owners;
	/* The answer so far is the job's; by address: the first of its unit's owners, + 1; 0: none */
	uint32_t *owner;
	struct fast_answers *tasks; /* of all rounds */
	size_t n_tasks, cap_tasks;
	size_t first_task; /* of this round */
	uint32_t *order;   /* of this round's tasks: the largest first; or the items of work */
	uint64_t answered;
	size_t n_complaints;
};

enum { FAST_SECONDS = 60 }; /* of processor time, unless the options say */

struct sections;
/* The sections of g->job->object into g->file. Those that cannot be read are complained about. g->file
 * has nothing to release after an error. */
enum status fast_load(struct fast_engine *g, struct sections *s, struct err *e);
/* The ranges that a unit owns, in no order. False: it owns nothing that can be read. */
bool fast_own(struct fast_file *f, struct fast_worker *w, struct fast_unit *u,
	      fast_scopes_found_fn *owned, void *arg);

/* No other unit needs to be looked up. */
static inline bool fast_settled(const struct dwarf_answer *a)
{
	return a->found == DWARF_FUNCTION;
}

/* Adds a line to the job's complaints, which are at most so many. */
void fast_complain(struct fast_engine *g, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* Complains of units, and finds out whether some are lost as a whole. */
void fast_complain_of_units(struct fast_engine *g);
/* What no unit has answered may belong to one that is lost. */
void fast_merge(struct fast_engine *g);
/* All answers are DWARF_MALFORMED. */
void fast_give_back(struct fast_engine *g, const char *why);

#endif
