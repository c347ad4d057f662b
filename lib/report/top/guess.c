/* SPDX-License-Identifier: MIT */
#include "lib/report/top/guess.h"

#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/group/rank.h"
#include "lib/group/resite.h"
#include "lib/report/top/alloc_wrappers.h"
#include "lib/table/table.h"

#include <inttypes.h>
#include <stdlib.h>

enum { SITES, ROUNDS = 8, HALF = 5000 };

struct guess {
	struct buf *said; /* NULL: nothing is */
	uint32_t *functions;
	size_t n, cap;
};

static void guess_found(void *arg, const struct alloc_wrapper_found *f)
{
	struct table_column percent = {.type = COLUMN_PERCENT};
	struct table_cell c = {.present = true, .number = f->share};
	struct guess *g = arg;

	if (!g->said)
		return;
	buf_addf(g->said, "%s%s (", g->said->len ? ", " : "", f->name);
	if (f->instances)
		buf_addf(g->said, "%zu instance%s, ", f->instances, plural_s(f->instances));
	buf_addf(g->said, "%zu caller%s, ", f->callers, plural_s(f->callers));
	cell_for_people(g->said, &percent, &c, false);
	buf_addc(g->said, ')');
}

static void guess_instance(void *arg, uint32_t function)
{
	struct guess *g = arg;

	VEC_PUSH(g->functions, g->n, g->cap) = function;
}

static bool has_function(const struct guess *g, uint32_t function)
{
	for (size_t i = 0; i < g->n; i++)
		if (g->functions[i] == function)
			return true;
	return false;
}

/* What hands on calls others of its kind: until none is found. */
void guess_sites(struct grouped_profile *p, enum sum sum, struct buf *said)
{
	struct guess g = {.said = said};

	for (unsigned round = 0; round < ROUNDS; round++) {
		g.n = 0;
		alloc_wrappers_find(p, sum, guess_found, guess_instance, &g);
		if (!g.n)
			break;
		resite_pass_over(p, g.functions, g.n);
	}
	free(g.functions);
}

/* The call and the sum of a site with more than half. */
static bool find_dominant(const struct grouped_profile *p, enum sum sum, uint32_t *call,
			  uint64_t *v)
{
	struct ranking by_sum = {p, &p->now, SITES, sum, false, false};
	struct table_cell share;
	size_t n = 1;
	uint32_t *first = rank_groups(&by_sum, &n);
	bool is;

	*v = 0;
	is = n && group_value(&by_sum, *first, sum, false, v);
	*call = is && !p->groupings[SITES].groups[*first].inside
		    ? p->groupings[SITES].groups[*first].site
		    : 0;
	free(first);
	share = cell_share(*v, p->now.all.v[sum]);
	return *call && share.present && share.number > HALF;
}

static bool guess_helps(struct grouped_profile *p, enum sum sum, uint32_t call)
{
	struct guess g = {.said = NULL};
	bool helps;

	alloc_wrappers_find(p, sum, guess_found, guess_instance, &g);
	helps = has_function(&g, p->names.calls[call].function);
	free(g.functions);
	return helps;
}

void guess_if_needed(struct grouped_profile *p, enum sum sum, struct buf *said)
{
	const unsigned bytes_or_blocks =
	    SUM_BIT(SUM_COUNT) | SUM_BIT(SUM_ENTRIES) | SUM_BIT(SUM_REQUESTED) | SUM_BIT(SUM_REAL);
	uint32_t call;
	uint64_t had;

	if (bytes_or_blocks >> sum & 1 &&
	    !profile_knows(&p->now.keys[SITES].known, SUM_TIME_TOTAL) &&
	    find_dominant(p, sum, &call, &had) && guess_helps(p, sum, call))
		guess_sites(p, sum, said);
}

/* The largest row is less by a tenth of it then: not the same under the name of its one caller. --hide goes by name, so that
 * it hides all functions of that name. */
static bool hide_helps(struct grouped_profile *p, enum sum sum, uint32_t call, uint64_t had)
{
	const struct group_names *names = &p->names;
	uint32_t name = names->functions[names->calls[call].function].display;
	struct guess g = {.said = NULL};
	bool helps;

	for (uint32_t f = 0; f < names->n_functions; f++)
		if (names->functions[f].display == name)
			guess_instance(&g, f);
	helps = resite_try(p, g.functions, g.n, sum) <= had - had / 10;
	free(g.functions);
	return helps;
}

unsigned guess_advice(struct grouped_profile *p, enum sum sum)
{
	uint32_t call;
	uint64_t had;

	if (!find_dominant(p, sum, &call, &had))
		return 0;
	return (hide_helps(p, sum, call, had) ? ADVICE_HIDE : 0) |
	       (guess_helps(p, sum, call) ? ADVICE_GUESS : 0);
}
