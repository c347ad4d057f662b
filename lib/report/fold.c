/* SPDX-License-Identifier: MIT */
#include "lib/report/fold.h"

#include "lib/base/mem.h"

#include <string.h>

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

static void weaken(struct run_known *k, enum sum sum, unsigned state, enum lack lack)
{
	if (lack != LACK_NONE && k->lack[sum] == LACK_NONE)
		k->lack[sum] = (uint8_t)lack;
	if (lack == LACK_NONE && state > k->state[sum])
		k->state[sum] = (uint8_t)state;
}

/* What the capture knows at a key; per_type: also what is known per type only. */
static unsigned learn_metrics(const struct fold *f, struct run_known *k, bool per_type)
{
	static const enum sum sums[] = {SUM_COUNT, SUM_REQUESTED, SUM_REAL};
	static const enum sum live[] = {SUM_LIVE_COUNT, SUM_LIVE_REQUESTED, SUM_LIVE_REAL};
	const struct trace *t = f->t;
	unsigned live_state = t->metrics[METRIC_LIVE].state, at_cells = 1u << SUM_ENTRIES;

	weaken(k, SUM_ENTRIES, METRIC_EXACT, LACK_NONE);
	for (size_t m = METRIC_COUNT; m <= METRIC_REAL; m++) {
		unsigned state = t->metrics[m].state;
		bool at_type = t->metrics[m].key == METRIC_AT_TYPE;
		const uint64_t partly[] = {0, f->a->without_requested, f->a->without_real};
		enum lack lack = LACK_NONE;

		if (state == METRIC_EXACT && !at_type && partly[m])
			state = METRIC_LOWER_BOUND;
		if (state == METRIC_ABSENT)
			lack = LACK_ABSENT;
		else if (at_type && !per_type)
			lack = LACK_PER_TYPE;
		else if (at_type && filters_any(f->p->options.filters))
			lack = LACK_FILTERED;
		weaken(k, sums[m], state, lack);
		if (lack == LACK_NONE && !at_type)
			at_cells |= 1u << sums[m];
		/* Live bytes need both; live blocks need no sizes. */
		if (live_state == METRIC_ABSENT || (m != METRIC_COUNT && (lack || at_type))) {
			weaken(k, live[m], 0, LACK_ABSENT);
			continue;
		}
		if (m == METRIC_COUNT || state < live_state)
			state = live_state;
		weaken(k, live[m], state, LACK_NONE);
		at_cells |= 1u << live[m];
	}
	return at_cells;
}

static void count_domains(const struct fold *f)
{
	for (unsigned d = 0; d < DOMAINS; d++)
		if (!fold_in_domain(f, d))
			f->p->now.other_domains[d] += f->a->records[d];
}

static void count_frames(struct fold *f)
{
	struct run *p = &f->p->now;

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

static void count_notes(struct run *r, const struct trace *t)
{
	for (size_t i = 0; i < t->n_notes; i++)
		if (t->notes[i].severity <= NOTE_LOSS)
			r->notes[t->notes[i].severity]++;
}

static uint32_t attribute(struct fold *f, uint32_t before, const char *key)
{
	const char *s = trace_get(f->t, key);
	uint32_t id = s ? intern_add(&f->p->names.strings, s, strlen(s)) : 0;

	return f->p->now.captures == 1 || id == before ? id : RUN_MIXED;
}

static void learn_modules(struct fold *f)
{
	struct run *r = &f->p->now;

	for (uint32_t m = 1; m < f->t->n_modules; m++) {
		struct run_module module;
		size_t i;

		names_module(&f->p->names, f->t, m, &module.name, &module.build_id);
		for (i = 0; i < r->n_modules; i++)
			if (r->modules[i].name == module.name &&
			    r->modules[i].build_id == module.build_id)
				break;
		if (module.name && i == r->n_modules && i < RUN_MODULES_MAX)
			VEC_PUSH(r->modules, r->n_modules, r->cap_modules) = module;
	}
}

void fold_learn(struct fold *f, struct trace *t)
{
	struct run *r = &f->p->now;
	bool per_type = false;

	add_notes(t, f->a);
	count_notes(r, t);
	for (size_t i = 0; i < r->n_groupings; i++) {
		bool by_type =
		    f->p->groupings[i].key.by == KEY_TYPE && !f->p->groupings[i].key.within;

		f->at_cells = learn_metrics(f, &r->groupings[i].known, by_type);
		per_type |= by_type;
	}
	learn_metrics(f, &r->known, per_type);
	count_domains(f);
	count_frames(f);
	r->format = attribute(f, r->format, "format");
	r->sampling = attribute(f, r->sampling, "sampling");
	learn_modules(f);
}
