/* SPDX-License-Identifier: MIT
 *
 * Coverage: the share of a trace's locations that is known, by tier, with the reasons for the rest.
 */
#ifndef TM_SYMBOLIZE_COVERAGE_H
#define TM_SYMBOLIZE_COVERAGE_H

#include "lib/trace/model.h"

struct symbolize_coverage { /* of locations */
	uint64_t n, tiers[TIERS], reasons[REASONS], guesses;
};

/* Counts bindings of locations: all of them into *all, and those of each object into of[id], unless
 * of is NULL; it has room for t->symbols.n_objects. */
void coverage_count(const struct trace *t, struct symbolize_coverage *all,
		    struct symbolize_coverage *of);

#endif
