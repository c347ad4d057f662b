/* SPDX-License-Identifier: MIT */
#include "lib/tally/kinds.h"

#include "lib/base/mem.h"
#include "lib/tally/add.h"
#include "lib/tally/peak.h"
#include "lib/tally/selected.h"
#include "lib/tally/state.h"

#include <stdlib.h>
#include <string.h>

bool kinds_suffice(const struct tally_options *o)
{
	return !o->selection && (o->slicing == SLICE_NONE || o->slice_marked) &&
	       !(o->want & SUMS_LIFETIME);
}

static void kinds_first(struct tally_kinds *k, const struct sink_blocks *b, uint32_t kind)
{
	VEC_PUSH(k->used, k->n_used, k->cap_used) = (struct tally_kind_used){
	    .requested = b->kinds[kind].requested, .stack = b->kinds[kind].stack, .kind = kind};
}

/* A move changes live bytes by a kind's size: what is live at once, its peak, and which block is the
 * newest. That an allocation or a free comes next cannot be foreseen, so there is no branch on it. */
static inline __attribute__((always_inline)) void kinds_move(struct tally_kinds *k,
							     const struct sink_blocks *b,
							     struct peak_tracker *peak_tracker,
							     bool more)
{
	struct tally_kind *kinds = k->kinds;
	uint64_t count = peak_tracker->live[0], bytes = peak_tracker->live[1];
	uint64_t best = peak_tracker->crest.best[1], best_count = peak_tracker->crest.best[0],
		 temporary = 0, over = 0;
	uint32_t newest = k->newest;

	for (size_t i = 0; i < b->n; i++) {
		uint32_t move = b->moves[i], kind = move >> 1, freed = move & 1;
		uint64_t size = b->kinds[kind].requested, before = bytes;
		struct tally_kind *x = &kinds[kind];
		bool again = freed && newest == kind + 1;

		if (!x->n[0])
			kinds_first(k, b, kind);
		if (more) {
			struct tally_kind_more *y = &k->more[kind];

			if ((freed || !size) && peak_tracker->crest.at_peak) {
				peak_tracker->crest.id++;
				peak_tracker->crest.at_peak = false;
			}
			if (y->peak != peak_tracker->crest.id) {
				y->peak = peak_tracker->crest.id;
				y->at_peak = x->n[0] - x->n[1];
			}
			y->temporary += again;
		}
		x->n[freed]++;
		temporary += again;
		newest = !freed ? kind + 1 : again ? 0 : newest;
		bytes += freed ? -size : size;
		count += freed ? -(uint64_t)1 : 1;
		over |= !freed & (bytes < before);
		if (more)
			peak_tracker->crest.at_peak |= bytes > best;
		best_count = bytes > best ? count : best_count;
		best = bytes > best ? bytes : best;
	}
	k->newest = newest;
	peak_tracker->live[0] = count;
	peak_tracker->live[1] = bytes;
	peak_tracker->crest.when =
	    best > peak_tracker->crest.best[1] ? b->time : peak_tracker->crest.when;
	peak_tracker->crest.best[0] = best_count;
	peak_tracker->crest.best[1] = best;
	peak_tracker->temporary = add_saturating(peak_tracker->temporary, temporary);
	peak_tracker->overflow |= over != 0;
}

enum status kinds_take(struct tally *a, const struct sink_blocks *b)
{
	struct tally_state *w = a->state;
	struct tally_kinds *k = &w->kinds;
	uint64_t allocated = b->n - b->n_freed;

	extent_reach(&a->extent, b->time);
	tally_reach_time(a, b->time);
	k->kinds = mem_grow_zero(k->kinds, &k->cap, b->n_kinds, sizeof *k->kinds);
	if (w->peaking || w->rarely) {
		k->more = mem_grow_zero(k->more, &k->cap_more, b->n_kinds, sizeof *k->more);
		kinds_move(k, b, &w->peak_tracker[DOMAIN_MALLOC], true);
	} else {
		kinds_move(k, b, &w->peak_tracker[DOMAIN_MALLOC], false);
	}
	w->peak_tracker[DOMAIN_MALLOC].asked = w->peak_tracker[DOMAIN_MALLOC].crest;
	w->peak_tracker[DOMAINS] = w->peak_tracker[DOMAIN_MALLOC];
	a->records[DOMAIN_MALLOC] += allocated;
	a->without_real[DOMAIN_MALLOC] += allocated;
	a->without_real[DOMAINS] += allocated;
	return ST_OK;
}

static uint64_t times(uint64_t a, uint64_t b)
{
	uint64_t r;

	return __builtin_mul_overflow(a, b, &r) ? UINT64_MAX : r;
}

void kinds_to_cells(struct tally *a, const struct trace *t)
{
	struct tally_state *w = a->state;
	struct tally_kinds *k = &w->kinds;

	for (size_t i = 0; i < k->n_used; i++) {
		struct tally_kind_used *u = &k->used[i];
		const struct tally_kind *x = &k->kinds[u->kind];
		struct queued_event p = {.domain = DOMAIN_MALLOC,
					 .stack = u->stack < t->n_stacks ? u->stack : 0};

		u->cell = tally_place(a, &p);
		tally_cell_add(&a->cells[u->cell], x->n[0], x->n[0], times(x->n[0], u->requested),
			       0, EV_HAS_REQUESTED);
		if (w->follow)
			a->cells[u->cell].followed = a->followed[DOMAIN_MALLOC] =
			    a->followed[DOMAINS] = true;
		if (w->rarely)
			w->rare[u->cell].temporary =
			    add_saturating(w->rare[u->cell].temporary, k->more[u->kind].temporary);
	}
}

void kinds_settle(struct tally *a)
{
	struct tally_state *w = a->state;
	struct tally_kinds *k = &w->kinds;

	for (size_t i = 0; i < k->n_used; i++) {
		const struct tally_kind_used *u = &k->used[i];
		const struct tally_kind *x = &k->kinds[u->kind];
		uint64_t live = x->n[0] - x->n[1], *to;

		if (w->follow) {
			to = w->lives[u->cell];
			to[0] = add_saturating(to[0], live);
			to[1] = add_saturating(to[1], times(live, u->requested));
		}
		if (w->peaking) {
			to = w->peaks[u->cell][0].v;
			if (k->more[u->kind].peak == w->peak_tracker[DOMAIN_MALLOC].crest.id)
				live = k->more[u->kind].at_peak;
			to[0] = add_saturating(to[0], live);
			to[1] = add_saturating(to[1], times(live, u->requested));
		}
	}
}

void kinds_reset(struct tally_kinds *k)
{
	if (k->kinds)
		memset(k->kinds, 0, k->cap * sizeof *k->kinds);
	if (k->more)
		memset(k->more, 0, k->cap_more * sizeof *k->more);
	k->n_used = 0;
	k->newest = 0;
}

void kinds_release(struct tally_kinds *k)
{
	free(k->kinds);
	free(k->more);
	free(k->used);
	*k = (struct tally_kinds){.n_used = 0};
}
