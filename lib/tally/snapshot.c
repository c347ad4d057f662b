/* SPDX-License-Identifier: MIT */
#include "lib/tally/snapshot.h"

#include "lib/base/mem.h"
#include "lib/tally/digest.h"

#include <string.h>

const struct tally_options tally_snapshot_options = {
    .want = SUMS_ALL, .totals = true, .counters = true};

/* The parts follow in this order. */
struct tally_snapshot {
	struct tally tally; /* its numbers; where it points to is its maker's */
	struct peak_tracker peak_tracker[DOMAINS + 1];
	uint64_t timed;
	unsigned known;
	bool follow, running, rarely;
	size_t n_types, n_counters;
};

enum part { PART_CELLS, PART_TYPES, PART_LIVES, PART_RARE, PART_PEAKS, PART_COUNTERS, PARTS };

static size_t snapshot_part(const struct tally_snapshot *m, enum part p)
{
	switch (p) {
	case PART_CELLS: return m->tally.n_cells * sizeof(struct tally_cell);
	case PART_TYPES: return m->n_types * sizeof(struct tally_type);
	case PART_LIVES: return m->follow ? m->tally.n_cells * sizeof(uint64_t[3]) : 0;
	case PART_RARE: return m->rarely ? m->tally.n_cells * sizeof(struct cell_extra) : 0;
	case PART_PEAKS:
		return m->known & SUMS_PEAK ? m->tally.n_cells * sizeof(struct tally_peak[2]) : 0;
	default: return m->n_counters * sizeof(struct counter_stats);
	}
}

/* counter_stats has a number of 16 bytes. */
static size_t snapshot_place(const struct tally_snapshot *m, enum part p)
{
	size_t at = sizeof *m;

	for (enum part i = 0; i < p; i++)
		at = (at + 15) / 16 * 16 + snapshot_part(m, i);
	return (at + 15) / 16 * 16;
}

static struct tally_snapshot snapshot_of(const struct tally *a)
{
	const struct tally_state *w = a->state;
	struct tally_snapshot m = {.tally = *a,
				   .timed = w->timed,
				   .known = w->known,
				   .follow = w->follow,
				   .running = w->running && (w->temporary || w->numbering),
				   .rarely = w->rarely,
				   .n_types = w->cap_types,
				   .n_counters = a->counters.n};

	memcpy(m.peak_tracker, w->peak_tracker, sizeof m.peak_tracker);
	return m;
}

size_t tally_snapshot_size(const struct tally *a)
{
	struct tally_snapshot m = snapshot_of(a);

	return snapshot_place(&m, PARTS);
}

void tally_snapshot_make(const struct tally *a, void *to)
{
	const struct tally_state *w = a->state;
	struct tally_snapshot m = snapshot_of(a);
	const void *parts[] = {a->cells, a->types, w->lives, w->rare, w->peaks, a->counters.items};

	memcpy(to, &m, sizeof m);
	for (enum part p = 0; p < PARTS; p++)
		if (snapshot_part(&m, p))
			memcpy((char *)to + snapshot_place(&m, p), parts[p], snapshot_part(&m, p));
}

/* Grows *array to hold the part, and fills it. cap is in elements of size. */
static void *snapshot_copy(const struct tally_snapshot *m, enum part p, void *array, size_t *cap,
			   size_t size)
{
	size_t n = snapshot_part(m, p);

	array = mem_grow(array, cap, n / size + 1, size);
	if (n)
		memcpy(array, (const char *)m + snapshot_place(m, p), n);
	return array;
}

static void take(struct tally *a, const struct tally_snapshot *m, const struct sink_span *times)
{
	struct tally_state *w = a->state;

	a->cells = snapshot_copy(m, PART_CELLS, a->cells, &a->cap_cells, sizeof *a->cells);
	a->types = snapshot_copy(m, PART_TYPES, a->types, &w->cap_types, sizeof *a->types);
	a->n_cells = m->tally.n_cells;
	a->n_of_blocks = m->tally.n_of_blocks;
	if (w->follow)
		w->lives = snapshot_copy(m, PART_LIVES, w->lives, &w->cap_lives, sizeof *w->lives);
	if (w->rarely)
		w->rare = snapshot_copy(m, PART_RARE, w->rare, &w->cap_rare, sizeof *w->rare);
	if (w->peaking)
		w->peaks = snapshot_copy(m, PART_PEAKS, w->peaks, &w->cap_peaks, sizeof *w->peaks);
	if (a->options.counters) {
		a->counters.items = snapshot_copy(m, PART_COUNTERS, a->counters.items,
						  &a->counters.cap, sizeof *a->counters.items);
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
		memcpy(w->peak_tracker, m->peak_tracker, sizeof w->peak_tracker);
		w->timed = m->timed;
	}
	if (!w->running)
		for (size_t d = 0; d <= DOMAINS; d++)
			w->peak_tracker[d].overflow = false;
	for (size_t i = 0; i < a->n_cells && !w->follow; i++)
		a->cells[i].followed = false;
	for (size_t i = 0; i < m->n_types; i++)
		a->types[i].derived.has &= derived_of(a->want, EV_HAS_REQUESTED | EV_HAS_REAL);
}

/* By a tally that was asked for the same. */
static bool take_selected(struct tally *a, const struct sink_digest *d)
{
	const struct tally_snapshot *m;

	if (tally_is_sliced(a, d->n[EV_FRAME]) || d->measured)
		return false;
	m = d->made->take(d->made->arg, d->made->capture);
	if (!m)
		return false;
	take(a, m, &d->times);
	a->unselected = m->tally.unselected;
	a->untimed = m->tally.untimed;
	a->returned = m->tally.returned;
	a->has_time = m->tally.has_time;
	return true;
}

bool tally_add_snapshot(struct tally *a, const struct sink_digest *d)
{
	const struct tally_state *w = a->state;
	const struct tally_snapshot *m;

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
