/* SPDX-License-Identifier: MIT */
#include "lib/tally/state.h"

#include "lib/base/mem.h"
#include "lib/tally/slices.h"

#include <string.h>

/* A metric known per type comes from type totals, any other from allocations: never both. */
static void set_fields(struct tally *a, const struct trace *t)
{
	struct tally_state *w = a->state;
	static const uint16_t fields[] = {EV_HAS_COUNT, EV_HAS_REQUESTED, EV_HAS_REAL};

	w->from_allocs = w->from_types = 0;
	for (size_t m = METRIC_COUNT; m <= METRIC_REAL; m++)
		if (t->metrics[m].state != METRIC_ABSENT)
			*(t->metrics[m].key == METRIC_AT_TYPE ? &w->from_types : &w->from_allocs) |=
			    fields[m];
}

/* Which sums cells can have. */
static unsigned tally_state_known_sums(const struct tally *a)
{
	const struct tally_state *w = a->state;
	const struct derived derived = {.has = derived_of(a->want, w->from_allocs | w->from_types)};
	unsigned known = SUM_BIT(SUM_ENTRIES) | derived_bits(&derived);

	if (w->from_allocs & EV_HAS_COUNT)
		known |= SUM_BIT(SUM_COUNT);
	if (w->from_allocs & EV_HAS_REQUESTED)
		known |= SUM_BIT(SUM_REQUESTED);
	if (w->from_allocs & EV_HAS_REAL)
		known |= SUM_BIT(SUM_REAL);
	if (!w->follow)
		return known;
	known |= a->want & (SUMS_LIVE | SUMS_FREED);
	if (!a->live.unordered)
		known |= a->want & (SUMS_PEAK | SUM_BIT(SUM_TEMPORARY) | SUMS_LIFETIME);
	return known;
}

static bool of_records(const struct trace *t, enum metric m)
{
	return t->metrics[m].state != METRIC_ABSENT && t->metrics[m].key != METRIC_AT_TYPE;
}

unsigned tally_weighs(const struct trace *t)
{
	return of_records(t, METRIC_REAL) ? 2 : of_records(t, METRIC_REQUESTED) ? 1 : 0;
}

void tally_choose_state(struct tally *a, const struct trace *t)
{
	struct tally_state *w = a->state;
	bool slicing = a->options.slicing != SLICE_NONE, totals;

	set_fields(a, t);
	a->want = a->options.want ? a->options.want : TALLY_WANT;
	w->follow = t->metrics[METRIC_LIVE].state != METRIC_ABSENT && a->want & SUMS_MATCHED;
	a->live.unordered = t->unordered;
	w->known = tally_state_known_sums(a);
	w->peaking = w->known & SUMS_PEAK;
	totals = a->options.totals && w->follow;
	w->numbering = a->live.unordered && w->follow && (slicing || totals);
	w->temporary = (totals && !a->live.unordered) || w->known & SUM_BIT(SUM_TEMPORARY);
	w->running = w->follow && (slicing || w->peaking || totals);
	w->rarely = w->known & (SUMS_DERIVED | SUMS_FREED | SUM_BIT(SUM_TEMPORARY) | SUMS_LIFETIME);
	w->celled = w->follow && w->peaking;
	/* A hook's cost is more than some cells have, which have 0 then: sums are those of cells. */
	w->touching = slicing && (a->options.slice_cells || a->options.hook_cost);
	w->weigh = tally_weighs(t);
	w->asks = w->weigh == 2 && of_records(t, METRIC_REQUESTED) && !t->unordered;
	if (a->options.slice_marked) {
		slices_free(a->slices);
		a->slices = NULL;
	} else if (slicing && !a->slices) {
		a->slices = slices_new();
	}
}

void tally_see_thread(struct tally *a, uint32_t thread, unsigned domain)
{
	struct tally_state *w = a->state;

	w->allocate = mem_grow_zero(w->allocate, &w->cap_allocate, (size_t)thread + 1, 1);
	w->allocate[thread] |= (uint8_t)(1u << domain);
}

void tally_count_threads(struct tally *a, const struct trace *t)
{
	const struct tally_state *w = a->state;
	struct map64 seen[DOMAINS + 1];

	for (size_t d = 0; d <= DOMAINS; d++)
		seen[d] = (struct map64)MAP64_INIT;
	memset(a->threads, 0, sizeof a->threads);
	for (uint32_t i = 1; i < t->n_threads && i < w->cap_allocate; i++) {
		const struct thread *th = &t->threads[i];
		uint64_t id = th->tid ? (uint64_t)th->process << 32 ^ th->tid : UINT64_MAX - i;

		for (unsigned d = 0; w->allocate[i] && d <= DOMAINS; d++) {
			uint32_t *had = NULL;

			if (d < DOMAINS && !(w->allocate[i] >> d & 1))
				continue;
			had = map64_put(&seen[d], id);
			a->threads[d] += !*had;
			*had = 1;
		}
	}
	for (size_t d = 0; d <= DOMAINS; d++)
		map64_release(&seen[d]);
}

bool tally_mixed(const struct tally *a, unsigned domain)
{
	return a->state->asks && a->without_real[domain] && !a->without_requested[domain];
}

unsigned tally_weighed(const struct tally *a, unsigned domain)
{
	uint64_t records = 0;

	for (unsigned d = 0; d < DOMAINS; d++)
		records += domain == DOMAINS || d == domain ? a->records[d] : 0;
	return tally_mixed(a, domain) ||
		       (a->state->weigh == 2 && records && a->without_real[domain] == records)
		   ? 1
		   : a->state->weigh;
}

void tally_settle_live(struct tally *a)
{
	struct tally_state *w = a->state;

	w->lives = mem_grow(w->lives, &w->cap_lives, a->n_cells + 1, sizeof *w->lives);
	memset(w->lives, 0, a->n_cells * sizeof *w->lives);
	if (w->listed)
		memcpy(w->lives, w->listed,
		       (a->n_cells < w->cap_listed ? a->n_cells : w->cap_listed) *
			   sizeof *w->lives);
	for (size_t i = 0; i < a->live.n; i++) {
		const struct live_block *b = &a->live.blocks[i];
		uint64_t *l = w->lives[b->cell];

		if (!b->allocated)
			continue;
		if (a->interval) {
			variance_add(&a->live_variance[a->cells[b->cell].domain], b->count,
				     b->requested, b->real);
			variance_add(&a->live_variance[DOMAINS], b->count, b->requested, b->real);
		}
		l[0] = add_saturating(l[0], b->count);
		l[1] = add_saturating(l[1], b->requested);
		l[2] = add_saturating(l[2], b->real);
	}
}

bool tally_frame_selected(const struct tally *a, size_t index)
{
	const struct tally_selection *s = a->options.selection;
	const struct frame_mark *m = &a->state->marks.items[index];
	int64_t ns, end;

	if (!m->selected || !s || !s->times.n || !m->timed)
		return m->selected && (!s || !s->times.n);
	if (frame_marks_duration(&a->state->marks, index, &ns)) {
		if (__builtin_add_overflow(m->start, ns, &end))
			end = INT64_MAX;
	} else {
		end = index + 1 == a->state->marks.n ? a->extent.last : m->start;
	}
	for (size_t i = 0; i < s->times.n; i++) {
		const struct selection_range *r = &s->times.items[i];

		if ((m->start < r->hi || r->lo == r->hi) && m->start <= r->hi &&
		    (end > r->lo || m->start >= r->lo))
			return true;
	}
	return false;
}

uint64_t tally_frames(const struct tally *a, const struct trace *t)
{
	const struct tally_selection *s = a->options.selection;
	const struct frame_marks *m = &a->state->marks;
	uint64_t frames = 0;

	if (!s || !s->times.n)
		return extent_frames(&a->extent, t);
	for (size_t i = 0; i < m->n; i++)
		frames += tally_frame_selected(a, i);
	return frames - (m->n && extent_closes(&a->extent, t) && tally_frame_selected(a, m->n - 1));
}
