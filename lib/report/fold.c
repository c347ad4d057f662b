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
	struct sums s;

	aggregate_sums(f->a, index, &s);
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
	struct project *p = f->p;
	uint8_t state[SUMS];
	unsigned at_types = aggregate_states(f->a, f->t, state);

	f->at_cells = 0;
	for (unsigned s = 0; s < SUMS; s++) {
		bool at_type = at_types >> s & 1;
		enum lack lack = LACK_NONE;

		if (state[s] == METRIC_ABSENT)
			lack = LACK_ABSENT;
		else if (at_type && p->options.by != KEY_TYPE)
			lack = LACK_PER_TYPE;
		else if (at_type && p->options.n_filters)
			lack = LACK_FILTERED;
		weaken(p, s, state[s], lack);
		if (lack == LACK_NONE && !at_type)
			f->at_cells |= 1u << s;
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
