/* SPDX-License-Identifier: MIT */
#include "lib/tally/tide.h"

#include "lib/tally/slices.h"
#include "lib/tally/work.h"

#include <string.h>

static void end_peak(struct tally_tide *t)
{
	t->id += t->at_peak;
	t->at_peak = false;
}

/* What adds nothing to it ends it, since it is not a part of it. */
static void keep_peak(struct tally_tide *t, unsigned weigh, const uint64_t add[3])
{
	if (!add[weigh] && !(weigh == 2 && !t->best[2] && add[1]))
		end_peak(t);
}

static void learn_peak(struct tally *a, size_t cell)
{
	struct tally_work *w = a->work;
	struct tally_peak *p = &w->peaks[cell];
	unsigned domain = a->options.domains_together ? DOMAINS : a->cells[cell].domain;

	if (p->id == w->tide[domain].id)
		return;
	p->id = w->tide[domain].id;
	memcpy(p->v, w->lives[cell], sizeof p->v);
}

static void rise(struct tally_tide *t, unsigned weigh, const uint64_t add[3], int64_t time)
{
	for (size_t m = 0; m < 3; m++)
		t->overflow |= __builtin_add_overflow(t->live[m], add[m], &t->live[m]);
	if (tide_higher(t->live, t->best, weigh)) {
		memcpy(t->best, t->live, sizeof t->best);
		t->when = time;
		t->at_peak = true;
	}
}

void tide_rise(struct tally *a, const struct live_block *b, unsigned domain)
{
	struct tally_work *w = a->work;
	const uint64_t add[3] = {b->count, b->requested, b->real};
	uint64_t *lives;

	keep_peak(&w->tide[domain], w->weigh, add);
	keep_peak(&w->tide[DOMAINS], w->weigh, add);
	if (w->peaking)
		learn_peak(a, b->cell);
	lives = w->celled ? w->lives[b->cell] : NULL;
	for (size_t m = 0; lives && m < 3; m++)
		lives[m] += add[m];
	rise(&w->tide[domain], w->weigh, add, b->time);
	rise(&w->tide[DOMAINS], w->weigh, add, b->time);
	if (tally_slices_lives(a))
		slices_add_live(a, b, domain, false);
}

void tide_fall(struct tally *a, const struct live_block *b, unsigned domain)
{
	struct tally_work *w = a->work;
	const uint64_t sub[3] = {b->count, b->requested, b->real};

	end_peak(&w->tide[domain]);
	end_peak(&w->tide[DOMAINS]);
	if (w->peaking)
		learn_peak(a, b->cell);
	for (size_t m = 0; w->celled && m < 3; m++)
		w->lives[b->cell][m] -= sub[m];
	for (size_t m = 0; m < 3; m++) {
		w->tide[domain].live[m] -= sub[m];
		w->tide[DOMAINS].live[m] -= sub[m];
	}
	if (tally_slices_lives(a))
		slices_add_live(a, b, domain, true);
}

void tide_end(struct tally *a)
{
	for (size_t d = 0; d <= DOMAINS; d++)
		end_peak(&a->work->tide[d]);
	for (size_t i = 0; i < a->n_cells; i++)
		if (a->cells[i].domain < DOMAINS) /* calls have none */
			learn_peak(a, i);
}

static void tide_by_number_step(void *arg, int64_t live, int64_t time)
{
	struct tally_tide *t = arg;

	/* Frees may have come before what they are known to free. */
	if (live <= 0 || (uint64_t)live <= t->best[0])
		return;
	t->best[0] = (uint64_t)live;
	t->when = time;
}

void tide_by_number(struct tally *a)
{
	struct tally_work *w = a->work;

	for (size_t d = 0; d <= DOMAINS; d++) {
		struct tally_tide peak = {.when = INT64_MIN};

		live_curve_walk(&w->curves[d], tide_by_number_step, &peak);
		w->tide[d].peakless = !live_curve_known(&w->curves[d]);
		w->tide[d].about = !live_curve_exact(&w->curves[d]);
		w->tide[d].best[tally_weighed(a, (unsigned)d)] = peak.best[0];
		w->tide[d].when = peak.when;
	}
}
