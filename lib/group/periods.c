/* SPDX-License-Identifier: MIT */
#include "lib/group/periods.h"

#include <stdlib.h>

static void join(uint32_t *to, uint32_t event)
{
	*to = *to && event && *to != event ? PROFILE_MIXED : event ? event : *to;
}

void periods_see(struct group_pass *f, const struct tally_cell *c, const struct tally_sums *s,
		 bool counts)
{
	uint32_t name = c->type < f->t->n_markers ? f->t->markers[c->type].name : 0;

	if (!(s->has >> SUM_PERIOD & 1))
		return;
	name = name ? name : PROFILE_MIXED;
	join(&f->periods[1], name);
	if (counts)
		join(&f->periods[0], name);
}

static void forget_sums(struct tally_sums *s)
{
	s->has &= ~SUM_BIT(SUM_PERIOD);
	s->v[SUM_PERIOD] = 0;
}

static void forget_column(struct profile_columns *c)
{
	for (size_t i = 0; i < c->n; i++)
		c->has[i] &= ~SUM_BIT(SUM_PERIOD);
	free(c->v[SUM_PERIOD]);
	c->v[SUM_PERIOD] = NULL;
}

static void forget(struct profile_known *k)
{
	profile_weaken(k, SUM_PERIOD, METRIC_ABSENT, UNKNOWN_MIXED);
}

/* Sums of several events are none, but at types, each of which is an event. */
static void name_periods(struct grouped_profile *p)
{
	struct profile *r = &p->now;

	if (r->period[1] == PROFILE_MIXED)
		forget_sums(&r->unfiltered);
	if (r->period[0] != PROFILE_MIXED)
		return;
	forget_sums(&r->all);
	for (size_t i = 0; i <= TIERS; i++)
		forget_sums(&r->coverage[i]);
	forget(&r->known);
	for (size_t k = 0; k < r->n_keys; k++) {
		const struct grouping_key *key = &p->groupings[k].key;

		if (key->by == KEY_TYPE && !key->within)
			continue;
		forget_column(&r->keys[k].self);
		forget_column(&r->keys[k].total);
		forget(&r->keys[k].known);
	}
}

void periods_learn(struct group_pass *f)
{
	for (size_t i = 0; i < 2; i++) {
		size_t n;
		const char *s = f->periods[i] == PROFILE_MIXED
				    ? NULL
				    : intern_text(&f->t->strings, f->periods[i], &n);

		if (f->periods[i])
			join(&f->p->now.period[i],
			     s ? intern_add(&f->p->names.strings, s, n) : PROFILE_MIXED);
	}
	name_periods(f->p);
}

void periods_join(struct grouped_profile *p, const char *event, size_t n, bool several)
{
	uint32_t id = several ? PROFILE_MIXED : n ? intern_add(&p->names.strings, event, n) : 0;

	for (size_t i = 0; i < 2; i++)
		join(&p->now.period[i], id);
	name_periods(p);
}
