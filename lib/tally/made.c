/* SPDX-License-Identifier: MIT */
#include "lib/tally/made.h"

#include "lib/base/mem.h"
#include "lib/tally/digest.h"

#include <string.h>

const struct tally_options tally_made_options = {
    .want = SUMS_ALL, .totals = true, .counters = true};

/* The parts follow in this order. */
struct tally_made {
	struct tally tally; /* its numbers; where it points to is its maker's */
	struct tally_tide tide[DOMAINS + 1];
	uint64_t timed;
	unsigned known;
	bool follow, running, rarely;
	size_t n_types, n_counters;
};

enum part { PART_CELLS, PART_TYPES, PART_LIVES, PART_RARE, PART_PEAKS, PART_COUNTERS, PARTS };

static size_t made_part(const struct tally_made *m, enum part p)
{
	switch (p) {
	case PART_CELLS: return m->tally.n_cells * sizeof(struct tally_cell);
	case PART_TYPES: return m->n_types * sizeof(struct tally_type);
	case PART_LIVES: return m->follow ? m->tally.n_cells * sizeof(uint64_t[3]) : 0;
	case PART_RARE: return m->rarely ? m->tally.n_cells * sizeof(struct tally_rare) : 0;
	case PART_PEAKS:
		return m->known & SUMS_PEAK ? m->tally.n_cells * sizeof(struct tally_peak[2]) : 0;
	default: return m->n_counters * sizeof(struct counter_stats);
	}
}

/* counter_stats has a number of 16 bytes. */
static size_t made_place(const struct tally_made *m, enum part p)
{
	size_t at = sizeof *m;

	for (enum part i = 0; i < p; i++)
		at = (at + 15) / 16 * 16 + made_part(m, i);
	return (at + 15) / 16 * 16;
}

static struct tally_made made_of(const struct tally *a)
{
	const struct tally_work *w = a->work;
	struct tally_made m = {.tally = *a,
			       .timed = w->timed,
			       .known = w->known,
			       .follow = w->follow,
			       .running = w->running && (w->temporary || w->numbering),
			       .rarely = w->rarely,
			       .n_types = w->cap_types,
			       .n_counters = a->counters.n};

	memcpy(m.tide, w->tide, sizeof m.tide);
	return m;
}

size_t tally_made_size(const struct tally *a)
{
	struct tally_made m = made_of(a);

	return made_place(&m, PARTS);
}

void tally_make(const struct tally *a, void *to)
{
	const struct tally_work *w = a->work;
	struct tally_made m = made_of(a);
	const void *parts[] = {a->cells, a->types, w->lives, w->rare, w->peaks, a->counters.items};

	memcpy(to, &m, sizeof m);
	for (enum part p = 0; p < PARTS; p++)
		if (made_part(&m, p))
			memcpy((char *)to + made_place(&m, p), parts[p], made_part(&m, p));
}

/* Grows *array to hold the part, and fills it. cap is in elements of size. */
static void *made_copy(const struct tally_made *m, enum part p, void *array, size_t *cap,
		       size_t size)
{
	size_t n = made_part(m, p);

	array = mem_grow(array, cap, n / size + 1, size);
	if (n)
		memcpy(array, (const char *)m + made_place(m, p), n);
	return array;
}

static void take(struct tally *a, const struct tally_made *m, const struct sink_span *times)
{
	struct tally_work *w = a->work;

	a->cells = made_copy(m, PART_CELLS, a->cells, &a->cap_cells, sizeof *a->cells);
	a->types = made_copy(m, PART_TYPES, a->types, &w->cap_types, sizeof *a->types);
	a->n_cells = m->tally.n_cells;
	if (w->follow)
		w->lives = made_copy(m, PART_LIVES, w->lives, &w->cap_lives, sizeof *w->lives);
	if (w->rarely)
		w->rare = made_copy(m, PART_RARE, w->rare, &w->cap_rare, sizeof *w->rare);
	if (w->peaking)
		w->peaks = made_copy(m, PART_PEAKS, w->peaks, &w->cap_peaks, sizeof *w->peaks);
	if (a->options.counters) {
		a->counters.items = made_copy(m, PART_COUNTERS, a->counters.items, &a->counters.cap,
					      sizeof *a->counters.items);
		a->counters.n = m->n_counters;
	}
	if (a->options.counters) {
		a->has_time = m->tally.has_time;
	} else if (times->any) { /* readings of counters do not tell the time then */
		a->has_time = true;
	}
	a->extent = m->tally.extent;
	memcpy(a->records, m->tally.records, sizeof a->records);
	memcpy(a->threads, m->tally.threads, sizeof a->threads);
	memcpy(a->worst, m->tally.worst, sizeof a->worst);
	memcpy(a->without_requested, m->tally.without_requested, sizeof a->without_requested);
	memcpy(a->without_real, m->tally.without_real, sizeof a->without_real);
	if (w->follow) {
		memcpy(a->followed, m->tally.followed, sizeof a->followed);
		memcpy(a->without_address, m->tally.without_address, sizeof a->without_address);
		a->live.lost_frees = m->tally.live.lost_frees;
		a->live.unknown_frees = m->tally.live.unknown_frees;
	}
	if (w->running || w->rarely) {
		memcpy(w->tide, m->tide, sizeof w->tide);
		w->timed = m->timed;
	}
	if (!w->running)
		for (size_t d = 0; d <= DOMAINS; d++)
			w->tide[d].overflow = false;
	for (size_t i = 0; i < a->n_cells && !w->follow; i++)
		a->cells[i].followed = false;
	for (size_t i = 0; i < m->n_types && !(a->want & SUM_BIT(SUM_SLACK)); i++) {
		a->types[i].slack = 0;
		a->types[i].has &= (uint8_t)~TYPE_HAS_SLACK;
	}
}

/* By a tally that was asked for the same. */
static bool take_selected(struct tally *a, const struct sink_digest *d)
{
	const struct tally_made *m;

	if (tally_is_sliced(a, d->n[EV_FRAME]) || d->measured)
		return false;
	m = d->made->take(d->made->arg, d->made->capture);
	if (!m)
		return false;
	take(a, m, &d->times);
	a->unselected = m->tally.unselected;
	a->untimed = m->tally.untimed;
	a->has_time = m->tally.has_time;
	return true;
}

bool tally_take_made(struct tally *a, const struct sink_digest *d)
{
	const struct tally_work *w = a->work;
	const struct tally_made *m;

	if (d->made->selection)
		return d->made->selection == a->options.selection && take_selected(a, d);
	if ((a->options.selection && !selection_all(a->options.selection)) || a->options.split ||
	    tally_is_sliced(a, d->n[EV_FRAME]) || d->measured ||
	    (w->peaking && a->options.domains_together))
		return false;
	/* Without anything that is followed, frees do not even tell the time. */
	if (!w->follow && d->times.any && d->frees + d->freed)
		return false;
	m = d->made->take(d->made->arg, d->made->capture);
	if (!m || (w->known & ~m->known) || (w->running && !m->running) ||
	    (w->follow && !m->follow) || (w->rarely && !m->rarely))
		return false;
	take(a, m, &d->times);
	return true;
}
