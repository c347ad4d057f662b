/* SPDX-License-Identifier: MIT */
#include "lib/symbolize/coverage.h"

#include <inttypes.h>
#include <stdio.h>
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

void coverage_add(struct symbolize_coverage *to, const struct symbolize_coverage *from)
{
	to->n += from->n;
	to->guesses += from->guesses;
	for (unsigned i = 0; i < TIERS; i++)
		to->tiers[i] += from->tiers[i];
	for (unsigned i = 0; i < REASONS; i++)
		to->reasons[i] += from->reasons[i];
}

bool coverage_below(const struct symbolize_coverage *c, uint64_t percent)
{
	return (c->n - c->tiers[TIER_NOTHING] - c->tiers[TIER_MODULE]) * 100 < percent * c->n;
}

bool coverage_line(const struct symbolize_coverage *c, unsigned i, char *out, size_t size)
{
	*out = '\0';
	if (i > REASONS || !c->n)
		return false;
	if (i == REASON_RESOLVED)
		snprintf(out, size,
			 "%" PRIu64 " locations: %" PRIu64 " with line, %" PRIu64
			 " name only, %" PRIu64 " module only, %" PRIu64 " nothing",
			 c->n, c->tiers[TIER_LINE], c->tiers[TIER_NAME], c->tiers[TIER_MODULE],
			 c->tiers[TIER_NOTHING]);
	else if (i < REASONS && c->reasons[i])
		snprintf(out, size, "%" PRIu64 " not resolved further: %s", c->reasons[i],
			 reason_text(i));
	else if (i == REASONS && c->guesses)
		snprintf(out, size, "%" PRIu64 " named by a symbol without a size: a guess",
			 c->guesses);
	return true;
}
