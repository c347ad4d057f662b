/* SPDX-License-Identifier: MIT
 *
 * The address ranges that each unit of one file claims, with what reads the file's DIEs: for questions that come one by one
 * (place.c, variable.c).
 */
#ifndef TM_DWARF_FAST_CLAIMS_H
#define TM_DWARF_FAST_CLAIMS_H

#include "lib/dwarf/fast/kept.h"
#include "lib/dwarf/fast/merge.h"

struct fast_claims { /* zeroed is empty; its members are for its users */
	struct fast_engine g;
	struct fast_file file;
	struct dwarf_options options;
	struct dwarf_job job;
	struct dwarf_answers answers; /* for complaints only */
	struct fast_worker worker;
	struct fast_claim *items; /* in the order of the units */
	size_t n, cap;
	uint32_t unit; /* its claims are being read */
};

/* A zeroed c, which stays where it is, and ends with fast_claims_release if all is well. It may use a minute of processor
 * time, for all questions. */
enum status fast_claims_load(struct fast_claims *c, struct object *o, struct err *e);
void fast_claims_release(struct fast_claims *c);

#endif
