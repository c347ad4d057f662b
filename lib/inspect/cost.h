/* SPDX-License-Identifier: MIT
 *
 * The costs of the call sites of one binary in a trace: every record with a stack counts once at
 * each address of that stack which tm-symbolize has bound to the binary. A sink: run captures
 * through it. Memory grows with stacks and sites, not with events.
 */
#ifndef TM_INSPECT_COST_H
#define TM_INSPECT_COST_H

#include "lib/base/hash.h"
#include "lib/object/object.h"
#include "lib/trace/sink.h"

struct site_cost {
	uint64_t vaddr; /* as captured: of a return address behind the call */
	bool returns;   /* it is a return address */
	bool has_requested, has_real, has_time;
	uint64_t records, requested, real; /* bytes */
	uint64_t time;                     /* ns without what was called, so that sums are right */
};

struct inspect_cost {
	struct sink sink; /* first */
	const char *path;
	const struct object *object;
	struct map64 site_of; /* vaddr * 2 + returns -> site + 1 */
	struct site_cost *sites;
	size_t n, cap;
	struct site_cost *stacks; /* of the capture that is read, by stack id */
	size_t n_stacks, cap_stacks;
	uint64_t records; /* with a stack, in all captures */
	uint64_t unbound; /* locations that tm-symbolize has not looked at */
};

/* path and object are borrowed. */
void cost_init(struct inspect_cost *c, const char *path, const struct object *object);
void cost_release(struct inspect_cost *c);
/* The sums of the calls that end at addr, or are at it when exact; NULL: none. */
const struct site_cost *cost_at(const struct inspect_cost *c, uint64_t addr, bool returns);

#endif
