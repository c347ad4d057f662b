/* SPDX-License-Identifier: MIT */
#include "lib/group/own_code.h"

#include "lib/base/mem.h"
#include "lib/group/group_pass.h"
#include "lib/rules/sites.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { SITES, STACKS };

struct own_code {
	struct grouped_profile *p;
	uint8_t *modules; /* by string: OWN_LINES, OWN_SYSTEM */
	uint32_t none;    /* the call that stands for none */
	uint32_t *calls;  /* by stack */
};

enum { OWN_LINES = 1 << 0, OWN_SYSTEM = 1 << 1 };

bool own_code_is_system(const char *path)
{
	static const char *const begins[] = {
	    "/lib/",       "/lib32/",          "/lib64/",  "/usr/lib/",    "/usr/lib32/",
	    "/usr/lib64/", "/usr/libexec/",    "/system/", "/system_ext/", "/apex/",
	    "/vendor/",    "/System/Library/", "[",        "linux-vdso",   "linux-gate"};

	for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
		if (!strncmp(path, begins[i], strlen(begins[i])))
			return true;
	return path[0] && !strncasecmp(path + 1, ":\\Windows\\", 10);
}

bool own_code_is_wanted(const struct grouped_profile *p, enum sum sum)
{
	const struct tally_sums *c = p->now.coverage;

	return add_saturating(c[TIER_MODULE].v[sum], c[TIER_NOTHING].v[sum]) >
	       p->now.all.v[sum] / 2;
}

static void own_code_learn(struct own_code *o)
{
	const struct group_names *names = &o->p->names;

	o->modules = mem_zarray((size_t)intern_count(&names->strings) + 1, 1);
	for (size_t i = 0; i < o->p->now.n_modules; i++)
		if (o->p->now.modules[i].system)
			o->modules[o->p->now.modules[i].name] |= OWN_SYSTEM;
	for (size_t i = 1; i < names->n_locations; i++)
		if (names->locations[i].tier == TIER_LINE)
			o->modules[names->locations[i].module] |= OWN_LINES;
}

bool own_code_is(const struct own_code *o, uint32_t call)
{
	const struct names_call *c = &o->p->names.calls[call];
	uint32_t module = o->p->names.functions[c->function].module;

	if (pass_verdict(o->p, c) == SITE_PASS)
		return false;
	if (!module)
		return o->p->names.locations[c->location].tier >= TIER_NAME;
	return o->modules[module] & OWN_LINES || !(o->modules[module] & OWN_SYSTEM);
}

static uint32_t own_code_in(const struct own_code *o, uint32_t location, uint32_t above)
{
	const struct names_location *l = &o->p->names.locations[location];

	for (uint32_t c = l->first; c < l->first + l->n_calls; c++)
		if (own_code_is(o, c))
			return c;
	return above;
}

struct own_code *own_code_new(struct grouped_profile *p)
{
	struct own_code *o = mem_zalloc(sizeof *o);

	o->p = p;
	own_code_learn(o);
	return o;
}

void own_code_free(struct own_code *o)
{
	if (!o)
		return;
	free(o->modules);
	free(o->calls);
	free(o);
}

/* Callers have smaller ids than the stacks they are part of. */
static void own_code_find(struct own_code *o)
{
	const struct grouped_profile *p = o->p;

	o->calls = mem_zarray(p->stacks.n, sizeof *o->calls);
	o->calls[0] = o->none;
	for (size_t i = 1; i < p->stacks.n; i++)
		o->calls[i] =
		    own_code_in(o, p->stacks.rows[i].location, o->calls[p->stacks.rows[i].parent]);
}

/* What has own code elsewhere than its site is a hundredth of all, or more. */
static bool own_code_says_more(const struct own_code *o, enum sum sum)
{
	enum { LEAST = 100 };
	const struct grouped_profile *p = o->p;
	const struct grouping *g = &p->groupings[STACKS];
	uint64_t moved = 0;

	for (size_t i = 0; i < g->n; i++) {
		uint32_t stack = g->groups[i].id, call = o->calls[stack];

		if (call != o->none && call != (p->stack_sites[stack] & ~SITE_INSIDE))
			moved =
			    add_saturating(moved, columns_value(&p->now.keys[STACKS].self, i, sum));
	}
	return moved && moved >= p->now.all.v[sum] / LEAST;
}

static uint32_t own_code_none(struct grouped_profile *p)
{
	const struct names_string name = {OWN_CODE_NONE, sizeof OWN_CODE_NONE - 1};
	uint32_t l = names_place(&p->names, &(struct names_place){.display = name, .raw = name});

	return p->names.locations[l].first;
}

static size_t own_code_sum(struct own_code *o)
{
	struct grouped_profile *p = o->p;
	const size_t n = p->n_groupings++;
	struct grouping *own = &p->groupings[n];
	const struct grouping *stacks = &p->groupings[STACKS];
	static const enum sum unknown[] = {SUM_CALLS, SUM_TIME_TOTAL, SUM_TIME_MEAN};
	struct profile_key *sums;
	size_t cap = n;

	grouping_init(own, (struct grouping_key){.by = KEY_SITE});
	p->now.keys = mem_grow(p->now.keys, &cap, p->n_groupings, sizeof *sums);
	p->now.n_keys = p->n_groupings;
	sums = &p->now.keys[n];
	*sums = (struct profile_key){.known = p->now.keys[SITES].known};
	for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
		sums->known.state[unknown[i]] = METRIC_ABSENT;
		sums->known.unknown_reason[unknown[i]] = UNKNOWN_NOT_ASKED;
	}
	for (uint32_t i = 0; i < stacks->n; i++) {
		uint32_t call = o->calls[stacks->groups[i].id];
		uint32_t group = grouping_group(own, 0, pass_site_id(p, call), call, false);
		struct tally_sums s = columns_get(&p->now.keys[STACKS].self, i);

		s.has &= ~(SUM_BIT(SUM_CALLS) | SUM_BIT(SUM_TIME_TOTAL));
		columns_add(&sums->self, group, &s);
	}
	return n;
}

size_t own_code_add(struct grouped_profile *p, enum sum sum)
{
	struct own_code o = {.p = p};
	size_t n = 0;

	if (p->n_groupings <= STACKS || p->n_groupings == GROUPINGS_MAX ||
	    p->groupings[STACKS].key.by != KEY_STACK || p->groupings[STACKS].key.within != 1 ||
	    p->groupings[STACKS].key.sums)
		return 0;
	o.none = own_code_none(p);
	own_code_learn(&o);
	own_code_find(&o);
	if (own_code_says_more(&o, sum))
		n = own_code_sum(&o);
	free(o.modules);
	free(o.calls);
	return n;
}
