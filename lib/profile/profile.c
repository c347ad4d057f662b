/* SPDX-License-Identifier: MIT */
#include "lib/profile/profile.h"

#include "lib/base/mem.h"
#include "lib/base/sort.h"

#include <stdlib.h>
#include <string.h>

void profile_init(struct profile *p, size_t n_keys)
{
	*p = (struct profile){.keys = mem_zarray(n_keys, sizeof *p->keys), .n_keys = n_keys};
}

void profile_release(struct profile *p)
{
	for (size_t i = 0; i < p->n_keys; i++) {
		columns_release(&p->keys[i].self);
		columns_release(&p->keys[i].total);
		columns_release(&p->keys[i].cached);
	}
	free(p->keys);
	free(p->modules);
	free(p->counters);
	map64_release(&p->counter_index);
	free(p->places);
	free(p->inputs);
	*p = (struct profile){.captures = 0};
}

void profile_weaken(struct profile_known *k, enum sum s, unsigned state, unsigned unknown_reason)
{
	if (k->unknown_reason[s] == UNKNOWN_NONE || unknown_reason == UNKNOWN_MIXED)
		k->unknown_reason[s] = (uint8_t)unknown_reason;
	if (state > k->state[s])
		k->state[s] = (uint8_t)state;
	if (k->unknown_reason[s] == UNKNOWN_MIXED)
		k->state[s] = METRIC_ABSENT;
}

unsigned profile_unrecorded(const struct profile_known *k)
{
	unsigned sums = 0;

	for (unsigned s = 0; s < SUMS; s++)
		sums |= (k->unknown_reason[s] == UNKNOWN_UNRECORDED ||
			 k->unknown_reason[s] == UNKNOWN_MIXED) &&
				!profile_knows(k, s)
			    ? SUM_BIT(s)
			    : 0;
	return sums;
}

bool profile_has_other_domains(const struct profile *p)
{
	for (size_t d = 0; d < DOMAINS; d++)
		if (p->other_domains[d].v[SUM_ENTRIES])
			return true;
	return false;
}

static int profile_module_order(const void *a, const void *b, void *arg)
{
	const struct profile_module *x = a, *y = b;
	const struct profile_entities *t = arg;
	int r = strcmp(entities_text(t, x->name, NULL), entities_text(t, y->name, NULL));
	size_t nx, ny;
	const char *sx, *sy;

	if (r)
		return r;
	sx = entities_text(t, x->build_id, &nx);
	sy = entities_text(t, y->build_id, &ny);
	r = memcmp(sx, sy, nx < ny ? nx : ny);
	return r ? r : (nx > ny) - (nx < ny);
}

static int profile_counter_order(const void *a, const void *b, void *arg)
{
	const struct profile_counter *x = a, *y = b;
	const struct profile_entities *t = arg;
	int r = strcmp(entities_text(t, x->name, NULL), entities_text(t, y->name, NULL));

	return r ? r : strcmp(entities_text(t, x->unit, NULL), entities_text(t, y->unit, NULL));
}

void profile_sort(struct profile *p, struct profile_entities *t)
{
	if (p->n_modules)
		sort_array_by(p->modules, p->n_modules, sizeof *p->modules, profile_module_order,
			      t);
	if (p->n_counters)
		sort_array_by(p->counters, p->n_counters, sizeof *p->counters,
			      profile_counter_order, t);
}

const struct profile_counter *profile_counter_of(const struct profile *p,
						 const struct profile_entities *t, uint32_t name,
						 uint32_t unit)
{
	struct profile_counter key = {.name = name, .unit = unit};
	struct profile_entities entities = *t; /* the order takes no const */
	size_t lo = BISECT(i, 0, p->n_counters,
			   profile_counter_order(&p->counters[i], &key, &entities) < 0);

	return lo < p->n_counters && !profile_counter_order(&p->counters[lo], &key, &entities)
		   ? &p->counters[lo]
		   : NULL;
}

const struct profile_counter *profile_counter(const struct profile *p,
					      const struct profile_entities *t, const char *name)
{
	for (size_t i = 0; i < p->n_counters; i++)
		if (!strcmp(entities_text(t, p->counters[i].name, NULL), name))
			return &p->counters[i];
	return NULL;
}

/* SUM_BITs of the kinds of records that a row, which has these, has none of. Blocks, samples and calls are kinds; a
 * record of a kind may lack one of its metrics. */
static unsigned sums_without_records(unsigned has)
{
	static const unsigned kinds[] = {SUMS_ALL & ~(unsigned)SUMS_MEASURED &
					     ~SUM_BIT(SUM_ENTRIES),
					 SUMS_TIME, SUM_BIT(SUM_SAMPLES) | SUM_BIT(SUM_PERIOD),
					 SUM_BIT(SUM_LUA_NET), SUM_BIT(SUM_MONO_NET)};
	unsigned without = 0;

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		without |= has & kinds[i] ? 0 : kinds[i];
	return without;
}

bool profile_value(const struct profile *p, enum key key, uint32_t entity, enum sum sum,
		   bool cumulative, uint64_t *v)
{
	const struct profile_key *k = &p->keys[key];
	unsigned own = columns_has(&k->self, entity), below = columns_has(&k->total, entity), has;

	/* Of calls the totals are sums of their own. */
	if (cumulative && sum == SUM_TIME_SELF &&
	    columns_has(&k->self, entity) >> SUM_TIME_TOTAL & 1)
		sum = SUM_TIME_TOTAL;
	cumulative &= !(SUMS_TIME >> sum & 1) || sum == SUM_TIME_SELF;
	cumulative &= key_has_total(key);
	*v = columns_value(cumulative ? &k->total : &k->self, entity, sum);
	if (!k->held || !profile_knows(&k->known, sum))
		return false;
	if (!(own | below))
		return !k->cut;
	has = cumulative ? below : self_known(own, below, p->all.has);
	/* Where a capture of the run does not know the sum, the row may be of that capture. */
	if (k->known.unknown_reason[sum] == UNKNOWN_NONE)
		has |= sums_without_records(own | below);
	return has >> sum & 1;
}

bool profiles_have(const struct profile *const *runs, size_t n, enum key key, uint32_t entity)
{
	for (size_t i = 0; i < n; i++)
		if (profile_has_row(&runs[i]->keys[key], entity))
			return true;
	return false;
}

bool *profiles_functions(const struct profile *const *runs, size_t n,
			 const struct profile_entities *t)
{
	bool *in = mem_zarray(t->keys[KEY_FUNCTION].n + 1, sizeof *in);
	bool *seen = mem_zarray(t->stacks.n + 1, sizeof *seen);

	for (uint32_t i = 0; i < t->keys[KEY_FUNCTION].n; i++)
		in[i] = profiles_have(runs, n, KEY_FUNCTION, i);
	for (uint32_t i = 0; i < t->keys[KEY_STACK].n; i++) {
		uint32_t node = t->keys[KEY_STACK].items[i].node;

		if (!node || seen[node] || !profiles_have(runs, n, KEY_STACK, i))
			continue;
		for (; node && !seen[node]; node = t->stacks.rows[node].parent) {
			seen[node] = true;
			in[t->stacks.rows[node].location] = true;
		}
	}
	free(seen);
	return in;
}

void profile_set_place(struct profile *p, uint32_t function, struct profile_place place)
{
	p->places = mem_grow_zero(p->places, &p->n_places, (size_t)function + 1, sizeof *p->places);
	p->places[function] = place;
}
