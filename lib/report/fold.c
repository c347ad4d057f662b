/* SPDX-License-Identifier: MIT */
#include "lib/report/fold.h"

#include "lib/base/mem.h"

uint32_t fold_group(struct project *p, uint32_t id, uint32_t site)
{
	uint32_t *g = map64_put(&p->group_index, id);

	if (!*g) {
		VEC_PUSH(p->groups, p->n_groups, p->cap_groups) =
		    (struct group){.id = id, .site = site & ~INSIDE, .inside = site & INSIDE};
		*g = (uint32_t)p->n_groups;
		p->self = mem_grow(p->self, &p->cap_self, p->n_groups, sizeof *p->self);
		p->self[*g - 1] = (struct sums){.has = 0};
		if (p->options.by == KEY_FUNCTION || p->options.by == KEY_LOCATION) {
			p->total = mem_grow(p->total, &p->cap_total, p->n_groups, sizeof *p->total);
			p->total[*g - 1] = (struct sums){.has = 0};
		}
	}
	return *g - 1;
}

struct sums fold_cell(const struct fold *f, size_t index)
{
	const struct aggregate_cell *c = &f->a->cells[index];
	const struct aggregate_live *l = f->a->live_sums ? &f->a->live_sums[index] : NULL;
	struct sums s = {.v = {c->count, c->entries, c->requested, c->real},
			 .has = 1u << SUM_COUNT | 1u << SUM_ENTRIES};

	if (c->has & EV_HAS_REQUESTED >> 1)
		s.has |= 1u << SUM_REQUESTED | 1u << SUM_LIVE_REQUESTED;
	if (c->has & EV_HAS_REAL >> 1)
		s.has |= 1u << SUM_REAL | 1u << SUM_LIVE_REAL;
	if (l) {
		s.v[SUM_LIVE_COUNT] = l->count;
		s.v[SUM_LIVE_REQUESTED] = l->requested;
		s.v[SUM_LIVE_REAL] = l->real;
		s.has |= 1u << SUM_LIVE_COUNT;
	}
	s.has &= f->at_cells;
	return s;
}

static void weaken(struct project *p, enum sum sum, unsigned state, enum lack lack)
{
	if (lack != LACK_NONE && p->lack[sum] == LACK_NONE)
		p->lack[sum] = (uint8_t)lack;
	if (lack == LACK_NONE && state > p->state[sum])
		p->state[sum] = (uint8_t)state;
}

static void learn_metrics(struct fold *f)
{
	static const enum sum sums[] = {SUM_COUNT, SUM_REQUESTED, SUM_REAL};
	static const enum sum live[] = {SUM_LIVE_COUNT, SUM_LIVE_REQUESTED, SUM_LIVE_REAL};
	struct project *p = f->p;
	const struct trace *t = f->t;
	unsigned live_state = t->metrics[METRIC_LIVE].state;

	f->at_cells = 1u << SUM_ENTRIES;
	weaken(p, SUM_ENTRIES, METRIC_EXACT, LACK_NONE);
	for (size_t m = METRIC_COUNT; m <= METRIC_REAL; m++) {
		unsigned state = t->metrics[m].state;
		bool at_type = t->metrics[m].key == METRIC_AT_TYPE;
		const uint64_t partly[] = {0, f->a->without_requested, f->a->without_real};
		enum lack lack = LACK_NONE;

		if (state == METRIC_EXACT && !at_type && partly[m])
			state = METRIC_LOWER_BOUND;
		if (state == METRIC_ABSENT)
			lack = LACK_ABSENT;
		else if (at_type && p->options.by != KEY_TYPE)
			lack = LACK_PER_TYPE;
		else if (at_type && p->options.n_filters)
			lack = LACK_FILTERED;
		weaken(p, sums[m], state, lack);
		if (lack == LACK_NONE && !at_type)
			f->at_cells |= 1u << sums[m];
		/* Live bytes need both; live blocks need no sizes. */
		if (live_state == METRIC_ABSENT || (m != METRIC_COUNT && (lack || at_type))) {
			weaken(p, live[m], 0, LACK_ABSENT);
			continue;
		}
		if (m == METRIC_COUNT || state < live_state)
			state = live_state;
		weaken(p, live[m], state, LACK_NONE);
		f->at_cells |= 1u << live[m];
	}
}

static void choose_domain(struct fold *f)
{
	struct project *p = f->p;

	f->domain = p->options.domain;
	for (int d = 0; f->domain == DOMAIN_DEFAULT && d < DOMAINS; d++)
		if (f->a->records[d])
			f->domain = d;
	if (f->domain == DOMAIN_DEFAULT)
		f->domain = DOMAIN_MALLOC;
	for (int d = 0; d < DOMAINS; d++)
		if (f->domain != DOMAIN_ALL && d != f->domain)
			p->other_domains[d] += f->a->records[d];
}

static void count_frames(struct fold *f)
{
	struct project *p = f->p;

	p->frames += f->a->frames;
	if (f->domain == DOMAIN_ALL)
		return;
	for (size_t m = 0; m <= SUM_REAL; m++)
		if (f->a->worst[f->domain][m].v[m] > p->worst[m].v[m])
			p->worst[m] = f->a->worst[f->domain][m];
}

static void add_notes(struct trace *t, const struct aggregate *a)
{
	if (a->live.lost_frees)
		trace_note(t, NOTE_LOSS, a->live.lost_frees,
			   "blocks were allocated again at an address whose free is missing: the "
			   "newest is live, the older ones count as freed");
	if (a->live.unknown_frees)
		trace_note(t, NOTE_INFO, a->live.unknown_frees,
			   "frees are of blocks that no record allocates");
	if (a->without_address)
		trace_note(t, NOTE_GUESS, a->without_address,
			   "allocations have no address: they do not count as live");
}

void fold_learn(struct fold *f, struct trace *t)
{
	add_notes(t, f->a);
	choose_domain(f);
	learn_metrics(f);
	count_frames(f);
}
