/* SPDX-License-Identifier: MIT */
#include "lib/tally/digest.h"

#include "lib/tally/selected.h"

#include <string.h>

/* An event may have a time of a frame before the present one. */
static bool goes_back(const struct tally *a, const struct sink_span *times)
{
	const struct frame_marks *m = &a->state->marks;

	return times->any && frame_marks_timed(m) && times->least < m->items[m->n - 1].start;
}

/* Of where the events begin, and of the events. */
static struct sink_span span_from(bool in, int64_t at, const struct sink_span *s)
{
	struct sink_span r = *s;

	if (in && (!r.any || at < r.least))
		r.least = at;
	if (in && (!r.any || at > r.most))
		r.most = at;
	r.any |= in;
	return r;
}

/* No number of it can be in a range. Where there is no number yet, nothing is. */
static bool lies_outside(const struct selection_ranges *r, const struct sink_span *s)
{
	return r->n > 0 && (!s->any || !selection_meets(r, s->least, s->most, true));
}

/* Frees that come before anything that is live are of blocks that nothing is known of. */
static bool take_before(struct tally *a, const struct sink_digest *d,
			const struct sink_span *frames, const struct sink_span *times)
{
	const struct selection_place last = {.in_frame = frames->any,
					     .frame = frames->most,
					     .has_time = times->any,
					     .time = times->most};
	struct tally_state *w = a->state;

	if (selection_is_over(a->options.selection, &last))
		return false;
	if (!w->follow)
		return true;
	if (a->live.unordered || a->live.n_known)
		return false;
	a->live.unknown_frees += d->frees + d->freed;
	if (d->seqs == SINK_SEQS_NONE)
		w->seq += d->n[EV_FRAME] + d->n[EV_ALLOC] + d->frees;
	return true;
}

static bool take_behind(struct tally *a, const struct sink_digest *d,
			const struct sink_span *frames, const struct sink_span *times)
{
	struct tally_state *w = a->state;
	const struct selection_place first = {.in_frame = w->at.in_frame,
					      .frame = frames->least,
					      .has_time = a->has_time,
					      .time = times->least};

	if (!selection_is_over(a->options.selection, &first))
		return false;
	if (d->frees + d->freed && selection_may_return(a->options.selection, &first))
		tally_pass_frees(a, w->marks.at);
	if (d->seqs == SINK_SEQS_NONE && w->follow)
		w->seq += d->n[EV_FRAME];
	return true;
}

static void reach(struct tally *a, const struct sink_digest *d, const struct sink_span *times)
{
	struct tally_state *w = a->state;

	if (d->all_times.any) {
		extent_reach(&a->extent, d->all_times.least);
		extent_reach(&a->extent, d->all_times.most);
	}
	/* What goes back behind the newest mark is not taken. */
	extent_follow(&a->extent);
	if (d->frames.any)
		extent_skip(&a->extent);
	if (times->any) {
		w->at.time = times->last;
		a->has_time = true;
	}
	if (d->frames.any) {
		w->at.frame = d->frames.last;
		w->at.in_frame = true;
		frame_marks_add(&w->marks, &(struct frame_mark){.number = d->frames.last,
								.timed = d->all_times.any,
								.start = d->all_times.least});
	}
}

bool tally_take_unselected(struct tally *a, const struct sink_digest *d)
{
	struct tally_state *w = a->state;
	const struct tally_selection *s = a->options.selection;
	const struct sink_span *own = a->options.counters ? &d->counted : &d->times;
	struct sink_span frames = span_from(w->at.in_frame, w->at.frame, &d->frames);
	struct sink_span times = span_from(a->has_time, w->at.time, own);
	bool by_frame, untimed = !a->has_time && s && s->times.n > 0;
	uint64_t left = d->n[EV_ALLOC] + d->n[EV_PROFILE] + d->n[EV_TYPE_TOTAL] +
			(a->options.counters ? d->readings : 0);

	if (!s || tally_is_sliced(a, d->n[EV_FRAME]) || (a->call_times && d->measured) ||
	    d->seqs == SINK_SEQS_MIXED)
		return false;
	/* The frame that is counted ends within: at a time that only its event tells. */
	if (a->extent.open && d->n[EV_FRAME])
		return false;
	/* Without anything that is followed, frees do not even tell the time. */
	if (!w->follow && d->times.any && d->frees + d->freed)
		return false;
	if (goes_back(a, &d->all_times))
		return false;
	by_frame = lies_outside(&s->frames, &frames);
	/* Frames themselves go by their number alone. */
	if (!by_frame && (!lies_outside(&s->times, &times) || d->n[EV_FRAME]))
		return false;
	if (untimed && own->any)
		return false;
	if (!take_behind(a, d, &frames, &times) && !take_before(a, d, &frames, &times))
		return false;
	a->unselected += left;
	a->untimed += untimed ? left : 0;
	reach(a, d, own);
	return true;
}
