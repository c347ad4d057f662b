/* SPDX-License-Identifier: MIT */
#include "lib/tally/extent.h"

#include "lib/base/num.h"
#include "lib/tally/sums.h"

#include <string.h>

/* ns of [from, to] that are in the ranges. */
static uint64_t time_within(const struct selection_ranges *r, int64_t from, int64_t to)
{
	uint64_t sum = 0;

	if (from >= to)
		return 0;
	if (!r->n)
		return (uint64_t)to - (uint64_t)from;
	for (int64_t at = from; at < to;) {
		int64_t lo = to, hi = to;

		/* The range that begins next, or that at is in and ends last. */
		for (size_t i = 0; i < r->n; i++) {
			const struct selection_range *x = &r->items[i];
			int64_t begins = x->lo < at ? at : x->lo;

			if (x->hi > at && (begins < lo || (begins == lo && x->hi > hi))) {
				lo = begins;
				hi = x->hi;
			}
		}
		if (lo >= to)
			break;
		at = hi < to ? hi : to;
		sum += (uint64_t)at - (uint64_t)lo;
	}
	return sum;
}

static uint64_t extent_framed(const struct tally_extent *x, const struct tally_selection *s,
			      int64_t end)
{
	return x->open ? add_saturating(x->framed, time_within(&s->times, x->start, end))
		       : x->framed;
}

void extent_frame(struct tally_extent *x, const struct tally_selection *s, int64_t number,
		  bool timed, int64_t time)
{
	bool in = !s || selection_in(&s->frames, number);

	x->frames += in && (!s || !s->times.n || (timed && selection_in(&s->times, time)));
	if (!s || !s->frames.n)
		return;
	if (timed)
		x->framed = extent_framed(x, s, time);
	x->open = in && timed;
	x->start = time;
	x->timed |= x->open;
}

bool extent_duration(const struct tally_extent *x, const struct trace *t,
		     const struct tally_selection *s, uint64_t *ns)
{
	static const struct selection_ranges all = {.n = 0};
	const char *said = trace_get(t, TRACE_DURATION);

	if (said && (!s || (!s->frames.n && !s->times.n)) && num_dec(said, strlen(said), ns))
		return true;
	if (!x->any || (s && s->frames.n && !x->timed))
		return false;
	*ns = s && s->frames.n ? extent_framed(x, s, x->last)
			       : time_within(s ? &s->times : &all, x->first, x->last);
	return true;
}

bool extent_span(const struct tally_extent *x, const struct trace *t,
		 const struct tally_selection *s, int64_t *from, int64_t *to)
{
	const struct selection_range *r = s && s->times.n ? s->times.items : NULL;

	if (!x->any || trace_get(t, TRACE_DURATION) || (s && (s->frames.n || s->times.n > 1)))
		return false;
	*from = r && r->lo > x->first ? r->lo : x->first;
	*to = r && r->hi < x->last ? r->hi : x->last;
	return *from < *to;
}
