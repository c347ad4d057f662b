/* SPDX-License-Identifier: MIT */
#include "lib/tally/peak.h"

#include "lib/tally/slices.h"
#include "lib/tally/state.h"

#include <string.h>

static void end_crest(struct peak_crest *c)
{
	c->id += c->at_peak;
	c->at_peak = false;
}

static void end_peak(struct peak_tracker *t)
{
	end_crest(&t->crest);
	end_crest(&t->asked);
}

/* What adds nothing to it ends it, since it is not a part of it. */
static void keep_peak(struct peak_tracker *t, unsigned weigh, const uint64_t add[3])
{
	if (!add[weigh] && !(weigh == 2 && !t->crest.best[2] && add[1]))
		end_crest(&t->crest);
	if (!add[1])
		end_crest(&t->asked);
}

static void learn_crest(struct tally_peak *p, const struct peak_crest *c, const uint64_t lives[3])
{
	if (p->id == c->id)
		return;
	p->id = c->id;
	memcpy(p->v, lives, sizeof p->v);
}

/* domain: of the cell, a cache miss away. */
static void learn_peak(struct tally *a, size_t cell, unsigned domain)
{
	struct tally_state *w = a->state;

	domain = a->options.domains_together ? DOMAINS : domain;
	learn_crest(&w->peaks[cell][0], &w->peak_tracker[domain].crest, w->lives[cell]);
	if (w->asks)
		learn_crest(&w->peaks[cell][1], &w->peak_tracker[domain].asked, w->lives[cell]);
}

static void rise_to(struct peak_crest *c, const uint64_t live[3], unsigned weigh, int64_t time)
{
	if (!peak_higher(live, c->best, weigh))
		return;
	memcpy(c->best, live, sizeof c->best);
	c->when = time;
	c->at_peak = true;
}

static void rise(const struct tally_state *w, struct peak_tracker *t, const uint64_t add[3],
		 int64_t time)
{
	for (size_t m = 0; m < 3; m++)
		t->overflow |= __builtin_add_overflow(t->live[m], add[m], &t->live[m]);
	rise_to(&t->crest, t->live, w->weigh, time);
	if (w->asks)
		rise_to(&t->asked, t->live, 1, time);
}

void peak_rise(struct tally *a, uint32_t cell, const uint64_t v[3], unsigned domain, int64_t time)
{
	struct tally_state *w = a->state;
	uint64_t *lives;

	keep_peak(&w->peak_tracker[domain], w->weigh, v);
	keep_peak(&w->peak_tracker[DOMAINS], w->weigh, v);
	if (w->peaking)
		learn_peak(a, cell, domain);
	lives = w->celled ? w->lives[cell] : NULL;
	for (size_t m = 0; lives && m < 3; m++)
		lives[m] += v[m];
	rise(w, &w->peak_tracker[domain], v, time);
	rise(w, &w->peak_tracker[DOMAINS], v, time);
	if (tally_slices_lives(a))
		slices_add_live(a, cell, v, domain, false);
}

void peak_fall(struct tally *a, uint32_t cell, const uint64_t v[3], unsigned domain)
{
	struct tally_state *w = a->state;

	end_peak(&w->peak_tracker[domain]);
	end_peak(&w->peak_tracker[DOMAINS]);
	if (w->peaking)
		learn_peak(a, cell, domain);
	for (size_t m = 0; w->celled && m < 3; m++)
		w->lives[cell][m] -= v[m];
	for (size_t m = 0; m < 3; m++) {
		w->peak_tracker[domain].live[m] -= v[m];
		w->peak_tracker[DOMAINS].live[m] -= v[m];
	}
	if (tally_slices_lives(a))
		slices_add_live(a, cell, v, domain, true);
}

void peak_end(struct tally *a)
{
	for (size_t d = 0; d <= DOMAINS; d++)
		end_peak(&a->state->peak_tracker[d]);
	for (size_t i = 0; i < a->n_cells; i++)
		if (a->cells[i].domain < DOMAINS) /* calls have none */
			learn_peak(a, i, a->cells[i].domain);
}

static void peak_by_number_step(void *arg, int64_t live, int64_t time)
{
	struct peak_tracker *t = arg;

	/* Frees may have come before what they are known to free. */
	if (live <= 0 || (uint64_t)live <= t->crest.best[0])
		return;
	t->crest.best[0] = (uint64_t)live;
	t->crest.when = time;
}

void peak_by_number(struct tally *a)
{
	struct tally_state *w = a->state;

	for (size_t d = 0; d <= DOMAINS; d++) {
		struct peak_tracker peak = {.crest = {.when = INT64_MIN}};

		live_curve_walk(&w->curves[d], peak_by_number_step, &peak);
		w->peak_tracker[d].peakless = !live_curve_known(&w->curves[d]);
		w->peak_tracker[d].about = !live_curve_exact(&w->curves[d]);
		w->peak_tracker[d].crest.best[tally_weighed(a, (unsigned)d)] = peak.crest.best[0];
		w->peak_tracker[d].crest.when = peak.crest.when;
	}
}
