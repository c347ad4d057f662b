/* SPDX-License-Identifier: MIT
 *
 * The costs of a grouped profile's stacks at the addresses of binaries: of each function, and of each instruction
 * of chosen functions. A location belongs to the binary that has its build-id; where the capture or the binary has
 * none, its name. Costs are by address, so what was inlined counts once.
 */
#ifndef TM_CMD_INSPECT_COSTS_H
#define TM_CMD_INSPECT_COSTS_H

#include "lib/base/arena.h"
#include "lib/base/hash.h"
#include "lib/group/grouped_profile.h"
#include "lib/inspect/listing.h"

struct costs_function {
	uint32_t binary;
	struct extent of;
	struct listing_cost cost;
	bool asked; /* for what costs_choose was given */
};

struct costs_binary {
	const struct inspect *x;
	struct map64 function_at;  /* lo -> costs_function + 1 */
	struct listing_cost cost;  /* of stacks that pass it */
	struct listing_cost none;  /* at addresses in no function */
	size_t places, unbound;    /* locations in it; those that tm-symbolize has not bound */
	size_t by_name;            /* of places, those known by its name alone */
	size_t others;             /* locations of another build of it, */
	uint32_t other_id;         /* and that build's id, as a string of project.names */
	struct listing_cost other; /* of stacks that pass it */
};

struct costs {
	const struct grouped_profile *p;
	size_t grouping;
	enum sum sum;
	struct costs_binary *binaries;
	size_t n_binaries;
	struct costs_site *sites; /* by location (names.h); costs.c */
	size_t n_linked;          /* locations that are bound to some binary */
	struct costs_function *functions;
	size_t n_functions, cap_functions;
	struct listing *shown;    /* in their order */
	size_t n_shown, n_chosen; /* n_chosen: those there are, shown or not */
	struct listing_metric metric;
	struct arena arena;
};

/* p has a grouping by stack, within nothing, and does not change until costs_release; binaries are
 * borrowed. sort: metric.h. ST_UNSUPPORTED: the metric is not known, or does not add up. */
enum status costs_init(struct costs *c, const struct grouped_profile *p, size_t grouping, int sort,
		       const struct inspect *binaries, size_t n, struct err *e);
/* Shows the n functions that cost most (0: all), by what ends in them, or by_total. what: only those
 * that are called so, or into which calls of it were inlined, also where they cost nothing; or
 * the one at an address; NULL: any that cost something. ST_NONE: not found. */
enum status costs_choose(struct costs *c, const char *what, uint64_t n, bool by_total,
			 struct err *e);
/* Fills an empty table; what is not shown is in its notes. */
enum status costs_table(struct costs *c, struct table_buf *s, struct lookup *l, struct err *e);
void costs_release(struct costs *c); /* accepts a zeroed struct */

#endif
