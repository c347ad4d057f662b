/* SPDX-License-Identifier: MIT */
#include "lib/symbolize/coverage.h"

#include <string.h>

static void count(struct symbolize_coverage *c, const struct binding *b)
{
	c->n++;
	c->tiers[b->tier]++;
	c->reasons[b->reason]++;
	c->guesses += b->flags & BINDING_UNSIZED ? 1 : 0;
}

void coverage_count(const struct trace *t, struct symbolize_coverage *all,
		    struct symbolize_coverage *of)
{
	*all = (struct symbolize_coverage){.n = 0};
	if (of && t->symbols.n_objects)
		memset(of, 0, t->symbols.n_objects * sizeof *of);
	for (uint32_t i = 1; i < t->n_locations; i++) {
		const struct binding *b = symbols_binding(&t->symbols, i);

		count(all, b);
		if (of && b->object)
			count(&of[b->object], b);
	}
}
