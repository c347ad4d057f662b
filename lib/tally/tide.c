/* SPDX-License-Identifier: MIT */
#include "lib/tally/tide.h"

#include "lib/tally/slices.h"

#include <string.h>

static void end_peak(struct tally_tide *t)
{
	t->id += t->at_peak;
	t->at_peak = false;
}

static void learn_peak(struct tally *a, size_t cell)
{
	struct tally_peak *p = &a->peaks[cell];
	unsigned domain = a->options.domains_together ? DOMAINS : a->cells[cell].domain;

	if (p->id == a->tide[domain].id)
		return;
	p->id = a->tide[domain].id;
	memcpy(p->v, a->lives[cell], sizeof p->v);
}

static void rise(struct tally *a, unsigned domain, const uint64_t add[3], int64_t time)
{
	struct tally_tide *t = &a->tide[domain];

	for (size_t m = 0; m < 3; m++)
		t->overflow |= __builtin_add_overflow(t->live[m], add[m], &t->live[m]);
	if (t->live[a->weigh] > t->best[a->weigh]) {
		memcpy(t->best, t->live, sizeof t->best);
		t->when = time;
		t->at_peak = true;
	}
	if (a->slices && t->live[a->weigh] > a->slices->high[domain][a->weigh])
		memcpy(a->slices->high[domain], t->live, sizeof t->live);
}

void tide_rise(struct tally *a, const struct live_block *b)
{
	const uint64_t add[3] = {b->count, b->requested, b->real};
	unsigned domain = a->cells[b->cell].domain;

	if (!add[a->weigh]) {
		end_peak(&a->tide[domain]);
		end_peak(&a->tide[DOMAINS]);
	}
	if (a->peaking)
		learn_peak(a, b->cell);
	for (size_t m = 0; m < 3; m++)
		a->lives[b->cell][m] += add[m];
	rise(a, domain, add, b->time);
	rise(a, DOMAINS, add, b->time);
}

void tide_fall(struct tally *a, const struct live_block *b)
{
	const uint64_t sub[3] = {b->count, b->requested, b->real};
	unsigned domain = a->cells[b->cell].domain;

	end_peak(&a->tide[domain]);
	end_peak(&a->tide[DOMAINS]);
	if (a->peaking)
		learn_peak(a, b->cell);
	for (size_t m = 0; m < 3; m++) {
		a->lives[b->cell][m] -= sub[m];
		a->tide[domain].live[m] -= sub[m];
		a->tide[DOMAINS].live[m] -= sub[m];
	}
}

void tide_end(struct tally *a)
{
	for (size_t d = 0; d <= DOMAINS; d++)
		end_peak(&a->tide[d]);
	for (size_t i = 0; i < a->n_cells; i++)
		learn_peak(a, i);
}
