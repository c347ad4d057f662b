/* SPDX-License-Identifier: MIT */
#include "lib/group/resite.h"

#include "lib/base/mem.h"
#include "lib/group/group_pass.h"

#include <stdlib.h>
#include <string.h>

enum { SITES, STACKS };

bool resite_stays(struct grouped_profile *p, uint32_t call)
{
	return pass_verdict(p, &p->names.calls[call]) & SITE_STAY;
}

/* Callers have smaller ids than the stacks they are part of. */
static void find_sites(struct grouped_profile *p, const uint32_t *functions, size_t n, bool over)
{
	struct pass_memo *m = p->memo;

	p->passed =
	    mem_grow_zero(p->passed, &p->cap_passed, p->names.n_functions, sizeof *p->passed);
	for (size_t i = 0; i < n; i++)
		p->passed[functions[i]] = over;
	free(m->location_sites);
	m->location_sites = NULL;
	m->cap_location_sites = 0;
	for (size_t i = 1; i < p->stacks.n; i++) {
		const struct profile_stack *s = &p->stacks.rows[i];

		p->stack_sites[i] = pass_site_of(p, s->location, p->stack_sites[s->parent]);
	}
}

uint64_t resite_try(struct grouped_profile *p, const uint32_t *functions, size_t n, enum sum sum)
{
	const struct grouping *g = &p->groupings[STACKS];
	uint64_t *sums = NULL, most = 0;
	size_t cap = 0;

	find_sites(p, functions, n, true);
	for (uint32_t i = 0; i < g->n; i++) {
		uint32_t id = pass_site_id(p, p->stack_sites[g->groups[i].id]);

		sums = mem_grow_zero(sums, &cap, (size_t)id + 1, sizeof *sums);
		sums[id] =
		    add_saturating(sums[id], columns_value(&p->now.keys[STACKS].self, i, sum));
		most = sums[id] > most ? sums[id] : most;
	}
	free(sums);
	find_sites(p, functions, n, false);
	return most;
}

/* What a stack adds to its site: of a call that only hands on the time, and not the call. */
static struct tally_sums at_site(const struct grouped_profile *p, uint32_t stack, uint32_t site,
				 const struct tally_sums *s)
{
	struct tally_sums at = *s;

	at.has &= ~SUM_BIT(SUM_TIME_TOTAL);
	if (stack && pass_handed_on(p, p->stacks.rows[stack].location, site))
		at.has &= ~SUM_BIT(SUM_CALLS);
	return at;
}

static void forget(struct profile_known *k, enum sum s)
{
	k->state[s] = METRIC_ABSENT;
	k->unknown_reason[s] = UNKNOWN_NOT_ASKED;
}

void resite_pass_over(struct grouped_profile *p, const uint32_t *functions, size_t n)
{
	struct grouping *stacks = &p->groupings[STACKS], *sites = &p->groupings[SITES];
	struct profile_key *of_stacks = &p->now.keys[STACKS];
	struct profile_key *of_sites = &p->now.keys[SITES];
	const struct grouping_key key = sites->key;

	find_sites(p, functions, n, true);
	grouping_release(sites);
	grouping_init(sites, key);
	columns_release(&of_sites->self);
	columns_release(&of_sites->cached);
	memset(p->now.coverage, 0, sizeof p->now.coverage);
	for (uint32_t i = 0; i < stacks->n; i++) {
		struct group_row *row = &stacks->groups[i];
		uint32_t at = p->stack_sites[row->id], call = at & ~SITE_INSIDE;
		struct tally_sums s = columns_get(&of_stacks->self, i);
		struct tally_sums here = at_site(p, row->id, at, &s);
		struct tally_sums cached = columns_get(&of_stacks->cached, i);
		unsigned tier = p->names.locations[p->names.calls[call].location].tier;
		uint32_t group =
		    grouping_group(sites, 0, pass_site_id(p, at), call, at & SITE_INSIDE);

		row->outer = group;
		columns_add(&of_sites->self, group, &here);
		if (cached.has)
			columns_add(&of_sites->cached, group, &cached);
		sums_add(&p->now.coverage[row->id ? tier : TIERS], &s);
	}
	for (size_t k = STACKS; k < p->n_groupings; k++)
		for (size_t i = 0; p->groupings[k].key.by == KEY_STACK && i < p->groupings[k].n;
		     i++) {
			struct group_row *row = &p->groupings[k].groups[i];
			uint32_t at = p->stack_sites[row->id];

			row->site = at & ~SITE_INSIDE;
			row->inside = (at & SITE_INSIDE) != 0;
		}
	forget(&of_sites->known, SUM_TIME_TOTAL);
	forget(&of_sites->known, SUM_TIME_MEAN);
}
