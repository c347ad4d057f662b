/* SPDX-License-Identifier: MIT
 *
 * Coverage: the share of a trace's locations that is known, by tier, with the reasons for the rest.
 */
#ifndef TM_SYMBOLIZE_COVERAGE_H
#define TM_SYMBOLIZE_COVERAGE_H

#include "lib/trace/model.h"

struct coverage { /* of locations */
	uint64_t n, tiers[TIERS], reasons[REASONS], guesses;
};

/* Counts bindings of locations: all of them into *all, and those of each object into of[id], unless
 * of is NULL; it has room for t->symbols.n_objects. */
void coverage_count(const struct trace *t, struct coverage *all, struct coverage *of);
void coverage_add(struct coverage *to, const struct coverage *from);
/* True when fewer than that many percent of the locations have a name. */
bool coverage_below(const struct coverage *c, uint64_t percent);

/* Line i, from 0, of its description for people; "" when there is nothing to say there. False
 * behind the last one. */
bool coverage_line(const struct coverage *c, unsigned i, char *out, size_t size);

#endif
